// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/layout/descriptor.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "cyclade/base/error.hpp"

namespace cyclade {
namespace {

/// Collects errors by position; the smallest wins. An entry of a descriptor is at 100*position + entry.
class Blame {
 public:
  /// `earlier`: the error number of checks made before, or 0.
  explicit Blame(Index earlier) {
    if (earlier < 0) smallest_ = earlier < -100 ? -earlier : -earlier * 100;
  }
  void argument(int position) { at(Index{100} * position); }
  /// `entry` from 0, as in desc9 and desc11.
  void entry(int position, int entry) { at(Index{100} * position + entry + 1); }
  bool none() const { return smallest_ == nothing; }
  Index number() const {
    if (none()) return 0;
    return smallest_ % 100 == 0 ? -smallest_ / 100 : -smallest_;
  }

 private:
  static constexpr Index nothing = 10000;
  void at(Index where) { smallest_ = std::min(smallest_, where); }
  Index smallest_ = nothing;
};

/// Local counts from the entries of a descriptor. Not for a source that is out of range.
Index local_count(Index size, Index first, Index block, int me, Index source, int nprocs) {
  return Axis{size, block, nprocs, static_cast<int>(source), first}.local_size(me);
}

bool is_process(Index source, int nprocs) { return source >= 0 && source < nprocs; }

template <class I>
I narrowed(Index value, const char* entry) {
  require(value >= std::numeric_limits<I>::min() && value <= std::numeric_limits<I>::max(),
          std::string("descriptor: ") + entry + " = " + std::to_string(value) + " does not fit " +
              std::to_string(8 * sizeof(I)) + "-bit entries");
  return static_cast<I>(value);
}

Axis read_axis(Index size, Index first, Index block, int ranks, Index source) {
  return {size, block, ranks, static_cast<int>(source), first};
}

/// What must hold of an entry, with the values that it is compared with.
template <class I>
std::string rule(int entry, const I* desc, const Place& at) {
  const bool type2 = desc[0] == block_cyclic_2d_inb;
  const auto source = [](int nprocs, const char* grid) {
    return " must be a process of the grid, which has " + std::to_string(nprocs) + " " + grid;
  };
  if (entry == 0) return "entry 1 (DTYPE) must be 1 (9 entries) or 2 (11 entries)";
  static constexpr std::array names9{"DTYPE", "CTXT", "M", "N", "MB", "NB", "RSRC", "CSRC", "LLD"};
  static constexpr std::array names11{"DTYPE", "CTXT", "M",    "N",    "IMB", "INB",
                                      "MB",    "NB",   "RSRC", "CSRC", "LLD"};
  const auto k = static_cast<std::size_t>(entry);
  const std::string what =
      "entry " + std::to_string(entry + 1) + " (" + (type2 ? names11[k] : names9[k]) + ")";
  const int kind = type2 && entry > desc11::n ? entry - 2 : entry;  // IMB, INB are 2, 3 then: sizes
  if (type2 && (entry == desc11::imb || entry == desc11::inb)) return what + " must be 1 or more";
  if (kind == desc9::m || kind == desc9::n)
    return what + " must be 0 or more (1 or more if sub(A) is not empty)";
  if (kind == desc9::mb || kind == desc9::nb) return what + " must be 1 or more";
  if (kind == desc9::rsrc) return what + source(at.nprow, "process rows");
  if (kind == desc9::csrc) return what + source(at.npcol, "process columns");
  if (kind == desc9::lld)
    return what + " must be at least 1, and the local rows where there are local columns";
  return what + " must be the context of the other operands";
}

}  // namespace

template <DescriptorInteger I>
Index descriptor_error(const I* desc, const Place& place, int position) {
  // The whole matrix as sub(A). An argument that is wrong with it is wrong in the descriptor.
  if (desc[0] == block_cyclic_2d_inb) {
    const Index m = std::max<Index>(0, desc[desc11::m]), n = std::max<Index>(0, desc[desc11::n]);
    return pblas::chkmat<I>(desc[desc11::ctxt], m, position, n, position, 0, 0, desc, position, place);
  }
  const Index m = std::max<Index>(0, desc[desc9::m]), n = std::max<Index>(0, desc[desc9::n]);
  if (desc[0] != block_cyclic_2d) return -(Index{100} * position + 1);
  return scalapack::chk1mat<I>(m, position, n, position, 1, 1, desc, position, place);
}

template <DescriptorInteger I>
std::string explain_error(Index error, const I* desc, const Place& place) {
  if (error == 0) return "no error";
  if (error > -100) return "argument " + std::to_string(-error) + " is wrong";
  const int entry = static_cast<int>(-error % 100) - 1;
  return rule(entry, desc, place) + ", got " + std::to_string(desc[entry]);
}

template <DescriptorInteger I>
Descriptor read_descriptor(const I* desc, const Place& place, const std::string& name) {
  const Index error = descriptor_error(desc, place, 1);
  require(error == 0, name + ": " + explain_error(error, desc, place));
  const std::array<I, 11> d = pblas::argftoc(desc);
  return {{read_axis(d[desc11::m], d[desc11::imb], d[desc11::mb], place.nprow, d[desc11::rsrc]),
           read_axis(d[desc11::n], d[desc11::inb], d[desc11::nb], place.npcol, d[desc11::csrc])},
          d[desc11::ctxt],
          d[desc11::lld]};
}

template <DescriptorInteger I>
std::array<I, 9> scalapack_descriptor(const Descriptor& descriptor) {
  const auto can_say = [](const Axis& axis, const char* name) {
    require(axis.first() == axis.block, std::string("descriptor: 9 entries cannot say a first block of ") +
                                            name + " unlike the others (" + std::to_string(axis.first()) +
                                            " and " + std::to_string(axis.block) +
                                            "): use the 11 entries of the PBLAS");
    require(axis.source != replicated, std::string("descriptor: 9 entries cannot say replicated ") + name +
                                           ": use the 11 entries of the PBLAS");
  };
  can_say(descriptor.layout.rows, "rows");
  can_say(descriptor.layout.cols, "columns");
  const std::array<I, 11> d = pblas_descriptor<I>(descriptor);
  return {block_cyclic_2d, d[desc11::ctxt], d[desc11::m],    d[desc11::n],  d[desc11::mb],
          d[desc11::nb],   d[desc11::rsrc], d[desc11::csrc], d[desc11::lld]};
}

template <DescriptorInteger I>
std::array<I, 11> pblas_descriptor(const Descriptor& descriptor) {
  const Axis &rows = descriptor.layout.rows, &cols = descriptor.layout.cols;
  return {block_cyclic_2d_inb,
          narrowed<I>(descriptor.context, "CTXT"),
          narrowed<I>(rows.size, "M"),
          narrowed<I>(cols.size, "N"),
          narrowed<I>(rows.first(), "IMB"),
          narrowed<I>(cols.first(), "INB"),
          narrowed<I>(rows.block, "MB"),
          narrowed<I>(cols.block, "NB"),
          static_cast<I>(rows.source),
          static_cast<I>(cols.source),
          narrowed<I>(descriptor.lld, "LLD")};
}

namespace scalapack {

template <DescriptorInteger I>
int descinit(I* desc, I m, I n, I mb, I nb, I irsrc, I icsrc, I ictxt, I lld, const Place& at) {
  const auto on_grid = [](I source, int nprocs) {
    return std::max<I>(0, std::min<I>(source, static_cast<I>(nprocs - 1)));
  };
  const I m_ok = std::max<I>(0, m), mb_ok = std::max<I>(1, mb), rsrc_ok = on_grid(irsrc, at.nprow);
  const Index rows = at.nprow < 1 ? 0 : local_count(m_ok, mb_ok, mb_ok, at.myrow, rsrc_ok, at.nprow);
  int info = 0;
  if (m < 0) {
    info = -2;
  } else if (n < 0) {
    info = -3;
  } else if (mb < 1) {
    info = -4;
  } else if (nb < 1) {
    info = -5;
  } else if (!is_process(irsrc, at.nprow)) {
    info = -6;
  } else if (!is_process(icsrc, at.npcol)) {
    info = -7;
  } else if (lld < std::max<Index>(1, rows)) {
    info = -9;
  }
  const I lld_ok = std::max(lld, static_cast<I>(std::max<Index>(1, rows)));
  descset<I>(desc, m_ok, std::max<I>(0, n), mb_ok, std::max<I>(1, nb), rsrc_ok, on_grid(icsrc, at.npcol),
             ictxt, lld_ok);
  return info;
}

template <DescriptorInteger I>
Index chk1mat(Index ma, int ma_position, Index na, int na_position, Index ia, Index ja, const I* desca,
              int desca_position, const Place& at, Index info) {
  const int pos = desca_position;
  const Index m = desca[desc9::m], n = desca[desc9::n], mb = desca[desc9::mb], nb = desca[desc9::nb];
  const Index rsrc = desca[desc9::rsrc], csrc = desca[desc9::csrc], lld = desca[desc9::lld];
  Blame blame(info);
  // The first of these that fails is the one that counts.
  if (desca[desc9::dtype] != block_cyclic_2d) {
    blame.entry(pos, desc9::dtype);
  } else if (ma < 0) {
    blame.argument(ma_position);
  } else if (na < 0) {
    blame.argument(na_position);
  } else if (ia < 1) {
    blame.argument(pos - 2);
  } else if (ja < 1) {
    blame.argument(pos - 1);
  } else if (mb < 1) {
    blame.entry(pos, desc9::mb);
  } else if (nb < 1) {
    blame.entry(pos, desc9::nb);
  } else if (!is_process(rsrc, at.nprow)) {
    blame.entry(pos, desc9::rsrc);
  } else if (!is_process(csrc, at.npcol)) {
    blame.entry(pos, desc9::csrc);
  } else if (lld < 1) {
    blame.entry(pos, desc9::lld);
  } else if (lld < local_count(m, mb, mb, at.myrow, rsrc, at.nprow) &&
             local_count(n, nb, nb, at.mycol, csrc, at.npcol) > 0) {
    blame.entry(pos, desc9::lld);
  }
  if (ma == 0 || na == 0) {
    if (m < 0) blame.entry(pos, desc9::m);
    if (n < 0) blame.entry(pos, desc9::n);
  } else if (m < 1) {
    blame.entry(pos, desc9::m);
  } else if (n < 1) {
    blame.entry(pos, desc9::n);
  } else if (ia > m) {
    blame.argument(pos - 2);
  } else if (ja > n) {
    blame.argument(pos - 1);
  } else {
    if (ma > m - ia + 1) blame.argument(ma_position);
    if (na > n - ja + 1) blame.argument(na_position);
  }
  return blame.number();
}

template <DescriptorInteger I>
int desc_convert(const I* desc_in, I* desc_out, const Place& place) {
  // One dimension of the input: its extent, block and source, and where the other has one process.
  struct Dimension {
    I size, block, source;
    bool alone;
  };
  Dimension rows{1, 1, 1, false}, cols{1, 1, 1, false};
  I lld = 0;
  if (desc_in[0] == block_cyclic_2d) {
    rows = {desc_in[desc9::m], desc_in[desc9::mb], desc_in[desc9::rsrc], place.npcol == 1};
    cols = {desc_in[desc9::n], desc_in[desc9::nb], desc_in[desc9::csrc], place.nprow == 1};
    lld = desc_in[desc9::lld];
  } else if (desc_in[0] == 501 || desc_in[0] == 502) {
    (desc_in[0] == 501 ? cols : rows) = {desc_in[2], desc_in[3], desc_in[4], true};
    lld = desc_in[5];
  } else {
    return -1;
  }
  if (desc_out[0] != 501 && desc_out[0] != 502) return 0;
  const Dimension& kept = desc_out[0] == 501 ? cols : rows;
  if (!kept.alone) return -1;
  desc_out[1] = desc_in[1];
  desc_out[2] = kept.size;
  desc_out[3] = kept.block;
  desc_out[4] = kept.source;
  desc_out[5] = lld;
  return 0;
}

}  // namespace scalapack

namespace pblas {

template <DescriptorInteger I>
Index chkmat(Index context, Index m, int m_position, Index n, int n_position, Index ia, Index ja,
             const I* desca, int desca_position, const Place& at, Index info) {
  const int pos = desca_position;
  Blame blame(info);
  if (m < 0) blame.argument(m_position);
  if (n < 0) blame.argument(n_position);
  if (ia < 0) blame.argument(pos - 2);
  if (ja < 0) blame.argument(pos - 1);
  if (desca[desc11::dtype] != block_cyclic_2d_inb) {
    blame.entry(pos, desc11::dtype);
    return blame.number();
  }
  if (desca[desc11::ctxt] != context) {
    blame.entry(pos, desc11::ctxt);
    return blame.number();
  }
  for (const int block : {desc11::imb, desc11::inb, desc11::mb, desc11::nb})
    if (desca[block] < 1) blame.entry(pos, block);
  const Index rsrc = desca[desc11::rsrc], csrc = desca[desc11::csrc], lld = desca[desc11::lld];
  if (rsrc != replicated && !is_process(rsrc, at.nprow)) blame.entry(pos, desc11::rsrc);
  if (csrc != replicated && !is_process(csrc, at.npcol)) blame.entry(pos, desc11::csrc);

  const bool empty = m == 0 || n == 0;
  const Index rows = desca[desc11::m], cols = desca[desc11::n];
  if (rows < (empty ? 0 : 1)) blame.entry(pos, desc11::m);
  if (cols < (empty ? 0 : 1)) blame.entry(pos, desc11::n);
  if (empty) {
    if (lld < 1) blame.entry(pos, desc11::lld);
    return blame.number();
  }
  if (rows >= 1 && cols >= 1) {
    if (m > rows - ia) blame.argument(pos - 2);
    if (n > cols - ja) blame.argument(pos - 1);
  }
  if (!blame.none()) return blame.number();
  const Index m_loc = local_count(rows, desca[desc11::imb], desca[desc11::mb], at.myrow, rsrc, at.nprow);
  const Index n_loc = local_count(cols, desca[desc11::inb], desca[desc11::nb], at.mycol, csrc, at.npcol);
  if (lld < 1 || (lld < m_loc && n_loc > 0)) blame.entry(pos, desc11::lld);
  return blame.number();
}

}  // namespace pblas

template Index descriptor_error(const std::int32_t*, const Place&, int);
template std::string explain_error(Index, const std::int32_t*, const Place&);
template Descriptor read_descriptor(const std::int32_t*, const Place&, const std::string&);
template std::array<std::int32_t, 9> scalapack_descriptor(const Descriptor&);
template std::array<std::int32_t, 11> pblas_descriptor(const Descriptor&);
template int scalapack::descinit(std::int32_t*, std::int32_t, std::int32_t, std::int32_t, std::int32_t,
                                 std::int32_t, std::int32_t, std::int32_t, std::int32_t, const Place&);
template Index scalapack::chk1mat(Index, int, Index, int, Index, Index, const std::int32_t*, int,
                                  const Place&, Index);
template int scalapack::desc_convert(const std::int32_t*, std::int32_t*, const Place&);
template Index pblas::chkmat(Index, Index, int, Index, int, Index, Index, const std::int32_t*, int,
                             const Place&, Index);

template Index descriptor_error(const std::int64_t*, const Place&, int);
template std::string explain_error(Index, const std::int64_t*, const Place&);
template Descriptor read_descriptor(const std::int64_t*, const Place&, const std::string&);
template std::array<std::int64_t, 9> scalapack_descriptor(const Descriptor&);
template std::array<std::int64_t, 11> pblas_descriptor(const Descriptor&);
template int scalapack::descinit(std::int64_t*, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                                 std::int64_t, std::int64_t, std::int64_t, std::int64_t, const Place&);
template Index scalapack::chk1mat(Index, int, Index, int, Index, Index, const std::int64_t*, int,
                                  const Place&, Index);
template int scalapack::desc_convert(const std::int64_t*, std::int64_t*, const Place&);
template Index pblas::chkmat(Index, Index, int, Index, int, Index, Index, const std::int64_t*, int,
                             const Place&, Index);

}  // namespace cyclade
