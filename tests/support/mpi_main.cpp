// main() of the tests that run under mpirun: a failure on any rank fails the program on every rank, and only
// rank 0 prints what passed; each rank prints its own failures.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <gtest/gtest.h>

#include "cyclade/mpi/communicator.hpp"
#include "cyclade/mpi/session.hpp"

namespace {

/// Prints the failures of the other ranks, with their number; the default printer stays on rank 0.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) {
      std::fprintf(stderr, "[rank %d] %s:%d: %s\n", rank_, result.file_name() ? result.file_name() : "?",
                   result.line_number(), result.message());
    }
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  cyclade::Session session(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  const auto world = cyclade::Communicator::duplicate(session.world());
  if (world.rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(world.rank()));
  }
  const int failed = RUN_ALL_TESTS();
  return world.max(failed);
}
