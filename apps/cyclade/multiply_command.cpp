// cyclade multiply: C = A B on the grid.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "apps/cyclade/input.hpp"
#include "apps/cyclade/planning.hpp"
#include "cyclade/mpi/session.hpp"
#include "cyclade/multiply/summa.hpp"

namespace cyclade::app {
namespace {

struct Options {
  std::string a, b, output, type, transport = "automatic";
  Index n = 0;
  GridOptions grid;
};

/// Of A, B and C. One block size for all three, so that rows and columns meet; the inner dimension is dealt
/// by columns of A and rows of B.
std::array<Layout, 3> layouts_of(const Options& o, const Input& a, const Input& b, GridShape shape) {
  const Layout like = o.grid.layout(std::max(a.rows, b.rows), std::max(a.cols, b.cols), shape);
  const auto layout = [&](Index m, Index n) {
    Layout l = like;
    l.rows.size = m;
    l.cols.size = n;
    return l;
  };
  return {layout(a.rows, a.cols), layout(b.rows, b.cols), layout(a.rows, b.cols)};
}

template <Scalar T>
void multiply_as(const Options& o, Input& a, Input& b, const Grid& grid,
                 const std::array<Layout, 3>& layouts) {
  if (!grid.inside()) return;
  HostDevice host(o.grid.threads);
  MatrixOutput output(grid.all(), o.output);
  std::unique_ptr<Matrix<T>> x, y, z;
  agree(grid.all(), [&] {
    x = std::make_unique<Matrix<T>>(grid, layouts[0], host);
    y = std::make_unique<Matrix<T>>(grid, layouts[1], host);
    z = std::make_unique<Matrix<T>>(grid, layouts[2], host);
  });
  load(a, *x);
  load(b, *y);
  grid.all().barrier();
  const double start = now();
  multiply(T(1), *x, *y, T(0), *z, {.transport = parse_transport(o.transport)});
  const double seconds = grid.all().max(now() - start);
  output.write(
      *z, {.comment = fmt::format("{} times {}, computed by cyclade {}", a.name, b.name, CYCLADE_VERSION),
           .attributes = {{"cyclade_version", CYCLADE_VERSION}}});
  output.commit();
  const double flops = (is_complex<T> ? 8.0 : 2.0) * static_cast<double>(a.rows) *
                       static_cast<double>(a.cols) * static_cast<double>(b.cols);
  Program{grid.all()}.print(fmt::format("{}: {} x {}, {:.3g} s, {:.3g} GFLOP/s\n", o.output, a.rows, b.cols,
                                        seconds, seconds > 0 ? flops / seconds / 1e9 : 0.0));
}

int run(const Program& program, const Options& o) {
  const auto find = [&](const std::string& path) {
    InputOptions options;
    options.file = path;
    options.type = o.type;
    options.n = o.n;
    return find_input(program, options);
  };
  Input a = find(o.a), b = find(o.b);
  if (a.cols != b.rows)
    throw FileError(
        fmt::format("cannot multiply {} ({}x{}) by {} ({}x{})", o.a, a.rows, a.cols, o.b, b.rows, b.cols));
  require(a.type == b.type,
          fmt::format("{} holds {}, {} holds {}; say in which to compute: --type s, d, c or z", o.a,
                      type_name(a.type), o.b, type_name(b.type)));
  const GridShape shape = o.grid.shape(program.world.size(), std::max(a.rows, b.cols));
  const Grid grid(program.world.handle(), shape, o.grid.grid_order());
  const std::array<Layout, 3> layouts = layouts_of(o, a, b, shape);
  double bytes = 0;
  for (const Layout& layout : layouts) bytes += plan_memory(layout, a.type).matrix;
  require_memory(program, bytes, o.grid);
  with_scalar(a.type, [&]<class T>() { multiply_as<T>(o, a, b, grid, layouts); });
  return success;
}

}  // namespace

void add_multiply(CLI::App& app, Program& program) {
  auto o = std::make_shared<Options>();
  CLI::App& c = *app.add_subcommand("multiply", "C := A B");
  c.footer(
      "Example:\n  mpirun -n 4 cyclade multiply x.npy b.npy -o y.npy        apply an inverse to right-hand "
      "sides");
  c.add_option("A", o->a, "left factor")->required();
  c.add_option("B", o->b, "right factor")->required();
  c.add_option("-o,--output", o->output, "file to write")->required();
  c.add_option("--n", o->n, "order of .bin files")->check(at_least(0));
  c.add_option("--type", o->type, "compute in s, d, c or z");
  c.add_option("--transport", o->transport, "how panels travel: automatic, ring, ring-allgather, broadcast")
      ->check(CLI::IsMember(transport_words()));
  o->grid.add_to(c);
  c.callback([o, &program] { program.run = [o, &program] { return run(program, *o); }; });
}

}  // namespace cyclade::app
