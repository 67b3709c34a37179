// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cyclade/environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <sched.h>
#include <unistd.h>

#include "cyclade/device/host.hpp"

namespace cyclade::app {
namespace {

constexpr const char* guard = "CYCLADE_REEXEC";
constexpr const char* chosen = "CYCLADE_CHOSEN_CORETYPE";
constexpr const char* threads_are_ours = "CYCLADE_CHOSEN_THREADS";

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

/// Ranks on this node, as launchers tell their children; 1 if nobody says.
int ranks_on_node() {
  for (const char* name :
       {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"}) {
    if (!is_set(name)) continue;
    const int ranks = std::atoi(std::getenv(name));
    if (ranks > 0) return ranks;
  }
  return 1;
}

/// Cores that this process may use, its share of the node at the most.
int cores_of_rank() {
  const int node = std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  cpu_set_t set;
  const int allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : node;
  return std::max(1, std::min(allowed, node / ranks_on_node()));
}

int threads_asked_for(char** argv) {
  for (char** arg = argv; *arg != nullptr; ++arg) {
    if (std::strncmp(*arg, "--threads=", 10) == 0) return std::atoi(*arg + 10);
    if (std::strcmp(*arg, "--threads") == 0 && arg[1] != nullptr) return std::atoi(arg[1]);
  }
  return 0;
}

/// Kernels that suit the processor, if OpenBLAS took the oldest that it has because it does not know it.
std::string better_kernels() {
#if defined(__x86_64__)
  if (is_set("OPENBLAS_CORETYPE") || blas_info().core != "Prescott") return "";
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return "";
}

}  // namespace

void prepare_environment(char** argv) {
  if (is_set(guard)) return;
  bool changed = false;
  if (!is_set("OPENBLAS_NUM_THREADS") && !is_set("OMP_NUM_THREADS")) {
    const int asked = threads_asked_for(argv), threads = asked > 0 ? asked : cores_of_rank();
    setenv("OPENBLAS_NUM_THREADS", std::to_string(threads).c_str(), 1);
    setenv(threads_are_ours, "1", 1);
    changed = true;
  }
  if (const std::string kernels = better_kernels(); !kernels.empty()) {
    setenv("OPENBLAS_CORETYPE", kernels.c_str(), 1);
    setenv(chosen, kernels.c_str(), 1);
    changed = true;
  }
  if (!changed) return;
  setenv(guard, "done", 1);
  execv("/proc/self/exe", argv);
  // Without /proc the program goes on as it is: right, if not as fast.
}

double settle_threads(const Communicator& world) {
  constexpr std::size_t words = sizeof(cpu_set_t) / sizeof(Index);
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_SET(0, &mine);
  std::array<Index, words> mask;
  std::memcpy(mask.data(), &mine, sizeof mine);
  const Communicator node = world.split_by_node();
  const std::vector<Index> masks = node.all_gather(std::span<const Index>(mask));
  double cores = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &mine)) continue;
    int sharers = 0;
    for (int rank = 0; rank < node.size(); ++rank) {
      cpu_set_t theirs;
      std::memcpy(&theirs, masks.data() + static_cast<std::size_t>(rank) * words, sizeof theirs);
      sharers += CPU_ISSET(cpu, &theirs) ? 1 : 0;
    }
    cores += 1.0 / sharers;
  }
  const bool users =
      (is_set("OPENBLAS_NUM_THREADS") || is_set("OMP_NUM_THREADS")) && !is_set(threads_are_ours);
  if (!users) const HostDevice settled(std::max(1, static_cast<int>(cores + 1e-6)));
  return cores;
}

std::string chosen_kernels() { return is_set(chosen) ? std::getenv(chosen) : ""; }

}  // namespace cyclade::app
