// The processor, through BLAS and LAPACK. What they have no routine for is a loop that the compiler
// vectorises.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclade/device/host_memory.hpp"

namespace cyclade {

class HostDevice : public HostMemory {
 public:
  /// `threads` BLAS threads for this process from now on; 0 leaves the number as it is.
  explicit HostDevice(int threads = 0);
  std::string name() const override { return "host"; }

 protected:
  const Kernels<float>& kernels_s() const override;
  const Kernels<double>& kernels_d() const override;
  const Kernels<std::complex<float>>& kernels_c() const override;
  const Kernels<std::complex<double>>& kernels_z() const override;
};

/// What computes, for reports: library, version, the processor kernel that it picked, threads.
struct BlasInfo {
  std::string library;  ///< "OpenBLAS 0.3.21"
  std::string core;     ///< "SkylakeX"; empty if the library does not say
  int threads = 1;
};
BlasInfo blas_info();

}  // namespace cyclade
