// Every index routine of layout/tools and every check of layout/descriptor against the installed ScaLAPACK
// and PBLAS, over millions of arguments. One process plays all grid places where the routines allow it; where
// they ask the BLACS for the grid, this program answers in its place (blacs_gridinfo_ below).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <random>

#include <gtest/gtest.h>

#include "cyclade/layout/descriptor.hpp"
#include "cyclade/layout/tools.hpp"

namespace {
cyclade::Place place;  // what the library is told
int complaints = 0;    // calls of the library's error printers, which this program takes over
}  // namespace

extern "C" {
int numroc_(const int*, const int*, const int*, const int*, const int*);
int npreroc_(const int*, const int*, const int*, const int*, const int*);
int indxg2l_(const int*, const int*, const int*, const int*, const int*);
int indxg2p_(const int*, const int*, const int*, const int*, const int*);
int indxl2g_(const int*, const int*, const int*, const int*, const int*);
int iceil_(const int*, const int*);
int ilcm_(const int*, const int*);
void infog1l_(const int*, const int*, const int*, const int*, const int*, int*, int*);
void infog2l_(const int*, const int*, const int*, const int*, const int*, const int*, const int*, int*, int*,
              int*, int*);
void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*,
               const int*, int*);
void descset_(int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*,
              const int*);
void desc_convert_(const int*, int*, int*);
void chk1mat_(const int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*,
              int*);

int PB_Cnumroc(int, int, int, int, int, int, int);
int PB_Cindxg2p(int, int, int, int, int, int);
int PB_Cg2lrem(int, int, int, int, int, int);
int PB_Cfirstnb(int, int, int, int);
int PB_Clastnb(int, int, int, int);
int PB_Cnpreroc(int, int, int, int, int, int, int);
int PB_Cnnxtroc(int, int, int, int, int, int, int);
int PB_Cspan(int, int, int, int, int, int);
int PB_Cgcd(int, int);
int PB_Clcm(int, int);
void PB_Cinfog2l(int, int, int*, int, int, int, int, int*, int*, int*, int*);
void PB_Cainfog2l(int, int, int, int, int*, int, int, int, int, int*, int*, int*, int*, int*, int*, int*,
                  int*, int*, int*);
void PB_Cdescribe(int, int, int, int, int*, int, int, int, int, int*, int*, int*, int*, int*, int*, int*,
                  int*, int*, int*);
void PB_Cdescset(int*, int, int, int, int, int, int, int, int, int, int);
void PB_CargFtoC(int, int, int*, int*, int*, int*);
void PB_Cchkmat(int, const char*, const char*, int, int, int, int, int, int, int*, int, int*);
void PB_Cbinfo(int, int, int, int, int, int, int, int, int, int*, int*, int*, int*, int*, int*, int*, int*,
               int*, int*, int*);

// In place of the BLACS and of the error printers: the program's own symbols come first.
void blacs_gridinfo_(const int*, int* nprow, int* npcol, int* myrow, int* mycol) {
  *nprow = place.nprow;
  *npcol = place.npcol;
  *myrow = place.myrow;
  *mycol = place.mycol;
}
void Cblacs_gridinfo(int context, int* nprow, int* npcol, int* myrow, int* mycol) {
  blacs_gridinfo_(&context, nprow, npcol, myrow, mycol);
}
void pxerbla_(const int*, const char*, const int*, std::size_t) { ++complaints; }
void PB_Cwarn(int, int, const char*, const char*, ...) { ++complaints; }
}

