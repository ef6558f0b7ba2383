# Items without training events, with vectors made from their categories; and what a long training says.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data bare with without resumed unsaid long errors

# Users like the items of one of two genres and dislike the others; c0 to c9 are in no row of training.
mkdir -p data bare
awk 'BEGIN {
  OFS = "\t"
  print "user", "item", "label", "time" > "data/train.tsv"
  print "user", "item", "label", "time" > "data/test.tsv"
  print "item", "title", "genres", "year" > "data/items.tsv"
  for (i = 0; i < 40; i++) print "i" i, "", i % 2 ? "War|Old" : "Comedy|Old", 1990 + i % 3 > "data/items.tsv"
  for (i = 0; i < 10; i++) print "c" i, "", i % 2 ? "War" : "Comedy", 1990 > "data/items.tsv"
  for (u = 0; u < 60; u++) {
    for (k = 0; k < 20; k++) { i = (u * 11 + k * 7) % 40; print "u" u, "i" i, i % 2 == u % 2, k > "data/train.tsv" }
    print "u" u, "c" (u * 4 + u % 2) % 10, 1, 20 > "data/test.tsv"
  }
}'
train=(train recommend --seed 1 --quiet --threads 2)
"$LINN" "${train[@]}" --epochs 10 --data data --out without >/dev/null
"$LINN" "${train[@]}" --epochs 10 --data data --features --out with >/dev/null
check "the setting" '"true"' "$(json with/config.json 'd["options"]["features"]')"
hit_5() { "$LINN" evaluate "$1" --only cold.txt --at 5 --json | json - "d['hit@5'] $2"; }
printf 'c%s\n' 0 1 2 3 4 5 6 7 8 9 >cold.txt
# Of ten items, five are of the right genre.
check "with features cold items are ranked by genre" true "$(hit_5 with '== 1')"
check "without features by chance" true "$(hit_5 without '< 0.9')"
cold_of() { "$LINN" recommend "$1" --history "+i0,-i1,+i2,+i4,-i7" --only cold.txt --top 5 --json |
  json - 'sorted(i["item"] for i in d["items"])'; }
check "comedies" '["c0", "c2", "c4", "c6", "c8"]' "$(cold_of with)"

# A resumed run ends with the same model.
"$LINN" "${train[@]}" --epochs 4 --data data --set features=true --out resumed >/dev/null
"$LINN" train recommend --epochs 10 --resume --quiet --out resumed >/dev/null
check "resumed" "" "$(cmp with/model.safetensors resumed/model.safetensors 2>&1)"

cut -f 1,2 data/items.tsv >bare/items.tsv
cp data/train.tsv data/test.tsv bare
refuses "features=true needs columns of categories, such as genres, in the table of items" \
  "${train[@]}" --data bare --features --out unsaid
refuses "the model sasrec has no setting 'features'" "${train[@]}" --data data --features --model sasrec --out unsaid

# A training that takes long says so after a few seconds, with what is faster.
timeout -s INT 15 "$LINN" train recommend --data data --form dnf --epochs 1000000 --patience 1000000 --out long >/dev/null 2>errors
check "forecast" 1 "$(grep -c '^linn: all epochs would take about .* hours; .*; --form fold learns faster$' errors)"
timeout -s INT 8 "$LINN" train recommend --data data --form dnf --epochs 1000000 --patience 1000000 --quiet --force \
  --out long >/dev/null 2>errors
check "quiet" 0 "$(grep -c 'would take' errors)"
finish
