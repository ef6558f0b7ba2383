# linn bench: the JSON of a very short run
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

out="$("$LINN" bench --quick --threads 1 --seconds 0.01 --json)"
check "status" 0 "$?"
check "peak" true "$(json - 'd["peak_gflops"] > 0' <<<"$out")"
check "cases" 11 "$(json - 'len(d["cases"])' <<<"$out")"
keys='{"name", "preset", "form", "d", "laws", "threads", "gflop", "seconds", "ratio"}'
check "keys of the cases" true "$(json - "all($keys <= set(case) for case in d['cases'])" <<<"$out")"
finish
