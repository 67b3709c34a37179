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
//   mpirun -n 2 capacitance --panels 24 --svg cube.svg
//
// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <cmath>
#include <cstdio>
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

constexpr const char* usage =
    "usage: mpirun -n RANKS capacitance [--panels M] [--svg FILE]\n\n"
    "The electrostatic capacitance of the unit cube, from the inverse of a dense matrix of order 6 M^2.\n"
    "  --panels M   panels along an edge: a multiple of 4 from 8 to 128 (24); M/4 and M/2 are computed too\n"
    "  --svg FILE   draw the density of the charge\n"
    "  --help       this text\n";

struct Options {
  Index panels = 24;
  std::string svg;  // empty: no picture
  bool help = false;
};

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

Index panels_along_an_edge(const std::string& word) {
  Index m = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, m);
  require(error == std::errc() && stop == end && m >= 8 && m <= 128 && m % 4 == 0,
          "--panels must be a multiple of 4 from 8 to 128, got \"" + word + "\"");
  return m;
}

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help") {
      options.help = true;
      continue;
    }
    require(word == "--panels" || word == "--svg", "what is \"" + word + "\"? See --help");
    require(i + 1 < words.size() && !words[i + 1].empty(), word + " needs a value. See --help");
    if (word == "--panels")
      options.panels = panels_along_an_edge(words[++i]);
    else
      options.svg = words[++i];
  }
  return options;
}

int run(const Options& options, MPI_Comm world) {
  const Communicator ranks = Communicator::duplicate(world);
  const bool root = ranks.rank() == 0;
  if (options.help) {
    if (root) std::fputs(usage, stdout);
    return 0;
  }
  const Grid grid(world, nearest_square(ranks.size()));
  HostDevice host;
  std::optional<OutputFile> picture;
  if (!options.svg.empty()) picture.emplace(ranks, options.svg);  // no permission to write: told at once

  if (root)
    std::printf(
        "The unit cube at potential 1, on %d rank%s (%d x %d)\n\n   m       N          C      error"
        "    inversion    GFLOP/s   digits\n",
        ranks.size(), ranks.size() == 1 ? "" : "s", grid.p(), grid.q());
  const Cube cube(options.panels);
  Solution s;
  std::vector<Refinement> refinements;
  for (const Index m : {cube.m() / 4, cube.m() / 2, cube.m()}) {
    s = charge_the_cube(Cube(m), grid, host);
    if (s.report.status != Status::ok) {
      if (root) std::fprintf(stderr, "no inverse: %s\n", to_string(s.report.status).data());
      return 1;
    }
    refinements.push_back({m, s.capacitance});
    if (root) print_solution(Cube(m), s);
  }
  if (root) {
    print_certificate(s.report);
    print_limit(refinements);
  }
  if (picture) {
    const std::string svg = draw_cube(cube, s.density, refinements, literature);
    agree(ranks, [&] {
      if (root) picture->write(0, svg);  // a full disk is known to rank 0 alone: agree tells the others
    });
    picture->commit(static_cast<Index>(svg.size()));
    if (root) std::printf("picture: %s\n", picture->path().c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Session session(argc, argv);
  try {
    return run(parse({argv + 1, argv + argc}), session.world());
  } catch (const Error& error) {  // thrown on all ranks alike
    int rank = 0;
    MPI_Comm_rank(session.world(), &rank);
    if (rank == 0) std::fprintf(stderr, "capacitance: %s\n", error.what());
    return error.kind() == ErrorKind::argument ? 2 : 1;
  }
}
