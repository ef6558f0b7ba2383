#!/usr/bin/env bash
# Checks the rules that keep the library a library: includes point one way; it knows nothing of the program and its
# command-line flags; it starts no process, does not exit and does not print; and a shared library exports nothing but
# the public interface.
#
# LINN_SOURCE_DIR is the repository. LINN_BUILD_DIR, if set, is a build folder without sanitizers; without it, what needs
# compiled code is skipped.
set -euo pipefail
: "${LINN_SOURCE_DIR:?the repository}"
cd "$LINN_SOURCE_DIR/src"
failures=0

# fails RULE LINES: reports what breaks a rule, if anything does.
fails() {
  [[ -z "$2" ]] && return
  printf 'FAILED %s\n  %s\n' "$1" "${2//$'\n'/$'\n'  }"
  failures=$((failures + 1))
}

# A folder may include itself and the folders before it; linn.h and linn.cc may include all of them.
order='base logic data kernels plan nn layers optim metrics model embed train cuda equations
       recommend/protocol recommend/linn recommend/baselines recommend/reasons recommend'
# The registry of models names every model.
fails 'includes point one way' "$(
  grep -rHoE '^ *# *include *"linn/[^"]+"' linn | awk -v order="$order" '
    function folder(path) { sub(/^linn\//, "", path); return sub(/\/[^\/]*$/, "", path) ? path : "" }
    BEGIN { count = split(order, names); for (i = 1; i <= count; ++i) rank[names[i]] = i; rank[""] = count + 1 }
    {
      split($0, parts, ":"); from = folder(parts[1])
      match($0, /"[^"]+"/); target = substr($0, RSTART + 1, RLENGTH - 2); to = folder(target)
      if (target == "linn/version.h") next
      if (!(from in rank)) print parts[1] ": its folder is not in the order"
      else if (!(to in rank)) print parts[1] ": the folder of " target " is not in the order"
      else if (rank[to] > rank[from]) print parts[1] ": includes " target
    }' | sort -u
)"
fails 'the library does not include the program' "$(grep -rnE '#include *["<](app|CLI|CLI11)[/."]' linn || true)"
fails 'only the command line includes its own headers' "$(
  grep -rnE '#include *"app/cli/' app | grep -v '^app/cli/' || true
)"
fails 'the library does not mention command-line flags' "$(grep -rnE '"[^"]*--[a-z]' linn || true)"

mapfile -t public < <(grep -oE 'linn/[a-z0-9_/]+\.h' ../cmake/public_headers.cmake | grep -vx linn/version.h)
fails 'only public headers mark what is exported' "$(
  grep -rlw LINN_EXPORT linn | grep -vxF "$(printf '%s\n' "${public[@]}")" || true
)"

if [[ -n "${LINN_BUILD_DIR:-}" ]]; then
  # The objects of the library, archived even where the library itself is shared.
  archive="$LINN_BUILD_DIR/liblinn_internal.a"
  processes='_?fork|vfork|clone|posix_spawnp?|f?exec(l|le|lp|v|ve|vp|vpe)|system|popen'
  exits='exit|_exit|_Exit|quick_exit|abort'
  streams='std(in|out|err)|std::(cin|cout|cerr|clog)'
  printing='(__)?v?f?printf(_chk)?|v?dprintf|puts|putchar|perror|fmt::v[0-9]+::v?print[^:]*'
  undefined="$(nm --undefined-only --print-file-name --demangle "$archive")"
  fails 'the library neither starts processes, nor exits, nor prints' "$(
    sed -nE "s/^[^:]*:([^:]*): +[UwV] (($processes|$exits|$streams|$printing)(@.*|\\(.*)?)\$/\\1: \\2/p" <<<"$undefined"
  )"

  # What the public headers mark, classes and free functions, with its members.
  exported="$(sed -nE 's/.*(class|struct) LINN_EXPORT ([A-Za-z0-9_]+).*/\2/p; s/^LINN_EXPORT [^(]*[ *&]([a-z0-9_]+)\(.*/\1/p' \
    "${public[@]}" | paste -sd '|')"
  # Names without their template arguments and parameters.
  symbols="$(nm --dynamic --defined-only --demangle "$LINN_BUILD_DIR/house/liblinn.so" | cut -d ' ' -f 3- |
    sed -E ':again; s/<[^<>]*>//; t again; s/\(.*//' | grep -w linn | sort -u)"
  for class in InputError Failure KnowledgeBase Reasoner; do
    grep -qE "\\blinn::$class\\b" <<<"$symbols" || fails 'the public interface is exported' "linn::$class"
  done
  fails 'only the public interface is exported' "$(grep -vE "\\blinn::($exported)\\b" <<<"$symbols" || true)"
fi

if ((failures > 0)); then exit 1; fi
echo 'The house is in order.'
