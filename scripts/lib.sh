# What the scripts share: which packages are needed, how to get them, how to build, and the environment in which
# MPI programs run here. To be sourced by bash; leaves the shell in the repository's root.
#
# SPDX-License-Identifier: BSD-3-Clause

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Debian packages. "command:package": not needed where the command is found, wherever it came from.
# "this|that": either will do; the first is installed.
build_packages=(c++:build-essential cmake:cmake ninja:ninja-build mpirun:openmpi-bin libopenmpi-dev
                "libopenblas-dev|libopenblas-pthread-dev|libopenblas-openmp-dev|libopenblas-serial-dev"
                libgtest-dev libgmock-dev libcli11-dev libfmt-dev nlohmann-json3-dev python3:python3)
test_packages=(clang-format-14:clang-format-14 gfortran:gfortran)
# What is used, and compared with, if it is there: ScaLAPACK and its own testers, HDF5 and Python's view of it.
peer_packages=(libscalapack-openmpi-dev scalapack-mpi-test "libhdf5-openmpi-dev|libhdf5-dev" python3-h5py)

say() { printf '\n== %s\n' "$*"; }
fail() { printf '%s: %s\n' "$0" "$*" >&2; exit 1; }

package_is_there() {
  local -a names
  case "$1" in *:*) command -v "${1%%:*}" > /dev/null && return 0 ;; esac
  IFS='|' read -ra names <<< "${1#*:}"
  local name
  for name in "${names[@]}"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$name" 2> /dev/null | grep -qx installed && return 0
  done
  return 1
}

# install_packages NAME...: installs what is missing, if anything is and if this user may; otherwise says what to type.
install_packages() {
  [ -z "${CYCLADE_NO_PACKAGES:-}" ] || return 0
  local entry name missing=() become=()
  if ! command -v dpkg-query > /dev/null; then
    echo "Not Debian or Ubuntu: going on in the hope that what these packages hold is here: $*"
    return 0
  fi
  for entry in "$@"; do
    name=${entry#*:}
    package_is_there "$entry" || missing+=("${name%%|*}")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2> /dev/null || fail "some packages are missing, and installing them needs root. Please type

  sudo apt-get update && sudo apt-get install -y ${missing[*]}

and start this again. (If you have them from elsewhere: CYCLADE_NO_PACKAGES=1 $0)"
    become=(sudo)
  fi
  say "Installing ${missing[*]}"
  "${become[@]}" apt-get update -qq < /dev/null || fail "apt-get update failed; is there a network?"
  "${become[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" < /dev/null > /dev/null ||
    fail "apt-get install failed; why stands above"
}

# build PRESET [TARGET...]: all targets if none is named.
build() {
  local preset=$1
  shift
  say "Building${*:+ $*} ($preset)"
  cmake --preset "$preset" > /dev/null || fail "CMake could not configure the build; why stands above"
  cmake --build --preset "$preset" -j "$(nproc)" ${*:+--target "$@"} || fail "the build failed; why stands above"
}

# Open MPI as any user, on any number of cores, quietly, one BLAS thread a rank; what the user has set stays.
mpi_environment() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=${OMPI_MCA_rmaps_base_oversubscribe:-1}
  export OMPI_MCA_mpi_yield_when_idle=${OMPI_MCA_mpi_yield_when_idle:-1}
  export OMPI_MCA_hwloc_base_binding_policy=${OMPI_MCA_hwloc_base_binding_policy:-none}
  export OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader}
  export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}
}

# choose_blas_kernels PROGRAM: an OpenBLAS that is older than the processor takes its slowest kernels, five times
# slower than those that would suit. If the one that PROGRAM loads does so, names better ones by what the processor can.
choose_blas_kernels() {
  [ -z "${OPENBLAS_CORETYPE:-}" ] || return 0
  local library flags flag
  library=$(ldd "$1" | awk '/libopenblas/ { print $3 }')
  OPENBLAS_VERBOSE=2 LD_PRELOAD=$library /bin/true 2>&1 | grep -q 'Core: Prescott' || return 0
  flags=" $(grep -m 1 '^flags' /proc/cpuinfo | cut -d : -f 2) "
  supports() { for flag in "$@"; do [[ $flags == *" $flag "* ]] || return 1; done; }
  if supports avx512f avx512bw avx512dq avx512vl avx512cd; then
    export OPENBLAS_CORETYPE=SkylakeX
  elif supports avx2 fma; then
    export OPENBLAS_CORETYPE=Haswell
  fi
}
