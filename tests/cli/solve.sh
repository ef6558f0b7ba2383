# linn solve: by similarity and by clusters, readable by itself
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data run majority

"$LINN" generate equations --variables 20 --equations 400 --clauses 1..2 --literals 1..2 --seed 5 --out data >/dev/null
"$LINN" train equations --data data --preset authors --set d=16 --set learning_rate=0.01 --epochs 40 --seed 1 --quiet \
  --out run >/dev/null

for way in similarity clusters; do
  "$LINN" solve run --by "$way" --truth data/variables.tsv --json >solve.json
  check "status by $way" 0 "$?"
  check "$way names every variable" 20 "$(json solve.json 'sum("confidence" in v for v in d["variables"].values())')"
  accuracy="$(json solve.json 'd["accuracy"]')"
  [[ "$accuracy" > "0.8" || "$accuracy" == 1* ]] || check "accuracy by $way" "> 0.8" "$accuracy"
  check "accuracies" "$accuracy" "$(json solve.json "d['accuracies']['$way']")"

  # The output can be read back with --truth.
  "$LINN" solve run --by "$way" --truth data/variables.tsv >solved.tsv 2>said.txt
  check "header" "variable value probability confidence" "$(head -n 1 solved.tsv | tr '\t' ' ')"
  check "both ways are scored" 2 "$(grep -c 'of 20 correct' said.txt)"
  check "read back" 1.0 "$(field accuracy solve run --by "$way" --truth solved.tsv)"
done
"$LINN" solve run --by clusters --distance euclidean >/dev/null || check "euclidean" 0 "$?"

"$LINN" train equations --data data --model majority --quiet --out majority >/dev/null
refuses "needs a LINN" solve majority --by clusters
check "one way only" 1 "$("$LINN" solve majority --truth data/variables.tsv 2>&1 >/dev/null | wc -l)"
refuses "did you mean 'clusters'" solve run --by cluster
finish
