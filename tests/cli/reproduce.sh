# linn reproduce and linn report
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data out cut page page.html runs report* demo

# Small sets under the names of the paper's.
"$LINN" generate equations --variables 100 --equations 300 --clauses 1..2 --literals 1..2 --seed 5 --out data/equations-1k >/dev/null
mv data/equations-1k/variables.tsv data/equations-1k/variable.csv
"$LINN" generate interactions --users 60 --items 40 --seed 5 --out data/ml100k-authors >/dev/null

names=(figure-1 table-1 figure-2 figure-3 table-3 table-4 figure-5)
again=(reproduce "${names[@]}" --data data --seeds 2 --quick --out out --quiet)
"$LINN" "${again[@]}" --json >first.json
check "status of reproduce" 0 "$?"
check "finished" true "$(sed -n 's/.*"finished": \([a-z]*\).*/\1/p' first.json)"
check "all runs were done" "$(sed -n 's/.*"runs": \([0-9]*\).*/\1/p' first.json)" "$(sed -n 's/.*"done": \([0-9]*\).*/\1/p' first.json)"
for name in "${names[@]}"; do
  check "section $name" 1 "$(grep -c "<section id=\"$name\">" out/index.html)"
done
check "figures" 8 "$(grep -c '<figure' out/index.html)"
check "pictures" 8 "$(grep -o '<svg' out/index.html | wc -l)"
check "no scripts" 0 "$(grep -c '<script' out/index.html)"
check "data of a table" yes "$([[ -s out/figures/table-4.csv ]] && echo yes)"
check "the paper's figure stands beside ours" yes "$(grep -q '^LINN,ML-100k nDCG@10,0\.[0-9]*,[0-9.]*,2,[01],0.4064,0.0015,1,$' out/figures/table-4.csv && echo yes)"
check "what was not run shows the paper's alone" yes "$(grep -q '^LINN,Amazon Electronics nDCG@10,,,,,0.4191,0.0012,1,$' out/figures/table-4.csv && echo yes)"
# Every file that the page names is there.
for link in $(grep -o 'href="[^"#:]*\.csv"' out/index.html | cut -d'"' -f2 | sort -u); do
  check "link to $link" yes "$([[ -s "out/$link" ]] && echo yes)"
done

# What was done is not done again, and a run that is missing is.
before="$(stat -c %Y out/results/*.json | sort -u | tail -n 1)"
sleep 1
"$LINN" "${again[@]}" >/dev/null
check "nothing was run again" "$before" "$(stat -c %Y out/results/*.json | sort -u | tail -n 1)"
rm out/results/ml100k-authors-linn-paper-epochs-3-seed2.json
"$LINN" "${again[@]}" >/dev/null
check "the missing one was" yes "$([[ -s out/results/ml100k-authors-linn-paper-epochs-3-seed2.json ]] && echo yes)"

# A signal that only the program itself gets ends its runs too, and nothing that was cut off counts as done.
"$LINN" reproduce table-4 --data data --seeds 1 --parallel 2 --out cut --quiet >/dev/null 2>&1 &
process=$!
until [[ -s cut/runs/ml100k-authors-bprmf-paper-seed1/metrics.jsonl ]]; do sleep 0.1; done
kill -TERM "$process"
wait "$process"
check "status when it was ended" 1 "$?"
check "none of its runs goes on" 0 "$(pgrep -fc -- "^linn train recommend .*$PWD/cut/|^linn train recommend .* cut/")"
"$LINN" reproduce table-4 --data data --seeds 1 --out cut --quiet --json >resumed.json
check "finished the next time" true "$(sed -n 's/.*"finished": \([a-z]*\).*/\1/p' resumed.json)"
check "no run was taken for done when it was cut" 0 "$(grep -l '"interrupted": true' cut/results/*.json | wc -l)"

# A page with a name of its own has its folder beside it.
"$LINN" reproduce figure-1 --data data --out page.html --quiet >/dev/null
check "page" yes "$([[ -s page.html && -s page/figures/figure-1.svg ]] && echo yes)"

