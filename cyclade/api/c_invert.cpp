// The inverse and its check for C: options in, report out.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "cyclade/api/c_handles.hpp"
#include "cyclade/inverse/invert.hpp"

using namespace cyclade;
using namespace cyclade::c;

namespace {

// The header's numbers are those of the enums.
static_assert(CYCLADE_AUTOMATIC == static_cast<int>(Method::automatic));
static_assert(CYCLADE_GAUSS_JORDAN == static_cast<int>(Method::gauss_jordan));
static_assert(CYCLADE_SCHUR == static_cast<int>(Method::schur));
static_assert(CYCLADE_SCHUR_ROWS == static_cast<int>(Method::schur_rows));
static_assert(CYCLADE_CHOLESKY == static_cast<int>(Method::cholesky));
static_assert(CYCLADE_GENERAL == static_cast<int>(Structure::general));
static_assert(CYCLADE_SYMMETRIC == static_cast<int>(Structure::symmetric));
static_assert(CYCLADE_HERMITIAN == static_cast<int>(Structure::hermitian));
static_assert(CYCLADE_POSITIVE_DEFINITE == static_cast<int>(Structure::positive_definite));

// What the first version of each struct ended with: shorter ones have never been.
constexpr std::size_t first_options = offsetof(cyclade_invert_options, progress_context) + sizeof(void*);
constexpr std::size_t first_report = offsetof(cyclade_report, peak_bytes) + sizeof(std::int64_t);

cyclade_invert_options defaults() {
  const InvertOptions ours;
  cyclade_invert_options o = {};
  o.size = sizeof o;
  o.method = static_cast<int>(ours.method);
  o.structure = static_cast<int>(ours.structure);
  o.uplo = static_cast<int>(ours.uplo);
  o.certificate = ours.certificate;
  o.seed = ours.seed;
  o.panel_width = ours.panel_width;
  o.permutation_budget = ours.permutation_budget;
  o.lookahead = ours.lookahead;
  o.fallback = ours.fallback;
  return o;
}

void require_between(int value, int least, int most, const std::string& what) {
  require(least <= value && value <= most, what + " must be between " + std::to_string(least) + " and " +
                                               std::to_string(most) + ", got " + std::to_string(value));
}

/// The caller's options over the defaults; those that its version of the struct has not stay defaults.
cyclade_invert_options read_options(const cyclade_invert_options* given) {
  const std::string who = "cyclade_invert: options->";
  cyclade_invert_options o = defaults();
  if (!given) return o;
  require_size(given->size, first_options, sizeof o, "cyclade_invert: `options`",
               "cyclade_invert_options_init");
  std::memcpy(&o, given, given->size);
  require_between(o.method, CYCLADE_AUTOMATIC, CYCLADE_CHOLESKY, who + "method");
  require_between(o.structure, CYCLADE_GENERAL, CYCLADE_POSITIVE_DEFINITE, who + "structure");
  require(o.uplo == CYCLADE_LOWER || o.uplo == CYCLADE_UPPER,
          who + "uplo must be CYCLADE_LOWER or CYCLADE_UPPER, got " + std::to_string(o.uplo));
  require_between(o.certificate, 0, 1, who + "certificate");
  require_between(o.lookahead, 0, 1, who + "lookahead");
  require_between(o.fallback, 0, 1, who + "fallback");
  require(o.leaf >= 0, who + "leaf must not be negative, got " + std::to_string(o.leaf));
  require(o.panel_bytes >= 0, who + "panel_bytes must not be negative, got " + std::to_string(o.panel_bytes));
  return o;
}

std::vector<Alike> alike(const cyclade_invert_options& o) {
  return {{"options->method", o.method},
          {"options->structure", o.structure},
          {"options->uplo", o.uplo},
          {"options->certificate", o.certificate},
          {"options->seed", static_cast<Index>(o.seed)},
          {"options->panel_width", o.panel_width},
          {"options->permutation_budget", o.permutation_budget},
          {"options->lookahead", o.lookahead},
          {"options->fallback", o.fallback},
          {"options->leaf", o.leaf},
          {"options->panel_bytes", o.panel_bytes}};
}

InvertOptions to_options(const cyclade_invert_options& o) {
  InvertOptions options;
  options.method = static_cast<Method>(o.method);
  options.structure = static_cast<Structure>(o.structure);
  options.uplo = static_cast<Uplo>(o.uplo);
  options.certificate = o.certificate != 0;
  options.seed = o.seed;
  options.panel_width = o.panel_width;
  options.permutation_budget = o.permutation_budget;
  options.lookahead = o.lookahead != 0;
  options.fallback = o.fallback != 0;
  options.schur.leaf = o.leaf;
  if (o.panel_bytes > 0) options.schur.panel_bytes = options.gather.panel_bytes = o.panel_bytes;
  if (o.progress) {
    options.progress = [progress = o.progress, context = o.progress_context](std::string_view phase,
                                                                             double fraction) {
      progress(context, std::string(phase).c_str(), fraction);
    };
  }
  return options;
}

cyclade_report empty_report() {
  cyclade_report r = {};
  r.size = sizeof r;
  r.type = CYCLADE_D;
  r.zero_pivot = r.bad_row = r.bad_col = -1;
  r.fallback_from = -1;
  r.sign_re = r.growth = 1;
  return r;
}

void check_report(const cyclade_report* report, const char* function) {
  const std::string who = std::string(function) + ": `report`";
  if (report) require_size(report->size, first_report, sizeof *report, who.c_str(), "cyclade_report_init");
}

/// Fills in as much as the caller's version of the struct has room for.
void write_report(const Report& r, cyclade_report* into) {
  if (!into) return;
  cyclade_report out = empty_report();
  out.size = into->size;
  out.status = static_cast<int>(r.status);
  out.in_grid = r.in_grid;
  out.method = static_cast<int>(r.method);
  if (r.fallback_from) out.fallback_from = static_cast<int>(*r.fallback_from);
  out.fallback_status = static_cast<int>(r.fallback_status);
  out.type = static_cast<int>(r.type);
  out.n = r.n;
  out.zero_pivot = r.zero_pivot;
  out.bad_row = r.bad_row;
  out.bad_col = r.bad_col;
  out.logabsdet = r.log_determinant.log_abs();
  out.sign_re = r.log_determinant.sign().real();
  out.sign_im = r.log_determinant.sign().imag();
  out.norm1_a = r.norm1_a;
  out.norm1_x = r.norm1_x;
  out.cond1 = r.cond1;
  out.growth = r.growth;
  out.certified = r.certificate.taken;
  out.digits = r.certificate.digits;
  out.residual_left = r.certificate.left;
  out.residual_right = r.certificate.right;
  out.tolerance = r.certificate.tolerance;
  out.confidence = r.certificate.confidence;
  out.seconds = r.seconds;
  out.gflops = r.gflops();
  out.words_received = r.traffic.words_received;
  out.messages_received = r.traffic.messages_received;
  out.words_model = r.words_model;
  out.matrix_bytes = r.matrix_bytes;
  out.peak_bytes = r.peak_bytes;
  std::memcpy(into, &out, into->size);
}

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", x);
  return text;
}

