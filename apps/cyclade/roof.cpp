// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cyclade/roof.hpp"

#include <algorithm>

#include "cyclade/mpi/session.hpp"

namespace cyclade::app {

template <Scalar T>
double gemm_gflops(const Matrix<T>& like, Index extent, Index depth, int repeats) {
  const Index m = std::min(like.local().rows, extent), n = std::min(like.local().cols, extent);
  Device& device = like.device();
  const Buffer<T> a(device, m * depth), b(device, depth * n), c(device, m * n);
  for (const Buffer<T>* buffer : {&a, &b, &c}) like.kernels().fill(buffer->view(buffer->size(), 1), T(1));
  const double flops = (is_complex<T> ? 8.0 : 2.0) * static_cast<double>(m) * static_cast<double>(n) *
                       static_cast<double>(depth);
  const double total = like.grid().all().sum(flops);
  double best = 0;
  for (int r = 0; r <= repeats; ++r) {  // the first one warms up
    like.grid().all().barrier();
    const double start = now();
    like.kernels().gemm(Op::none, Op::none, T(-1), a.view(m, depth), b.view(depth, n), T(1), c.view(m, n));
    device.synchronise();
    const double seconds = like.grid().all().max(now() - start);
    if (r > 0 && seconds > 0) best = std::max(best, total / seconds / 1e9);
  }
  return best;
}

#define CYCLADE_ROOF(T) template double gemm_gflops<T>(const Matrix<T>&, Index, Index, int);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_ROOF)

}  // namespace cyclade::app
