# linn train recommend with the baselines that are learned by gradients
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
models=(bprmf svdpp stamp gru4rec narm sasrec)
rm -rf data none other "${models[@]}" ./*.json

"$LINN" generate interactions --users 60 --items 80 --ratings 1500 --seed 3 --out data >/dev/null
check "status of generate" 0 "$?"
train=(train recommend --data data --quiet --set d=16 --epochs 4)

for model in "${models[@]}"; do
  "$LINN" "${train[@]}" --model "$model" --threads 2 --out "$model" --json >train.json
  check "status of $model" 0 "$?"
  check "epochs of $model" 4 "$(wc -l <"$model/metrics.jsonl")"
  # The file holds the model that train measured, for known and for new users.
  check "evaluate $model" "$(json train.json 'd["mrr"]')" "$(field mrr evaluate "$model")"
  first="$(head -n 1 "$model/metrics.jsonl" | json - 'd["loss"]')"
  check "the loss of $model falls" true "$(tail -n 1 "$model/metrics.jsonl" | json - "d['loss'] < $first")"
done

# Threads change nothing.
"$LINN" "${train[@]}" --model narm --threads 1 --out other >/dev/null
check "one thread" "$(sed 's/,"seconds".*//' narm/metrics.jsonl)" "$(sed 's/,"seconds".*//' other/metrics.jsonl)"

# Resumed training gives the same result as training in one go.
"$LINN" train recommend --data data --quiet --set d=16 --epochs 2 --model narm --force --out other >/dev/null
"$LINN" "${train[@]}" --model narm --resume --out other >/dev/null
check "resumed" "$(sed 's/,"seconds".*//' narm/metrics.jsonl)" "$(sed 's/,"seconds".*//' other/metrics.jsonl)"

# Dislikes can be encoded in three ways.
for way in minus embedding network; do
  "$LINN" "${train[@]}" --model gru4rec --dislikes "$way" --force --out other >/dev/null
  check "status with dislikes as $way" 0 "$?"
  "$LINN" evaluate other --quiet >/dev/null
  check "evaluate with dislikes as $way" 0 "$?"
done

refuses "dislikes" "${train[@]}" --model narm --dislikes logic --out none
refuses "no setting 'dislikes'" "${train[@]}" --model bprmf --dislikes minus --out none
refuses "d = 16 is not a multiple of heads = 3" "${train[@]}" --model sasrec --set heads=3 --out none
[[ ! -e none ]] || check "nothing is written" "no folder" "a folder"
finish