/// The status of a report, in words for cyclade_last_error.
cyclade_status conclude(const Report& r, const std::string& who) {
  const auto status = static_cast<cyclade_status>(r.status);
  if (status == CYCLADE_OK) return status;
  std::string text = who + ": " + cyclade_status_name(status);
  if (r.status == Status::singular)
    text += "; the pivot of column " + std::to_string(r.zero_pivot) + " is zero";
  if (r.status == Status::not_positive_definite)
    text += "; the leading minor of order " + std::to_string(r.zero_pivot + 1) + " is not positive";
  if (r.status == Status::non_finite_input)
    text += "; entry (" + std::to_string(r.bad_row) + "," + std::to_string(r.bad_col) +
            ") is not a finite number";
  if (r.certificate.taken)
    text += "; |XA-I| may be " + short_number(r.certificate.left) + " and |AX-I| " +
            short_number(r.certificate.right) + ", rounding explains " +
            short_number(r.certificate.tolerance);
  return fail(status, text.c_str());
}

/// A copy of our struct's beginning into the caller's, whose header says how long its own is.
template <class S>
void copy_beginning(S ours, S* into, std::size_t size) {
  if (!into) return;
  ours.size = size;
  std::memcpy(into, &ours, std::min(size, sizeof ours));
}

}  // namespace

void cyclade_invert_options_defaults(cyclade_invert_options* options, size_t size) {
  copy_beginning(defaults(), options, size);
}

void cyclade_report_defaults(cyclade_report* report, size_t size) {
  copy_beginning(empty_report(), report, size);
}

cyclade_status cyclade_invert(cyclade_matrix* a, const cyclade_invert_options* options,
                              cyclade_report* report) {
  constexpr const char* function = "cyclade_invert";
  return guarded([&] {
    const cyclade_matrix& handle = checked(a, function, "a");
    cyclade_invert_options o = {};
    in_agreement_inside(*handle.grid, function, [&] {
      o = read_options(options);
      check_report(report, function);
      return alike(o);
    });
    handle.device->reset_peak();
    const Report r = std::visit([&](const auto& m) { return invert(m, to_options(o)); }, *handle.matrix);
    write_report(r, report);
    return conclude(r, "invert");
  });
}

cyclade_status cyclade_invert_rows(MPI_Comm comm, int64_t n, int64_t my_rows, int type, void* data,
                                   int64_t ld, const cyclade_invert_options* options,
                                   cyclade_report* report) {
  constexpr const char* function = "cyclade_invert_rows";
  return guarded([&] {
    require(comm != MPI_COMM_NULL, std::string(function) + ": `comm` is MPI_COMM_NULL");
    Traffic traffic;
    const Communicator everyone = Communicator::duplicate(comm, &traffic);
    cyclade_invert_options o = {};
    in_agreement(everyone, function, [&] {
      o = read_options(options);
      check_report(report, function);
      std::vector<Alike> values = alike(o);
      values.push_back({"n", n});
      values.push_back({"type", static_cast<Index>(to_scalar_type(type, function))});
      return values;
    });
    if (o.method == CYCLADE_AUTOMATIC) o.method = CYCLADE_SCHUR_ROWS;
    HostDevice device;
    const Report r = with_scalar(static_cast<ScalarType>(type), [&]<class T>() {
      return invert(BlockRows<T>::from_counts(everyone, my_rows, n, device, static_cast<T*>(data), ld),
                    to_options(o));
    });
    write_report(r, report);
    return conclude(r, "invert");
  });
}

cyclade_status cyclade_verify(const cyclade_matrix* a, const cyclade_matrix* x, cyclade_report* report) {
  constexpr const char* function = "cyclade_verify";
  return guarded([&] {
    const cyclade_matrix& left = checked(a, function, "a");
    const cyclade_matrix& right = checked(x, function, "x");
    in_agreement_inside(*left.grid, function, [&] {
      check_report(report, function);
      return std::vector<Alike>{};
    });
    require(left.matrix->index() == right.matrix->index(),
            "cyclade_verify: the matrix and its inverse must be of one type");
    const Report r =
        std::visit([&]<class T>(const Matrix<T>& m) { return verify(m, std::get<Matrix<T>>(*right.matrix)); },
                   *left.matrix);
    write_report(r, report);
    return conclude(r, "verify");
  });
}