refuses "there is no table or figure 'table-9', did you mean 'table-1'?" reproduce table-9 --data data --out other
refuses "no such folder" reproduce --data nowhere --out other
refuses "--data and --out are needed" reproduce
check "nothing is left of what was refused" no "$([[ -e other ]] && echo yes || echo no)"
check "the list" 16 "$("$LINN" reproduce --list | wc -l)"

# A job that fails is named, the others are done, and the report says so.
mkdir -p broken/equations-1k broken/ml100k-authors
cp data/equations-1k/* broken/equations-1k
echo nonsense >broken/equations-1k/train.tsv
"$LINN" reproduce table-1 figure-1 table-3 --data broken --seeds 1 --quick --out out-broken >/dev/null 2>errors.txt
check "status with failures" 1 "$?"
check "they are named" 2 "$(grep -c '^linn: failed: equations-1k-linn' errors.txt)"
check "a table that cannot be made" 1 "$(grep -c '^linn: failed: table-3: ' errors.txt)"
check "the others are there" 2 "$(grep -c '<figure' out-broken/index.html)"
check "in the report too" 2 "$(grep -c '<dt>Failed</dt>' out-broken/index.html)"

# Runs of one's own.
"$LINN" train equations --data data/equations-1k --preset authors --set d=8 --epochs 3 --quiet --out runs/linn >/dev/null
"$LINN" train equations --data data/equations-1k --model majority --out runs/majority >/dev/null
"$LINN" train recommend --data data/ml100k-authors --set d=8 --epochs 2 --quiet --out runs/liked >/dev/null
"$LINN" report runs/linn runs/majority runs/liked --out report.html >/dev/null
check "status of report" 0 "$?"
for section in equations equation-training laws-1 recommendation recommend-training together-3; do
  check "section $section" 1 "$(grep -c "<section id=\"$section\">" report.html)"
done
refuses "nowhere" report nowhere --out other.html
refuses "is a run" report runs/linn --out runs/linn.html
# Names that mean something to the programs that draw.
name='a `touch ran` $(touch ran) "q" '"'q'"' 100% <b> \\ & |'
mkdir -p odd
mv runs/majority "odd/$name"
cp -r runs/linn "odd/linn $name"
"$LINN" report "odd/$name" "odd/linn $name" --out "odd/page $name.html" >/dev/null 2>errors.txt
check "odd names" "0 " "$? $(head -n 1 errors.txt)"
check "nothing was run" no "$([[ -e ran || -e odd/ran ]] && echo yes || echo no)"
check "the name as it is" yes "$(grep -qF 'a `touch ran` $(touch ran) &quot;q&quot; '"'q'"' 100% &lt;b&gt; \\ &amp; |' "odd/page $name.html" && echo yes)"

# In a browser: every figure has a place, nothing is wider than the window, and nothing goes wrong.
check "chromium is there" yes "$(command -v chromium >/dev/null && echo yes)"
if command -v chromium >/dev/null; then
  for page in out/index.html report.html; do
    for width in 1280 390; do
      sed 's|</body>|<script>addEventListener("error", () => { document.title = "error"; });</script></body>|' "$page" >"$page.checked.html"
      cat >>"$page.checked.html" <<'END'
<script>
const figures = [...document.querySelectorAll("figure svg")].map(svg => svg.getBoundingClientRect());
const lost = figures.filter(box => box.width < 100 || box.height < 60).length;
const root = document.documentElement;
document.title = ["seen", document.title == "error", figures.length, lost, root.scrollWidth <= root.clientWidth].join(" ");
</script>
END
      seen="$(chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/chromium" --window-size="$width,900" \
        --dump-dom "file://$PWD/$page.checked.html" 2>/dev/null | sed -n 's|.*<title>\(.*\)</title>.*|\1|p')"
      figures="$(grep -c '<figure' "$page")"
      check "$page at $width: errors, figures, lost ones, fits" "seen false $figures 0 true" "$seen"
    done
  done
fi
finish
