// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/io/generate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "cyclade/base/error.hpp"
#include "cyclade/base/random.hpp"

namespace cyclade {
namespace {

using Complex = std::complex<double>;
using Entry = std::function<Complex(Index, Index)>;
using Vector = std::vector<Complex>;

/// A matrix and, where it is known, its inverse: formulas in double precision, rounded once to the type that
/// is asked for.
struct Formula {
  Entry entry;
  Entry inverse = nullptr;
};

/// What a formula is made from.
struct Recipe {
  Index n;
  bool complex;  ///< random entries and vectors have imaginary parts
  std::uint64_t seed;
  double condition;

  Complex random(Index i, Index j) const {
    const auto u = uniform<Complex>(seed, i, j);
    return complex ? u : Complex(u.real());
  }
  /// Of unit length.
  Vector random_vector(Index stream) const {
    Vector v(static_cast<std::size_t>(n));
    double squares = 0;
    for (Index i = 0; i < n; ++i)
      squares += std::norm(v[static_cast<std::size_t>(i)] = random(i, -1 - stream));
    for (Complex& x : v) x /= std::sqrt(squares);
    return v;
  }
  /// From 1 down to 1/condition, geometrically.
  double singular_value(Index i) const {
    return n > 1 ? std::pow(condition, -static_cast<double>(i) / static_cast<double>(n - 1)) : 1;
  }
  /// Fisher and Yates, each draw a function of the seed and the place.
  std::vector<Index> permutation() const {
    std::vector<Index> p(static_cast<std::size_t>(n));
    std::iota(p.begin(), p.end(), Index{0});
    for (Index i = n - 1; i > 0; --i) {
      const double u = uniform_pair(seed, i, -7)[0];
      std::swap(p[static_cast<std::size_t>(i)],
                p[static_cast<std::size_t>(std::min(i, static_cast<Index>(u * static_cast<double>(i + 1))))]);
    }
    return p;
  }
};

double real(Index i) { return static_cast<double>(i); }
template <class V>
auto at(const V& v, Index i) {
  return v[static_cast<std::size_t>(i)];
}
Complex delta(Index i, Index j) { return i == j ? 1 : 0; }

Entry tridiagonal(std::function<double(Index)> diagonal, std::function<double(Index)> beside) {
  return [=](Index i, Index j) -> Complex {
    if (i == j) return diagonal(i);
    return std::abs(i - j) == 1 ? beside(std::min(i, j)) : 0;
  };
}

double binomial(Index n, Index k) {
  double c = 1;
  for (Index i = 1; i <= std::min(k, n - k); ++i) c = c * real(n - std::min(k, n - k) + i) / real(i);
  return std::round(c);
}

// --- one function a matrix: the table below names them

Formula identity(const Recipe&) { return {delta, delta}; }

Formula diagonal(const Recipe& r) {
  return {[=](Index i, Index j) { return delta(i, j) * r.singular_value(i); },
          [=](Index i, Index j) { return delta(i, j) / r.singular_value(i); }};
}

Formula minij(const Recipe& r) {
  return {[](Index i, Index j) { return Complex(real(std::min(i, j) + 1)); },
          tridiagonal([n = r.n](Index i) { return i + 1 == n ? 1 : 2; }, [](Index) { return -1; })};
}

Formula lehmer(const Recipe& r) {
  return {[](Index i, Index j) { return Complex(real(std::min(i, j) + 1) / real(std::max(i, j) + 1)); },
          tridiagonal(
              [n = r.n](Index i) {
                const double k = real(i + 1);
                return i + 1 == n ? k * k / (2 * k - 1) : 4 * k * k * k / (4 * k * k - 1);
              },
              [](Index i) { return -real(i + 1) * real(i + 2) / (2 * real(i + 1) + 1); })};
}

Formula kms(const Recipe& r) {
  const double rho = 0.5, scale = 1 / (1 - rho * rho);
  return {[=](Index i, Index j) { return Complex(std::pow(rho, std::abs(i - j))); },
          r.n == 1 ? Entry(delta)
                   : tridiagonal(
                         [=, n = r.n](Index i) { return scale * (i == 0 || i + 1 == n ? 1 : 1 + rho * rho); },
                         [=](Index) { return -rho * scale; })};
}

Formula second_difference(const Recipe& r) {
  return {tridiagonal([](Index) { return 2; }, [](Index) { return -1; }), [n = r.n](Index i, Index j) {
            return Complex(real(std::min(i, j) + 1) * real(n - std::max(i, j)) / real(n + 1));
          }};
}

Formula hilbert(const Recipe& r) {
  std::vector<double> p(static_cast<std::size_t>(r.n));  // p_i = (-1)^i (n+i)! / (i!^2 (n-i-1)!)
  for (Index i = 0; i < r.n; ++i)
    p[static_cast<std::size_t>(i)] =
        i == 0 ? real(r.n) : at(p, i - 1) * real(i - r.n) * real(r.n + i) / (real(i) * real(i));
  return {[](Index i, Index j) { return Complex(1 / real(i + j + 1)); },
          [=](Index i, Index j) { return Complex(at(p, i) * at(p, j) / real(i + j + 1)); }};
}

Formula cauchy(const Recipe& r) {
  // 1 / (x_i + y_j), x_i = i + 1/2, y_j = j + 1/4: products of ratios, so that nothing overflows early
  const auto x = [](Index i) { return real(i) + 0.5; };
  const auto y = [](Index j) { return real(j) + 0.25; };
  std::vector<double> p(static_cast<std::size_t>(r.n)), q(static_cast<std::size_t>(r.n));
  for (Index i = 0; i < r.n; ++i) {
    double a = x(i) + y(i), b = x(i) + y(i);
    for (Index k = 0; k < r.n; ++k) {
      if (k == i) continue;
      a *= (x(i) + y(k)) / (x(i) - x(k));
      b *= (x(k) + y(i)) / (y(i) - y(k));
    }
    p[static_cast<std::size_t>(i)] = a;
    q[static_cast<std::size_t>(i)] = b;
  }
  return {[=](Index i, Index j) { return Complex(1 / (x(i) + y(j))); },
          [=](Index i, Index j) { return Complex(at(q, i) * at(p, j) / (x(j) + y(i))); }};
}

Formula pascal(const Recipe& r) {
  require(r.n <= 500, "generate: pascal overflows beyond order 500, got " + std::to_string(r.n));
  return {[](Index i, Index j) { return Complex(binomial(i + j, i)); },
          [n = r.n](Index i, Index j) {
            // (-1)^(i+j) sum over k of binomial(k, i) binomial(k, j), each from the one before
            const Index first = std::max(i, j);
            double sum = 0, of_i = binomial(first, i), of_j = binomial(first, j);
            for (Index k = first; k < n; ++k) {
              sum += of_i * of_j;
              of_i = std::round(of_i * real(k + 1) / real(k + 1 - i));
              of_j = std::round(of_j * real(k + 1) / real(k + 1 - j));
            }
            return Complex((i + j) % 2 ? -sum : sum);
          }};
}

Formula rank_one(const Recipe& r) {
  // I + c u v^H with v near u; Sherman and Morrison
  const Vector u = r.random_vector(0);
  Vector v = r.random_vector(1);
  for (Index i = 0; i < r.n; ++i) v[static_cast<std::size_t>(i)] = at(u, i) + 0.3 * at(v, i);
  Complex s = 0;
  for (Index i = 0; i < r.n; ++i) s += std::conj(at(v, i)) * at(u, i);
  const double c = r.condition - 1;
  const auto plus = [=](Complex factor) {
    return [=](Index i, Index j) { return delta(i, j) + factor * at(u, i) * std::conj(at(v, j)); };
  };
  return {plus(c), plus(-c / (1.0 + c * s))};
}

Formula permutation(const Recipe& r) {
  const auto p = r.permutation();
  return {[=](Index i, Index j) { return delta(at(p, i), j); },
          [=](Index i, Index j) { return delta(at(p, j), i); }};
}

Formula antidiagonal(const Recipe& r) {
  const Entry entry = [n = r.n](Index i, Index j) { return delta(i + j, n - 1); };
  return {entry, entry};
}

Formula wilkinson(const Recipe& r) {
  return {[n = r.n](Index i, Index j) -> Complex {
    if (i == j || j == n - 1) return 1;
    return i > j ? -1 : 0;
  }};
}

Formula foster(const Recipe& r) {
  const double c = 6, kh = 2.0 / 3;
  return {[=, n = r.n](Index i, Index j) -> Complex {
    double a = j == n - 1 ? -1 / c : 0;
    if (j == 0) return i == 0 ? 1 + a : -kh / 2 + a;
    if (i == j) a += 1 - kh / 2;
    if (i > j) a -= kh;
    return a;
  }};
}

Formula wright(const Recipe& r) {
  require(r.n % 2 == 0, "generate: wright has an even order, got " + std::to_string(r.n));
  const double h = 0.3, decay = std::exp(-h / 6);
  return {[=, n = r.n](Index i, Index j) -> Complex {
    const Index bi = i / 2, bj = j / 2;
    const bool same = i % 2 == j % 2;
    double a = bi == bj && same ? 1 : 0;
    if (bi == 0 && bj == n / 2 - 1 && bj > 0 && same) a += 1;
    if (bi == bj + 1) a -= decay * (same ? std::cosh(h) : std::sinh(h));
    return a;
  }};
}

Formula kahan(const Recipe&) {
  const double theta = 1.2, s = std::sin(theta), c = std::cos(theta);
  return {[=](Index i, Index j) -> Complex {
    if (i > j) return 0;
    return std::pow(s, real(i)) * (i == j ? 1 : -c);
  }};
}

Formula vandermonde(const Recipe& r) {
  return {[n = r.n](Index i, Index j) { return Complex(std::pow(real(i + 1) / real(n), real(j))); }};
}

Formula random_entries(const Recipe& r) {
  return {[=](Index i, Index j) { return r.random(i, j); }};
}

Formula dominant(const Recipe& r) {
  return {[=](Index i, Index j) { return r.random(i, j) + delta(i, j) * real(r.n); }};
}

Formula hpd(const Recipe& r) {
  return {[=](Index i, Index j) -> Complex {
    if (i == j) return real(r.n);
    return 0.5 * (i > j ? r.random(i, j) : std::conj(r.random(j, i)));
  }};
}

Formula hadamard(const Recipe& r) {
  require(r.n == 0 || std::has_single_bit(static_cast<std::uint64_t>(r.n)),
          "generate: hadamard needs a power of two, got " + std::to_string(r.n));
  const auto sign = [](Index i, Index j) {
    return std::popcount(static_cast<std::uint64_t>(i & j)) % 2 ? -1.0 : 1.0;
  };
  return {sign, [=](Index i, Index j) { return sign(i, j) / real(r.n); }};
}

/// 2 pi i j / n, reduced before it is rounded.
double angle(Index i, Index j, Index n) {
  const auto product = static_cast<unsigned __int128>(i) * static_cast<unsigned __int128>(j);
  return 2 * std::numbers::pi * real(static_cast<Index>(product % static_cast<unsigned __int128>(n))) /
         real(n);
}

Formula dft(const Recipe& r) {
  return {[n = r.n](Index i, Index j) { return std::polar(1 / std::sqrt(real(n)), -angle(i, j, n)); },
          [n = r.n](Index i, Index j) { return std::polar(1 / std::sqrt(real(n)), angle(i, j, n)); }};
}

Formula hartley(const Recipe& r) {
  const Entry entry = [n = r.n](Index i, Index j) {
    const double t = angle(i, j, n);
    return Complex((std::cos(t) + std::sin(t)) / std::sqrt(real(n)));
  };
  return {entry, entry};
}

Formula householder(const Recipe& r) {
  const Vector v = r.random_vector(0);
  const Entry entry = [=](Index i, Index j) { return delta(i, j) - 2.0 * at(v, i) * std::conj(at(v, j)); };
  return {entry, entry};
}

Formula circulant(const Recipe& r) {
  // sum_k rho^k P^k, P the cyclic shift; its inverse is (I - rho P) / (1 - rho^n)
  const double rho = 0.7, scale = 1 / (1 - std::pow(rho, real(r.n)));
  return {[=, n = r.n](Index i, Index j) { return Complex(std::pow(rho, real((j - i + n) % n))); },
          [=, n = r.n](Index i, Index j) { return scale * (delta(i, j) - rho * delta((i + 1) % n, j)); }};
}

Formula involutory(const Recipe& r) {
  // P [I 0; C -I] P^T with C of -1, 0 and 1: its own inverse, in integers
  const auto p = r.permutation();
  const Entry entry = [=](Index i, Index j) -> Complex {
    const Index a = at(p, i), b = at(p, j), half = r.n / 2;
    if (a == b) return a < half ? 1 : -1;
    return a >= half && b < half ? std::floor(3 * uniform_pair(r.seed, a, b)[0]) - 1 : 0;
  };
  return {entry, entry};
}

Formula saddle(const Recipe& r) {
  // [H B; B^H 0], H positive definite of 2/3 of the order
  const Index m = r.n - r.n / 3;
  return {[=](Index i, Index j) -> Complex {
    if (i < m && j < m)
      return i == j ? real(r.n) : 0.5 * (i > j ? r.random(i, j) : std::conj(r.random(j, i)));
    if (i >= m && j >= m) return 0;
    return i >= m ? std::conj(r.random(j, i)) : r.random(i, j);
  }};
}

Formula randsvd(const Recipe& r) {
  // (I - 2uu^H) D (I - 2vv^H), D from 1 to 1/condition: the condition number in the 2-norm is exact
  const Vector u = r.random_vector(0), v = r.random_vector(1);
  const auto product = [n = r.n](const Vector& a, const Vector& b, auto d) {
    Complex middle = 0;  // a^H D b
    for (Index k = 0; k < n; ++k) middle += std::conj(at(a, k)) * d(k) * at(b, k);
    return [=](Index i, Index j) {
      return delta(i, j) * d(i) - 2.0 * at(a, i) * std::conj(at(a, j)) * d(j) -
             2.0 * d(i) * at(b, i) * std::conj(at(b, j)) + 4.0 * at(a, i) * middle * std::conj(at(b, j));
    };
  };
  return {product(u, v, [=](Index i) { return r.singular_value(i); }),
          product(v, u, [=](Index i) { return 1 / r.singular_value(i); })};
}

Formula accretive(const Recipe& r) {
  return {[=](Index i, Index j) -> Complex {
    if (i == j) return 0.01;
    return i > j ? r.random(i, j) : -std::conj(r.random(j, i));
  }};
}

Formula lattice(const Recipe& r) {
  // sites of 8 components on a ring: a mass on the diagonal, random couplings inside a site and to its
  // neighbours
  const Index block = 8, sites = (r.n + block - 1) / block;
  return {[=](Index i, Index j) -> Complex {
    const Index distance = std::abs(i / block - j / block), around = std::min(distance, sites - distance);
    if (around > 1) return 0;
    return r.random(i, j) * (around == 0 ? 1.0 : 0.4) + (i == j ? 6.0 : 0.0);
  }};
}

struct Row {
  GalleryMatrix matrix;
  Formula (*formula)(const Recipe&);
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {{"identity", "the identity", false, true}, identity},
      {{"diagonal", "diagonal, from 1 to 1/condition", false, true}, diagonal},
      {{"minij", "min(i,j)+1; its inverse is tridiagonal, in integers", false, true}, minij},
      {{"lehmer", "(min(i,j)+1)/(max(i,j)+1); positive definite, tridiagonal inverse", false, true}, lehmer},
      {{"kms", "0.5^|i-j| (Kac, Murdock, Szego); positive definite, tridiagonal inverse", false, true}, kms},
      {{"tridiagonal", "(-1, 2, -1), the second difference; dense inverse", false, true}, second_difference},
      {{"hilbert", "1/(i+j+1); positive definite, condition about exp(3.5 n)", false, true}, hilbert},
      {{"cauchy", "1/(i+j+3/4); ill conditioned", false, true}, cauchy},
      {{"pascal", "binomial(i+j, i); determinant 1, integer inverse, ill conditioned", false, true}, pascal},
      {{"rank_one", "I + c u v^H of about the given condition: for tests of any size", false, true},
       rank_one},
      {{"permutation", "a random permutation", false, true}, permutation},
      {{"antidiagonal", "ones on the other diagonal: every pivot is off the diagonal", false, true},
       antidiagonal},
      {{"hadamard", "Sylvester's +1 and -1, n a power of two; orthogonal but for a factor", false, true},
       hadamard},
      {{"dft", "discrete Fourier transform; unitary", true, true}, dft},
      {{"hartley", "discrete Hartley transform; orthogonal, its own inverse", false, true}, hartley},
      {{"householder", "I - 2vv^H with random v; its own inverse", false, true}, householder},
      {{"circulant", "powers of 0.7 around a ring; sparse inverse", false, true}, circulant},
      {{"involutory", "integers, its own inverse: compare bit by bit", false, true}, involutory},
      {{"randsvd", "random singular vectors, singular values from 1 to 1/condition", false, true}, randsvd},
      {{"random", "uniform in (-1,1), also the imaginary parts", false, false}, random_entries},
      {{"dominant", "random, with n added to the diagonal", false, false}, dominant},
      {{"hpd", "Hermitian positive definite, well conditioned", false, false}, hpd},
      {{"saddle", "[H B; B^H 0]: symmetric indefinite, a zero block on the diagonal", false, false}, saddle},
      {{"accretive", "0.01 I plus a skew-Hermitian random matrix", false, false}, accretive},
      {{"lattice", "block-banded on a ring of sites, as of a lattice operator", false, false}, lattice},
      {{"wilkinson", "growth 2^(n-1) under partial pivoting", false, false}, wilkinson},
      {{"foster", "a quadrature matrix on which partial pivoting grows", false, false}, foster},
      {{"wright", "a boundary value problem on which partial pivoting grows; even n", false, false}, wright},
      {{"kahan", "upper triangular, ill conditioned, no small pivot shows it", false, false}, kahan},
      {{"vandermonde", "powers of equally spaced points in (0,1]; very ill conditioned", false, false},
       vandermonde},
  };
  return table;
}

}  // namespace

