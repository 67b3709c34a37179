// cyclade bench: the rate of the inversion against that of the matrix product on the same cores, in one run,
// alternating.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cyclade/program.hpp"
#include "apps/cyclade/roof.hpp"
#include "cyclade/inverse/invert.hpp"
#include "cyclade/io/generate.hpp"

namespace cyclade::app {
namespace {

struct Options {
  std::vector<Index> orders{1000, 2000};
  std::string type = "d", matrix = "random", structure = "general", json;
  int repeats = 5;
  Index panel_width = 0;
  bool no_lookahead = false, no_certificate = false;
  GridOptions grid;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

template <Scalar T>
nlohmann::ordered_json measure(const Program& inside, const Options& o, const Grid& grid, Index n) {
  HostDevice host(o.grid.threads);
  const Layout layout = o.grid.layout(n, n, grid.shape());
  const Matrix<T> a(grid, layout, host);
  InvertOptions options;
  options.certificate = !o.no_certificate;
  options.lookahead = !o.no_lookahead;
  options.panel_width = o.panel_width;
  options.structure = o.structure == "general" ? Structure::general : Structure::positive_definite;
  std::vector<double> roof, rate, ratio;
  Report report;
  for (int r = 0; r <= o.repeats; ++r) {  // the first pair warms up
    const double gemm = gemm_gflops(a, n, 256, 2);
    generate(o.matrix, a);
    grid.all().barrier();
    report = invert(a, options);
    if (r == 0) continue;
    const double work =
        o.structure == "general" ? report.gflops() : report.gflops() / 2;  // n^3 instead of 2n^3
    roof.push_back(gemm);
    rate.push_back(work);
    ratio.push_back(work / gemm);
  }
  if (o.json != "-")
    inside.print(fmt::format("  {:>6}  {:>5}  {:>9.1f}  {:>9.1f}  {:>6.3f}  {:>9.2e}  {}\n", n,
                             layout.cols.block, median(roof), median(rate), median(ratio),
                             report.certificate.taken ? report.scaled_left() : 0.0,
                             to_string(report.status)));
  nlohmann::ordered_json phases = nlohmann::ordered_json::object();
  for (const PhaseUse& use : report.phases) phases[use.name] = use.seconds;
  return {{"n", n},
          {"nb", layout.cols.block},
          {"gemm_gflops", median(roof)},
          {"gflops", median(rate)},
          {"ratio", median(ratio)},
          {"ratios", ratio},
          {"status", to_string(report.status)},
          {"phases", phases}};
}

int run(const Program& program, const Options& o) {
  const ScalarType type = *parse_type(o.type, "--type");
  const Index largest = o.orders.empty() ? 0 : *std::ranges::max_element(o.orders);
  const GridShape shape = o.grid.shape(program.world.size(), largest);
  const Grid grid(program.world.handle(), shape, o.grid.grid_order());
  if (!grid.inside()) return success;
  const Program inside{grid.all()};
  require_writable(inside, o.json);
  const HostDevice host(o.grid.threads);
  const BlasInfo blas = blas_info();
  const auto say = [&](const std::string& text) {  // the table, unless JSON takes its place
    if (o.json != "-") inside.print(text);
  };
  say(fmt::format("{} x {} ranks, {} thread{} each, {}, {} ({} kernels); medians of {} alternating pairs{}\n",
                  shape.p, shape.q, blas.threads, blas.threads == 1 ? "" : "s", type_name(type), blas.library,
                  blas.core, o.repeats, o.no_certificate ? ", without certificate" : ""));
  say("       n     nb  GEMM GF/s   inv GF/s   ratio   residual  status\n");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Index n : o.orders)
    rows.push_back(with_scalar(type, [&]<class T>() { return measure<T>(inside, o, grid, n); }));
  if (!o.json.empty()) {
    const nlohmann::ordered_json json = {{"type", o.type},
                                         {"p", shape.p},
                                         {"q", shape.q},
                                         {"threads", blas.threads},
                                         {"blas", blas.library},
                                         {"core", blas.core},
                                         {"version", CYCLADE_VERSION},
                                         {"rows", rows}};
    write_text(inside, o.json, json.dump(2) + "\n");
  }
  return success;
}

}  // namespace

void add_bench(CLI::App& app, Program& program) {
  auto o = std::make_shared<Options>();
  CLI::App& c = *app.add_subcommand("bench", "how fast, as a ratio to the matrix product on the same cores");
  c.footer("Example:\n  mpirun -n 2 --bind-to core cyclade bench --n 1000,2000,4000 --threads 1");
  c.add_option("--n", o->orders, "orders, separated by commas")->delimiter(',')->check(at_least(1));
  c.add_option("--type", o->type, "s, d, c or z")->check(CLI::IsMember({"s", "d", "c", "z"}));
  c.add_option("--matrix", o->matrix, "from the gallery");
  c.add_option("--structure", o->structure, "general, or positive-definite (counted as n^3)")
      ->check(CLI::IsMember({"general", "positive-definite"}));
  c.add_option("--repeats", o->repeats, "pairs to take the median of")->check(at_least(1));
  c.add_option("--panel", o->panel_width, "columns a step eliminates at the most")->check(at_least(1));
  c.add_flag("--no-lookahead", o->no_lookahead, "factor each panel when it is needed");
  c.add_flag("--no-certificate", o->no_certificate, "time the inversion alone");
  c.add_option("--json", o->json, "write the figures as JSON; - is standard output");
  o->grid.add_to(c);
  c.callback([o, &program] { program.run = [o, &program] { return run(program, *o); }; });
}

}  // namespace cyclade::app
