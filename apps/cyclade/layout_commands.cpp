// cyclade layout and plan: what goes where, and what a run will take, before there is a matrix.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <fmt/format.h>

#include "apps/cyclade/planning.hpp"
#include "cyclade/layout/describe.hpp"
#include "cyclade/layout/draw.hpp"
#include "cyclade/mpi/communicator.hpp"

namespace cyclade::app {
namespace {

struct LayoutOptions {
  Index n = 0, m = -1;
  GridOptions grid;
  std::string index, window, svg;
  bool hpf = false, descriptor = false;
};

int run_layout(const Program& program, const LayoutOptions& o) {
  const Index m = o.m >= 0 ? o.m : o.n;
  GridShape shape{1, 1};
  if (!o.grid.grid.empty()) {  // any grid may be asked about, whatever the number of ranks
    const auto [p, q] = parse_pair(o.grid.grid, 'x', "--grid");
    require(p >= 1 && q >= 1 && p <= 1'000'000 && q <= 1'000'000,
            "--grid: needs at least 1x1 processes, got " + o.grid.grid);
    shape = {static_cast<int>(p), static_cast<int>(q)};
  }
  LayoutQuestion question;
  question.layout = o.grid.layout(m, o.n, shape);
  question.order = o.grid.grid_order() == GridOrder::row ? RankOrder::row : RankOrder::column;
  question.hpf = o.hpf;
  question.descriptor = o.descriptor;
  if (!o.index.empty()) {
    const auto [i, j] = parse_pair(o.index, ',', "--index");
    question.index = Position{i, j};
  }
  if (!o.window.empty()) question.window = parse_window(o.window);
  program.print(describe(question));
  if (!o.svg.empty()) {
    write_text(program, o.svg, draw_svg(question));
    program.print(fmt::format("drawn in {}\n", o.svg));
  }
  return success;
}

struct PlanOptions {
  Index n = 0;
  int ranks = 1;
  std::string type = "d";
  GridOptions grid;
};

int run_plan(const Program& program, const PlanOptions& o) {
  const ScalarType type = *parse_type(o.type, "--type");
  const GridShape shape = o.grid.shape(o.ranks, o.n);
  const Layout layout = o.grid.layout(o.n, o.n, shape);
  const auto m = static_cast<double>(most_local(layout.rows)),
             n = static_cast<double>(most_local(layout.cols)), word = static_cast<double>(size_of(type)),
             order = static_cast<double>(o.n);
  const bool complex = type == ScalarType::c || type == ScalarType::z;
  const MemoryPlan memory = plan_memory(layout, type);
  const double total = memory.total();
  const double words = m * (order - n) + n * (order - m), flops = (complex ? 8 : 2) * order * order * order;
  const double bound = 2 * order * order / std::sqrt(static_cast<double>(shape.p) * shape.q);
  const auto line = [&](const char* label, const std::string& text) {
    program.print(fmt::format("  {:<13}{}\n", label, text));
  };
  line("matrix", fmt::format("{} x {} of {}, {} ({:.0f} bytes)", o.n, o.n, type_name(type),
                             in_bytes(order * order * word), order * order * word));
  line("grid", fmt::format("{} x {} of {} ranks, blocks of {} x {}", shape.p, shape.q, o.ranks,
                           layout.rows.block, layout.cols.block));
  line("per rank", fmt::format("{:.0f} x {:.0f} entries, {} in all at the most:", m, n, in_bytes(total)));
  line("", fmt::format("matrix {}, panels {}, certificate {}, final permutation {}", in_bytes(memory.matrix),
                       in_bytes(memory.panels), in_bytes(memory.certificate), in_bytes(memory.permutation)));
  line("words", fmt::format("{:.4g} received by a rank ({:.3f} of 2n^2/sqrt(P)), at most {:.3g} more to put "
                            "rows and columns in order",
                            words, bound > 0 ? words / bound : 0.0, shape.p * shape.q > 1 ? 2 * m * n : 0.0));
  line("messages", fmt::format("longer ones than {} elements are split", largest_message));
  line("work", fmt::format("{:.3g} GFLOP, {:.3g} a rank", flops / 1e9,
                           flops / 1e9 / (static_cast<double>(shape.p) * shape.q)));
  const Index limit = o.grid.memory_limit();
  if (limit == 0 || total <= static_cast<double>(limit)) return success;
  throw ArgumentError(
      fmt::format("plan: {} a rank do not fit in {}; use at least {:.0f} ranks", in_bytes(total),
                  in_bytes(static_cast<double>(limit)),
                  std::ceil(static_cast<double>(o.ranks) * total / static_cast<double>(limit))));
}

}  // namespace

void add_layout(CLI::App& app, Program& program) {
  auto o = std::make_shared<LayoutOptions>();
  CLI::App& c = *app.add_subcommand("layout", "who owns which entry, and where: as text and as a picture");
  c.footer(
      "Examples:\n  cyclade layout --n 12 --nb 2 --grid 2x3 --svg layout.svg\n  cyclade layout --n 1000000 "
      "--nb 480 --grid 16x18 --index 123456,7");
  c.add_option("--n", o->n, "columns (and rows, unless --m is given)")->required()->check(at_least(0));
  c.add_option("--m", o->m, "rows")->check(at_least(0));
  c.add_option("--index", o->index, "one entry, I,J from 0");
  c.add_option("--window", o->window, "what each process holds of a part, I0:I1,J0:J1");
  c.add_option("--svg", o->svg, "draw it");
  c.add_flag("--hpf", o->hpf, "as statements of High Performance Fortran");
  c.add_flag("--descriptor", o->descriptor, "as ScaLAPACK's and PBLAS's descriptor arrays");
  o->grid.add_to(c);
  c.callback([o, &program] { program.run = [o, &program] { return run_layout(program, *o); }; });
}

void add_plan(CLI::App& app, Program& program) {
  auto o = std::make_shared<PlanOptions>();
  CLI::App& c = *app.add_subcommand("plan", "memory, words and work of an inversion, before it is run");
  c.footer("Example:\n  cyclade plan --n 138240 --type z --ranks 288 --memory 64GiB");
  c.add_option("--n", o->n, "order")->required()->check(at_least(0));
  c.add_option("--ranks", o->ranks, "how many")->check(at_least(1));
  c.add_option("--type", o->type, "s, d, c or z")->check(CLI::IsMember({"s", "d", "c", "z"}));
  o->grid.add_to(c);
  c.callback([o, &program] { program.run = [o, &program] { return run_plan(program, *o); }; });
}

}  // namespace cyclade::app
