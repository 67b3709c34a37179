// A build without HDF5 knows the names and says what is missing, the same on all ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/io/matrix_file.hpp"

namespace cyclade {
namespace {

TEST(Hdf5Absent, says_what_to_install) {
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  for (const bool reads : {true, false}) {
    try {
      if (reads) inspect(world, "a.h5:/x");
      if (!reads) const MatrixOutput output(world, "a.h5:/x");
      ADD_FAILURE() << "a build without HDF5 took a.h5:/x";
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(),
                  testing::HasSubstr("a.h5:/x: this build of Cyclade cannot read or write HDF5"));
      EXPECT_THAT(error.what(), testing::HasSubstr("libhdf5-openmpi-dev"));
    }
  }
}

TEST(Hdf5Absent, the_tests_of_hdf5_are_skipped) { GTEST_SKIP() << "this build has no HDF5"; }

}  // namespace
}  // namespace cyclade
