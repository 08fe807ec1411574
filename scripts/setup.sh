# SPDX-License-Identifier: Apache-2.0
# Other scripts source this file. It installs what is missing on Debian 12, configures and builds.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
packages=(g++ make python3 cmake ninja-build ccache mold libode-dev libfmt-dev libcli11-dev libtomlplusplus-dev
  nlohmann-json3-dev libassimp-dev libembree-dev libpng-dev libjpeg-dev libstb-dev libfreetype-dev fonts-dejavu-core libgtest-dev libbenchmark-dev zlib1g-dev libminizip-dev nettle-dev
  libxxhash-dev libpugixml-dev libsqlite3-dev libboost-dev libeigen3-dev libnlopt-cxx-dev liblua5.4-dev libmozjs-102-dev
  gnuplot-nox pkgconf dpkg-dev file mypy)
# Any libcurl of Debian is enough; they exclude each other.
pkg-config --exists libcurl 2>/dev/null || packages+=(libcurl4-gnutls-dev)
# For the Python package servosim and its tests.
python_packages=(pybind11-dev python3-dev python3-numpy python3-pytest python3-venv python3-pip
  python3-setuptools python3-wheel python3-cloudpickle python3-typing-extensions
  python3-distributed python3-optuna)
# The tests of completion use these shells, and that of a repository of packages these programs.
test_packages=(zsh fish apt-utils gnupg)
# For the page of `servosim view` and its tests. A node from elsewhere is accepted.
web_packages=()
command -v node >/dev/null || web_packages+=(nodejs)
command -v npm >/dev/null || web_packages+=(npm)
command -v chromium >/dev/null || web_packages+=(chromium)

# install PACKAGE...: installs those of the packages that are missing, with sudo if the user is not
# root.
install() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' ||
      missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "Please install these packages: ${missing[*]}" >&2
      exit 1
    }
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]} ..." >&2
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# The cache of the compiler belongs to the user. Paths below the repository count as relative ones,
# so that a clone in another folder finds what one has compiled. Precompiled headers need the
# sloppiness.
export CCACHE_DIR=${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ccache}
ccache_launcher="env;CCACHE_BASEDIR=$root;CCACHE_NOHASHDIR=1;CCACHE_DEPEND=1"
ccache_launcher+=";CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime;ccache"

