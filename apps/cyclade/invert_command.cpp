// cyclade invert: the main job.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/cyclade/input.hpp"
#include "apps/cyclade/output.hpp"
#include "apps/cyclade/planning.hpp"
#include "apps/cyclade/progress.hpp"
#include "apps/cyclade/recursion_report.hpp"
#include "apps/cyclade/report_text.hpp"
#include "apps/cyclade/roof.hpp"
#include "apps/cyclade/slabs.hpp"
#include "cyclade/inverse/invert.hpp"
#include "cyclade/matrix/symmetry.hpp"
#include "cyclade/mpi/session.hpp"

namespace cyclade::app {
namespace {

struct Options {
  InputOptions input;
  GridOptions grid;
  std::string output, output_type, method = "automatic", structure, uplo = "lower", json, diagonal, window,
                                   order, transport = "automatic", panel_bytes = "128MiB";
  Index leaf = 0;
  double add_diagonal = 0;
  bool barrier = false, force_transport = false;
  bool fallback = false, redistribute = false, verbose = false, quiet = false, force = false;
};

constexpr const char* examples = R"(Examples:
  cyclade invert a.npy -o x.npy                       one process
  mpirun -n 4 cyclade invert a.npy -o x.npy           four, on a 2 x 2 grid
  cyclade invert k.mtx --structure positive-definite --diagonal variances.txt
  cyclade invert --generate hilbert --n 8 --json -    report as JSON, nothing written

The inverse is written only if it is certified; --force writes it all the same (never after an exact zero pivot or a NaN).)";

/// What a file says about its matrix: .mtx in its banner, .grm.bin by being one.
Structure stated_structure(const Input& input) {
  if (!input.file) return Structure::general;
  if (input.file->format == FileFormat::grm) return Structure::symmetric;
  if (input.file->format != FileFormat::matrix_market) return Structure::general;
  if (input.file->header.symmetry == matrix_market::Symmetry::symmetric) return Structure::symmetric;
  return input.file->header.symmetry == matrix_market::Symmetry::hermitian ? Structure::hermitian
                                                                           : Structure::general;
}

Structure structure_of(const std::string& word, const Input& input) {
  if (word.empty()) return stated_structure(input);
  if (word == "symmetric") return Structure::symmetric;
  if (word == "hermitian") return Structure::hermitian;
  return word == "positive-definite" ? Structure::positive_definite : Structure::general;
}

Method method_of(const std::string& word) {
  if (word == "gauss-jordan") return Method::gauss_jordan;
  if (word == "schur") return Method::schur;
  if (word == "schur-rows") return Method::schur_rows;
  return word == "cholesky" ? Method::cholesky : Method::automatic;
}

template <Scalar T>
void add_to_diagonal(const Matrix<T>& a, double shift) {
  const Axis& rows = a.layout().rows;
  for (Index j = 0; j < a.local().cols; ++j) {
    const Index i = a.global_col(j);
    if (rows.owner(i) == a.grid().my_row()) a.local()(rows.to_local(i), j) += static_cast<Real<T>>(shift);
  }
}

/// The matrix is not positive definite, and it is gone: read it again, and see how far its smallest
/// eigenvalue is from zero. Discs gave a first bound on the shift that is enough; the eigenvalue gives a
/// closer one.
template <Scalar T>
void find_shift(const Options& o, Input& input, const Matrix<T>& a, Report& report) {
  load(input, a);
  if (o.add_diagonal != 0) add_to_diagonal(a, o.add_diagonal);
  mirror_triangle(a, o.uplo == "upper" ? Uplo::upper : Uplo::lower, Symmetry::hermitian);
  const EigenvalueEstimate smallest = smallest_eigenvalue(a);
  report.sufficient_shift = std::min(report.sufficient_shift, smallest.error - smallest.value);
}

/// With --force also what is not certified, but not where nothing was computed.
bool may_be_written(const Report& report, bool force) {
  const Status status = report.status;
  if (status == Status::ok) return true;
  if (status == Status::growth_too_large && report.norm1_x == 0) return false;  // broken off
  return force && status != Status::singular && status != Status::non_finite_input &&
         status != Status::not_positive_definite;
}

/// The options of the recursions: how their panels travel.
void set_panels(const Options& o, InvertOptions& options) {
  const Index bytes = parse_bytes(o.panel_bytes);
  if (options.method == Method::schur_rows) {
    options.gather = {.transport = parse_gather(o.transport),
                      .panel_bytes = bytes,
                      .barrier = o.barrier,
                      .force = o.force_transport,
                      .describe_calls = o.verbose ? 3 : 0};
  } else {
    require(std::ranges::count(transport_words(), o.transport) > 0,
            fmt::format("--transport: this method knows {}, not {}", fmt::join(transport_words(), ", "),
                        o.transport));
    options.schur = {parse_transport(o.transport), bytes, o.leaf};
  }
}

template <Scalar T>
int invert_as(const Program& program, const Options& o, Input& input, const Grid& grid,
              const Layout& layout) {
  if (!grid.inside()) return success;
  const Program inside{grid.all()};
  HostDevice host(o.grid.threads);
  std::unique_ptr<MatrixOutput> output;
  if (!o.output.empty()) output = std::make_unique<MatrixOutput>(grid.all(), o.output);
  std::unique_ptr<Matrix<T>> a;
  agree(grid.all(), [&] { a = std::make_unique<Matrix<T>>(grid, layout, host); });
  const double read_start = now();
  load(input, *a);
  const double read_seconds = grid.all().max(now() - read_start);
  if (o.add_diagonal != 0) add_to_diagonal(*a, o.add_diagonal);

  InvertOptions options;
  options.method = method_of(o.method);
  options.structure = structure_of(o.structure, input);
  options.uplo = o.uplo == "upper" ? Uplo::upper : Uplo::lower;
  set_panels(o, options);
  options.fallback = o.fallback;
  if (o.redistribute) options.copy_budget = std::numeric_limits<Index>::max();
  if (!o.quiet) options.progress = show_progress(program, now);
  host.reset_peak();  // what reading took is given back
  Report report = options.method == Method::schur_rows ? invert(slabs_of(*a), options) : invert(*a, options);
  options.progress = nullptr;
  report.phases.insert(report.phases.begin(), {"read", read_seconds, {}});
  if (report.status == Status::not_positive_definite) find_shift(o, input, *a, report);

  ReportContext context{input.name, "", blas_info().threads, program.world.size(), 0, input.notes};
  if (o.structure.empty() && options.structure != Structure::general) {
    context.notes.push_back(fmt::format("the file states a {} matrix, so the inverse is one exactly",
                                        to_string(options.structure)));
  }
  if (o.uplo == "upper" && options.structure != Structure::positive_definite)
    context.notes.push_back("--uplo had no effect: only of a positive-definite matrix one triangle is read");
  if (o.add_diagonal != 0)
    context.notes.push_back(fmt::format("{} was added to the diagonal", o.add_diagonal));
  if (program.cores < 0.99)
    context.notes.push_back(
        fmt::format("ranks share processors, {:.2g} for each: fewer ranks would be faster", program.cores));
  const double write_start = now();
  const bool writes = may_be_written(report, o.force);
  if (output && writes) {
    WriteOptions write{.type = parse_type(o.output_type, "--output-type"), .order = parse_order(o.order)};
    write.attributes = provenance(input.name, report);
    write.comment = fmt::format("inverse of {}, computed by cyclade {}", input.name, CYCLADE_VERSION);
    if (o.window.empty()) write.ids = id_file(input);
    if (const std::string note = missing_ids_note(o.output, write.ids); !note.empty())
      context.notes.push_back(note);
    if (o.window.empty()) {
      write.symmetry = symmetry_of_result(options.structure, write.type.value_or(input.type));
      write_as(*output, o.output, *a, write);
    } else {
      write_as(*output, o.output, a->window(parse_window(o.window)), write);
    }
    output->commit();
    context.output =
        o.output + (report.status == Status::ok ? "" : " (not certified, written because of --force)");
    report.phases.push_back({"write", grid.all().max(now() - write_start), {}});
  } else if (output) {
    context.notes.push_back(may_be_written(report, true)
                                ? "nothing was written; --force writes what was computed"
                                : "nothing was written");
  }
  if (!o.diagonal.empty() && writes)
    write_diagonal(inside, o.diagonal, *a,
                   {.comment = fmt::format("diagonal of the inverse of {}", input.name),
                    .attributes = provenance(input.name, report)});
  if (report.n >= 1000 && !o.quiet) context.gemm_gflops = gemm_gflops(*a, 1024, 128, 2);
  if (!o.json.empty()) write_text(inside, o.json, report_json(report, context));
  if (!o.quiet && o.json != "-" && o.diagonal != "-") {
    inside.print(report_text(report, context));
    if (o.verbose) {
      for (const PhaseUse& use : report.phases)
        inside.print(fmt::format("  {:<12}{:.4g} s, {} words and {} messages received at the most\n",
                                 use.name, use.seconds, use.traffic.words_received,
                                 use.traffic.messages_received));
      if (report.recursion) inside.print(recursion_text(*report.recursion));
    }
  }
  if (report.status != Status::ok)
    inside.note(fmt::format("cyclade: {}: {}", input.name, status_words(report)));
  return report.status == Status::ok ? success : numerical;
}

/// Options that contradict each other or the matrix, before any work.
void require_consistent(const Options& o, const Input& input, const Layout& layout) {
  const auto type = parse_type(o.output_type, "--output-type").value_or(input.type);
  const Structure structure = structure_of(o.structure, input);
  require(o.method != "cholesky" || structure == Structure::positive_definite,
          "--method cholesky needs --structure positive-definite");
  InvertOptions panels;
  panels.method = method_of(o.method);
  set_panels(o, panels);
  if (panels.method == Method::schur_rows) {
    require(structure == Structure::general, "--method schur-rows knows no --structure but general");
    const GatherMultiply<double> checked(panels.gather);  // refuses what it cannot serve
  }
  require(std::isfinite(o.add_diagonal), "--add-diagonal: expected a finite number");
  require(o.json != "-" || o.diagonal != "-", "--json - and --diagonal -: standard output takes one of them");
  require(!o.output.empty() || (o.window.empty() && o.output_type.empty()),
          "--window and --output-type say how the inverse is written; say where: -o FILE");
  const Window window = o.window.empty() ? Window{0, input.rows, 0, input.cols} : parse_window(o.window);
  require_inside(window, layout);
  if (o.output.empty() || format_of(o.output) != FileFormat::grm) return;
  require(type == ScalarType::s || type == ScalarType::d,
          o.output + ": a relationship matrix is real; write another format, or say --output-type d");
  require(window.i0 == window.j0 && window.i1 == window.j1,
          o.output + ": a relationship matrix is symmetric; --window must take the same rows as columns");
  require(structure != Structure::general,
          o.output +
              ": a relationship matrix is symmetric; say --structure symmetric (or positive-definite), "
              "or write another format");
}

/// A coordinate file with fewer entries than rows leaves a row empty. Large ones are refused for that at
/// once: the sizes in a header are no reason to ask for memory. (Small ones get the whole report of a
/// singular one.)
void require_entries(const Options& o, const Input& input) {
  if (!input.file || input.file->format != FileFormat::matrix_market || input.rows <= 1000) return;
  const matrix_market::Header& header = input.file->header;
  if (header.form != matrix_market::Form::coordinate || o.add_diagonal != 0) return;
  const Index shortest_line = 4;  // "1 1" and its end
  const Index stored = std::min(header.entries, input.file->bytes / shortest_line);
  const Index entries = header.symmetry == matrix_market::Symmetry::general ? stored : 2 * stored;
  if (entries < input.rows)
    throw FileError(fmt::format(
        "{}:{}: {} entries at the most leave some of {} rows empty: the matrix is singular, or these "
        "sizes are wrong",
        input.name, header.size_line, entries, input.rows));
}

/// What the options ask for beside the matrix and its panels, in local matrices.
double extra_memory(const Options& o, const Input& input, const Layout& layout) {
  const Method method = method_of(o.method);
  const bool definite = structure_of(o.structure, input) == Structure::positive_definite;
  const bool pivots = method == Method::gauss_jordan || (method == Method::automatic && !definite);
  const bool narrow = layout.cols.ranks > 1 && layout.cols.block < 32;
  double copies = o.fallback && !pivots ? 1 : 0;
  if (o.redistribute && method != Method::schur_rows && narrow) copies += 1;
  if (method == Method::schur_rows) copies += 2.0 / 3;  // the most that equal slabs of any number take
  if (method == Method::schur) {                        // a quarter of the matrix, or a leaf, whole
    const double share = static_cast<double>(o.leaf) / static_cast<double>(std::max<Index>(1, input.rows));
    copies += std::max(0.25, std::min(1.0, share * share) * layout.rows.ranks * layout.cols.ranks);
  }
  return copies;
}

int run(const Program& program, Options o) {
  Input input = find_input(program, o.input);
  note_precision(input, !o.output_type.empty());
  if (input.rows != input.cols)
    throw FileError(fmt::format("{}: needs a square matrix, got {}x{}", input.name, input.rows, input.cols));
  require_entries(o, input);
  const bool slabs = method_of(o.method) == Method::schur_rows;
  if (slabs && o.structure.empty()) o.structure = "general";  // whatever the file states
  const GridOptions dealing = slabs ? for_slabs(o.grid, input.rows, program.world.size()) : o.grid;
  const GridShape shape = dealing.shape(program.world.size(), input.cols);
  const Grid grid(program.world.handle(), shape, dealing.grid_order());
  const Layout layout = dealing.layout(input.rows, input.cols, shape);
  const MemoryPlan memory = plan_memory(layout, input.type);
  require_memory(program, memory.total() + extra_memory(o, input, layout) * memory.matrix, o.grid);
  require_consistent(o, input, layout);
  require_writable(program, o.json);
  require_place_of_diagonal(program, o.diagonal);
  return with_scalar(input.type, [&]<class T>() { return invert_as<T>(program, o, input, grid, layout); });
}

}  // namespace

