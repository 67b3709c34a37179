// How much charge does a cube of metal hold? The capacitance of the unit cube, by the boundary element
// method: cut its six faces into N = 6 m^2 square panels, each with a constant charge density q_j. The
// potential at the centre of panel i is then (4 pi eps0 = 1)
//
//   v_i = sum_j a_ij q_j,      a_ij = integral over panel j of dS / distance to centre i
//
// At v = 1 everywhere q = A^-1 (1,...,1), and the capacitance is all the charge: C = sum_ij (A^-1)_ij / m^2.
// (The inverse tells more: entry (i,j) over m^2 is the charge of panel i when panel j alone is at
// potential 1.)
//
//   mpirun -n 2 capacitance [m [picture.svg]]     m: panels along an edge, a multiple of 4 from 8 (32)
//
// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "cyclade/device/host.hpp"
#include "cyclade/inverse/invert.hpp"
#include "cyclade/mpi/file.hpp"
#include "cyclade/mpi/session.hpp"
#include "examples/cube.hpp"
#include "examples/cube_picture.hpp"

using namespace cyclade;

namespace {

/// Helsing and Perfekt, arXiv:1203.5997: in units of 4 pi eps0 times the edge.
constexpr double literature = 0.660678;

struct Solution {
  Report report;                // the same on all ranks
  std::vector<double> density;  // of charge, by panel; on all ranks
  double capacitance = 0;
};

/// Collective over the grid.
Solution charge_the_cube(const Cube& cube, const Grid& grid, Device& device) {
  const Index n = cube.panels();
  std::optional<Matrix<double>> a;  // one rank alone may run out of memory: then all must hear of it
  agree(grid.all(), [&] { a.emplace(grid, square_layout(n, 64, grid.p(), grid.q()), device); });
  fill_entries(*a, [&](Index i, Index j) { return cube.potential(j, cube.centre(i)); });  // each rank its own

  Solution solution{invert(*a), std::vector<double>(static_cast<std::size_t>(n))};
  if (solution.report.status != Status::ok) return solution;

  const MatrixView<double> x = a->local();  // a is the inverse now; its row sums, first over what is here
  for (Index j = 0; j < x.cols; ++j)
    for (Index i = 0; i < x.rows; ++i)
      solution.density[static_cast<std::size_t>(a->global_row(i))] += x(i, j);
  grid.all().all_reduce_sum(std::span(solution.density));
  for (const double q : solution.density) solution.capacitance += q * cube.panel_area();
  return solution;
}

void print_solution(const Cube& cube, const Solution& s) {
  std::printf("%4lld %7lld   %.6f   %+.1e %9.2f s %10.1f %8d\n", static_cast<long long>(cube.m()),
              static_cast<long long>(cube.panels()), s.capacitance, s.capacitance - literature,
              s.report.seconds, s.report.gflops(), s.report.certificate.digits);
  std::fflush(stdout);
}

void print_certificate(const Report& report) {
  const Certificate& c = report.certificate;
  std::printf(
      "\ncertificate of the last inverse X of A:  |I - XA| <= %.1e,  |I - AX| <= %.1e  (spectral norms,\n"
      "wrong with a probability below %.0e); condition %.1e, growth %.1f\n",
      c.left, c.right, 1 - c.confidence, report.cond1, report.growth);
}

/// Richardson: the limit of C(m), C(2m), C(4m) if the error falls as a power of m.
void print_limit(const std::vector<Refinement>& c) {
  const double last_step = c[2].capacitance - c[1].capacitance;
  const double ratio = (c[1].capacitance - c[0].capacitance) / last_step;
  std::printf("\nfor m to infinity: %.5f (error ~ m^-%.2f); literature: %.6f\n",
              c[2].capacitance + last_step / (ratio - 1), std::log2(ratio), literature);
}

Index panels_along_an_edge(const char* word) {
  Index m = 0;
  const char* end = word + std::strlen(word);
  const auto [stop, error] = std::from_chars(word, end, m);
  require(error == std::errc() && stop == end && m >= 8 && m <= 128 && m % 4 == 0,
          std::string("m must be a multiple of 4 from 8 to 128, got \"") + word +
              "\"\nusage: mpirun -n 2 capacitance [m [picture.svg]]");
  return m;
}

int run(int argc, char** argv, MPI_Comm world) {
  const Index m = panels_along_an_edge(argc > 1 ? argv[1] : "32");
  require(argc <= 3, std::string("two arguments at the most; what is \"") + argv[argc - 1] + "\"?");
  const Communicator ranks = Communicator::duplicate(world);
  const Grid grid(world, nearest_square(ranks.size()));
  const bool root = ranks.rank() == 0;
  HostDevice host;
  OutputFile picture(ranks, argc > 2 ? argv[2] : "capacitance.svg");  // no permission to write: told at once

  if (root)
    std::printf(
        "The unit cube at potential 1, on a %d x %d grid of ranks\n\n   m       N          C      error"
        "    inversion    GFLOP/s   digits\n",
        grid.p(), grid.q());
  Solution s;
  std::vector<Refinement> refinements;
  for (const Index panels : {m / 4, m / 2, m}) {
    const Cube cube(panels);
    s = charge_the_cube(cube, grid, host);
    if (s.report.status != Status::ok) {
      if (root) std::fprintf(stderr, "no inverse: %s\n", to_string(s.report.status).data());
      return 1;
    }
    refinements.push_back({panels, s.capacitance});
    if (root) print_solution(cube, s);
  }
  const std::string svg = draw_cube(Cube(m), s.density, refinements, literature);
  agree(ranks, [&] {
    if (root) picture.write(0, svg);  // a full disk is known to rank 0 alone: agree tells the others
  });
  picture.commit(static_cast<Index>(svg.size()));
  if (root) {
    print_certificate(s.report);
    print_limit(refinements);
    std::printf("picture: %s\n", picture.path().c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  try {
    return run(argc, argv, session.world());
  } catch (const Error& error) {  // thrown on all ranks alike
    int rank = 0;
    MPI_Comm_rank(session.world(), &rank);
    if (rank == 0) std::fprintf(stderr, "capacitance: %s\n", error.what());
    return error.kind() == ErrorKind::argument ? 2 : 1;
  }
}
