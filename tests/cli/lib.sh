# Helpers of the scripts beside it, which source it and end with `finish`.
# shellcheck shell=bash
set -uo pipefail
: "${LINN:?the program under test}"
failures=0

# check NAME EXPECTED ACTUAL
check() {
  if [[ "$2" == "$3" ]]; then return 0; fi
  printf 'FAILED %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}

# prints WHAT ARGUMENT...: the program, run with the arguments, prints exactly that and succeeds.
prints() {
  local expected="$1" actual status
  shift
  actual="$("$LINN" "$@" 2>errors.txt)"
  status=$?
  check "status of: $*" 0 "$status"
  check "output of: $*" "$expected" "$actual"
}

# refuses MESSAGE ARGUMENT...: the program ends with status 2, prints nothing, and complains with a first line that
# holds the message.
refuses() {
  local message="$1" actual status first
  shift
  actual="$("$LINN" "$@" 2>errors.txt)"
  status=$?
  first="$(head -n 1 errors.txt)"
  check "status of: $*" 2 "$status"
  check "output of: $*" "" "$actual"
  if [[ "$first" != *"$message"* ]]; then check "complaint of: $*" "...$message..." "$first"; fi
}

# json KEY ARGUMENT...: prints the value behind a key of the one JSON object that the program prints.
json() {
  local key="$1"
  shift
  "$LINN" "$@" --json | sed -n "s/^  \"$key\": \(.*[^,]\),\{0,1\}\$/\1/p"
}

finish() {
  if ((failures > 0)); then
    echo "$failures checks failed"
    exit 1
  fi
}
