# Whole histories: form=fold and train_on=histories
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

rm -rf ./*
"$LINN" generate interactions --users 100 --items 60 --ratings 1500 --seed 3 --out data >/dev/null
train=(train recommend --data data --seed 1 --threads 1 --set d=8)

# The other settings of the preset follow the form, and training says what it does.
"$LINN" "${train[@]}" --form fold --epochs 4 --out fold >/dev/null 2>errors.txt || check "train" 0 "$(cat errors.txt)"
grep -q "whole histories, with a softmax over all items" errors.txt || check "a remark" "whole histories" "$(cat errors.txt)"
"$LINN" "${train[@]}" --form fold --epochs 4 --set negatives=10 --set and_structure=mlp_product --out sampled >/dev/null 2>errors.txt
grep -q "over 10 negatives that a batch shares" errors.txt || check "a remark" "10 negatives" "$(cat errors.txt)"

# A run that was stopped ends like one that was not.
"$LINN" "${train[@]}" --form fold --epochs 2 --out half --quiet >/dev/null
"$LINN" train recommend --out half --resume --epochs 4 --quiet >/dev/null
cmp fold/model.safetensors half/model.safetensors || check "resumed" "the same model" "another"

# The score is a base and the share of every event; it is no probability.
item=$("$LINN" recommend fold --history "+1,-2,+3" --top 1 --json)
check "shares" "right" "$(python3 -c '
import json, sys
entry = json.loads(sys.argv[1])["items"][0]
total = entry["base"] + sum(reason["share"] for reason in entry["because"])
wrong = abs(total - entry["score"]) > 1e-5 or len(entry["because"]) != 3 or "probability" in entry
print("wrong" if wrong else "right")' "$item")"
check "text" 5 "$("$LINN" recommend sampled --history "+1,-2,+3" --top 5 --explain | grep -c "^ *[0-9]")"
"$LINN" explain fold --history "+1,-2,+3" --item 4 >/dev/null || check "explain" 0 1
"$LINN" audit fold >/dev/null || check "audit" 0 1
"$LINN" evaluate fold --candidates all --explanations >/dev/null || check "evaluate" 0 1

# Sequence models learn from whole histories too.
"$LINN" "${train[@]}" --model sasrec --set train_on=histories --epochs 2 --out sasrec >/dev/null 2>errors.txt
grep -q "whole histories, with a softmax over all items" errors.txt || check "a remark" "whole histories" "$(cat errors.txt)"

# What contradicts.
refuses "form=fold needs loss=softmax" "${train[@]}" --form fold --set loss=bpr --out none
refuses "similarity" "${train[@]}" --form fold --set similarity=cosine --out none
refuses "negatives must be at least 1" "${train[@]}" --form dnf --set negatives=0 --out none
[[ ! -e none ]] || check "nothing is written" "no folder" "a folder"
finish
