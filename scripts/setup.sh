# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts: installs what is missing on Debian 12, configures and builds.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
packages=(g++ make python3 cmake ninja-build libode-dev libfmt-dev libcli11-dev nlohmann-json3-dev
  libassimp-dev libgtest-dev libbenchmark-dev zlib1g-dev libsqlite3-dev liblua5.4-dev
  libmozjs-102-dev gnuplot-nox pkgconf dpkg-dev)

# install PACKAGE...: those of the packages that are missing, with sudo when not root.
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

# configure_and_build FOLDER [CMAKE OPTION...] [-- TARGET...]
# Quiet when all is well, the whole output when not.
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
    options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  [ -f "$build/build.ninja" ] || echo "Building in $build (a few minutes the first time) ..." >&2
  if ! { cmake -S "$root" -B "$build" -G Ninja "${options[@]}" &&
         cmake --build "$build" ${1:+--target "$@"}; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "The build failed; its output is above and in $log" >&2
    exit 1
  fi
}
