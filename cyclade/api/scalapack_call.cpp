// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/api/scalapack_call.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>
#include <string>

#include "cyclade/device/host.hpp"

// The BLACS and the error printer of the program that calls: its own, found when it is linked or loaded.
extern "C" {
void Cblacs_gridinfo(int context, int* nprow, int* npcol, int* myrow, int* mycol);
void blacs_get_(const int* context, const int* what, int* value);
void pxerbla_(const int* context, const char* routine, const int* number, std::size_t routine_length);
}

namespace cyclade::scalapack {
namespace {

/// An error as one number, the smaller the earlier it counts: 100*position, + entry in a descriptor.
constexpr Index no_error = std::numeric_limits<Index>::max();
Index as_key(Index error) { return error == 0 ? no_error : error > -100 ? -100 * error : -error; }
int as_info(Index key) { return key == no_error ? 0 : static_cast<int>(key % 100 == 0 ? -key / 100 : -key); }

void complain(const Arguments& args, int context, int info, const std::string& remark = {}) {
  const std::string text = args.routine + remark;
  const int number = -info;
  pxerbla_(&context, text.c_str(), &number, text.size());
}

/// INTEGER*8 entries read as INTEGER*4: every second one is zero, NB (or INB) among them, which no descriptor
/// may say.
bool is_wide(const int* desc) {
  return (desc[0] == block_cyclic_2d || desc[0] == block_cyclic_2d_inb) && desc[1] == 0 && desc[3] == 0 &&
         desc[5] == 0 && desc[7] == 0 && desc[2] >= 0 && desc[4] >= 0 && desc[6] >= 0;
}

/// What this process alone can find wrong.
Index local_error(const Arguments& args, const std::array<int, 11>& desc, const Place& place, const void* a) {
  const int pos = args.desc_position;
  Index error = 0;
  if (args.desc[0] == block_cyclic_2d_inb) {
    error = pblas::chkmat<int>(args.desc[desc11::ctxt], args.rows, args.rows_position, args.cols,
                               args.cols_position, args.ia - 1, args.ja - 1, args.desc, pos, place);
    if (error == 0 && desc[desc11::rsrc] == replicated) error = -(Index{100} * pos + desc11::rsrc + 1);
    if (error == 0 && desc[desc11::csrc] == replicated) error = -(Index{100} * pos + desc11::csrc + 1);
  } else {
    error = chk1mat<int>(args.rows, args.rows_position, args.cols, args.cols_position, args.ia, args.ja,
                         args.desc, pos, place);
  }
  Index key = as_key(error);
  for (const Option& option : args.options)
    if (!option.legal) key = std::min<Index>(key, Index{100} * option.position);
  if (key == no_error && a == nullptr) {
    const Descriptor d = read_descriptor(args.desc, place);
    if (d.layout.rows.local_size(place.myrow) > 0 && d.layout.cols.local_size(place.mycol) > 0)
      key = Index{100} * (pos - 3);
  }
  return key;
}

/// The first error of any process, or the first number that they do not all say alike.
Index agreed_error(const Arguments& args, const std::array<int, 11>& desc, Index mine, const Grid& grid) {
  const int pos = args.desc_position;
  struct Said {
    Index value, key;
  };
  std::vector<Said> said{{args.rows, Index{100} * args.rows_position},
                         {args.cols, Index{100} * args.cols_position},
                         {args.ia, Index{100} * (pos - 2)},
                         {args.ja, Index{100} * (pos - 1)}};
  for (const Option& option : args.options) said.push_back({option.value, Index{100} * option.position});
  const bool wide = args.desc[0] == block_cyclic_2d_inb;
  for (int entry = 0; entry < desc11::lld; ++entry) {
    if (entry == desc11::ctxt) continue;  // a process may number its contexts as it likes
    const int own = wide || entry < desc11::mb ? entry : entry - 2;  // 9 entries have no IMB and INB
    said.push_back({desc[static_cast<std::size_t>(entry)], Index{100} * pos + own + 1});
  }
  // The largest and the smallest of each in one reduction
  std::vector<Index> extremes{mine == no_error ? -no_error : -mine};
  for (const Said& s : said) {
    extremes.push_back(s.value);
    extremes.push_back(-s.value);
  }
  grid.all().all_reduce_max(std::span(extremes));
  Index first = -extremes[0];
  for (std::size_t k = 0; k < said.size(); ++k)
    if (extremes[2 * k + 1] != -extremes[2 * k + 2]) first = std::min(first, said[k].key);
  return first;
}

/// The processes of the context, in row-major order of their places, whatever order the context was made in:
/// each says where it sits. From the context's own communicator, never from MPI_COMM_WORLD.
Grid grid_of(int context, const Place& place) {
  constexpr int communicator_of_the_context = 10;
  int handle = 0;
  blacs_get_(&context, &communicator_of_the_context, &handle);
  MPI_Comm ordered = MPI_COMM_NULL;
  check(MPI_Comm_split(MPI_Comm_f2c(handle), 0, place.myrow * place.npcol + place.mycol, &ordered),
        "MPI_Comm_split");
  Grid grid(ordered, {place.nprow, place.npcol}, GridOrder::row);
  check(MPI_Comm_free(&ordered), "MPI_Comm_free");
  return grid;
}

template <Scalar T>
int served(const Arguments& args, T* a, const std::function<int(const Matrix<T>&, const Setting&)>& work) {
  const int pos = args.desc_position;
  if (is_wide(args.desc)) {
    const int info = -(100 * pos + desc9::nb + 1);
    complain(args, args.desc[2], info, " (called with INTEGER*8; this library takes INTEGER*4)");
    return info;
  }
  Setting setting{{}, pblas::argftoc(args.desc), {}, {}};
  Place& place = setting.place;
  const int context = args.desc[desc9::ctxt];
  Cblacs_gridinfo(context, &place.nprow, &place.npcol, &place.myrow, &place.mycol);
  if (place.nprow < 1) {
    const int info = -(100 * pos + desc9::ctxt + 1);
    complain(args, context, info);
    return info;
  }
  const Grid grid = grid_of(context, place);
  const Index key = agreed_error(args, setting.desc, local_error(args, setting.desc, place, a), grid);
  if (key != no_error) {
    complain(args, context, as_info(key));
    return as_info(key);
  }
  if (args.rows == 0 || args.cols == 0) return 0;
  const Descriptor d = read_descriptor(args.desc, place);
  setting.layout = d.layout;
  setting.window = {args.ia - 1, args.ia - 1 + args.rows, args.ja - 1, args.ja - 1 + args.cols};
  HostDevice device;
  // LLD may be anything from 1 where there are no columns
  const Index ld = std::max(d.lld, std::max<Index>(1, d.layout.rows.local_size(place.myrow)));
  const Matrix<T> whole(grid, d.layout, device, a, ld);
  const int info = work(whole.window(setting.window), setting);
  if (info < 0) complain(args, context, info);
  return info;
}

}  // namespace

Option letter(const char* given, int position, const char* allowed) {
  const int upper = std::toupper(static_cast<unsigned char>(*given));
  return {upper, position, std::strchr(allowed, upper) != nullptr};
}

template <Scalar T>
void serve(const Arguments& arguments, T* a, int* info,
           const std::function<int(const Matrix<T>&, const Setting&)>& work) {
  try {
    *info = served(arguments, a, work);
  } catch (const std::exception& e) {
    *info = work_failed;
    complain(arguments, arguments.desc[desc9::ctxt], *info, std::string(" (") + e.what() + ")");
  }
}

#define CYCLADE_SERVE(T)                             \
  template void serve<T>(const Arguments&, T*, int*, \
                         const std::function<int(const Matrix<T>&, const Setting&)>&);
CYCLADE_FOR_EACH_SCALAR(CYCLADE_SERVE)

}  // namespace cyclade::scalapack
