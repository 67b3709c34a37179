// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/array_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "cyclade/matrix/redistribute.hpp"

namespace cyclade {
namespace {

/// Calls f.template operator()<E>() with the C++ type of a number in a file.
template <class F>
decltype(auto) with_element(ElementType type, F&& f) {
  switch (type) {
    case ElementType::f4:
      return f.template operator()<float>();
    case ElementType::f8:
      break;
    case ElementType::c8:
      return f.template operator()<std::complex<float>>();
    case ElementType::c16:
      return f.template operator()<std::complex<double>>();
    case ElementType::i1:
      return f.template operator()<std::int8_t>();
    case ElementType::i2:
      return f.template operator()<std::int16_t>();
    case ElementType::i4:
      return f.template operator()<std::int32_t>();
    case ElementType::i8:
      return f.template operator()<std::int64_t>();
    case ElementType::u1:
      return f.template operator()<std::uint8_t>();
    case ElementType::u2:
      return f.template operator()<std::uint16_t>();
    case ElementType::u4:
      return f.template operator()<std::uint32_t>();
    case ElementType::u8:
      return f.template operator()<std::uint64_t>();
    case ElementType::b1:
      return f.template operator()<bool>();
  }
  return f.template operator()<double>();
}

template <class E>
constexpr bool is_complex_element = requires(E e) {
  e.imag();
};

/// Reverses the bytes of every part of a number where the file's order is not the processor's.
template <class E>
void to_native(char* number, bool big_endian) {
  if (big_endian == (std::endian::native == std::endian::big)) return;
  constexpr std::size_t part = is_complex_element<E> ? sizeof(E) / 2 : sizeof(E);
  for (std::size_t at = 0; at < sizeof(E); at += part) std::reverse(number + at, number + at + part);
}

template <class E>
E load(const char* at, bool big_endian) {
  char bytes[sizeof(E)];
  std::memcpy(bytes, at, sizeof(E));
  to_native<E>(bytes, big_endian);
  if constexpr (std::is_same_v<E, bool>) {
    return bytes[0] != 0;
  } else {
    E value;
    std::memcpy(static_cast<void*>(&value), bytes, sizeof(E));
    return value;
  }
}

/// What a conversion would lose.
enum class Lost { nothing, imaginary, magnitude };

template <class From, class To>
Lost convert_real(const From& from, To& to) {
  to = static_cast<To>(from);
  if constexpr (std::is_floating_point_v<From>)
    if (std::isfinite(from) && !std::isfinite(to)) return Lost::magnitude;
  return Lost::nothing;
}

/// One rounding. Tells if a number did not survive it.
template <class From, class To>
Lost convert(const From& from, To& to) {
  if constexpr (is_complex_element<From> && is_complex_element<To>) {
    typename To::value_type re, im;
    const Lost lost = std::max(convert_real(from.real(), re), convert_real(from.imag(), im));
    to = To(re, im);
    return lost;
  } else if constexpr (is_complex_element<From>) {
    return std::max(convert_real(from.real(), to), from.imag() == 0 ? Lost::nothing : Lost::imaginary);
  } else if constexpr (is_complex_element<To>) {
    typename To::value_type re;
    const Lost lost = convert_real(from, re);
    to = To(re);
    return lost;
  } else {
    return convert_real(from, to);
  }
}

/// The slabs of a round: lines (columns, or rows) [first, first + size) of the matrix, `width` to a rank.
struct Round {
  Index first;
  Index size;
  Index width;
  bool row_major;

