// What the commands share: the ranks, who prints, and how options become grids, layouts and devices.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cyclade/device/host.hpp"
#include "cyclade/io/matrix_file.hpp"
#include "cyclade/layout/layout.hpp"
#include "cyclade/mpi/grid.hpp"
#include "cyclade/multiply/summa.hpp"

namespace cyclade::app {

/// Exit statuses of the program.
enum ExitStatus : int { success = 0, numerical = 1, usage = 2, file_error = 3, internal_error = 4 };

/// One run of the program. A command's options fill in `run`; main calls it.
struct Program {
  const Communicator& world;
  std::function<int()> run = nullptr;
  double cores = 1;  ///< processors of the node for each rank on it; below 1 where ranks share them

  bool root() const { return world.rank() == 0; }
  /// Results, on stdout; rank 0 alone.
  void print(const std::string& text) const;
  /// What was assumed, warnings: on stderr; rank 0 alone.
  void note(const std::string& text) const;
};

/// --grid, --order, --nb, ...: how a matrix is dealt out.
struct GridOptions {
  std::string grid, order = "row", source, first_block;
  Index nb = 0, mb = 0;
  int threads = 0;
  std::string memory;

  void add_to(CLI::App& app);
  GridOrder grid_order() const;
  /// As asked for, or the cheapest over the ranks there are.
  GridShape shape(int ranks, Index n) const;
  /// The layout of an m x n matrix on such a grid.
  Layout layout(Index m, Index n, GridShape shape) const;
  /// Bytes a rank may use; 0: not limited.
  Index memory_limit() const;
};

/// For options that count something: refuses numbers below `least` in plain words.
CLI::Validator at_least(Index least);

/// "PxQ" or "R,C" and the like. Throws ArgumentError naming the option.
std::pair<Index, Index> parse_pair(const std::string& text, char separator, const std::string& option);
/// "I0:I1,J0:J1"
Window parse_window(const std::string& text);
/// "64GiB", "500MB", "1e9": bytes.
Index parse_bytes(const std::string& text);
/// s, d, c or z; none if empty.
std::optional<ScalarType> parse_type(const std::string& text, const std::string& option);
/// How panels travel: one of transport_words().
Transport parse_transport(const std::string& word);
std::vector<std::string> transport_words();

/// --file-order: row or column; empty: the format's own.
FileOrder parse_order(const std::string& text);
inline constexpr const char* file_order_help =
    "order of the numbers in an .npy (default: column) or .h5 (row): row or column";

/// "1.5 GiB"
std::string in_bytes(double bytes);
std::string_view type_name(ScalarType type);

/// Throws FileError, on all ranks, if a file cannot be made there: before the work instead of after it.
void require_writable(const Program& program, const std::string& path);

/// Writes a small text file whole or not at all; rank 0 alone, errors on all ranks. "-" is stdout.
void write_text(const Program& program, const std::string& path, const std::string& text);

/// Each command adds itself to the program's command line.
void add_invert(CLI::App& app, Program& program);
void add_verify(CLI::App& app, Program& program);
void add_multiply(CLI::App& app, Program& program);
void add_generate(CLI::App& app, Program& program);
void add_layout(CLI::App& app, Program& program);
void add_plan(CLI::App& app, Program& program);
void add_convert(CLI::App& app, Program& program);
void add_info(CLI::App& app, Program& program);
void add_bench(CLI::App& app, Program& program);

}  // namespace cyclade::app
