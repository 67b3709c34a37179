// Our p?getrf, p?getri, ... beside those of the installed ScaLAPACK, in one program: ours come from
// libcyclade_scalapack, opened by itself, so that each side's inner calls stay on its own side. The same
// INFO, the same pivots, and every mix of the two gives the inverse.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "cyclade/base/random.hpp"
#include "cyclade/device/host.hpp"
#include "cyclade/layout/descriptor.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/grids.hpp"

namespace {
std::vector<int> complaints;  // what pxerbla_ was told, by either library
std::string complained_about;
}  // namespace

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int nprow, int npcol);
void Cblacs_gridexit(int context);
void pxerbla_(const int*, const char* routine, const int* number, std::size_t length) {
  complaints.push_back(*number);
  complained_about.assign(routine, length);
}
}

namespace cyclade {
namespace {

using test::Dense;

using Int = const int*;

/// One library's routines for one type.
template <Scalar T>
struct Routines {
  void (*getrf)(Int, Int, T*, Int, Int, Int, int*, int*);
  void (*getri)(Int, T*, Int, Int, Int, Int, T*, Int, int*, Int, int*);
  void (*getrs)(const char*, Int, Int, const T*, Int, Int, Int, Int, T*, Int, Int, Int, int*);
  void (*gemm)(const char*, const char*, Int, Int, Int, const T*, const T*, Int, Int, Int, const T*, Int, Int,
               Int, const T*, T*, Int, Int, Int);
  void (*potrf)(const char*, Int, T*, Int, Int, Int, int*);
  void (*potri)(const char*, Int, T*, Int, Int, Int, int*);
  void (*trtri)(const char*, const char*, Int, T*, Int, Int, Int, int*);
  void (*geinv)(Int, T*, Int, Int, Int, int*);
  void (*geinvx)(Int, T*, Int, Int, Int, double*, int*);

  explicit Routines(const char* library) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle, nullptr) << dlerror();
    const auto find = [&](auto& routine, const std::string& name) {
      const char letter = static_cast<char>(std::tolower(static_cast<char>(scalar_type<T>)));
      routine = reinterpret_cast<std::remove_reference_t<decltype(routine)>>(
          dlsym(handle, ("p" + std::string(1, letter) + name + "_").c_str()));
    };
    find(getrf, "getrf");
    find(getri, "getri");
    find(getrs, "getrs");
    find(gemm, "gemm");
    find(potrf, "potrf");
    find(potri, "potri");
    find(trtri, "trtri");
    find(geinv, "geinv");
    find(geinvx, "geinvx");
  }
};

