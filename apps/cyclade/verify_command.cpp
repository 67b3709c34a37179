// cyclade verify: is X the inverse of A? An independent check of two files.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/cyclade/input.hpp"
#include "apps/cyclade/planning.hpp"
#include "apps/cyclade/report_text.hpp"
#include "cyclade/inverse/invert.hpp"

namespace cyclade::app {
namespace {

struct Options {
  std::string a, x, json;
  Index n = 0;
  std::string type;
  GridOptions grid;
  bool quiet = false;
};

/// The type in which both are compared: as precise as X, whose digits are in question; complex if either is.
ScalarType common_type(ScalarType a, ScalarType x) {
  const auto complex = [](ScalarType t) { return t == ScalarType::c || t == ScalarType::z; };
  const bool c = complex(a) || complex(x), single = x == ScalarType::s || x == ScalarType::c;
  return c ? (single ? ScalarType::c : ScalarType::z) : (single ? ScalarType::s : ScalarType::d);
}

/// What is wrong with X, in one line.
std::string complaint(const Report& r, const Options& o) {
  if (r.status == Status::non_finite_input)
    return fmt::format("{}: entry ({},{}) is not a finite number", std::isfinite(r.norm1_a) ? o.x : o.a,
                       r.bad_row, r.bad_col);
  const Certificate& c = r.certificate;
  const bool right = c.right > c.left;
  return fmt::format("{} is not the inverse of {}: |{}-I| may be {:.2g}, rounding explains {:.2g}", o.x, o.a,
                     right ? "AX" : "XA", std::max(c.left, c.right), c.tolerance);
}

template <Scalar T>
int verify_as(const Options& o, Input& a, Input& x, const Grid& grid, const Layout& layout, int ranks) {
  if (!grid.inside()) return success;
  HostDevice host(o.grid.threads);
  std::unique_ptr<Matrix<T>> left, right;
  agree(grid.all(), [&] {
    left = std::make_unique<Matrix<T>>(grid, layout, host);
    right = std::make_unique<Matrix<T>>(grid, layout, host);
  });
  load(a, *left);
  load(x, *right);
  const Report report = verify(*left, *right);
  ReportContext context{
      fmt::format("{} and its claimed inverse {}", a.name, x.name), "", blas_info().threads, ranks, 0, {}};
  if (a.type != x.type) context.notes.push_back(fmt::format("compared in {}", type_name(scalar_type<T>)));
  const Program inside{grid.all()};
  if (!o.json.empty()) write_text(inside, o.json, report_json(report, context));
  if (!o.quiet && o.json != "-") inside.print(report_text(report, context));
  if (report.status != Status::ok) inside.note("cyclade: " + complaint(report, o));
  return report.status == Status::ok ? success : numerical;
}

int run(const Program& program, const Options& o) {
  const auto find = [&](const std::string& path) {
    InputOptions options;
    options.file = path;
    options.n = o.n;
    options.type = o.type;
    return find_input(program, options);
  };
  Input a = find(o.a), x = find(o.x);
  for (const Input* m : {&a, &x})
    if (m->rows != m->cols)
      throw FileError(fmt::format("{}: needs a square matrix, got {}x{}", m->name, m->rows, m->cols));
  if (a.rows != x.rows)
    throw FileError(fmt::format("{} is of order {}, {} of order {}: not inverses of each other", o.a, a.rows,
                                o.x, x.rows));
  const GridShape shape = o.grid.shape(program.world.size(), a.cols);
  const Grid grid(program.world.handle(), shape, o.grid.grid_order());
  const Layout layout = o.grid.layout(a.rows, a.cols, shape);
  const MemoryPlan plan = plan_memory(layout, common_type(a.type, x.type));
  require_memory(program, 2 * plan.matrix + plan.certificate, o.grid);
  require_writable(program, o.json);
  const auto type = parse_type(o.type, "--type").value_or(common_type(a.type, x.type));
  return with_scalar(type,
                     [&]<class T>() { return verify_as<T>(o, a, x, grid, layout, program.world.size()); });
}

}  // namespace

void add_verify(CLI::App& app, Program& program) {
  auto o = std::make_shared<Options>();
  CLI::App& c = *app.add_subcommand("verify", "is X the inverse of A? exit status 0 only if it is");
  c.footer(
      "Example:\n  mpirun -n 2 cyclade verify a.npy x.npy\n\nBoth residuals, |XA-I| and |AX-I|, are bounded "
      "with random vectors in O(n^2) operations.");
  c.add_option("A", o->a, "the matrix")->required();
  c.add_option("X", o->x, "the claimed inverse")->required();
  c.add_option("--n", o->n, "order, for .bin files");
  c.add_option("--type", o->type, "type of .bin files, and of the comparison: s, d, c or z");
  c.add_option("--json", o->json, "write the report as JSON; - is standard output");
  c.add_flag("--quiet", o->quiet, "print errors only");
  o->grid.add_to(c);
  c.callback([o, &program] { program.run = [o, &program] { return run(program, *o); }; });
}

}  // namespace cyclade::app