namespace cyclade {
namespace {

constexpr int draws = 400000;  // of each family; a draw compares several routines

/// Small numbers, so that borders are met often, and now and then large ones.
class Draw {
 public:
  int below(int end) { return static_cast<int>(engine_() % static_cast<unsigned>(end)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  int ranks() { return between(1, 6); }
  int block() { return below(20) == 0 ? between(1, 5000) : between(1, 7); }
  int index() { return below(10) == 0 ? below(1000000) : below(60); }

 private:
  std::mt19937 engine_{20260101};
};

TEST(ScalapackTools, one_dimension) {
  Draw draw;
  for (int k = 0; k < draws; ++k) {
    const int p = draw.ranks(), me = draw.below(p), src = draw.between(-1, p - 1), nb = draw.block();
    const int n = draw.index(), i = n + 1;
    ASSERT_EQ(scalapack::numroc(n, nb, me, src, p), numroc_(&n, &nb, &me, &src, &p))
        << n << nb << me << src << p;
    ASSERT_EQ(scalapack::npreroc(n, nb, me, src, p), npreroc_(&n, &nb, &me, &src, &p));
    ASSERT_EQ(scalapack::indxg2l(i, nb, me, src, p), indxg2l_(&i, &nb, &me, &src, &p));
    ASSERT_EQ(scalapack::indxg2p(i, nb, me, src, p), indxg2p_(&i, &nb, &me, &src, &p));
    ASSERT_EQ(scalapack::indxl2g(i, nb, me, src, p), indxl2g_(&i, &nb, &me, &src, &p));
    ASSERT_EQ(scalapack::iceil(n, nb), iceil_(&n, &nb));
    const int m = 1 + n % 30000;
    ASSERT_EQ(scalapack::ilcm(m, nb), ilcm_(&m, &nb));
    if (src < 0) continue;  // no convention of its own: INFOG1L takes remainders of negative numbers then
    int lindx = 0, owner = 0;
    infog1l_(&i, &nb, &p, &me, &src, &lindx, &owner);
    ASSERT_EQ(scalapack::infog1l(i, nb, p, me, src), (scalapack::Infog1l{lindx, owner}));
  }
}

TEST(ScalapackTools, infog2l) {
  Draw draw;
  for (int k = 0; k < draws; ++k) {
    const int p = draw.ranks(), q = draw.ranks(), r = draw.below(p), c = draw.below(q);
    const int i = 1 + draw.index(), j = 1 + draw.index();
    const std::array<int, 9> desc{1,  0, 100, 100, draw.block(), draw.block(), draw.below(p), draw.below(q),
                                  100};
    int ii = 0, jj = 0, owner_row = 0, owner_col = 0;
    infog2l_(&i, &j, desc.data(), &p, &q, &r, &c, &ii, &jj, &owner_row, &owner_col);
    ASSERT_EQ(scalapack::infog2l(i, j, desc.data(), p, q, r, c),
              (scalapack::Infog2l{ii, jj, owner_row, owner_col}));
  }
}

TEST(PblasTools, one_dimension) {
  Draw draw;
  for (int k = 0; k < draws; ++k) {
    const int p = draw.ranks(), me = draw.below(p), src = draw.between(-1, p - 1), nb = draw.block(),
              inb = draw.block(), i = draw.index(), n = draw.index();
    ASSERT_EQ(pblas::numroc(n, i, inb, nb, me, src, p), PB_Cnumroc(n, i, inb, nb, me, src, p));
    ASSERT_EQ(pblas::indxg2p(i, inb, nb, me, src, p), PB_Cindxg2p(i, inb, nb, me, src, p));
    ASSERT_EQ(pblas::g2lrem(i, inb, nb, me, src, p), PB_Cg2lrem(i, inb, nb, me, src, p));
    ASSERT_EQ(pblas::firstnb(n, i, inb, nb), PB_Cfirstnb(n, i, inb, nb));
    ASSERT_EQ(pblas::lastnb(n, i, inb, nb), PB_Clastnb(n, i, inb, nb));
    ASSERT_EQ(pblas::npreroc(n, i, inb, nb, me, src, p), PB_Cnpreroc(n, i, inb, nb, me, src, p))
        << n << " " << i << " " << inb << " " << nb << " " << me << " " << src << " " << p;
    ASSERT_EQ(pblas::nnxtroc(n, i, inb, nb, me, src, p), PB_Cnnxtroc(n, i, inb, nb, me, src, p));
    const int some = n + 1;
    ASSERT_EQ(pblas::span(some, i, inb, nb, src, p), PB_Cspan(some, i, inb, nb, src, p));
    ASSERT_EQ(pblas::gcd(n, nb), PB_Cgcd(n, nb));
    ASSERT_EQ(pblas::lcm(1 + n % 30000, nb), PB_Clcm(1 + n % 30000, nb));
  }
}

/// An 11-entry descriptor on a p x q grid, replicated now and then.
std::array<int, 11> draw_descriptor(Draw& draw, int p, int q, int m, int n) {
  return {2,
          5,
          m,
          n,
          draw.block(),
          draw.block(),
          draw.block(),
          draw.block(),
          draw.between(-1, p - 1),
          draw.between(-1, q - 1),
          m};
}

TEST(PblasTools, two_dimensions) {
  Draw draw;
  for (int k = 0; k < draws; ++k) {
    const int p = draw.ranks(), q = draw.ranks(), r = draw.below(p), c = draw.below(q);
    const int i = draw.index(), j = draw.index(), m = draw.index(), n = draw.index();
    std::array<int, 11> desc = draw_descriptor(draw, p, q, i + m, j + n);
    std::array<int, 10> x{};
    PB_Cinfog2l(i, j, desc.data(), p, q, r, c, &x[0], &x[1], &x[2], &x[3]);
    ASSERT_EQ(pblas::infog2l(i, j, desc.data(), p, q, r, c), (pblas::Infog2l{x[0], x[1], x[2], x[3]}));
    ASSERT_EQ(hpl::infog2l(i, j, desc[4], desc[6], desc[5], desc[7], desc[8], desc[9], r, c, p, q),
              (pblas::Infog2l{x[0], x[1], x[2], x[3]}));
    PB_Cainfog2l(m, n, i, j, desc.data(), p, q, r, c, &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7],
                 &x[8], &x[9]);
    ASSERT_EQ(pblas::ainfog2l(m, n, i, j, desc.data(), p, q, r, c),
              (pblas::Ainfog2l{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]}));
    std::array<int, 11> part{};
    PB_Cdescribe(m, n, i, j, desc.data(), p, q, r, c, &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7],
                 &x[8], part.data());
    const auto d = pblas::describe(m, n, i, j, desc.data(), p, q, r, c);
    ASSERT_EQ((std::array<Index, 9>{d.ii, d.jj, d.lda, d.imb, d.inb, d.mb, d.nb, d.prow, d.pcol}),
              (std::array<Index, 9>{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]}));
    ASSERT_EQ(d.da0, part);
  }
}

