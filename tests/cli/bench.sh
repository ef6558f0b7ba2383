# linn bench: the object that --json promises, from a very short run.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

out="$("$LINN" bench --quick --threads 1 --seconds 0.01 --json)"
check "status" 0 "$?"
for key in peak_gflops cases name preset form d laws threads gflop seconds ratio; do
  [[ "$out" == *"\"$key\":"* ]] || check "key $key" "present" "missing"
done
check "cases" 7 "$(grep -c '"ratio"' <<<"$out")"
finish