void add_invert(CLI::App& app, Program& program) {
  auto o = std::make_shared<Options>();
  CLI::App& c = *app.add_subcommand("invert", "A := inverse of A, with a certificate that it is right");
  c.footer(examples);
  o->input.add_to(c);
  c.add_option("-o,--output", o->output,
               "where the inverse goes: .npy, .mtx, .grm.bin, .bin or .h5 (may be left out)");
  c.add_option("--file-order", o->order, file_order_help)->check(CLI::IsMember({"column", "row"}));
  c.add_option("--method", o->method, "automatic, gauss-jordan, cholesky, schur or schur-rows")
      ->check(CLI::IsMember({"automatic", "gauss-jordan", "cholesky", "schur", "schur-rows"}));
  c.add_option("--transport", o->transport,
               "how panels travel: automatic, ring, broadcast; of schur: ring-allgather; of schur-rows: "
               "zero-fill, allgatherv, direct");
  c.add_option("--panel-bytes", o->panel_bytes,
               "what the panels of schur and schur-rows may take of a rank's memory");
  c.add_flag("--barrier", o->barrier,
             "wait for all before each panel of schur-rows: tells waiting from transfer");
  c.add_flag("--force-transport", o->force_transport, "use a transport that is known to be pathological");
  c.add_option("--leaf", o->leaf, "rows that schur leaves to one process; 0: chosen from order and ranks")
      ->check(CLI::NonNegativeNumber);
  c.add_flag("--fallback", o->fallback,
             "keep a copy, and invert that with pivoting if the result is not certified");
  c.add_flag("--redistribute", o->redistribute,
             "with column blocks under 32, work in a copy with wider ones: faster, and twice the memory");
  c.add_option("--structure", o->structure,
               "what you know: general, symmetric, hermitian or positive-definite (default: what an .mtx or "
               ".grm.bin states, else general)")
      ->check(CLI::IsMember({"general", "symmetric", "hermitian", "positive-definite"}));
  c.add_option("--uplo", o->uplo, "the triangle that is read of a positive definite matrix: lower or upper")
      ->check(CLI::IsMember({"lower", "upper"}));
  c.add_option("--output-type", o->output_type,
               "type of the numbers in the output: s, d, c or z (one rounding at the end)");
  c.add_option("--add-diagonal", o->add_diagonal, "add S to every diagonal entry first");
  c.add_option(
      "--diagonal", o->diagonal,
      "write the diagonal of the inverse, one entry a line, or as one column if it is an .npy or .h5; "
      "- is standard output");
  c.add_option("--window", o->window, "write only this part of the inverse, I0:I1,J0:J1");
  c.add_option("--json", o->json, "write the report as JSON; - is standard output");
  c.add_flag("--verbose", o->verbose, "say more");
  c.add_flag("--quiet", o->quiet, "print errors only");
  c.add_flag("--force", o->force, "write the result even if it is not certified");
  o->grid.add_to(c);
  c.callback([o, &program] { program.run = [o, &program] { return run(program, *o); }; });
}

}  // namespace cyclade::app
