// The real matrices of ../shared/matrices from their files to their inverses: status, determinant and ||X||_1
// against the values of MANIFEST.json of that folder. The bound is 10 n u kappa_1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "cyclade/device/host.hpp"
#include "cyclade/inverse/invert.hpp"
#include "cyclade/io/grm.hpp"
#include "cyclade/io/matrix_market.hpp"
#include "tests/io/memory_source.hpp"

namespace cyclade {
namespace {

struct Known {
  const char* name;
  double norm1, norm1_inverse, log_determinant;
  std::complex<double> sign;
};
const Known known[] = {{"west0067.mtx", 6.1433746, 69.853413437252771, -10.108169580147884, -1},
                       {"west0479.mtx", 382221.51, 3720941.8358404748, 307.61759629169104, 1},
                       {"impcol_a.mtx", 681.730944, 63821.739100465835, 38.150081131552164, 1},
                       {"bp_1200.mtx", 543.131, 636937.29832288282, 305.79835036361522, 1},
                       {"fs_183_1.mtx", 1703177421.0073, 8878.9588864567698, -309.98116212263305, 1},
                       {"w156.mtx",
                        18672140.802793607,
                        96.28608360100681,
                        599.9982333649422,
                        {-0.30138434670360476, 0.9535027401963987}},
                       {"494_bus.mtx", 40015.422479, 97.226269563751432, 1628.4060326072094, 1},
                       {"beyu11.mtx", 7.6676, 169.76092446949781, -12.513728534077672, -1},
                       {"bcsstk02.mtx", 31515.530583852455, 0.40932724291531112, 499.46823578924601, 1},
                       {"m20.grm.bin", 4.855555608868599, 26.346309688062374, -5.0899544118519485, 1}};

template <Scalar T>
Report inverted(const Grid& grid, const Source& file) {
  HostDevice host;
  const Index block = 16;
  const auto dealt = [&](Index n) { return square_layout(n, block, grid.p(), grid.q()); };
  if (file.name.ends_with(".grm.bin")) {
    const Matrix<T> a(grid, dealt(grm::order(file.name, file.size)), host);
    grm::read(file, a);
    return invert(a);
  }
  const auto header = matrix_market::inspect(grid.all(), file);
  const Matrix<T> a(grid, dealt(header.rows), host);
  matrix_market::read(file, header, a);
  return invert(a);
}

TEST(RealMatrices, are_inverted_with_the_known_determinant_and_norm) {
#ifdef CYCLADE_SHARED_MATRICES
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Grid grid(MPI_COMM_WORLD, nearest_square(ranks));
  for (const Known& file : known) {
    const Source source =
        memory_source(file_bytes(std::string(CYCLADE_SHARED_MATRICES "/") + file.name), file.name);
    const bool is_complex_file = std::string_view(file.name) == "w156.mtx";
    const Report report =
        is_complex_file ? inverted<std::complex<double>>(grid, source) : inverted<double>(grid, source);
    const double bound =
        10 * static_cast<double>(report.n) * unit_roundoff<double> * file.norm1 * file.norm1_inverse;
    EXPECT_EQ(report.status, Status::ok) << file.name;
    EXPECT_NEAR(report.norm1_a, file.norm1, 1e-13 * file.norm1) << file.name;
    EXPECT_NEAR(report.norm1_x / file.norm1_inverse, 1, bound) << file.name;
    EXPECT_NEAR(report.log_determinant.log_abs(), file.log_determinant, bound) << file.name;
    EXPECT_LE(std::abs(report.log_determinant.sign() - file.sign), std::min(1., bound)) << file.name;
  }
#else
  GTEST_SKIP() << "the folder ../shared/matrices is absent";
#endif
}

}  // namespace
}  // namespace cyclade
