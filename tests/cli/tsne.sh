# linn train --snapshots and linn tsne
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data run majority ./*.tsv ./*.svg

"$LINN" generate equations --variables 40 --equations 300 --clauses 1..2 --literals 1..2 --seed 5 --out data >/dev/null
train=(train equations --data data --preset authors --set d=16 --set learning_rate=0.01 --seed 1 --quiet --out run)
"$LINN" "${train[@]}" --epochs 5 --snapshots 0,2,7 >/dev/null
check "snapshots" "epoch-0.safetensors epoch-2.safetensors" "$(ls run/snapshots | xargs)"
# The configuration of the run holds the epochs.
"$LINN" train equations --resume --epochs 8 --quiet --out run >/dev/null
check "snapshots after resuming" "epoch-0.safetensors epoch-2.safetensors epoch-7.safetensors" "$(ls run/snapshots | xargs)"
refuses "was started with snapshots" "${train[@]}" --snapshots 1 --resume
refuses "not 'often'" "${train[@]}" --snapshots often --force
grep -q '"variable_norm"' run/metrics.jsonl || check "metrics" "variable_norm" "missing"

tsne=(tsne run --perplexity 10 --iterations 100 --seed 3)
"$LINN" "${tsne[@]}" --truth data/variables.tsv --out run.tsv --json >tsne.json
check "status" 0 "$?"
check "points" 40 "$(json tsne.json 'd["points"]')"
check "header" "variable x y value" "$(head -n 1 run.tsv | tr '\t' ' ')"
check "one line per variable" 41 "$(wc -l <run.tsv)"
"$LINN" "${tsne[@]}" --truth data/variables.tsv --threads 3 --out again.tsv >/dev/null
cmp run.tsv again.tsv || check "three threads" "the same" "another"
"$LINN" "${tsne[@]}" --out plain.tsv >/dev/null
check "without truth" "variable x y" "$(head -n 1 plain.tsv | tr '\t' ' ')"

"$LINN" tsne run/snapshots/epoch-2.safetensors --perplexity 10 --iterations 20 --truth data/variables.tsv --out two.svg >/dev/null
check "one dot per variable, and a legend" 42 "$(grep -c '<circle' two.svg)"
grep -q '#0072B2' two.svg && grep -q '#E69F00' two.svg || check "colours" "blue and orange" "others"

"$LINN" train equations --data data --model majority --quiet --out majority >/dev/null
refuses "needs a LINN" tsne majority --out m.tsv
refuses "requires at least 91 vectors, found 40" tsne run --out m.tsv
refuses "ends in .tsv or .svg" tsne run --out m.png
refuses "nowhere" tsne nowhere --out m.tsv
refuses "--snapshots is only for models that are trained by epochs, not majority" train equations --data data --model majority --snapshots 1 --out none
[[ ! -e m.tsv && ! -e none ]] || check "nothing is written" "nothing" "something"
finish