# configure_and_build FOLDER [CMAKE OPTION...] [-- TARGET...]
#
# It prints nothing if all is well, and the whole output if not.
configure_and_build() {
  local build=$1 options=() log
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  [ $# -gt 0 ] && shift
  mkdir -p "$build"
  log=$build/build.log
  if command -v ccache >/dev/null; then
    options+=("-DCMAKE_C_COMPILER_LAUNCHER=$ccache_launcher"
      "-DCMAKE_CXX_COMPILER_LAUNCHER=$ccache_launcher")
  fi
  if command -v mold >/dev/null; then
    options+=("-DCMAKE_EXE_LINKER_FLAGS=${LDFLAGS-} -fuse-ld=mold"
      "-DCMAKE_SHARED_LINKER_FLAGS=${LDFLAGS-} -fuse-ld=mold")
  fi
  # Debian's Python has Debian's numpy; the `python3` on PATH may be another one.
  [ ! -x /usr/bin/python3 ] || options+=(-DPython3_EXECUTABLE=/usr/bin/python3)
  [ -f "$build/build.ninja" ] || echo "Building in $build (a few minutes the first time) ..." >&2
  if ! { cmake -S "$root" -B "$build" -G Ninja "${options[@]}" &&
         cmake --build "$build" ${1:+--target "$@"}; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "The build failed; its output is above and in $log" >&2
    exit 1
  fi
}

# Virtual environments with current Python packages, if an index can be reached, and pybind11 3.
# Each of their interpreters gets a module of the package.
python_options=()
find_python_options() { # FOLDER
  local environments=$1/environments.cmake name python pythons=
  /usr/bin/python3 "$root/scripts/python_environments" "$1"
  python_options=("-DSERVOSIM_PYTHON_ENVIRONMENTS=$environments")
  for name in today path newest; do
    python=$(sed -n "s/^set(SERVOSIM_PYTHON_$name \"\(.*\)\")$/\1/p" "$environments")
    pythons+=${python:+;$python}
  done
  python_options+=("-DSERVOSIM_MORE_PYTHONS=${pythons#;}")
  python=$(sed -n 's/^set(pybind11_DIR "\(.*\)")$/\1/p' "$environments")
  [ -z "$python" ] || python_options+=("-Dpybind11_DIR=$python")
}

# Clang with the sanitizers, and the fuzz targets, for .ci/run. There are no precompiled headers,
# since ccache cannot share those of Clang between clones. There are no line numbers and no counters
# of coverage either, which take half of the time: -DCMAKE_CXX_FLAGS=-g1 adds the former.
sanitized=$root/build-clang
build_sanitized() { # [CMAKE OPTION...]
  build_with_sanitizers "$sanitized" address,undefined "$@"
}

# The same with what libFuzzer needs to search, for scripts/fuzz.
fuzzed=$root/build-fuzz
build_for_fuzzing() { # [CMAKE OPTION...]
  build_with_sanitizers "$fuzzed" address,undefined,fuzzer-no-link -DCMAKE_CXX_FLAGS=-g1 "$@"
}

build_with_sanitizers() { # FOLDER SANITIZERS [CMAKE OPTION...]
  local flags="-O1 -DNDEBUG"
  install clang libclang-rt-14-dev
  configure_and_build "$1" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_FLAGS_RELWITHDEBINFO=$flags" \
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=$flags" -DSERVOSIM_WERROR=ON \
    -DSERVOSIM_PRECOMPILED_HEADERS=OFF \
    "-DSERVOSIM_SANITIZE=$2" -DSERVOSIM_BUILD_FUZZERS=ON -DSERVOSIM_BUILD_BENCHMARKS=OFF "${@:3}" -- all
}

# ThreadSanitizer, for servers, links and worlds in several threads of one process.
threads=$root/build-tsan
build_for_threads() {
  local flags="-O1 -g1 -DNDEBUG"
  configure_and_build "$threads" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    "-DCMAKE_C_FLAGS_RELWITHDEBINFO=$flags" "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=$flags" \
    -DSERVOSIM_SANITIZE=thread -DSERVOSIM_BUILD_BENCHMARKS=OFF -- \
    unit_tests supervision_tests golden_tests servosim_controller
}

# run_tests FOLDER [OPTION of ctest]...: runs the tests of a build. They write into empty folders,
# where summary.py sees what they leave. If cases are chosen by name, they run one by one. A test
# that is skipped fails if its reason is not in the file SERVOSIM_SKIP_REASONS, if that is set.
run_tests() (
  local build=$1 results=$1/test-results scratch option status=0 by_name=() only_list=
  local seconds=300 # limit of a process
  [ -z "${SERVOSIM_LONG_TESTS-}" ] || seconds=7200
  shift
  for option in "$@"; do
    case $option in
      -R* | -E* | -I* | --tests-regex* | --exclude-regex*) by_name=(-C cases) ;;
      -N | --show-only*) by_name=(-C cases) only_list=yes ;;
      --rerun-failed) # they are numbered: as they ran
        grep -qE ':[a-z_]+_tests[.][0-9]+$' "$build/Testing/Temporary/LastTestsFailed.log" ||
          by_name=(-C cases)
        ;;
    esac
  done
  cd "$build"
  [ -z "$only_list" ] || exec ctest "${by_name[@]}" "$@"
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/servosim_tests_XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  mkdir "$scratch/tmp" "$scratch/home"
  chmod 755 "$scratch"
  chmod 1777 "$scratch/tmp" # some tests become another user
  rm -rf "$results"
  mkdir "$results"
  unset GTEST_FILTER
  HOME=$scratch/home XDG_CACHE_HOME=$scratch/home/.cache TMPDIR=$scratch/tmp \
    TEST_TMPDIR=$scratch/tmp ctest --output-on-failure --timeout "$seconds" -j "$(nproc)" \
    --no-tests=error --output-junit "$results/ctest.xml" "${by_name[@]}" "$@" || status=$?
  if [ -f "$results/ctest.xml" ]; then
    /usr/bin/python3 "$root/tests/summary.py" "$results" "$scratch" \
      ${SERVOSIM_SKIP_REASONS:+"$SERVOSIM_SKIP_REASONS"} || status=1
  fi
  exit $status
)