  Window window(const ArrayLayout& array) const {
    return row_major ? Window{first, first + size, 0, array.cols}
                     : Window{0, array.rows, first, first + size};
  }
  Layout layout(const ArrayLayout& array, int ranks) const {
    const Axis lines{size, width, ranks};
    return row_major ? Layout{lines, {array.cols, std::max<Index>(1, array.cols)}}
                     : Layout{{array.rows, std::max<Index>(1, array.rows)}, lines};
  }
};

/// Calls f(round, slab) for every round: `slab` is this rank's lines of it, on a grid of one process each.
template <Scalar T, class F>
void for_each_round(const Matrix<T>& a, const ArrayLayout& array, Index budget_bytes, F&& f) {
  const int ranks = a.grid().all().size();
  const Index lines = array.row_major ? array.rows : array.cols,
              length = array.row_major ? array.cols : array.rows;
  if (lines == 0 || length == 0) return;
  const Grid slabs(a.grid().all().handle(), array.row_major ? GridShape{ranks, 1} : GridShape{1, ranks});
  const Index held = budget_bytes / (size_of(array.element) + static_cast<Index>(sizeof(T)));
  const Index share = (lines + ranks - 1) / ranks;
  const Index block = array.line_block <= held / length ? array.line_block : 1;
  const Index most = std::max<Index>(block, held / length / block * block);
  const Index width = std::min(most, (share + block - 1) / block * block);
  for (Index first = 0; first < lines; first += width * ranks) {
    const Round round{first, std::min(width * ranks, lines - first), width, array.row_major};
    std::optional<Matrix<T>> slab;
    agree(a.grid().all(), [&] { slab.emplace(slabs, round.layout(array, ranks), a.device()); });
    f(round, *slab);
  }
}

/// Where this rank's lines of a round begin in the file.
Index slab_offset(const ArrayLayout& array, const Round& round, int rank) {
  const Index length = array.row_major ? array.cols : array.rows;
  return array.offset + (round.first + rank * round.width) * length * size_of(array.element);
}

/// Calls f(number in the bytes, entry of the slab) for each, in the order of the file. The slab is
/// column-major in either case.
template <class View, class F>
void for_each_number(const View& slab, const ArrayLayout& array, char* bytes, F&& f) {
  const Index width = size_of(array.element);
  const Index lines = array.row_major ? slab.rows : slab.cols,
              length = array.row_major ? slab.cols : slab.rows;
  for (Index line = 0; line < lines; ++line) {
    for (Index i = 0; i < length; ++i, bytes += width) {
      if (array.row_major) {
        f(bytes, slab(line, i), line, i);
      } else {
        f(bytes, slab(i, line), i, line);
      }
    }
  }
}

[[noreturn]] void refuse(const std::string& name, Lost lost, Index i, Index j) {
  throw FileError(name + ": entry (" + std::to_string(i) + "," + std::to_string(j) + ") " +
                  (lost == Lost::imaginary
                       ? "has an imaginary part, and real numbers are asked for; ask for complex ones"
                       : "is too large for single precision; ask for double"));
}

}  // namespace

Index size_of(ElementType type) {
  return with_element(type, []<class E>() { return static_cast<Index>(sizeof(E)); });
}

std::string_view to_string(ElementType type) {
  constexpr std::string_view names[] = {"float32", "float64", "complex64", "complex128", "int8",
                                        "int16",   "int32",   "int64",     "uint8",      "uint16",
                                        "uint32",  "uint64",  "bool"};
  return names[static_cast<std::size_t>(type)];
}

ScalarType scalar_type_of(ElementType type) {
  switch (type) {
    case ElementType::f4:
      return ScalarType::s;
    case ElementType::c8:
      return ScalarType::c;
    case ElementType::c16:
      return ScalarType::z;
    default:
      return ScalarType::d;
  }
}

ElementType element_type_of(ScalarType type) {
  switch (type) {
    case ScalarType::s:
      return ElementType::f4;
    case ScalarType::d:
      return ElementType::f8;
    case ScalarType::c:
      return ElementType::c8;
    case ScalarType::z:
      return ElementType::c16;
  }
  return ElementType::f8;
}

Index total_bytes(const ArrayLayout& array) {
  Index entries = 0, bytes = 0, total = 0;
  const bool overflow = __builtin_mul_overflow(array.rows, array.cols, &entries) ||
                        __builtin_mul_overflow(entries, size_of(array.element), &bytes) ||
                        __builtin_add_overflow(bytes, array.offset, &total);
  return overflow ? -1 : total;
}

template <Scalar T>
void read_array(const Source& source, const ArrayLayout& array, const Matrix<T>& a, Index budget_bytes) {
  require(array.rows == a.rows() && array.cols == a.cols(),
          "read: the file and the matrix have different shapes");
  if (!a.grid().inside()) return;
  for_each_round(a, array, budget_bytes, [&](const Round& round, const Matrix<T>& slab) {
    const MatrixView<T> loc = slab.local();
    agree(a.grid().all(), [&] {
      if (loc.size() == 0) return;  // the last round has fewer lines than ranks; so may a small matrix
      std::vector<char> bytes(static_cast<std::size_t>(loc.size() * size_of(array.element)));
      source.read(slab_offset(array, round, a.grid().all().rank()), bytes);
      with_element(array.element, [&]<class E>() {
        for_each_number(loc, array, bytes.data(), [&](char* number, T& entry, Index i, Index j) {
          const Lost lost = convert(load<E>(number, array.big_endian), entry);
          if (lost == Lost::nothing) return;
          const Window w = round.window(array);
          refuse(source.name, lost, w.i0 + slab.global_row(i), w.j0 + slab.global_col(j));
        });
      });
    });
    redistribute(a.grid().all(), slab, a.window(round.window(array)));
  });
}

template <Scalar T>
void write_array(const Matrix<T>& a, const ArrayLayout& array, const WriteAt& write_at, Index budget_bytes,
                 const std::string& name) {
  require(array.rows == a.rows() && array.cols == a.cols(),
          "write: the file and the matrix have different shapes");
  require(element_type_of(scalar_type_of(array.element)) == array.element,
          "write: numbers are written as float32, float64, complex64 or complex128, not as " +
              std::string(to_string(array.element)));
  if (!a.grid().inside()) return;
  for_each_round(a, array, budget_bytes, [&](const Round& round, const Matrix<T>& slab) {
    redistribute(a.grid().all(), a.window(round.window(array)), slab);
    const MatrixView<T> loc = slab.local();
    agree(a.grid().all(), [&] {
      if (loc.size() == 0) return;  // the last round has fewer lines than ranks; so may a small matrix
      std::vector<char> bytes(static_cast<std::size_t>(loc.size() * size_of(array.element)));
      with_scalar(scalar_type_of(array.element), [&]<class E>() {
        for_each_number(loc, array, bytes.data(), [&](char* number, const T& entry, Index i, Index j) {
          E value;
          if (const Lost lost = convert(entry, value); lost != Lost::nothing) {
            const Window w = round.window(array);
            refuse(name, lost, w.i0 + slab.global_row(i), w.j0 + slab.global_col(j));
          }
          std::memcpy(number, static_cast<const void*>(&value), sizeof(E));
          to_native<E>(number, array.big_endian);
        });
      });
      write_at(slab_offset(array, round, a.grid().all().rank()), bytes);
    });
  });
}

#define CYCLADE_ARRAY_FILE(T)                                                               \
  template void read_array<T>(const Source&, const ArrayLayout&, const Matrix<T>&, Index);  \
  template void write_array<T>(const Matrix<T>&, const ArrayLayout&, const WriteAt&, Index, \
                               const std::string&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_ARRAY_FILE)

}  // namespace cyclade
