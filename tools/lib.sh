# Shared by the tools in this folder. Sourced, not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# Objects are found again from any checkout folder.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-5G}
jobs=${KI_JOBS:-$(nproc)}

build_packages="g++ cmake ninja-build pkg-config ccache mold libfmt-dev libyaml-dev libsqlite3-dev libssl-dev libzstd-dev \
libboost1.81-dev libdeflate-dev"
check_packages="libgtest-dev libgmock-dev libbenchmark-dev clang-19 libclang-rt-19-dev clang-tidy-19 clang-format-19 locales zstd librsvg2-bin chromium fonts-dejavu-core python3-jsonschema \
golang-go golang-golang-x-mod-dev"

say() { printf '\n== %s\n' "$*"; }

# install PACKAGE...: installs what is missing, as root or through sudo; otherwise prints the line to run.
install() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if sudo -n true 2>/dev/null; then
      as_root=(sudo)
    else
      echo "These packages are missing and this user may not install them. Run:" >&2
      echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
      exit 1
    fi
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# configure_and_build PRESET TARGET...
configure_and_build() {
  local preset=$1
  shift
  cmake --preset "$preset" >"build/$preset.configure.log" 2>&1 || { cat "build/$preset.configure.log" >&2; exit 1; }
  ninja -C "build/$preset" -j "$jobs" "$@"
}
mkdir -p build
