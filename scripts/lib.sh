# Shared by the scripts beside it, which source it. Sets `root`, the top of the checkout, and goes there.
# shellcheck shell=bash

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"
jobs="$(nproc 2>/dev/null || echo 2)"

# What building the program takes.
build_packages=(g++ cmake ninja-build libhwy-dev libcli11-dev nlohmann-json3-dev libfmt-dev zlib1g-dev libxxhash-dev
  libboost-dev libboost-math-dev)
# What reports are drawn with.
report_packages=(gnuplot-nox graphviz)
# What testing it takes beyond that.
test_packages=(libgtest-dev librapidcheck-dev libbenchmark-dev clang-14 libclang-rt-14-dev clang-format-14 dpkg-dev
  groff-base chromium chromium-driver python3-selenium zsh python3 curl openmpi-bin libopenmpi-dev iproute2)
# What building and testing the Python package takes; pip gets the rest.
python_packages=(python3 python3-dev python3-venv)
lint_packages=(clang-14 clang-tidy-14)

if [[ -t 1 ]]; then
  bold=$'\e[1m' plain=$'\e[0m'
else
  bold='' plain=''
fi

heading() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }

fail() {
  printf '%s: %s\n' "$0" "$*" >&2
  exit 1
}

# Installs those of the packages that are missing; touches nothing and needs no network if none is.
need_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "Not a Debian or Ubuntu system: taking it that these or their like are there: $*" >&2
    return 0
  fi
  local package missing=()
  for package in "$@"; do
    if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ]]; then
      missing+=("$package")
    fi
  done
  if ((${#missing[@]} == 0)); then return 0; fi

  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail "these packages are missing, and only root can install them: ${missing[*]}"
    as_root=(sudo)
  fi
  heading "Installing ${missing[*]}"
  # sudo drops the environment, so env sets the variable behind it.
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  "${apt[@]}" update || fail "apt-get update failed; these packages are missing: ${missing[*]}"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
    fail "could not install these packages: ${missing[*]}"
}

# All C++ files of the project, as NUL-terminated paths. Files not yet added to git count.
cxx_files() {
  if command -v git >/dev/null && [[ -e .git ]]; then
    git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cc' '*.cu' |
      while IFS= read -r -d '' file; do
        if [[ -f "$file" ]]; then printf '%s\0' "$file"; fi
      done
  else
    find src tests fuzz bench examples \( -name '*.h' -o -name '*.cc' -o -name '*.cu' \) -type f -print0
  fi
}