TEST(PblasTools, binfo) {
  Draw draw;
  for (int k = 0; k < draws; ++k) {
    const int mb = draw.block(), nb = draw.block(), imb1 = draw.between(1, mb), inb1 = draw.between(1, nb);
    const int row = draw.below(4), col = draw.below(4), offd = draw.between(-50, 50);
    // Local counts as binfo asks for them: the first process holds the first block, or nothing.
    const int m = draw.below(8) == 0 ? 0 : (row == 0 ? imb1 : 1) + draw.below(40);
    const int n = draw.below(8) == 0 ? 0 : (col == 0 ? inb1 : 1) + draw.below(40);
    std::array<int, 11> x{};
    PB_Cbinfo(offd, m, n, imb1, inb1, mb, nb, row, col, &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6],
              &x[7], &x[8], &x[9], &x[10]);
    ASSERT_EQ(pblas::binfo(offd, m, n, imb1, inb1, mb, nb, row, col),
              (pblas::Binfo{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10]}));
  }
}

TEST(Descriptors, descinit) {
  Draw draw;
  int failed = 0;
  for (int k = 0; k < draws; ++k) {
    const int p = draw.ranks(), q = draw.ranks();
    place = {p, q, draw.below(p), draw.below(q)};
    const int m = draw.between(-1, 30), n = draw.between(-1, 30), mb = draw.between(0, 12),
              nb = draw.between(0, 12);
    const int rsrc = draw.between(-1, p), csrc = draw.between(-1, q), lld = draw.between(-1, 30), context = 3;
    std::array<int, 9> ours{}, theirs{};
    int info = 0;
    complaints = 0;
    descinit_(theirs.data(), &m, &n, &mb, &nb, &rsrc, &csrc, &context, &lld, &info);
    ASSERT_EQ(scalapack::descinit(ours.data(), m, n, mb, nb, rsrc, csrc, context, lld, place), info);
    ASSERT_EQ(ours, theirs);
    ASSERT_EQ(complaints, info == 0 ? 0 : 1);
    failed += info != 0;
    descset_(theirs.data(), &m, &n, &mb, &nb, &rsrc, &csrc, &context, &lld);
    scalapack::descset(ours.data(), m, n, mb, nb, rsrc, csrc, context, lld);
    ASSERT_EQ(ours, theirs);
  }
  EXPECT_GT(failed, draws / 4);
  EXPECT_GT(draws - failed, draws / 8);
}

