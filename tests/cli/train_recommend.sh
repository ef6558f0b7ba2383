# linn train recommend, evaluate on likes, and compare
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data other few configured popularity itemknn ease straight cut linn none doubted several slash ./*.tsv ./*.json

# 30 users of three tastes: user u likes items of the same remainder by 3 and dislikes others; time is the row.
mkdir -p data
awk 'BEGIN {
  OFS = "\t"
  for (part = 1; part <= 3; part++) print "user", "item", "label", "time" > file(part)
  for (u = 0; u < 30; u++) {
    for (k = 0; k < 12; k++) {
      i = (u * 7 + k * 5) % 36
      print "u" u, "i" i, (i % 3 == u % 3), k > file(1)
    }
    n = 0
    for (i = 0; i < 36 && n < 2; i++) {
      if (i % 3 != u % 3) continue
      seen = 0
      for (k = 0; k < 12; k++) if ((u * 7 + k * 5) % 36 == i) seen = 1
      if (!seen) print "u" u, "i" i, 1, 12 + n > file(++n + 1)
    }
  }
}
function file(part) { return "data/" (part == 1 ? "train" : part == 2 ? "validation" : "test") ".tsv" }'
train=(train recommend --data data --quiet --threads 2)
users="$(($(wc -l <data/test.tsv) - 1))"

"$LINN" "${train[@]}" --model itemknn --out itemknn --json >train.json
check "status of train" 0 "$?"
for key in ndcg@10 hit@1 hit@10 mrr auc count candidates validation epoch epochs seconds_per_epoch; do
  check "train gives $key" true "$(json train.json "'$key' in d")"
done
check "test users" "$users" "$(json train.json 'd["count"]')"
for file in config.json model.safetensors; do
  [[ -f "itemknn/$file" ]] || check "$file" "written" "missing"
done

cp itemknn/model.safetensors itemknn-model
rm itemknn/model.safetensors
"$LINN" train recommend --resume --quiet --out itemknn >/dev/null
check "a run without a model is fitted again" "" "$(cmp itemknn-model itemknn/model.safetensors)"
refuses "already contains a run" "${train[@]}" --model itemknn --out itemknn

# Settings from a file.
printf 'neighbours = 5  # few\n' >few.conf
"$LINN" "${train[@]}" --model itemknn --config few.conf --out configured >/dev/null
check "a setting of the file" '"5"' "$(json configured/config.json 'd["options"]["neighbours"]')"

# evaluate agrees with train on both splits.
check "evaluate" "$(json train.json 'd["ndcg@10"]')" "$(field ndcg@10 evaluate itemknn)"
check "evaluate validation" "$(json train.json 'd["validation"]["ndcg@10"]')" \
  "$(field ndcg@10 evaluate itemknn --split validation)"
check "candidates" 100 "$(field candidates evaluate itemknn)"
check "all candidates" '"all"' "$(field candidates evaluate itemknn --candidates all)"
# Fewer than 100 items are not liked by a user here, so the candidates are the same.
check "the same among all items" "$(field mrr evaluate itemknn)" "$(field mrr evaluate itemknn --candidates all)"
check "cut at 1000" 1.0 "$(field hit@1000 evaluate itemknn --at 3,1000)"
check "threads" "$(field mrr evaluate itemknn --threads 1)" "$(field mrr evaluate itemknn --threads 3)"

# Results and candidates of each user as tables.
"$LINN" evaluate itemknn --candidates 5 --per-user users.tsv --write-candidates candidates.tsv >/dev/null
check "one line per user" "$((users + 1))" "$(wc -l <users.tsv)"
check "header" "user item rank others ndcg@10 hit@1 hit@10 mrr auc" "$(head -n 1 users.tsv | tr '\t' ' ')"
check "candidates of a user" 7 "$(sed -n 2p candidates.tsv | tr '\t' '\n' | wc -l)"
"$LINN" evaluate itemknn --candidates 5 --write-candidates again.tsv >/dev/null
check "the same candidates again" "" "$(diff candidates.tsv again.tsv)"
"$LINN" evaluate itemknn --candidates 5 --candidate-seed 1 --write-candidates again.tsv >/dev/null
[[ -n "$(diff candidates.tsv again.tsv)" ]] || check "another seed" "other candidates" "the same"

# Models that know tastes are significantly better than one that does not.
"$LINN" "${train[@]}" --model popularity --out popularity >/dev/null
"$LINN" "${train[@]}" --model ease --set ridge=10 --out ease >/dev/null
"$LINN" compare itemknn popularity --json --bootstrap 1000 >compare.json
check "status of compare" 0 "$?"
check "p" true "$(json compare.json 'd["measures"]["ndcg@10"]["users"]["p"] < 0.01')"
check "first" "$(field ndcg@10 evaluate itemknn)" "$(json compare.json 'd["measures"]["ndcg@10"]["first"]')"
check "itself" "0.0" "$("$LINN" compare ease ease --json | json - 'd["measures"]["ndcg@10"]["users"]["difference"]')"
# Several held-out likes of a user count once: here all likes of the training data are held out.
check "users, not likes" "$users" "$("$LINN" compare itemknn ease --split train --json | json - 'd["measures"]["ndcg@10"]["users"]["count"]')"
[[ "$(field count evaluate itemknn --split train)" -gt "$users" ]] || check "likes of training" "more than users" "no more"
# A slash at the end of the path does not make it other data.
"$LINN" train recommend --data data/ --quiet --model popularity --out slash >/dev/null
check "a slash at the end" 0 "$("$LINN" compare popularity slash >/dev/null; echo $?)"
check "lists of runs" 0 "$("$LINN" compare itemknn,ease popularity,popularity >compare.txt; echo $?)"
grep -q "over 2 seeds" compare.txt || check "lists of runs" "over 2 seeds" "$(cat compare.txt)"

# Other data: new users are evaluated, rows about unknown items left out.
mkdir other
for part in train validation test; do sed '2,$ s/^u/new/; s/i35/unheard/' "data/$part.tsv" >"other/$part.tsv"; done
"$LINN" evaluate ease --data other --split train >/dev/null 2>remarks.txt
grep -q "left out 10 rows about 1 items that the model does not know" remarks.txt || check "unknown items" "a remark" "$(cat remarks.txt)"
sed 's/unheard/i35/' -i other/*.tsv
check "new users" "$users" "$(field count evaluate ease --data other)"
check "the same metrics for new users" "$(field ndcg@10 evaluate ease --candidates all)" \
  "$(field ndcg@10 evaluate ease --candidates all --data other)"

# Models trained by epochs: one line per epoch, and a killed or interrupted run resumes to the same result.
epochs=("${train[@]}" --model bprmf --set d=8 --set batch=8 --set learning_rate=0.01 --patience 120 --seed 4)
"$LINN" "${epochs[@]}" --epochs 120 --out straight --json >straight.json
check "epochs" 120 "$(json straight.json 'd["epochs"]')"
check "one line per epoch" 120 "$(wc -l <straight/metrics.jsonl)"
# stopped_by SIGNAL STATUS: the exit status after the signal, and the same result after resuming.
stopped_by() {
  rm -rf cut
  "$LINN" "${epochs[@]}" --epochs 120 --out cut >/dev/null &
  local process=$! i
  for ((i = 0; i < 1000; i++)); do
    [[ "$(cat cut/metrics.jsonl 2>/dev/null | wc -l)" -lt 3 ]] || break
    sleep 0.01
  done
  kill "-$1" "$process"
  wait "$process" 2>/dev/null
  check "status after $1" "$2" "$?"
  [[ "$(wc -l <cut/metrics.jsonl)" -lt 120 ]] || check "stopped by $1" "early" "at the end"
  "$LINN" "${epochs[@]}" --epochs 120 --resume --out cut --json >cut.json
  check "same figures after $1" "" "$(diff <(grep -v seconds straight.json) <(grep -v seconds cut.json))"
  check "same model after $1" "" "$(cmp straight/model.safetensors cut/model.safetensors 2>&1)"
  check "same epochs after $1" "" "$(diff <(sed 's/"seconds.*//' straight/metrics.jsonl) <(sed 's/"seconds.*//' cut/metrics.jsonl))"
}
stopped_by INT 1
stopped_by TERM 1
stopped_by KILL 137
check "only reports" 120 "$(field epochs train recommend --resume --quiet --out cut)"
check "longer" 122 "$(field epochs train recommend --resume --quiet --epochs 122 --patience 122 --out cut)"
refuses "was started with batch '8', not '9'" "${epochs[@]}" --set batch=9 --resume --out cut
refuses "was started with model 'bprmf', not 'stamp'" "${train[@]}" --model stamp --resume --out cut

