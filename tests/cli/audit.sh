# linn audit: how well a run obeys the laws of logic
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data run majority own shop liked ease

"$LINN" generate equations --variables 20 --equations 200 --clauses 1..2 --literals 1..2 --seed 5 --out data >/dev/null
"$LINN" train equations --data data --preset authors --set d=16 --set learning_rate=0.01 --epochs 5 --seed 1 --quiet \
  --out run >/dev/null

"$LINN" audit run --json >audit.json
check "status" 0 "$?"
check "laws" 20 "$(json audit.json 'len(d["laws"])')"
check "taught" 10 "$(json audit.json 'sum(law["taught"] for law in d["laws"])')"
check "on variables and on expressions" 40 "$(json audit.json 'sum("agreement" in law[on] for law in d["laws"] for on in ("variables", "expressions"))')"
check "the expressions of the test split" 20 "$(field expressions audit run)"
check "those of another split" 160 "$(field expressions audit run --split train)"
check "all of a file" 160 "$(field expressions audit run --data data/train.tsv)"
check "the same again, on three threads" "$(cat audit.json)" "$("$LINN" audit run --threads 3 --json)"
check "one line per law, and headings" 23 "$("$LINN" audit run | wc -l)"

# Without held-out expressions, only variables are audited.
printf 'a & b = T\na = T\n' >own.txt
"$LINN" train equations --data own.txt --set d=8 --set pretrain_steps=5 --epochs 1 --quiet --out own >/dev/null
check "no expressions" 20 "$("$LINN" audit own --json | json - 'sum(law["expressions"] is None for law in d["laws"])')"

# A recommender is audited on its items.
"$LINN" generate interactions --users 60 --items 40 --seed 5 --out shop >/dev/null
"$LINN" train recommend --data shop --epochs 1 --seed 1 --quiet --out liked >/dev/null
check "laws of a recommender" 20 "$("$LINN" audit liked --json | json - 'sum("similarity" in law["variables"] for law in d["laws"])')"
check "on its items" 40 "$(field variables audit liked)"
refuses "this run is a recommender" audit liked --split train
"$LINN" train recommend --data shop --model ease --quiet --out ease >/dev/null
refuses "needs a LINN" audit ease

"$LINN" train equations --data data --model majority --quiet --out majority >/dev/null
refuses "needs a LINN" audit majority
refuses "does not know the variable" audit run --data own.txt
finish
