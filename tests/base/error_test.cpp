// Errors keep their kind and their text when they are thrown again elsewhere.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/base/error.hpp"

#include <gtest/gtest.h>

namespace cyclade {
namespace {

template <class E>
void expect_thrown_as(ErrorKind kind) {
  try {
    throw_error(kind, "what happened");
  } catch (const E& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_STREQ(error.what(), "what happened");
    return;
  } catch (const std::exception& error) {
    FAIL() << "another class: " << error.what();
  }
}

TEST(Error, throw_error_picks_the_class_of_the_kind) {
  expect_thrown_as<ArgumentError>(ErrorKind::argument);
  expect_thrown_as<FileError>(ErrorKind::file);
  expect_thrown_as<MemoryError>(ErrorKind::memory);
  expect_thrown_as<MpiError>(ErrorKind::mpi);
  expect_thrown_as<InternalError>(ErrorKind::internal);
}

TEST(Error, a_kind_that_does_not_exist_is_our_own_fault) {
  EXPECT_THROW(throw_error(static_cast<ErrorKind>(0), "?"), InternalError);
}

TEST(Error, all_are_caught_as_error_and_as_runtime_error) {
  EXPECT_THROW(throw FileError("x"), Error);
  EXPECT_THROW(throw MpiError("x"), std::runtime_error);
}

TEST(Error, require_throws_only_when_the_condition_fails) {
  EXPECT_NO_THROW(require(true, "never"));
  EXPECT_THROW(require(false, "always"), ArgumentError);
}

}  // namespace
}  // namespace cyclade
