// A program of somebody else's: inverts a matrix with a known inverse through an installed Cyclade.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cyclade/device/host.hpp>
#include <cyclade/inverse/invert.hpp>
#include <cyclade/io/generate.hpp>
#include <cyclade/mpi/session.hpp>

int main(int argc, char** argv) {
  using namespace cyclade;
  const Session session(argc, argv);
  const Grid grid(session.world(), {1, 1});
  HostDevice host;
  const Matrix<double> a(grid, square_layout(50, 8, 1, 1), host);
  generate("minij", a);
  const Report report = invert(a);
  const bool right = a.local()(0, 0) == 2 && a.local()(0, 1) == -1 && a.local()(49, 49) == 1;
  return report.status == Status::ok && right ? 0 : 1;
}