/// A BLACS context with the places of a grid.
class Context {
 public:
  explicit Context(const Grid& grid) {
    Cblacs_get(-1, 0, &context_);
    Cblacs_gridinit(&context_, grid.order() == GridOrder::row ? "R" : "C", grid.p(), grid.q());
  }
  ~Context() { Cblacs_gridexit(context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  int number() const { return context_; }

 private:
  int context_ = -1;
};

template <Scalar T>
std::array<int, 9> descriptor_of(const Matrix<T>& a, const Context& context) {
  return scalapack_descriptor<int>({a.layout(), context.number(), a.local().ld});
}

template <Scalar T>
T general_entry(Index i, Index j) {
  return uniform<T>(21, i, j) + (i == j ? T(2) : T(0));
}
template <Scalar T>
T definite_entry(Index n, Index i, Index j) {
  if (i == j) return T(static_cast<Real<T>>(2 * n));
  return i > j ? uniform<T>(22, i, j) : conjugate(uniform<T>(22, j, i));
}

template <class T>
class ScalapackApi : public testing::Test {
 protected:
  const Routines<T> ours{CYCLADE_SCALAPACK_API_LIBRARY};
  const Routines<T> theirs{CYCLADE_SCALAPACK_LIBRARY};
  HostDevice host;

  /// For all grids of all ranks: a window of n x n at (ia, ja), from 1, that ScaLAPACK accepts too.
  template <class F>
  void for_each_window(F&& f) {
    test::for_each_grid([&](const Grid& grid) {
      const Context context(grid);
      for (const auto& [n, nb] : std::vector<std::pair<int, int>>{{1, 4}, {7, 3}, {24, 5}}) {
        const Index size = n + 2 * nb + 1;
        const Layout layout{{size, nb, grid.p(), grid.p() - 1}, {size, nb, grid.q(), grid.q() / 2}};
        f(grid, context, layout, n, 1 + nb, 1 + 2 * nb);
      }
    });
  }
  /// Room for the pivots: LOCr(M) + MB.
  static std::vector<int> pivots(const Matrix<T>& a) {
    return std::vector<int>(static_cast<std::size_t>(a.local().rows + a.layout().rows.block), -7);
  }
  /// Ours with exactly the workspace that it asks for; theirs with more, since it writes beyond what it asks
  /// for (Reference-ScaLAPACK/scalapack#74).
  void invert(bool our, int n, T* a, int ia, int ja, Int desc, Int ipiv, int* info) {
    const Routines<T>& by = our ? ours : theirs;
    const int ask = -1;
    T work_size(0);
    int iwork_size = 0;
    by.getri(&n, a, &ia, &ja, desc, ipiv, &work_size, &ask, &iwork_size, &ask, info);
    EXPECT_EQ(*info, 0);
    const int more = our ? 0 : 1000;
    const int lwork = static_cast<int>(std::real(work_size)) + more, liwork = iwork_size + more;
    std::vector<T> work(static_cast<std::size_t>(lwork) + 2, T(77));
    std::vector<int> iwork(static_cast<std::size_t>(liwork) + 2, 77);
    by.getri(&n, a, &ia, &ja, desc, ipiv, work.data() + 1, &lwork, iwork.data() + 1, &liwork, info);
    EXPECT_TRUE(work.front() == T(77) && work.back() == T(77));
    EXPECT_TRUE(iwork.front() == 77 && iwork.back() == 77);
  }
};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ScalapackApi, Scalars);

TYPED_TEST(ScalapackApi, factors_and_inverses_mix_on_windows) {
  using T = TypeParam;
  this->for_each_window(
      [&](const Grid& grid, const Context& context, const Layout& layout, int n, int ia, int ja) {
        const Window w{ia - 1, ia - 1 + n, ja - 1, ja - 1 + n};
        const Dense<T> expected =
            test::dense_of<T>(n, n, [&](Index i, Index j) { return general_entry<T>(i + w.i0, j + w.j0); });
        std::vector<std::vector<int>> all_pivots;
        for (const bool our_factors : {true, false}) {
          for (const bool our_inverse : {true, false}) {
            const Matrix<T> a(grid, layout, this->host);
            fill_entries(a, general_entry<T>);
            const auto desc = descriptor_of(a, context);
            std::vector<int> ipiv = this->pivots(a);
            int info = -1;
            (our_factors ? this->ours : this->theirs)
                .getrf(&n, &n, a.local().data, &ia, &ja, desc.data(), ipiv.data(), &info);
            EXPECT_EQ(info, 0);
            all_pivots.push_back(ipiv);
            this->invert(our_inverse, n, a.local().data, ia, ja, desc.data(), ipiv.data(), &info);
            EXPECT_EQ(info, 0);
            const auto residuals = test::scaled_residuals(expected, test::gathered(a.window(w)));
            EXPECT_LE(residuals.left, 10);
            EXPECT_LE(residuals.right, 10);
            // What is around the window is as it was
            const Dense<T> whole = test::gathered(a);
            Index changed = 0;
            for (Index j = 0; j < whole.cols; ++j) {
              for (Index i = 0; i < whole.rows; ++i) {
                const bool inside = i >= w.i0 && i < w.i1 && j >= w.j0 && j < w.j1;
                if (!inside && whole(i, j) != general_entry<T>(i, j)) ++changed;
              }
            }
            EXPECT_EQ(changed, 0);
          }
        }
        // Slots outside the window belong to neither library
        const Range rows = layout.rows.to_local(w.i0, w.i1, grid.my_row());
        for (Index l = rows.begin; l < rows.end; ++l)
          EXPECT_EQ(all_pivots[0][static_cast<std::size_t>(l)], all_pivots[2][static_cast<std::size_t>(l)]);
        EXPECT_EQ(all_pivots[0], all_pivots[1]);
      });
}

TYPED_TEST(ScalapackApi, our_factors_serve_their_solver_and_our_inverse_their_product) {
  using T = TypeParam;
  this->for_each_window(
      [&](const Grid& grid, const Context& context, const Layout& layout, int n, int ia, int ja) {
        const Window w{ia - 1, ia - 1 + n, ja - 1, ja - 1 + n};
        const Matrix<T> a(grid, layout, this->host), x(grid, layout, this->host), r(grid, layout, this->host);
        for (const Matrix<T>* m : {&a, &x}) fill_entries(*m, general_entry<T>);
        const auto identity = [&](Index i, Index j) { return T(Real<T>(i - w.i0 == j - w.j0)); };
        fill_entries(r, identity);
        const auto desc = descriptor_of(a, context);
        std::vector<int> ipiv = this->pivots(x);
        int info = -1;
        this->ours.getrf(&n, &n, x.local().data, &ia, &ja, desc.data(), ipiv.data(), &info);
        this->theirs.getrs("N", &n, &n, x.local().data, &ia, &ja, desc.data(), ipiv.data(), r.local().data,
                           &ia, &ja, desc.data(), &info);
        EXPECT_EQ(info, 0);
        const Dense<T> expected = test::gathered(a.window(w));
        EXPECT_LE(test::scaled_residuals(expected, test::gathered(r.window(w))).right, 10);

        this->invert(true, n, x.local().data, ia, ja, desc.data(), ipiv.data(), &info);
        fill_entries(r, identity);
        const T one(1), minus(-1);
        this->theirs.gemm("N", "N", &n, &n, &n, &one, x.local().data, &ia, &ja, desc.data(), a.local().data,
                          &ia, &ja, desc.data(), &minus, r.local().data, &ia, &ja, desc.data());
        const double unit = n * static_cast<double>(unit_roundoff<T>) * test::norm1(expected) *
                            test::norm1(test::gathered(x.window(w)));
        EXPECT_LE(test::norm1(test::gathered(r.window(w))), 10 * unit);
      });
}

TYPED_TEST(ScalapackApi, one_triangle_at_a_time) {
  using T = TypeParam;
  const T poison(std::numeric_limits<Real<T>>::quiet_NaN());
  this->for_each_window(
      [&](const Grid& grid, const Context& context, const Layout& layout, int n, int ia, int ja) {
        const Window w{ia - 1, ia - 1 + n, ja - 1, ja - 1 + n};
        for (const char* uplo : {"U", "l"}) {
          const bool lower = *uplo == 'l';
          const auto stored = [&](Index i, Index j) { return i == j || (i > j) == lower; };
          const auto fill = [&](const Matrix<T>& a) {
            fill_entries(a, [&](Index i, Index j) {
              const Index k = i - w.i0, l = j - w.j0;
              const bool inside = k >= 0 && k < n && l >= 0 && l < n;
              return inside && stored(k, l) ? definite_entry<T>(n, k, l) : poison;
            });
          };
          const auto completed = [&](const Matrix<T>& a) {
            Dense<T> x = test::gathered(a.window(w));
            for (Index j = 0; j < n; ++j) {
              for (Index i = 0; i < n; ++i) {
                if (stored(i, j)) continue;
                EXPECT_TRUE(std::isnan(std::real(x(i, j))));
                x(i, j) = conjugate(x(j, i));
              }
            }
            return x;
          };
          const Dense<T> expected =
              test::dense_of<T>(n, n, [&](Index i, Index j) { return definite_entry<T>(n, i, j); });
          for (const bool our_factor : {true, false}) {
            for (const bool our_inverse : {true, false}) {
              if (!our_inverse && !our_factor) continue;
              const Matrix<T> a(grid, layout, this->host);
              fill(a);
              const auto desc = descriptor_of(a, context);
              int info = -1;
              (our_factor ? this->ours : this->theirs)
                  .potrf(uplo, &n, a.local().data, &ia, &ja, desc.data(), &info);
              EXPECT_EQ(info, 0);
              (our_inverse ? this->ours : this->theirs)
                  .potri(uplo, &n, a.local().data, &ia, &ja, desc.data(), &info);
              EXPECT_EQ(info, 0);
              const auto residuals = test::scaled_residuals(expected, completed(a));
              EXPECT_LE(residuals.left, 10);
              EXPECT_LE(residuals.right, 10);
            }
          }
          // A triangle: ours and theirs, entry by entry
          const Matrix<T> a(grid, layout, this->host), b(grid, layout, this->host);
          for (const Matrix<T>* m : {&a, &b}) fill(*m);
          const auto desc = descriptor_of(a, context);
          int info = -1;
          this->ours.trtri(uplo, "N", &n, a.local().data, &ia, &ja, desc.data(), &info);
          EXPECT_EQ(info, 0);
          this->theirs.trtri(uplo, "N", &n, b.local().data, &ia, &ja, desc.data(), &info);
          const Dense<T> x = completed(a), y = completed(b);
          for (std::size_t k = 0; k < x.data.size(); ++k)
            EXPECT_LE(std::abs(x.data[k] - y.data[k]), 20 * unit_roundoff<T>);
        }
      });
}

TYPED_TEST(ScalapackApi, one_call_inverts_any_layout_and_tells_the_determinant) {
  using T = TypeParam;
  test::for_each_grid([&](const Grid& grid) {
    const Context context(grid);
    const int n = 19, ia = 4,
              ja = 2;  // not at block edges, blocks not square, first blocks unlike the others
    const Layout layout{{30, 4, grid.p(), grid.p() - 1, 7}, {25, 3, grid.q(), grid.q() / 2, 1}};
    const Matrix<T> a(grid, layout, this->host), b(grid, layout, this->host);
    for (const Matrix<T>* m : {&a, &b}) fill_entries(*m, general_entry<T>);
    const auto desc = pblas_descriptor<int>({layout, context.number(), a.local().ld});
    const Matrix<T> window = a.window({ia - 1, ia - 1 + n, ja - 1, ja - 1 + n});
    const Dense<T> before = test::gathered(window);
    std::array<double, 8> told{};
    int info = -1;
    this->ours.geinvx(&n, a.local().data, &ia, &ja, desc.data(), told.data(), &info);
    EXPECT_EQ(info, 0);
    this->ours.geinv(&n, b.local().data, &ia, &ja, desc.data(), &info);
    EXPECT_EQ(info, 0);
    const Dense<T> x = test::gathered(window);
    EXPECT_TRUE(test::gathered(a) == test::gathered(b));
    EXPECT_LE(test::scaled_residuals(before, x).left, 10);
    EXPECT_NEAR(told[3], test::norm1(before) * test::norm1(x), 1e-3 * told[3]);
    EXPECT_LE(test::distance_from_identity(x, before) / n, told[4]);
    // The determinant, from the factors of the same window
    std::vector<int> ipiv = this->pivots(b);
    fill_entries(b, general_entry<T>);
    this->ours.getrf(&n, &n, b.local().data, &ia, &ja, desc.data(), ipiv.data(), &info);
    EXPECT_EQ(info, 0);
    const Dense<T> factors = test::gathered(b.window({ia - 1, ia - 1 + n, ja - 1, ja - 1 + n}));
    double log_det = 0;
    for (Index k = 0; k < n; ++k) log_det += std::log(static_cast<double>(std::abs(factors(k, k))));
    EXPECT_NEAR(told[0], log_det, 1e-4);
    EXPECT_NEAR(std::hypot(told[1], told[2]), 1, 1e-5);
    // And the inverse from those factors
    this->invert(true, n, b.local().data, ia, ja, desc.data(), ipiv.data(), &info);
    EXPECT_EQ(info, 0);
    EXPECT_LE(
        test::scaled_residuals(before, test::gathered(b.window({ia - 1, ia - 1 + n, ja - 1, ja - 1 + n})))
            .left,
        10);
  });
}

TYPED_TEST(ScalapackApi, singular_is_named_as_they_name_it) {
  using T = TypeParam;
  test::for_each_grid([&](const Grid& grid) {
    const Context context(grid);
    const int n = 12, one = 1;
    const Layout layout = square_layout(n, 3, grid.p(), grid.q());
    std::array<int, 2> info{-1, -1};
    for (const bool our : {true, false}) {
      const Routines<T>& by = our ? this->ours : this->theirs;
      const Matrix<T> a(grid, layout, this->host);
      const auto desc = descriptor_of(a, context);
      fill_entries(a, [&](Index i, Index j) { return j == 7 ? T(0) : general_entry<T>(i, j); });
      std::vector<int> ipiv = this->pivots(a);
      by.getrf(&n, &n, a.local().data, &one, &one, desc.data(), ipiv.data(), &info[our]);
      EXPECT_EQ(info[our], 8);
      by.trtri("U", "N", &n, a.local().data, &one, &one, desc.data(), &info[our]);
      EXPECT_EQ(info[our], 8);
      fill_entries(a,
                   [&](Index i, Index j) { return i == 4 && j == 4 ? T(-1) : definite_entry<T>(n, i, j); });
      by.potrf("L", &n, a.local().data, &one, &one, desc.data(), &info[our]);
      EXPECT_EQ(info[our], 5);
    }
    // Of order 1, which theirs overlooks
    const Matrix<T> zero(grid, square_layout(1, 3, grid.p(), grid.q()), this->host);
    const auto small = descriptor_of(zero, context);
    fill_entries(zero, [](Index, Index) { return T(0); });
    std::vector<int> pivot = this->pivots(zero);
    this->ours.getrf(&one, &one, zero.local().data, &one, &one, small.data(), pivot.data(), &info[1]);
    EXPECT_EQ(info[1], 1);
    const Matrix<T> a(grid, layout, this->host);
    const auto desc = descriptor_of(a, context);
    fill_entries(a, [&](Index i, Index j) { return j == 7 ? T(0) : general_entry<T>(i, j); });
    int outcome = -1;
    this->ours.geinv(&n, a.local().data, &one, &one, desc.data(), &outcome);
    EXPECT_EQ(outcome, 8);
    fill_entries(a, [&](Index i, Index j) {
      return i + j == 5 ? T(std::numeric_limits<Real<T>>::infinity()) : general_entry<T>(i, j);
    });
    this->ours.geinv(&n, a.local().data, &one, &one, desc.data(), &outcome);
    EXPECT_EQ(outcome, n + 4);
  });
}

/// Every wrong argument has the number that ScaLAPACK has for it, on all processes; nothing is touched.
TEST(ScalapackApiArguments, are_blamed_as_they_blame_them) {
  const Routines<double> ours{CYCLADE_SCALAPACK_API_LIBRARY}, theirs{CYCLADE_SCALAPACK_LIBRARY};
  HostDevice host;
  test::for_each_grid([&](const Grid& grid) {
    const Context context(grid);
    const Matrix<double> a(grid, square_layout(12, 3, grid.p(), grid.q()), host);
    fill_entries(a, general_entry<double>);
    const Dense<double> before = test::gathered(a);
    const auto desc = descriptor_of(a, context);
    std::vector<int> ipiv(40, 1), iwork(400);
    std::vector<double> work(400);
    struct Case {
      int n, ia, ja;
      int entry;  // of the descriptor, from 0, that is set to `value`; -1: none
      int value;
      bool everywhere;  // or on the last process alone
    };
    const bool last = grid.all().rank() == grid.all().size() - 1;
    std::vector<Case> cases{{-1, 1, 1, -1, 0, true}, {5, 0, 1, -1, 0, true},  {5, 1, 0, -1, 0, true},
                            {5, 10, 1, -1, 0, true}, {5, 1, 10, -1, 0, true}, {13, 1, 1, -1, 0, true},
                            {5, 1, 1, 0, 7, true},   {5, 1, 1, 4, 0, true},   {5, 1, 1, 5, 0, true},
                            {5, 1, 1, 6, -1, true},  {5, 1, 1, 7, 99, true},  {5, 1, 1, 8, 0, true}};
    if (grid.all().size() > 1) {
      cases.push_back({5, 1, 1, 2, 13, false});
      cases.push_back({5, 1, 1, 8, 0, false});
      cases.push_back({5, 1, 1, 6, -3, false});
    }
    const int lwork = 400;
    for (const Case& c : cases) {
      auto d = desc;
      if (c.entry >= 0 && (c.everywhere || last)) d[static_cast<std::size_t>(c.entry)] = c.value;
      for (int routine = 0; routine < 5; ++routine) {
        std::array<int, 2> info{};
        for (const bool our : {true, false}) {
          const Routines<double>& by = our ? ours : theirs;
          complaints.clear();
          int* answer = &info[our];
          double* data = a.local().data;
          if (routine == 0) by.getrf(&c.n, &c.n, data, &c.ia, &c.ja, d.data(), ipiv.data(), answer);
          if (routine == 1)
            by.getri(&c.n, data, &c.ia, &c.ja, d.data(), ipiv.data(), work.data(), &lwork, iwork.data(),
                     &lwork, answer);
          if (routine == 2) by.potrf("L", &c.n, data, &c.ia, &c.ja, d.data(), answer);
          // Their p?potri checks nothing in this release (pull request 79): its numbers are p?potrf's
          if (routine == 3)
            (our ? ours.potri : theirs.potrf)("U", &c.n, data, &c.ia, &c.ja, d.data(), answer);
          if (routine == 4) by.trtri("U", "N", &c.n, data, &c.ia, &c.ja, d.data(), answer);
          EXPECT_LT(*answer, 0);
          EXPECT_TRUE(!our || complaints == std::vector<int>{-*answer});
        }
        EXPECT_EQ(info[1], info[0]) << "routine " << routine << " n " << c.n << " ia " << c.ia << " ja "
                                    << c.ja << " entry " << c.entry << " = " << c.value;
        EXPECT_EQ(grid.all().max(info[1]), -grid.all().max(-info[1]));
      }
    }
    EXPECT_TRUE(test::gathered(a) == before);
    const int n = 5, one = 1;
    int info = 0;
    ours.potrf("X", &n, a.local().data, &one, &one, desc.data(), &info);
    EXPECT_EQ(info, -1);
    ours.trtri("L", "?", &n, a.local().data, &one, &one, desc.data(), &info);
    EXPECT_EQ(info, -2);
    std::fill(ipiv.begin(), ipiv.end(), 99);
    ours.getri(&n, a.local().data, &one, &one, desc.data(), ipiv.data(), work.data(), &lwork, iwork.data(),
               &lwork, &info);
    EXPECT_EQ(info, -6);
    EXPECT_TRUE(test::gathered(a) == before);
  });
}

TEST(ScalapackApiArguments, integer8_callers_are_told) {
  const Routines<double> ours{CYCLADE_SCALAPACK_API_LIBRARY};
  const Grid grid(MPI_COMM_WORLD, {1, 1});
  const std::array<std::int64_t, 9> desc{1, 0, 10, 10, 3, 3, 0, 0, 10};
  const std::int64_t n = 10, one = 1;
  const auto narrow = [](const std::int64_t* wide) { return reinterpret_cast<Int>(wide); };
  std::vector<double> a(100, 1);
  int info = 0;
  complaints.clear();
  ours.geinv(narrow(&n), a.data(), narrow(&one), narrow(&one), narrow(desc.data()), &info);
  EXPECT_EQ(info, -506);
  EXPECT_NE(complained_about.find("INTEGER*8"), std::string::npos) << complained_about;
  EXPECT_EQ(a, std::vector<double>(100, 1));
}

TEST(ScalapackApiWorkspace, is_what_they_would_ask_for) {
  const Routines<double> ours{CYCLADE_SCALAPACK_API_LIBRARY}, theirs{CYCLADE_SCALAPACK_LIBRARY};
  test::for_each_grid([&](const Grid& grid) {
    const Context context(grid);
    const int ask = -1;
    for (int n = 1; n <= 20; n += 3) {
      for (int nb = 1; nb <= 5; nb += 2) {
        const std::array<int, 9> desc{1, context.number(), n + nb, n + nb, nb, nb, grid.p() - 1, 0, n + nb};
        const int ia = nb + 1;
        std::array<double, 2> work{};
        std::array<int, 2> iwork{}, info{};
        std::vector<int> ipiv(40);
        std::vector<double> a(2000);
        for (const bool our : {true, false})
          (our ? ours : theirs)
              .getri(&n, a.data(), &ia, &ia, desc.data(), ipiv.data(), &work[our], &ask, &iwork[our], &ask,
                     &info[our]);
        EXPECT_EQ(info[1], 0);
        EXPECT_EQ(work[1], std::max(1.0, work[0]));
        EXPECT_EQ(iwork[1], iwork[0]);
      }
    }
  });
}

}  // namespace
}  // namespace cyclade
