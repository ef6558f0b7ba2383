# linn tune
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf "some likes" spaced data search broken again other likes likes-* cnn mixed cut whole noisy worse-*

"$LINN" generate equations --variables 20 --equations 100 --clauses 1..2 --literals 1..2 --seed 5 --out data >/dev/null
search=(tune equations --data data --preset authors --set d=8 --trials 4 --epochs 6 --search learning_rate=1e-4..1e-1:log
  --seed 3 --quiet)
"$LINN" "${search[@]}" --out search --json >search.json
check "status of tune" 0 "$?"
check "one trial reaches the last round" "[6, 2, 2, 2]" "$(json search.json '[t["epochs"] for t in d["trials"]]')"
check "a trial is a run" 10 "$(field count evaluate search/trial-001)"

# Finished trials are not repeated, and the result does not depend on --parallel.
refuses "resume" "${search[@]}" --out search
"$LINN" "${search[@]}" --out search --resume --json >resumed.json
check "resumed" "" "$(diff search.json resumed.json)"
# A search of version 0.1.0 stored the bare output of each trial.
for file in search/trial-*-at-*.json; do
  python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); json.dump(d[0]["output"], open(sys.argv[1], "w"))' "$file"
done
before="$(stat -c %y search/trial-*/model.safetensors)"
"$LINN" "${search[@]}" --out ./search --resume --json >resumed.json
check "a search of version 0.1.0" "" "$(diff search.json resumed.json)"
check "nothing was trained again" "$before" "$(stat -c %y search/trial-*/model.safetensors)"
"$LINN" "${search[@]}" --out again --parallel 1 --json >again.json
check "one at a time" "" "$(diff search.json again.json)"
# That holds even if a model gets worse in a later round: each round is scored by the model it had then.
"$LINN" generate equations --variables 30 --equations 100 --noise 0.25 --clauses 1..2 --literals 1..2 --seed 5 --out noisy >/dev/null
worse=(tune equations --data noisy --preset authors --set d=8 --set select_by=likelihood --trials 9 --epochs 9
  --search learning_rate=1e-3..1e-1:log --quiet --json)
for seed in 1 2 3; do
  "$LINN" "${worse[@]}" --seed "$seed" --out "worse-$seed" >first.json
  "$LINN" "${worse[@]}" --seed "$seed" --out "worse-$seed" --resume >second.json
  check "resumed, seed $seed" "" "$(diff first.json second.json)"
done
refuses "other options" "${search[@]}" --set d=9 --out search --resume
# What was stored is not taken for something else: garbage for the same options, a result without figures for a score.
cp -r search broken
echo garbage >broken/tune.json
refuses "other options" "${search[@]}" --out broken --resume
cp search/tune.json broken/tune.json
python3 - broken/trial-001-at-2.json <<'END'
import json, sys
result = json.load(open(sys.argv[1]))
job = result[0]["output"] if isinstance(result, list) else result
job["validation"] = {}
json.dump(result, open(sys.argv[1], "w"))
END
refuses "trial-001 at epoch 2 has no accuracy on validation data" "${search[@]}" --out broken --resume
rm -rf broken
refuses "expected KEY=LOW..HIGH" "${search[@]}" --search laws --out other
refuses "unknown value 'lin', did you mean 'linn'?" tune equations --data data --model lin --out other
refuses "unknown value 'fast'" tune recommend --data data --preset fast --out other
# A wrong option is reported once, and no folder is left.
refuses "unknown option 'drop'" tune equations --data data --search drop=0..1 --trials 4 --out other
refuses "nowhere: cannot be read" tune equations --data nowhere --trials 4 --out other
check "no folder of a refused search" no "$([[ -e other ]] && echo yes || echo no)"
# Finished trials stay if a later one is refused.
refuses "dropout" tune equations --data data --preset authors --set d=8 --epochs 1 --trials 2 --parallel 1 --search dropout=0.1,0.99 --out mixed --quiet --seed 1
check "the finished trial stays" yes "$([[ -e mixed/trial-001/model.safetensors ]] && echo yes || echo no)"
printf 'a = T\nb = F\n' >few.txt
refuses "there is no validation data" tune equations --data few.txt --preset authors --set d=8 --trials 2 --epochs 1 --quiet --out other
rm -rf other
refuses "no settings to search" tune equations --data data --model majority --out other

# A signal sent to the search alone ends its trials, too, and the search can be resumed.
# Long enough for a busy machine; with sanitizers, an epoch takes ten times as long.
epochs=400
grep -q __asan_init "$LINN" && epochs=40
long=(tune equations --data data --preset authors --set d=64 --set patience=400 --trials 2 --epochs "$epochs"
  --search learning_rate=1e-4..1e-3:log --seed 3 --quiet --json)
"$LINN" "${long[@]}" --out cut >cut.json &
process=$!
for ((i = 0; i < 1000; i++)); do
  [[ "$(cat cut/trial-001/metrics.jsonl 2>/dev/null | wc -l)" -lt 3 ]] || break
  sleep 0.02
done
kill -TERM "$process"
wait "$process"
check "status of a search that was ended" 1 "$?"
check "not finished" false "$(json cut.json 'd["finished"]')"
check "its trials have ended" 0 "$(pgrep -fc -- "^linn train equations .* cut/trial-")"
"$LINN" "${long[@]}" --out cut --resume >cut.json
check "status of the resumed search" 0 "$?"
"$LINN" "${long[@]}" --out whole >whole.json
check "same result as without interruption" "" "$(diff whole.json cut.json)"

# The default ranges work for models of both tasks.
mkdir -p likes
printf 'user\titem\tlabel\ttime\n' | tee likes/train.tsv likes/validation.tsv >likes/test.tsv
for user in 1 2 3 4; do
  for item in 1 2 3; do printf '%s\t%s\t1\t%s\n' "$user" "$((item + user))" "$item" >>likes/train.tsv; done
  printf '%s\t%s\t1\t9\n' "$user" "$((user + 5))" >>likes/validation.tsv
done
for model in itemknn ease bprmf; do
  epochs=()
  [[ "$model" == bprmf ]] && epochs=(--epochs 1)
  "$LINN" tune recommend --data likes --model "$model" --trials 3 "${epochs[@]}" --quiet --out "likes-$model" --json >tune.json
  check "tune $model" "[1, 1, 1]" "$(json tune.json '[t["epochs"] for t in d["trials"] if t["score"] >= 0]')"
done
refuses "--epochs is only for models that are trained by epochs, not ease" tune recommend --data likes --model ease --epochs 3 --out other
refuses "--preset is only for models that are trained by epochs" tune recommend --data likes --model ease --preset best --out other
check "no folder of these" no "$([[ -e other ]] && echo yes || echo no)"
# The command for the best settings can be pasted.
cp -r likes "some likes"
best="$("$LINN" tune recommend --data "some likes" --model ease --trials 2 --quiet --out "likes-spaced" | sed -n 's/best on validation: linn \(.*\) RUN$/\1/p')"
eval "\"$LINN\" $best spaced" >/dev/null
check "status of the command for the best" 0 "$?"
"$LINN" tune equations --data data --model cnn --trials 2 --epochs 1 --quiet --out cnn --json >tune.json
check "tune cnn" 2 "$(json tune.json 'sum(t["score"] >= 0 for t in d["trials"])')"
finish
