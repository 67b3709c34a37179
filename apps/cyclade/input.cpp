// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cyclade/input.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cyclade::app {

void InputOptions::add_to(CLI::App& app) {
  app.add_option("A", file, "matrix: .npy, .mtx, .grm.bin, .h5 (file.h5:/dataset), or .bin with --n");
  app.add_option("--generate", generate,
                 "a matrix of the gallery instead of a file (cyclade generate --list)");
  app.add_option("--n", n, "order of a generated matrix or of a .bin file")->check(at_least(0));
  app.add_option("--type", type,
                 "compute in s, d, c or z (float, double, complex); default: what the file holds");
  app.add_option("--seed", formula.seed, "of a random matrix");
  app.add_option("--condition", formula.condition, "of generated matrices that take one");
}

Input find_input(const Program& program, const InputOptions& options) {
  require(options.file.empty() != options.generate.empty(),
          "give a file, or --generate NAME with --n N: one of the two");
  const auto type = parse_type(options.type, "--type");
  Input input;
  input.options = options;
  if (!options.generate.empty()) {
    require(options.n >= 0, "--generate " + options.generate + " needs --n N, the order of the matrix");
    input.name = options.generate;
    input.rows = input.cols = options.n;
    input.type = type.value_or(ScalarType::d);
    return input;
  }
  FileInfo info =
      inspect(program.world, options.file, {std::max<Index>(options.n, 0), type.value_or(ScalarType::d)});
  input.name = options.file;
  input.rows = info.rows;
  input.cols = info.cols;
  input.type = type.value_or(info.type);
  input.file = std::move(info);
  return input;
}

void note_precision(Input& input, bool output_type_given) {
  if (!input.file || !input.options.type.empty()) return;
  const FileInfo& info = *input.file;
  if (info.type == ScalarType::s || info.type == ScalarType::c) {
    input.notes.push_back(
        fmt::format("the file holds {}: computed {}in single precision (--type {} for double)", info.element,
                    output_type_given ? "" : "and written ", info.type == ScalarType::s ? 'd' : 'z'));
  }
  const bool array = info.format == FileFormat::npy || info.format == FileFormat::hdf5;
  if (info.format == FileFormat::grm || (array && info.type == ScalarType::d && info.element != "float64"))
    input.notes.push_back(fmt::format("the file holds {}: computed in double precision", info.element));
}

std::string id_file(const Input& input) {
  if (!input.file || input.file->format != FileFormat::grm) return "";
  return input.name.substr(0, input.name.size() - 4) + ".id";
}

template <Scalar T>
void load(Input& input, const Matrix<T>& a) {
  if (!a.grid().inside()) return;
  if (!input.file) return generate(input.options.generate, a, input.options.formula);
  const Index repeated = read_matrix(*input.file, a);
  if (repeated > 0)
    input.notes.push_back(
        fmt::format("{} entries of the file are repetitions; they were added up", repeated));
}

#define CYCLADE_LOAD(T) template void load<T>(Input&, const Matrix<T>&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_LOAD)

}  // namespace cyclade::app
