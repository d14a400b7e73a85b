# Sourced by tools/quickstart, tools/check and others: installs what is missing on Debian and Ubuntu, then configures and builds.
# If nothing is missing, nothing is installed. If packages cannot be installed, the missing ones are named and the script ends.

slope_packages="cmake ninja-build pkg-config libopenblas-dev libfmt-dev doctest-dev libcli11-dev nlohmann-json3-dev zlib1g-dev libutf8proc-dev libsentencepiece-dev"

say() { printf '\n== %s\n' "$*"; }
fail() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

slope_install() {  # further packages as arguments
  command -v c++ >/dev/null || slope_packages="g++ $slope_packages"
  local missing=""
  for package in $slope_packages "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
  done
  [ -z "$missing" ] && return
  say "installing:$missing"
  command -v apt-get >/dev/null || fail "these packages are missing and there is no apt-get to install them:$missing"
  local root=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing; install them as root, then run this again:$missing"
    root=sudo
  fi
  $root apt-get update -qq >/dev/null 2>&1 || true  # an old package list may be enough
  $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
    fail "apt-get could not install:$missing; install them by hand, then run this again"
}

slope_build() {  # preset, targets…
  local preset=$1
  shift
  cmake --preset "$preset" >/dev/null || fail "configuring the preset $preset failed"
  cmake --build --preset "$preset" ${1:+--target "$@"} -- --quiet || fail "building the preset $preset failed"
}
