// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cyclade/program.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

namespace cyclade::app {

void Program::print(const std::string& text) const {
  if (!root()) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void Program::note(const std::string& text) const {
  if (root()) fmt::print(stderr, "{}\n", text);
}

void GridOptions::add_to(CLI::App& app) {
  app.add_option("--grid", grid, "process grid, PxQ (default: the cheapest over the ranks)")
      ->group("Distribution");
  app.add_option("--order", order, "how ranks fill the grid: row or column")
      ->check(CLI::IsMember({"row", "column"}))
      ->group("Distribution");
  app.add_option("--nb", nb, "columns per block (default: chosen from the order and the grid)")
      ->check(at_least(1))
      ->group("Distribution");
  app.add_option("--mb", mb, "rows per block (default: as --nb)")->check(at_least(1))->group("Distribution");
  app.add_option("--source", source, "process row and column of the first block, R,C")->group("Distribution");
  app.add_option("--first-block", first_block, "size of the first block of rows and of columns, R,C")
      ->group("Distribution");
  app.add_option("--threads", threads, "BLAS threads a rank (default: the node's cores over its ranks)")
      ->check(at_least(1))
      ->group("Distribution");
  app.add_option("--memory", memory, "refuse what needs more a rank, e.g. 64GiB")->group("Distribution");
}

GridOrder GridOptions::grid_order() const { return order == "row" ? GridOrder::row : GridOrder::column; }

GridShape GridOptions::shape(int ranks, Index n) const {
  if (grid.empty()) return cheapest_shape(ranks, n);
  const auto [p, q] = parse_pair(grid, 'x', "--grid");
  require(
      p >= 1 && q >= 1 && p <= ranks && q <= ranks,
      fmt::format("--grid {} needs {} ranks, there are {}; start more with mpirun -n", grid, p * q, ranks));
  return {static_cast<int>(p), static_cast<int>(q)};
}

Layout GridOptions::layout(Index m, Index n, GridShape s) const {
  const Index widest = std::max(m, n) < 1500 ? 64 : 128, across = std::max(s.p, s.q);
  const Index spread = std::clamp<Index>((std::max(m, n) + across - 1) / across, 1, widest);
  const Index cols = nb > 0 ? nb : spread, rows = mb > 0 ? mb : cols;
  Layout layout{{m, rows, s.p}, {n, cols, s.q}};
  if (!source.empty()) {
    const auto [r, c] = parse_pair(source, ',', "--source");
    layout.rows.source = static_cast<int>(std::clamp<Index>(r, -2, s.p));
    layout.cols.source = static_cast<int>(std::clamp<Index>(c, -2, s.q));
  }
  if (!first_block.empty())
    std::tie(layout.rows.first_block, layout.cols.first_block) =
        parse_pair(first_block, ',', "--first-block");
  require_valid(layout);
  return layout;
}

Index GridOptions::memory_limit() const { return memory.empty() ? 0 : parse_bytes(memory); }

CLI::Validator at_least(Index least) {
  return {[least](const std::string& text) {
            Index value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool whole = error == std::errc() && end == text.data() + text.size();
            return whole && value >= least
                       ? std::string()
                       : fmt::format("expected a whole number from {} on, got '{}'", least, text);
          },
          ""};
}

std::pair<Index, Index> parse_pair(const std::string& text, char separator, const std::string& option) {
  const auto cut = text.find(separator);
  Index first = 0, second = 0;
  const char* end = text.data() + text.size();
  const bool cut_inside = cut != std::string::npos && cut > 0;
  const auto a = cut_inside ? std::from_chars(text.data(), text.data() + cut, first)
                            : std::from_chars_result{nullptr, std::errc::invalid_argument};
  const auto b = cut_inside ? std::from_chars(text.data() + cut + 1, end, second) : a;
  const bool good = a.ec == std::errc() && b.ec == std::errc() && a.ptr == text.data() + cut && b.ptr == end;
  require(good, fmt::format("{}: expected two whole numbers as in 2{}3, got '{}'", option, separator, text));
  return {first, second};
}

Window parse_window(const std::string& text) {
  const auto comma = text.find(',');
  require(comma != std::string::npos,
          fmt::format("--window: expected I0:I1,J0:J1 as in 0:10,5:8, got '{}'", text));
  const auto [i0, i1] = parse_pair(text.substr(0, comma), ':', "--window");
  const auto [j0, j1] = parse_pair(text.substr(comma + 1), ':', "--window");
  return {i0, i1, j0, j1};
}

Index parse_bytes(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  constexpr std::pair<std::string_view, double> units[] = {
      {"", 1},      {"B", 1},      {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
      {"TB", 1e12}, {"KiB", 1024}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  const auto known = std::ranges::find(units, unit, &std::pair<std::string_view, double>::first);
  require(error == std::errc() && known != std::end(units) && value > 0,
          fmt::format("--memory: expected a size such as 64GiB or 500MB, got '{}'", text));
  return static_cast<Index>(std::min(value * known->second, 9e18));
}

std::optional<ScalarType> parse_type(const std::string& text, const std::string& option) {
  if (text.empty()) return std::nullopt;
  require(
      text.size() == 1 && std::string_view("sdcz").find(text[0]) != std::string_view::npos,
      fmt::format("{}: expected s, d, c or z (float, double, and complex of both), got '{}'", option, text));
  return text == "s"   ? ScalarType::s
         : text == "d" ? ScalarType::d
         : text == "c" ? ScalarType::c
                       : ScalarType::z;
}

std::vector<std::string> transport_words() { return {"automatic", "ring", "ring-allgather", "broadcast"}; }

Transport parse_transport(const std::string& word) {
  if (word == "ring") return Transport::ring;
  if (word == "ring-allgather") return Transport::ring_allgather;
  return word == "broadcast" ? Transport::broadcast : Transport::automatic;
}

FileOrder parse_order(const std::string& text) {
  if (text.empty()) return FileOrder::own;
  return text == "row" ? FileOrder::row : FileOrder::column;
}

std::string in_bytes(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string_view type_name(ScalarType type) { return to_string(element_type_of(type)); }

void require_writable(const Program& program, const std::string& path) {
  if (path.empty() || path == "-") return;
  agree(program.world, [&] {
    if (!program.root()) return;
    const std::string temporary = path + ".part";
    const bool good = std::ofstream(temporary, std::ios::binary).is_open();
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    if (!good) throw FileError(path + ": cannot be written");
  });
}

void write_text(const Program& program, const std::string& path, const std::string& text) {
  if (path == "-") return program.print(text);
  agree(program.world, [&] {
    if (!program.root()) return;
    const std::string temporary = path + ".part";
    {
      std::ofstream file(temporary, std::ios::binary);
      file << text;
      file.close();
      if (!file) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw FileError(path + ": cannot be written");
      }
    }
    std::error_code error;
    std::filesystem::rename(temporary, path, error);
    if (error) throw FileError(path + ": " + error.message());
  });
}

}  // namespace cyclade::app
