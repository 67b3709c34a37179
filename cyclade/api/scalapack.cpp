// The Fortran symbols of ScaLAPACK's inversion routines, and p?geinv, which it never had. Each says what its
// arguments mean and calls the routine of inverse/ that does it. docs/scalapack.md: how to link or preload.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "cyclade/api/scalapack_call.hpp"
#include "cyclade/inverse/cholesky.hpp"
#include "cyclade/inverse/invert.hpp"
#include "cyclade/inverse/lu.hpp"
#include "cyclade/inverse/triangular.hpp"
#include "cyclade/layout/tools_scalapack.hpp"

namespace cyclade::scalapack {
namespace {

/// A 0-based place, or -1, as INFO.
int one_based(Index place) { return static_cast<int>(place + 1); }

/// The global rows of sub(A) on this process, with their local ones: f(k, local row of A).
template <class F>
void for_each_pivot(const Setting& s, Index count, F&& f) {
  const Axis& rows = s.layout.rows;
  const Range local = rows.to_local(s.window.i0, s.window.i0 + count, s.place.myrow);
  for (Index l = local.begin; l < local.end; ++l) f(rows.to_global(l, s.place.myrow) - s.window.i0, l);
}

template <Scalar T>
void getrf(const Arguments& args, T* a, int* ipiv, int* info) {
  serve<T>(args, a, info, [&](const Matrix<T>& sub, const Setting& s) {
    const LuResult lu = lu_factor(sub);
    for_each_pivot(s, static_cast<Index>(lu.interchanges.size()), [&](Index k, Index l) {
      ipiv[l] = static_cast<int>(s.window.i0 + lu.interchanges[static_cast<std::size_t>(k)] + 1);
    });
    return one_based(lu.zero_pivot);
  });
}

/// What p?getri wants of its callers; here it needs none, but a program that asks may hand the space on.
struct Workspace {
  Index work, iwork;
};
Workspace getri_workspace(const Arguments& args, const Setting& s) {
  const auto& d = s.desc;
  const Index m = d[desc11::m], n = d[desc11::n], mb = d[desc11::mb], nb = d[desc11::nb];
  const auto [nprow, npcol, myrow, mycol] = s.place;
  const int rsrc = d[desc11::rsrc], csrc = d[desc11::csrc];
  const Index offset = (args.ia - 1) % mb;
  const Index work =
      numroc(args.rows + offset, mb, myrow, indxg2p(args.ia, mb, myrow, rsrc, nprow), nprow) * nb;
  if (nprow == npcol) return {work, numroc(n, nb, mycol, csrc, npcol) + nb};
  const Index rows = numroc(m + mb * nprow, mb, myrow, rsrc, nprow);
  const Index blocks = iceil(iceil(rows, mb), ilcm(nprow, npcol) / nprow);
  return {work, numroc(m + mb * nprow + offset, nb, mycol, csrc, npcol) + std::max(mb * blocks, nb)};
}

/// A count as a number of type T, never too small.
template <Scalar T>
T rounded_up(Index count) {
  auto value = static_cast<Real<T>>(count);
  if (static_cast<Index>(value) < count) value = std::nextafter(value, std::numeric_limits<Real<T>>::max());
  return T(value);
}

template <Scalar T>
void getri(Arguments args, T* a, const int* ipiv, T* work, int lwork, int* iwork, int liwork, int* info) {
  const bool query = lwork == -1 || liwork == -1;
  args.options = {{query, 8, lwork >= -1}, {query, 10, liwork >= -1}};
  *info = 0;
  serve<T>(args, a, info, [&](const Matrix<T>& sub, const Setting& s) {
    if (query) {
      const Workspace wanted = getri_workspace(args, s);
      work[0] = rounded_up<T>(std::max<Index>(1, wanted.work));
      iwork[0] = static_cast<int>(std::clamp<Index>(wanted.iwork, 1, std::numeric_limits<int>::max()));
      return 0;
    }
    // Every process has the pivots of its rows; all processes need all.
    std::vector<Index> interchanges(static_cast<std::size_t>(args.rows), -1);
    for_each_pivot(s, args.rows, [&](Index k, Index l) {
      interchanges[static_cast<std::size_t>(k)] = Index{ipiv[l]} - 1 - s.window.i0;
    });
    sub.grid().all().all_reduce_max(std::span(interchanges));
    constexpr int ipiv_position = 6;
    for (Index k = 0; k < args.rows; ++k) {
      const Index with = interchanges[static_cast<std::size_t>(k)];
      if (with < k || with >= args.rows) return -ipiv_position;
    }
    return one_based(lu_invert(sub, interchanges));
  });
}

template <Scalar T>
void trtri(Arguments args, const char* uplo, const char* diag, T* a, int* info) {
  args.options = {letter(uplo, 1, "UL"), letter(diag, 2, "NU")};
  serve<T>(args, a, info, [&](const Matrix<T>& sub, const Setting&) {
    return one_based(triangle_invert(sub, static_cast<Uplo>(args.options[0].value),
                                     static_cast<Diag>(args.options[1].value)));
  });
}

template <Scalar T>
void potrf(Arguments args, const char* uplo, T* a, int* info) {
  args.options = {letter(uplo, 1, "UL")};
  serve<T>(args, a, info, [&](const Matrix<T>& sub, const Setting&) {
    return one_based(cholesky_factor(sub, static_cast<Uplo>(args.options[0].value)));
  });
}

template <Scalar T>
void potri(Arguments args, const char* uplo, T* a, int* info) {
  args.options = {letter(uplo, 1, "UL")};
  serve<T>(args, a, info, [&](const Matrix<T>& sub, const Setting&) {
    return one_based(cholesky_invert(sub, static_cast<Uplo>(args.options[0].value)));
  });
}

/// INFO of p?geinv: k for an exactly zero pivot in column k, then n + 1, n + 2, ... for what else an
/// inversion can say.
int geinv_info(const Report& r) {
  const int n = static_cast<int>(r.n);
  switch (r.status) {
    case Status::ok:
      return 0;
    case Status::singular:
      return one_based(r.zero_pivot);
    case Status::numerically_singular:
      return n + 1;
    case Status::growth_too_large:
      return n + 2;
    case Status::certificate_failed:
    case Status::not_positive_definite:  // not asked for here
      return n + 3;
    case Status::non_finite_input:
      return n + 4;
  }
  return n + 3;
}

template <Scalar T>
void geinv(const Arguments& args, T* a, double* result, int* info) {
  if (result) std::fill_n(result, 8, 0.0);
  if (result) result[1] = 1;  // the determinant of the empty matrix
  serve<T>(args, a, info, [&](const Matrix<T>& sub, const Setting&) {
    const Report r = invert(sub);
    if (result) {
      const auto& det = r.log_determinant;
      const std::array<double, 8> told{det.log_abs(),      det.sign().real(),
                                       det.sign().imag(),  r.cond1,
                                       r.certificate.left, r.certificate.right,
                                       r.growth,           static_cast<double>(r.certificate.digits)};
      std::ranges::copy(told, result);
    }
    return geinv_info(r);
  });
}

}  // namespace
}  // namespace cyclade::scalapack

