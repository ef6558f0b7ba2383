# linn reproduce: runs, resuming, and the page
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data out cut

# Small sets under the names of the paper's.
"$LINN" generate equations --variables 100 --equations 300 --clauses 1..2 --literals 1..2 --seed 5 --out data/equations-1k >/dev/null
mv data/equations-1k/variables.tsv data/equations-1k/variable.csv
"$LINN" generate interactions --users 60 --items 40 --seed 5 --out data/ml100k-authors >/dev/null

names=(figure-1 table-1 figure-2 figure-3 table-3 table-4 figure-5)
again=(reproduce "${names[@]}" --data data --seeds 2 --quick --out out --quiet)
"$LINN" "${again[@]}" --json >first.json
check "status of reproduce" 0 "$?"
check "finished" true "$(json first.json 'd["finished"]')"
check "all runs were done" "$(json first.json 'd["runs"]')" "$(json first.json 'd["done"]')"
for name in "${names[@]}"; do
  check "section $name" 1 "$(grep -c "<section id=\"$name\">" out/index.html)"
done
check "figures" 8 "$(grep -c '<figure' out/index.html)"
check "pictures" 8 "$(grep -o '<svg' out/index.html | wc -l)"
check "no scripts" 0 "$(grep -c '<script' out/index.html)"
check "data of a table" yes "$([[ -s out/figures/table-4.csv ]] && echo yes)"
check "our value and the paper's" yes "$(grep -q '^LINN,ML-100k nDCG@10,0\.[0-9]*,[0-9.]*,2,[01],0.4064,0.0015,1,$' out/figures/table-4.csv && echo yes)"
check "without data, only the paper's value" yes "$(grep -q '^LINN,Amazon Electronics nDCG@10,,,,,0.4191,0.0012,1,$' out/figures/table-4.csv && echo yes)"
# Every file that the page names is there.
for link in $(grep -o 'href="[^"#:]*\.csv"' out/index.html | cut -d'"' -f2 | sort -u); do
  check "link to $link" yes "$([[ -s "out/$link" ]] && echo yes)"
done

# Finished runs are not repeated; missing ones are run.
before="$(stat -c %Y out/results/*.json | sort -u | tail -n 1)"
sleep 1
"$LINN" "${again[@]}" >/dev/null
check "nothing was run again" "$before" "$(stat -c %Y out/results/*.json | sort -u | tail -n 1)"
rm out/results/ml100k-authors-linn-paper-epochs-3-seed2.json
"$LINN" "${again[@]}" >/dev/null
check "the missing run was repeated" yes "$([[ -s out/results/ml100k-authors-linn-paper-epochs-3-seed2.json ]] && echo yes)"

# A signal sent to the program alone ends its runs, too, and runs that were cut off do not count as done.
"$LINN" reproduce table-4 --data data --seeds 1 --parallel 2 --out cut --quiet >/dev/null 2>&1 &
process=$!
until [[ -s cut/runs/ml100k-authors-bprmf-paper-seed1/metrics.jsonl ]]; do sleep 0.1; done
kill -TERM "$process"
wait "$process"
check "status after the signal" 1 "$?"
check "its runs have ended" 0 "$(pgrep -fc -- "^linn train recommend .*$PWD/cut/|^linn train recommend .* cut/")"
"$LINN" reproduce table-4 --data data --seeds 1 --out cut --quiet --json >resumed.json
check "finished the next time" true "$(json resumed.json 'd["finished"]')"
check "no interrupted run counts as done" 0 "$(for file in cut/results/*.json; do json "$file" 'any(c["output"].get("interrupted") for c in d)'; done | grep -c true)"

in_browser out/index.html
finish