const std::vector<GalleryMatrix>& gallery() {
  static const std::vector<GalleryMatrix> table = [] {
    std::vector<GalleryMatrix> all;
    for (const Row& row : rows()) all.push_back(row.matrix);
    return all;
  }();
  return table;
}

template <Scalar T>
void generate(std::string_view name, const Matrix<T>& a, const GenerateOptions& options) {
  const auto row = std::ranges::find_if(rows(), [&](const Row& r) { return r.matrix.name == name; });
  if (row == rows().end()) {
    std::string names;
    for (const GalleryMatrix& m : gallery()) names += (names.empty() ? "" : ", ") + std::string(m.name);
    throw ArgumentError("generate: there is no matrix '" + std::string(name) + "'; there are " + names);
  }
  require(a.rows() == a.cols(), "generate: the matrices of the gallery are square, got " +
                                    std::to_string(a.rows()) + "x" + std::to_string(a.cols()));
  require(is_complex<T> || !row->matrix.complex_only,
          "generate: " + std::string(name) + " is complex; ask for type c or z");
  require(!options.inverse || row->matrix.inverse_known,
          "generate: the inverse of " + std::string(name) + " has no known formula here");
  require(options.condition >= 1,
          "generate: the condition must be 1 or more, got " + std::to_string(options.condition));
  const Formula formula = row->formula({a.rows(), is_complex<T>, options.seed, options.condition});
  fill_entries(a, [&entry = options.inverse ? formula.inverse : formula.entry](Index i, Index j) {
    const Complex x = entry(i, j);
    if constexpr (is_complex<T>) {
      return T(static_cast<Real<T>>(x.real()), static_cast<Real<T>>(x.imag()));
    } else {
      return static_cast<T>(x.real());
    }
  });
}

#define CYCLADE_GENERATE(T) \
  template void generate<T>(std::string_view, const Matrix<T>&, const GenerateOptions&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_GENERATE)

}  // namespace cyclade