refuses "linn-rl is LINN without laws" "${train[@]}" --model linn-rl --set laws=1e-6 --out other
"$LINN" "${train[@]}" --set d=8 --set negatives=3 --form factored --order 1 --dislikes none --epochs 2 --out linn --json >linn.json
check "LINN" 2 "$(json linn.json 'd["epochs"]')"
check "configuration" '["linn", "factored", "none", "1"]' \
  "$(json linn/config.json '[d["model"]] + [d["options"][key] for key in ("form", "dislikes", "clause_order")]')"

# An existing run is not replaced by accident, and resumed only as what it is.
refuses "already contains a run" "${train[@]}" --model ease --out ease
check "only reports" "$(field mrr evaluate ease)" "$(field mrr train recommend --resume --quiet --out ease)"
refuses "was started with ridge '10', not '500'" "${train[@]}" --model ease --resume --out ease
"$LINN" "${train[@]}" --model popularity --force --out ease >/dev/null
check "replaced" "$(field mrr evaluate popularity)" "$(field mrr evaluate ease)"

refuses "unknown value 'popularty', did you mean 'popularity'?" "${train[@]}" --model popularty --out none
refuses "the model popularity has no setting 'epochs'" "${train[@]}" --model popularity --epochs 3 --out none
refuses "the model ease has no setting 'form'" "${train[@]}" --model ease --form dnf --out none
refuses "unknown option 'neighbour', did you mean 'neighbours'?" "${train[@]}" --model itemknn --set neighbour=3 --out none
refuses "dislikes" "${train[@]}" --model itemknn --dislikes logic --out none
refuses "missing" train recommend --model ease --data missing --out none
refuses "--candidates" evaluate itemknn --candidates some
refuses "--at" evaluate itemknn --at 5,x
refuses "not all items" evaluate itemknn --candidates all --write-candidates none.tsv
refuses "about recommendations, not equations" query itemknn "a & b"
refuses "about recommendations, not equations" train equations --resume --out itemknn
mkdir few
printf 'user\titem\tlabel\ttime\nann\ta\t1\t0\nann\tb\t1\t1\n' | tee few/train.tsv >/dev/null
refuses "no likes with a history" evaluate itemknn --data few --quiet
[[ ! -e none ]] || check "nothing is written" "no folder" "a folder"
"$LINN" "${train[@]}" --label-noise 0.1 --epochs 1 --out doubted >/dev/null
check "label noise" '"0.1"' "$(json doubted/config.json 'd["options"]["label_noise"]')"
"$LINN" "${train[@]}" --label-noise auto --ensemble 2 --epochs 2 --out several >/dev/null
check "label noise is estimated" 2 "$(grep -c '"label_noise":' several/metrics.jsonl)"
check "the ten laws" 9 "$(head -n 1 several/metrics.jsonl | grep -o '"laws":\[[^]]*\]' | tr -cd , | wc -c)"
check "an ensemble answers" 3 "$("$LINN" recommend several --history "+i3,-i4" --top 3 | grep -c '^ *[0-9]')"
check "co-occurrence of an ensemble" 0 "$("$LINN" cooccur several --out map.tsv >/dev/null; echo $?)"
check "an ensemble is audited" 0 "$("$LINN" audit several >/dev/null; echo $?)"
check "an ensemble is resumed" 3 "$(field epochs train recommend --resume --epochs 3 --quiet --out several)"
refuses "the model ease has no setting 'ensemble'" "${train[@]}" --model ease --ensemble 2 --out none
refuses "; or auto" "${train[@]}" --label-noise some --out none
finish
