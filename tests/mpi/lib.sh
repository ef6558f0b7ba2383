# Helpers for the tests of several processes, which source this file.
# shellcheck shell=bash
source "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"

# More processes than cores, without remarks of the launcher.
launcher=(mpirun)
if mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
  launcher+=(--quiet --oversubscribe --bind-to none)
  if ((EUID == 0)); then launcher+=(--allow-run-as-root); fi
fi

# processes K ARGUMENT...: runs the program in K processes.
processes() {
  local count="$1"
  shift
  "${launcher[@]}" -n "$count" "$LINN" "$@"
}

# members JOB: the processes that `processes ... &`, the background job with this number, has started.
members() {
  local launcher
  for launcher in $(pgrep -P "$1"); do pgrep -P "$launcher" -x linn; done
}

# complains STATUS MESSAGE K ARGUMENT...: the processes end with the status, print nothing, and complain once, with the
# message.
complains() {
  local expected="$1" message="$2" actual status
  shift 2
  actual="$(processes "$@" 2>errors.txt)"
  status=$?
  check "status of: $*" "$expected" "$status"
  check "output of: $*" "" "$actual"
  check "complaints of: $*" 1 "$(grep -c '^linn: ' errors.txt)"
  grep -qF "$message" errors.txt || check "complaint of: $*" "...$message..." "$(cat errors.txt)"
}

# The epochs of a run without their times.
epochs_of() { sed -E 's/"(seconds|stages)[a-z_]*":(\{[^}]*\}|[^,}]*),?//g' "$1/metrics.jsonl"; }

# same NAME RUN RUN: two runs have the same model and the same epochs.
same() {
  check "$1: the model" "$(sha256sum <"$2/model.safetensors")" "$(sha256sum <"$3/model.safetensors")"
  check "$1: the epochs" "" "$(diff <(epochs_of "$2") <(epochs_of "$3") | head -n 3)"
}
