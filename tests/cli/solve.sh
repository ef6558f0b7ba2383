# linn solve: by similarity and by clusters, readable by itself
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data run majority

"$LINN" generate equations --variables 20 --equations 400 --clauses 1..2 --literals 1..2 --seed 5 --out data >/dev/null
"$LINN" train equations --data data --preset authors --set d=16 --set learning_rate=0.01 --epochs 40 --seed 1 --quiet \
  --out run >/dev/null

for way in similarity clusters; do
  "$LINN" solve run --by "$way" --truth data/variables.tsv --json >solve.json
  check "status by $way" 0 "$?"
  check "$way names every variable" 20 "$(grep -c '"confidence"' solve.json)"
  accuracy="$(sed -n 's/^  "accuracy": \(.*\),/\1/p' solve.json)"
  [[ "$accuracy" > "0.8" || "$accuracy" == 1* ]] || check "accuracy by $way" "> 0.8" "$accuracy"
  grep -q "\"$way\": $accuracy" solve.json || check "accuracies" "that of $way" "$(cat solve.json)"

  # What it prints is a truth that it agrees with wholly.
  "$LINN" solve run --by "$way" --truth data/variables.tsv >solved.tsv 2>said.txt
  check "header" "variable value probability confidence" "$(head -n 1 solved.tsv | tr '\t' ' ')"
  check "both ways are scored" 2 "$(grep -c 'of 20 right' said.txt)"
  check "read back" 1.0 "$(json accuracy solve run --by "$way" --truth solved.tsv)"
done
"$LINN" solve run --by clusters --distance euclidean >/dev/null || check "euclidean" 0 "$?"

"$LINN" train equations --data data --model majority --quiet --out majority >/dev/null
refuses "has none" solve majority --by clusters
check "one way only" 1 "$("$LINN" solve majority --truth data/variables.tsv 2>&1 >/dev/null | wc -l)"
refuses "did you mean 'clusters'" solve run --by cluster
finish
