// cyclade generate, convert, info: matrices into, between and out of files, without inverting any.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "apps/cyclade/input.hpp"
#include "apps/cyclade/output.hpp"
#include "apps/cyclade/planning.hpp"
#include "cyclade/certify/norm.hpp"
#include "cyclade/io/grm.hpp"

namespace cyclade::app {
namespace {

struct Options {
  InputOptions input;
  GridOptions grid;
  std::string output, output_type, order, symmetry = "general";
  bool list = false, scan = false, triplets = false;
};

/// Holds the matrix of `input` on a grid and calls f(matrix), on the ranks inside.
template <class F>
int with_matrix(const Program& program, const Options& o, Input& input, F&& f) {
  const GridShape shape = o.grid.shape(program.world.size(), std::max(input.rows, input.cols));
  const Grid grid(program.world.handle(), shape, o.grid.grid_order());
  const Layout layout = o.grid.layout(input.rows, input.cols, shape);
  require_memory(program, plan_memory(layout, input.type).matrix, o.grid);
  if (!grid.inside()) return success;
  with_scalar(input.type, [&]<class T>() {
    HostDevice host(o.grid.threads);
    std::unique_ptr<Matrix<T>> a;
    agree(grid.all(), [&] { a = std::make_unique<Matrix<T>>(grid, layout, host); });
    f(*a);
  });
  return success;
}

matrix_market::Symmetry symmetry_of(const std::string& word) {
  using matrix_market::Symmetry;
  if (word == "symmetric") return Symmetry::symmetric;
  if (word == "skew-symmetric") return Symmetry::skew;
  return word == "hermitian" ? Symmetry::hermitian : Symmetry::general;
}

/// The lower triangle as text: row, column (both from 1), value.
int write_triplets(const Program& program, const Options& o, Input& input) {
  return with_matrix(program, o, input, [&]<class T>(const Matrix<T>& a) {
    OutputFile file(a.grid().all(), o.output);
    load(input, a);
    file.commit(
        grm::write_triplets(a, [&](Index offset, std::span<const char> text) { file.write(offset, text); }));
    Program{a.grid().all()}.print(
        fmt::format("{}: the lower triangle of {} as triplets\n", o.output, input.name));
  });
}

int write_out(const Program& program, const Options& o, Input& input) {
  const auto type = parse_type(o.output_type, "--output-type");
  format_of(o.output);
  return with_matrix(program, o, input, [&]<class T>(const Matrix<T>& a) {
    MatrixOutput output(a.grid().all(), o.output);
    load(input, a);
    WriteOptions write{.type = type, .order = parse_order(o.order)};
    write.attributes = {{"cyclade_version", CYCLADE_VERSION}};
    write.comment = fmt::format("{}, written by cyclade {}", input.name, CYCLADE_VERSION);
    write.ids = id_file(input);
    if (const std::string note = missing_ids_note(o.output, write.ids); !note.empty())
      input.notes.push_back(note);
    write.symmetry = symmetry_of(o.symmetry);
    write_as(output, o.output, a, write);
    output.commit();
    Program inside{a.grid().all()};
    for (const std::string& note : input.notes) inside.note("note: " + note);
    inside.print(fmt::format("{}: {} x {}, {}\n", o.output, input.rows, input.cols,
                             written_element(o.output, type.value_or(input.type))));
  });
}

int run_generate(const Program& program, const Options& o) {
  if (o.list) {
    for (const GalleryMatrix& m : gallery())
      program.print(fmt::format("  {:<13}{}{}{}\n", m.name, m.what, m.complex_only ? " (types c, z)" : "",
                                m.inverse_known ? " [inverse known]" : ""));
    return success;
  }
  require(!o.input.generate.empty(), "generate: give a name, or --list for all of them");
  require(!o.output.empty(), "generate: give the file to write with -o");
  Input input = find_input(program, o.input);
  return write_out(program, o, input);
}

int run_convert(const Program& program, const Options& o) {
  Input input = find_input(program, o.input);
  return o.triplets ? write_triplets(program, o, input) : write_out(program, o, input);
}

int run_info(const Program& program, const Options& o) {
  Input input = find_input(program, o.input);
  const FileInfo& file = *input.file;
  program.print(fmt::format("  {:<10}{}\n  {:<10}{}\n  {:<10}{} x {}\n  {:<10}{}\n  {:<10}{}\n  {:<10}{}\n",
                            "file", file.path, "format", to_string(file.format), "shape", file.rows,
                            file.cols, "elements", file.element, "order", file.form, "size",
                            in_bytes(static_cast<double>(file.bytes))));
  if (!o.scan) return success;
  return with_matrix(program, o, input, [&]<class T>(const Matrix<T>& a) {
    load(input, a);
    const Program inside{a.grid().all()};
    const auto bad = first_non_finite(a);
    const auto [one, most] = size_of(a);
    inside.print(
        bad ? fmt::format("  {:<10}entry ({},{}) is not a finite number\n", "scan", bad->first, bad->second)
            : fmt::format("  {:<10}all entries are finite; 1-norm {:.6g}, largest {:.6g}\n", "scan", one,
                          most));
  });
}

}  // namespace

void add_generate(CLI::App& app, Program& program) {
  auto o = std::make_shared<Options>();
  CLI::App& c = *app.add_subcommand("generate", "write a matrix of the gallery, the same on any grid");
  c.footer(
      "Examples:\n  cyclade generate --list\n  cyclade generate random --n 2000 -o a.npy\n  mpirun -n 4 "
      "cyclade generate kms --n 20000 --inverse -o x.npy");
  c.add_option("NAME", o->input.generate, "which matrix");
  c.add_flag("--list", o->list, "name them all");
  c.add_option("--n", o->input.n, "order")->check(at_least(0));
  c.add_option("--type", o->input.type, "s, d (default), c or z");
  c.add_option("--seed", o->input.formula.seed, "of a random matrix");
  c.add_option("--condition", o->input.formula.condition, "of those that take one");
  c.add_flag("--inverse", o->input.formula.inverse, "its inverse instead, where a formula is known");
  c.add_option("-o,--output", o->output, "file to write: .npy, .mtx, .bin, .h5");
  c.add_option("--file-order", o->order, file_order_help)->check(CLI::IsMember({"column", "row"}));
  o->grid.add_to(c);
  c.callback([o, &program] { program.run = [o, &program] { return run_generate(program, *o); }; });
}

void add_convert(CLI::App& app, Program& program) {
  auto o = std::make_shared<Options>();
  CLI::App& c = *app.add_subcommand("convert", "a matrix from one format to another");
  c.footer(
      "Examples:\n  cyclade convert west0067.mtx west0067.npy\n  mpirun -n 4 cyclade convert big.npy big.bin "
      "--output-type s");
  c.add_option("IN", o->input.file, "file to read")->required();
  c.add_option("OUT", o->output, "file to write")->required();
  c.add_option("--n", o->input.n, "order, for a .bin file");
  c.add_option("--type", o->input.type, "type to read as: s, d, c or z");
  c.add_option("--output-type", o->output_type, "type to write: s, d, c or z");
  c.add_option("--file-order", o->order, file_order_help)->check(CLI::IsMember({"column", "row"}));
  c.add_option("--symmetry", o->symmetry,
               "of an .mtx, whose lower triangle then stands for the whole: general, symmetric, "
               "skew-symmetric or hermitian")
      ->check(CLI::IsMember({"general", "symmetric", "skew-symmetric", "hermitian"}));
  c.add_flag("--triplets", o->triplets, "the lower triangle as text, one entry a line, as GCTA writes it");
  o->grid.add_to(c);
  c.callback([o, &program] { program.run = [o, &program] { return run_convert(program, *o); }; });
}

void add_info(CLI::App& app, Program& program) {
  auto o = std::make_shared<Options>();
  CLI::App& c = *app.add_subcommand("info", "what a file holds");
  c.footer("Examples:\n  cyclade info a.npy\n  cyclade info a.npy --scan");
  c.add_option("FILE", o->input.file, "file")->required();
  c.add_option("--n", o->input.n, "order, for a .bin file");
  c.add_option("--type", o->input.type, "type of a .bin file: s, d, c or z");
  c.add_flag("--scan", o->scan, "read it, too: norms, and the first entry that is not a finite number");
  o->grid.add_to(c);
  c.callback([o, &program] { program.run = [o, &program] { return run_info(program, *o); }; });
}

}  // namespace cyclade::app
