// Products and redistribution for C.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "cyclade/api/c_handles.hpp"
#include "cyclade/matrix/redistribute.hpp"
#include "cyclade/multiply/summa.hpp"

using namespace cyclade;
using namespace cyclade::c;

namespace {

/// The number that a factor of a product points to, or `fallback`.
template <Scalar T>
T number(const void* given, T fallback) {
  if (given) std::memcpy(&fallback, given, sizeof fallback);
  return fallback;
}

/// Its bits, so that ranks can compare them.
template <Scalar T>
void add_bits(std::vector<Alike>& values, const char* name, const T& x) {
  Index words[2] = {};
  std::memcpy(words, &x, sizeof x);
  values.push_back({name, words[0]});
  values.push_back({name, words[1]});
}

/// Two local parts that begin at one place, and have entries, overlap.
template <Scalar T>
void require_apart(const Matrix<T>& factor, const Matrix<T>& result, const std::string& who) {
  const bool empty = factor.local().empty() || result.local().empty();
  require(empty || factor.local().data != result.local().data, who + " lie at the same place in memory");
}

template <Scalar T>
void multiply_as(const void* alpha_at, const Matrix<T>& a, const Matrix<T>& b, const void* beta_at,
                 const Matrix<T>& c, const char* function) {
  const T alpha = number<T>(alpha_at, T(1)), beta = number<T>(beta_at, T(0));
  in_agreement_inside(a.grid(), function, [&] {
    require_apart(a, c, std::string(function) + ": `a` and `c`");
    require_apart(b, c, std::string(function) + ": `b` and `c`");
    std::vector<Alike> values;
    add_bits(values, "alpha", alpha);
    add_bits(values, "beta", beta);
    return values;
  });
  multiply(alpha, a, b, beta, c);
}

/// The type of a matrix that this rank may not have: its number from 1, or 0.
Index type_number(const cyclade_matrix* matrix) {
  return matrix ? static_cast<Index>(matrix->matrix->index()) + 1 : 0;
}

template <Scalar T>
const Matrix<T>* part_of(const cyclade_matrix* matrix) {
  return matrix ? &std::get<Matrix<T>>(*matrix->matrix) : nullptr;
}

/// The one type of `from` and `to` on all ranks that have either. Collective.
ScalarType common_type(const Communicator& comm, const cyclade_matrix* from, const cyclade_matrix* to) {
  constexpr ScalarType types[] = {scalar_type<float>, scalar_type<double>, scalar_type<std::complex<float>>,
                                  scalar_type<std::complex<double>>};
  Index extremes[2] = {0, 0};  // the largest, and 5 - the smallest
  for (const Index number : {type_number(from), type_number(to)}) {
    if (number == 0) continue;
    extremes[0] = std::max(extremes[0], number);
    extremes[1] = std::max(extremes[1], 5 - number);
  }
  comm.all_reduce_max(std::span<Index>(extremes));
  require(extremes[0] > 0, "cyclade_redistribute: no rank has a matrix");
  require(extremes[0] == 5 - extremes[1], "cyclade_redistribute: `from` and `to` must be of one type");
  return types[extremes[0] - 1];
}

}  // namespace

cyclade_status cyclade_multiply(const void* alpha, const cyclade_matrix* a, const cyclade_matrix* b,
                                const void* beta, cyclade_matrix* c) {
  constexpr const char* function = "cyclade_multiply";
  return guarded([&] {
    const AnyMatrix& left = *checked(a, function, "a").matrix;
    const AnyMatrix& right = *checked(b, function, "b").matrix;
    const AnyMatrix& result = *checked(c, function, "c").matrix;
    require(left.index() == right.index() && left.index() == result.index(),
            std::string(function) + ": the three matrices must be of one type");
    std::visit(
        [&]<class T>(const Matrix<T>& m) {
          multiply_as(alpha, m, std::get<Matrix<T>>(right), beta, std::get<Matrix<T>>(result), function);
        },
        left);
    return CYCLADE_OK;
  });
}

cyclade_status cyclade_redistribute(MPI_Comm comm, const cyclade_matrix* from, cyclade_matrix* to, int op,
                                    int64_t budget_bytes) {
  constexpr const char* function = "cyclade_redistribute";
  return guarded([&] {
    require(comm != MPI_COMM_NULL, std::string(function) + ": `comm` is MPI_COMM_NULL");
    const Communicator everyone = Communicator::duplicate(comm);
    in_agreement(everyone, function, [&] {
      if (from) checked(from, function, "from");
      if (to) checked(to, function, "to");
      require(op == CYCLADE_NO_TRANSPOSE || op == CYCLADE_TRANSPOSE || op == CYCLADE_CONJUGATE_TRANSPOSE,
              std::string(function) +
                  ": `op` must be CYCLADE_NO_TRANSPOSE, CYCLADE_TRANSPOSE or CYCLADE_CONJUGATE_TRANSPOSE, "
                  "got " +
                  std::to_string(op));
      return std::vector<Alike>{{"op", op}, {"budget_bytes", budget_bytes}};
    });
    const Index budget = budget_bytes == 0 ? redistribute_budget : budget_bytes;
    with_scalar(common_type(everyone, from, to), [&]<class T>() {
      redistribute(everyone, part_of<T>(from), part_of<T>(to), static_cast<Op>(op), budget);
    });
    return CYCLADE_OK;
  });
}