// p?xxxxx as Fortran sees them, for one letter. Character arguments have hidden lengths at the end, which are
// not looked at.
#define CYCLADE_SCALAPACK(LETTER, NAME, T)                                                                   \
  void p##LETTER##getrf_(const int* m, const int* n, T* a, const int* ia, const int* ja, const int* desca,   \
                         int* ipiv, int* info) {                                                             \
    cyclade::scalapack::getrf<T>({"P" NAME "GETRF", *m, 1, *n, 2, *ia, *ja, desca, 6}, a, ipiv, info);       \
  }                                                                                                          \
  void p##LETTER##getri_(const int* n, T* a, const int* ia, const int* ja, const int* desca,                 \
                         const int* ipiv, T* work, const int* lwork, int* iwork, const int* liwork,          \
                         int* info) {                                                                        \
    cyclade::scalapack::getri<T>({"P" NAME "GETRI", *n, 1, *n, 1, *ia, *ja, desca, 5}, a, ipiv, work,        \
                                 *lwork, iwork, *liwork, info);                                              \
  }                                                                                                          \
  void p##LETTER##trtri_(const char* uplo, const char* diag, const int* n, T* a, const int* ia,              \
                         const int* ja, const int* desca, int* info) {                                       \
    cyclade::scalapack::trtri<T>({"P" NAME "TRTRI", *n, 3, *n, 3, *ia, *ja, desca, 7}, uplo, diag, a, info); \
  }                                                                                                          \
  void p##LETTER##potrf_(const char* uplo, const int* n, T* a, const int* ia, const int* ja,                 \
                         const int* desca, int* info) {                                                      \
    cyclade::scalapack::potrf<T>({"P" NAME "POTRF", *n, 2, *n, 2, *ia, *ja, desca, 6}, uplo, a, info);       \
  }                                                                                                          \
  void p##LETTER##potri_(const char* uplo, const int* n, T* a, const int* ia, const int* ja,                 \
                         const int* desca, int* info) {                                                      \
    cyclade::scalapack::potri<T>({"P" NAME "POTRI", *n, 2, *n, 2, *ia, *ja, desca, 6}, uplo, a, info);       \
  }                                                                                                          \
  void p##LETTER##geinv_(const int* n, T* a, const int* ia, const int* ja, const int* desca, int* info) {    \
    cyclade::scalapack::geinv<T>({"P" NAME "GEINV", *n, 1, *n, 1, *ia, *ja, desca, 5}, a, nullptr, info);    \
  }                                                                                                          \
  void p##LETTER##geinvx_(const int* n, T* a, const int* ia, const int* ja, const int* desca,                \
                          double* result, int* info) {                                                       \
    cyclade::scalapack::geinv<T>({"P" NAME "GEINVX", *n, 1, *n, 1, *ia, *ja, desca, 5}, a, result, info);    \
  }

extern "C" {
CYCLADE_SCALAPACK(s, "S", float)
CYCLADE_SCALAPACK(d, "D", double)
CYCLADE_SCALAPACK(c, "C", std::complex<float>)
CYCLADE_SCALAPACK(z, "Z", std::complex<double>)
}
