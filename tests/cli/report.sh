# linn report, and the quick parts of linn reproduce
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data page page.html runs report* odd broken out-broken ran

"$LINN" generate equations --variables 100 --equations 300 --clauses 1..2 --literals 1..2 --seed 5 --out data/equations-1k >/dev/null
"$LINN" generate interactions --users 60 --items 40 --seed 5 --out data/ml100k-authors >/dev/null

# NAME.html has the folder NAME beside it.
"$LINN" reproduce figure-1 --data data --out page.html --quiet >/dev/null
check "page" yes "$([[ -s page.html && -s page/figures/figure-1.svg ]] && echo yes)"

refuses "there is no table or figure 'table-9', did you mean 'table-1'?" reproduce table-9 --data data --out other
refuses "no such folder" reproduce --data nowhere --out other
refuses "--data and --out are required" reproduce
check "a refused command leaves nothing" no "$([[ -e other ]] && echo yes || echo no)"
check "the list" 16 "$("$LINN" reproduce --list | wc -l)"

# A failed job is named, the others are done, and the report lists the failure.
mkdir -p broken/equations-1k broken/ml100k-authors
cp data/equations-1k/* broken/equations-1k
echo nonsense >broken/equations-1k/train.tsv
"$LINN" reproduce table-1 figure-1 table-3 --data broken --seeds 1 --quick --out out-broken >/dev/null 2>errors.txt
check "status with failures" 1 "$?"
check "failed jobs are named" 2 "$(grep -c '^linn: failed: equations-1k-linn' errors.txt)"
check "a table that cannot be made" 1 "$(grep -c '^linn: failed: table-3: ' errors.txt)"
check "the other figures" 2 "$(grep -c '<figure' out-broken/index.html)"
check "failures in the report" 2 "$(grep -c '<dt>Failed</dt>' out-broken/index.html)"

# A report about runs.
"$LINN" train equations --data data/equations-1k --preset authors --set d=8 --epochs 3 --quiet --out runs/linn >/dev/null
"$LINN" train equations --data data/equations-1k --model majority --out runs/majority >/dev/null
"$LINN" train recommend --data data/ml100k-authors --set d=8 --epochs 2 --quiet --out runs/liked >/dev/null
"$LINN" report runs/linn runs/majority runs/liked --out report.html >/dev/null
check "status of report" 0 "$?"
for section in equations equation-training laws-1 recommendation recommend-training together-3; do
  check "section $section" 1 "$(grep -c "<section id=\"$section\">" report.html)"
done
# The page has the figures that evaluate, audit and cooccur print.
check "accuracy" "$("$LINN" evaluate runs/linn --json | json - 'format(d["accuracy"], ".6g")')" \
  "\"$(sed -n 's/^linn,accuracy,\([^,]*\),.*/\1/p' report/figures/equations.csv)\""
check "mrr" "$("$LINN" evaluate runs/liked --json | json - '"%.6g %.6g" % (d["mrr"], d["standard_error"]["mrr"])')" \
  "\"$(sed -n 's/^liked,MRR,\([^,]*\),\([^,]*\),.*/\1 \2/p' report/figures/recommendation.csv)\""
check "the first law" "$("$LINN" audit runs/linn --json | json - 'format(d["laws"][0]["expressions"]["agreement"], ".6g")')" \
  "\"$(sed -n '/,agreement on expressions,/ s/.*,agreement on expressions,\([^,]*\),.*/\1/p' report/figures/laws-1.csv | head -n 1)\""
"$LINN" cooccur runs/liked --out map.csv >/dev/null
check "co-occurrence" "$(tail -n +2 map.csv | rev | cut -d, -f 1-9 | rev)" \
  "$(tail -n +2 report/figures/together-3.csv | rev | cut -d, -f 1-9 | rev)"
# A run that cannot be evaluated is left out; if none can, there is no report.
printf 'a & b = T\na = T\n' >few.txt
"$LINN" train equations --data few.txt --model majority --quiet --force --out runs/few >/dev/null
"$LINN" report runs/few runs/majority --out report-few.html >/dev/null
check "status with a run left out" 0 "$?"
check "left out" 1 "$(grep -c '<dt>Left out</dt><dd>few: .*this split has no equations</dd>' report-few.html)"
"$LINN" report runs/few --out report-none.html >/dev/null 2>errors.txt
check "status without a run" 1 "$?"
check "no page" no "$([[ -e report-none.html ]] && echo yes || echo no)"
refuses "nowhere" report nowhere --out other.html
# A file is split by the seed, so runs with different seeds have different test sets.
for i in $(seq 200); do echo "a$i | b = T"; done >own.txt
for seed in 1 2; do "$LINN" train equations --data own.txt --model majority --seed "$seed" --force --out "runs/own-$seed" >/dev/null 2>&1; done
"$LINN" train equations --data own.txt --model exact --seed 1 --force --out runs/own-exact >/dev/null 2>&1
"$LINN" report runs/own-1 runs/own-2 runs/own-exact --out report-own.html >/dev/null
check "tables of two splits" 2 "$(grep -c '<caption>own.txt' report-own.html)"
check "captions in Markdown" 2 "$(grep -c '^own.txt: 20 test equations' report-own/figures/results.md)"
refuses "this folder holds a run" report runs/linn --out runs/linn.html
# Names with characters that are special to shells, gnuplot or HTML.
name='a `touch ran` $(touch ran) "q" '"'q'"' 100% <b> \\ & |'
mkdir -p odd
mv runs/majority "odd/$name"
cp -r runs/linn "odd/linn $name"
"$LINN" report "odd/$name" "odd/linn $name" --out "odd/page $name.html" >/dev/null 2>errors.txt
check "odd names" "0 " "$? $(head -n 1 errors.txt)"
check "nothing was run" no "$([[ -e ran || -e odd/ran ]] && echo yes || echo no)"
check "the name as it is" yes "$(grep -qF 'a `touch ran` $(touch ran) &quot;q&quot; '"'q'"' 100% &lt;b&gt; \\ &amp; |' "odd/page $name.html" && echo yes)"

in_browser report.html
finish
