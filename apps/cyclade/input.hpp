// Where a command's matrix comes from: a file, or the gallery.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/cyclade/program.hpp"
#include "cyclade/io/generate.hpp"
#include "cyclade/matrix/matrix.hpp"

namespace cyclade::app {

struct InputOptions {
  std::string file, generate, type;
  Index n = -1;  ///< not given
  GenerateOptions formula;

  /// FILE, --generate NAME, --n, --seed, --condition, --type
  void add_to(CLI::App& app);
};

/// A matrix that is known but not yet in memory.
struct Input {
  std::string name;  ///< for reports
  Index rows = 0, cols = 0;
  ScalarType type = ScalarType::d;
  std::optional<FileInfo> file;
  InputOptions options;
  std::vector<std::string> notes;  ///< what was assumed
};

/// Finds out shape and type. Collective. Throws ArgumentError or FileError, equal on all ranks.
Input find_input(const Program& program, const InputOptions& options);

/// Says in which precision is computed where the file does not make that plain and nobody asked for one.
void note_precision(Input& input, bool output_type_given);

/// The .grm.id beside a .grm.bin; empty for everything else.
std::string id_file(const Input& input);

/// Reads or generates it. Collective over the matrix's grid. Notes what people should know.
template <Scalar T>
void load(Input& input, const Matrix<T>& a);

}  // namespace cyclade::app
