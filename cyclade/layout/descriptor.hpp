// The descriptor arrays of ScaLAPACK (9 entries, DTYPE 1) and of the PBLAS (11 entries, DTYPE 2, with first
// block sizes), to a Layout and back, and the checks of CHK1MAT, PB_Cchkmat and DESCINIT with their own error
// numbers. Every function takes arrays of 32 or 64 bits; all arithmetic is 64-bit. No BLACS here: what
// BLACS_GRIDINFO would say of the context comes in as a Place.
//
//   9:   DTYPE=1  CTXT  M  N            MB  NB  RSRC  CSRC  LLD
//   11:  DTYPE=2  CTXT  M  N  IMB  INB  MB  NB  RSRC  CSRC  LLD       RSRC or CSRC = -1: replicated
//
// An error number is -position for a plain argument and -(100*position + entry) for entry 1, 2, ... of a
// descriptor that is argument number `position`; of several errors, the smallest position wins.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>

#include "cyclade/layout/layout.hpp"

namespace cyclade {

/// The integers that descriptors are made of: INTEGER*4, or INTEGER*8 (ILP64).
template <class I>
concept DescriptorInteger = std::same_as<I, std::int32_t> || std::same_as<I, std::int64_t>;

/// Values of the first entry.
inline constexpr int block_cyclic_2d = 1;
inline constexpr int block_cyclic_2d_inb = 2;

/// Positions, from 0, of the entries of a 9-entry descriptor (add 1 for the numbers in error codes).
namespace desc9 {
enum Entry : int { dtype, ctxt, m, n, mb, nb, rsrc, csrc, lld, length };
}
/// The same of an 11-entry descriptor.
namespace desc11 {
enum Entry : int { dtype, ctxt, m, n, imb, inb, mb, nb, rsrc, csrc, lld, length };
}

/// What BLACS_GRIDINFO says: the shape of the grid and where this process sits. nprow = -1: no such context.
struct Place {
  int nprow = 1;
  int npcol = 1;
  int myrow = 0;
  int mycol = 0;
};

/// What a descriptor says: the layout, the BLACS context (carried, not looked at) and the local leading
/// dimension.
struct Descriptor {
  Layout layout;
  Index context = 0;
  Index lld = 1;
  constexpr bool operator==(const Descriptor&) const = default;
};

/// 0, or the error number of the whole descriptor, of either type, as argument number `position`: what
/// CHK1MAT (type 1) or PB_Cchkmat (type 2) would say of the whole matrix. Local; nothing is compared between
/// processes.
template <DescriptorInteger I>
Index descriptor_error(const I* desc, const Place& place, int position);

/// "entry 9 (LLD) must be at least 62 (the local rows), got 10": the error number in words.
template <DescriptorInteger I>
std::string explain_error(Index error, const I* desc, const Place& place);

/// Reads a descriptor of either type. Throws ArgumentError, naming the entry and its value, where
/// descriptor_error finds one; `name` is what the message calls the array. Local.
template <DescriptorInteger I>
Descriptor read_descriptor(const I* desc, const Place& place, const std::string& name = "DESCA");

/// The 9 entries. Throws ArgumentError where they cannot say it: a first block unlike the others, a
/// replicated dimension, a number that does not fit I.
template <DescriptorInteger I>
std::array<I, 9> scalapack_descriptor(const Descriptor& descriptor);

/// The 11 entries, which can say any layout. Throws ArgumentError where a number does not fit I.
template <DescriptorInteger I>
std::array<I, 11> pblas_descriptor(const Descriptor& descriptor);

namespace scalapack {

/// DESCINIT: fills `desc` and returns INFO = -(number of the first wrong argument). Trap: it stores a
/// repaired descriptor even when it fails, and wants LLD >= LOCr(M) even of a process without columns, unlike
/// chk1mat.
template <DescriptorInteger I>
int descinit(I* desc, I m, I n, I mb, I nb, I irsrc, I icsrc, I ictxt, I lld, const Place& place);

/// DESCSET: fills `desc`. Trap: it checks nothing.
template <DescriptorInteger I>
constexpr void descset(I* desc, I m, I n, I mb, I nb, I irsrc, I icsrc, I ictxt, I lld) {
  const std::array<I, 9> entries{block_cyclic_2d, ictxt, m, n, mb, nb, irsrc, icsrc, lld};
  for (int k = 0; k < desc9::length; ++k) desc[k] = entries[static_cast<std::size_t>(k)];
}

/// CHK1MAT: checks sub(A) = A(ia:ia+ma-1, ja:ja+na-1), ia and ja from 1; `info` is the code of earlier
/// checks, and the smaller position wins. Trap: ia and ja are taken to be the two arguments before the
/// descriptor.
template <DescriptorInteger I>
Index chk1mat(Index ma, int ma_position, Index na, int na_position, Index ia, Index ja, const I* desca,
              int desca_position, const Place& place, Index info = 0);

/// DESC_CONVERT: the 7 entries of a 1-D descriptor, type 501 (1 x P) or 502 (P x 1), from types 1, 501 or
/// 502; returns INFO. Trap: a 2-D grid must be 1 x P for 501 and P x 1 for 502, and 501 to 502 is refused;
/// then -1.
template <DescriptorInteger I>
int desc_convert(const I* desc_in, I* desc_out, const Place& place);

}  // namespace scalapack

namespace pblas {

/// PB_CargFtoC: a caller's descriptor of either type, as 11 entries with IMB = MB and INB = NB for type 1.
/// Trap: it checks nothing; an unknown type comes out as a descriptor of that type, its entries not set.
template <DescriptorInteger I>
constexpr std::array<I, 11> argftoc(const I* desc) {
  std::array<I, 11> out{};
  if (desc[desc9::dtype] == block_cyclic_2d) {
    const I mb = desc[desc9::mb], nb = desc[desc9::nb];
    out = {block_cyclic_2d_inb, desc[desc9::ctxt], desc[desc9::m],  desc[desc9::n], mb, nb, mb, nb,
           desc[desc9::rsrc],   desc[desc9::csrc], desc[desc9::lld]};
  } else if (desc[desc11::dtype] == block_cyclic_2d_inb) {
    for (int k = 0; k < desc11::length; ++k) out[static_cast<std::size_t>(k)] = desc[k];
  } else {
    out[desc11::dtype] = desc[desc9::dtype];
    out[desc11::ctxt] = desc[desc9::ctxt];
  }
  return out;
}

/// PB_Cdescset: fills 11 entries of type 2. Trap: it checks nothing, and the first blocks come before the
/// others.
template <DescriptorInteger I>
constexpr void descset(I* desc, I m, I n, I imb, I inb, I mb, I nb, I rsrc, I csrc, I ctxt, I lld) {
  const std::array<I, 11> entries{block_cyclic_2d_inb, ctxt, m, n, imb, inb, mb, nb, rsrc, csrc, lld};
  for (int k = 0; k < desc11::length; ++k) desc[k] = entries[static_cast<std::size_t>(k)];
}

/// PB_Cchkmat: checks an m x n window at (ia, ja), from 0, of an 11-entry descriptor; `info` is in/out as in
/// chk1mat. Trap: unlike chk1mat it blames ia (ja) for a window that sticks out, and allows RSRC = CSRC = -1.
template <DescriptorInteger I>
Index chkmat(Index context, Index m, int m_position, Index n, int n_position, Index ia, Index ja,
             const I* desca, int desca_position, const Place& place, Index info = 0);

}  // namespace pblas
}  // namespace cyclade