TEST(Descriptors, chk1mat) {
  Draw draw;
  int failed = 0;
  const auto rarely = [&draw](int wrong, int right) { return draw.below(12) == 0 ? wrong : right; };
  for (int k = 0; k < draws; ++k) {
    const int p = draw.ranks(), q = draw.ranks();
    place = {p, q, draw.below(p), draw.below(q)};
    const int m_ = draw.between(0, 25), n_ = draw.between(0, 25);
    const std::array<int, 9> desc{rarely(2, 1),
                                  0,
                                  rarely(-1, m_),
                                  rarely(-1, n_),
                                  rarely(0, draw.block()),
                                  rarely(-2, draw.block()),
                                  rarely(draw.between(-1, p), draw.below(p)),
                                  rarely(draw.between(-1, q), draw.below(q)),
                                  rarely(draw.between(0, 12), 26)};
    const int ia = rarely(0, draw.between(1, 4)), ja = rarely(0, draw.between(1, 4));
    const int ma = rarely(-1, draw.between(0, m_)), na = rarely(-1, draw.between(0, n_));
    const int ma_position = 3, na_position = 4, position = 8;
    const int before = rarely(-draw.between(1, 9), rarely(-700 - draw.between(1, 9), 0));
    int info = before;
    chk1mat_(&ma, &ma_position, &na, &na_position, &ia, &ja, desc.data(), &position, &info);
    ASSERT_EQ(
        scalapack::chk1mat(ma, ma_position, na, na_position, ia, ja, desc.data(), position, place, before),
        info);
    failed += info != 0;
  }
  EXPECT_GT(failed, draws / 4);
  EXPECT_GT(draws - failed, draws / 8);
}

TEST(Descriptors, pb_cchkmat) {
  Draw draw;
  int failed = 0;
  const auto rarely = [&draw](int wrong, int right) { return draw.below(12) == 0 ? wrong : right; };
  for (int k = 0; k < draws; ++k) {
    const int p = draw.ranks(), q = draw.ranks();
    place = {p, q, draw.below(p), draw.below(q)};
    const int m_ = draw.between(0, 25), n_ = draw.between(0, 25);
    std::array<int, 11> desc = draw_descriptor(draw, p, q, m_, n_);
    for (int& entry : desc) entry = draw.below(60) == 0 ? draw.between(-2, 1) : entry;
    const int ia = rarely(-1, draw.below(4)), ja = rarely(-1, draw.below(4));
    const int m = rarely(-1, draw.between(0, m_)), n = rarely(-1, draw.between(0, n_));
    const int before = rarely(-draw.between(1, 9), rarely(-700 - draw.between(1, 9), 0));
    int info = before;
    PB_Cchkmat(5, "TEST", "A", m, 3, n, 4, ia, ja, desc.data(), 8, &info);
    ASSERT_EQ(pblas::chkmat(5, m, 3, n, 4, ia, ja, desc.data(), 8, place, before), info);
    failed += info != 0;
  }
  EXPECT_GT(failed, draws / 4);
  EXPECT_GT(draws - failed, draws / 8);
}

TEST(Descriptors, conversions) {
  Draw draw;
  for (int k = 0; k < draws; ++k) {
    place = {draw.between(1, 2), draw.between(1, 2), 0, 0};
    const std::array types{1, 501, 502};
    std::array<int, 9> desc{types[static_cast<std::size_t>(draw.below(3))]};
    for (std::size_t e = 1; e < 9; ++e) desc[e] = draw.index();
    std::array<int, 7> ours{}, theirs{};
    ours[0] = theirs[0] = draw.between(501, 502);
    int info = 0;
    desc_convert_(desc.data(), theirs.data(), &info);
    ASSERT_EQ(scalapack::desc_convert(desc.data(), ours.data(), place), info);
    ASSERT_EQ(ours, theirs);

    std::array<int, 11> caller{draw.between(1, 2)}, seen{}, set{};
    for (std::size_t e = 1; e < 11; ++e) caller[e] = draw.index();
    int i = 0, j = 0;
    PB_CargFtoC(4, 7, caller.data(), &i, &j, seen.data());
    ASSERT_EQ(pblas::argftoc(caller.data()), seen);
    PB_Cdescset(set.data(), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    std::array<int, 11> ours_set{};
    pblas::descset(ours_set.data(), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    ASSERT_EQ(ours_set, set);
  }
}

}  // namespace
}  // namespace cyclade
