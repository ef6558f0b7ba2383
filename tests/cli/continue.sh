# linn train --from: training that continues from a run with what came later.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf old new later base base-* next next-* again killed third other link facts more reasoner known

"$LINN" generate interactions --users 120 --items 40 --seed 1 --out old >/dev/null
"$LINN" generate interactions --users 150 --items 50 --seed 2 --out new >/dev/null
"$LINN" generate interactions --users 20 --items 60 --seed 3 --out later >/dev/null
"$LINN" train recommend --data old --epochs 8 --seed 1 --quiet --out base >/dev/null

continue_with=(train recommend --from base --data new --seed 2 --epochs 30 --patience 100 --quiet)
"$LINN" "${continue_with[@]}" --out next >/dev/null
check "the base is named" '["base", 1]' "$(json next/config.json '[d["from"].split("/")[-1], len(d["earlier_data"])]')"
check "epochs by default" 10 "$(field epochs train recommend --from base --data new --seed 2 --quiet --out again)"
# A killed one is resumed with the same bits.
for seconds in 0.1 0.25 0.4; do
  rm -rf killed
  "$LINN" "${continue_with[@]}" --out killed >/dev/null 2>&1 &
  process=$!
  sleep "$seconds"
  kill -KILL "$process" 2>/dev/null
  wait "$process" 2>/dev/null
  "$LINN" "${continue_with[@]}" --resume --out killed >/dev/null
  check "same bits after a kill at $seconds s" "" "$(cmp next/model.safetensors killed/model.safetensors)"
done
"$LINN" train recommend --resume --quiet --epochs 31 --out killed >/dev/null
check "resumed by its folder alone" 31 "$(wc -l <killed/metrics.jsonl)"

# New items and users are known, and old ones still are.
last_item="$(tail -n 1 new/items.tsv | cut -f1)"
check "a new item" "\"$last_item\"" "$("$LINN" recommend next --history +1 --top 100 --json | json - "[i['item'] for i in d['items'] if i['item'] == '$last_item'][0]")"
check "a new user" 3 "$("$LINN" recommend next --user 150 --top 3 --json | json - 'len(d["items"])')"
check "an old user" 3 "$("$LINN" recommend next --user 1 --top 3 --json | json - 'len(d["items"])')"
# The history of an old user has old and new rows.
seen() { cat "$1"/{train,validation,test}.tsv | grep -c "^1"$'\t'; }
both="$(cat old/{train,validation,test}.tsv new/{train,validation,test}.tsv | grep "^1"$'\t' | cut -f2 | sort -u | wc -l)"
check "items left for user 1" "$((50 - both))" "$("$LINN" recommend next --user 1 --top 100 --json | json - 'len(d["items"])')"
"$LINN" evaluate next >/dev/null
check "evaluates on the new held-out likes" 0 "$?"

# A run that continues is continued in its turn.
"$LINN" train recommend --from next --data later --seed 2 --epochs 2 --quiet --set replay=0.5 --out third >/dev/null
check "all earlier data" '["old", "new"]' "$(json third/config.json '[e["data"].split("/")[-1] for e in d["earlier_data"]]')"
check "replayed half" 0.5 "$(json third/config.json 'float(d["options"]["replay"])')"

# Models in closed form are fitted to everything.
"$LINN" train recommend --model itemknn --data old --out base-knn >/dev/null
"$LINN" train recommend --from base-knn --data new --out next-knn >/dev/null
check "itemknn knows new items" 1 "$("$LINN" recommend next-knn --history +1 --top 1 --json | json - 'len(d["items"])')"

refuses "--model excludes --from" train recommend --from base --model sasrec --data new --out other
refuses "--out must be another folder than --from" train recommend --from base --data new --out base --force
refuses "replay is for a training that continues" train recommend --data old --set replay=0.5 --quiet --out other
# What cannot be continued leaves nothing behind, and replaces nothing.
cp next/model.safetensors before
for change in "--form dnf" "--set d=8" "--ensemble 3" "--set user_vectors=true"; do
  # shellcheck disable=SC2086
  refuses "is part of the structure of the model to continue from" train recommend --from base --data new $change --quiet --out other
  # shellcheck disable=SC2086
  refuses "is part of the structure" train recommend --from base --data new $change --quiet --out next --force
done
refuses "there is nothing new to learn from" train recommend --from base --data old --quiet --out other
check "no folder" no "$([[ -e other ]] && echo yes || echo no)"
check "the old run is as it was" "" "$(cmp before next/model.safetensors)"
ln -sfn base link
refuses "--out must be another folder than --from" train recommend --from link --data new --out base --force
# The model of a run that is resumed is that of its base, whatever the default is.
"$LINN" train recommend --model bprmf --data old --epochs 2 --seed 1 --quiet --out base-bprmf >/dev/null
"$LINN" train recommend --from base-bprmf --data new --epochs 2 --seed 1 --quiet --out next-bprmf >/dev/null
check "resumed by data" 3 "$(field epochs train recommend --resume --data new --epochs 3 --seed 1 --quiet --out next-bprmf)"
refuses "--model cannot change" train recommend --resume --model sasrec --data new --quiet --out next-bprmf
refuses "no such run folder" train recommend --from nowhere --data new --out other
refuses "continues from" train recommend --resume --from third --data new --seed 2 --quiet --out next
sed -i '2d' old/train.tsv
refuses "have changed since" train recommend --resume --quiet --epochs 40 --out next
rm -rf other

# Equations: a new knowledge base, with variables that were there and others.
"$LINN" generate equations --variables 20 --equations 200 --clauses 1..2 --literals 1..2 --seed 5 --out facts >/dev/null
"$LINN" generate equations --variables 30 --equations 80 --clauses 1..2 --literals 1..2 --seed 6 --out more >/dev/null
for model in linn cnn exact; do
  rm -rf reasoner known
  settings=(--preset authors --set d=8 --epochs 5)
  if [[ $model == exact ]]; then settings=(); fi
  "$LINN" train equations --model "$model" "${settings[@]}" --data facts --seed 1 --quiet --out reasoner >/dev/null
  "$LINN" train equations --from reasoner --data more --seed 1 --quiet --out known >/dev/null
  check "$model: status" 0 "$?"
  check "$model knows all variables" 30 "$("$LINN" solve known --json | json - 'len(d["variables"])')"
  check "$model is evaluated on both" "$(($(cat facts/test.tsv more/test.tsv | wc -l) - 2))" "$(field count evaluate known)"
done
echo "1 & 2 = T" >one.txt
"$LINN" train equations --from known --data one.txt --quiet --out reasoner --force >/dev/null
check "one more equation" 0 "$?"
finish
