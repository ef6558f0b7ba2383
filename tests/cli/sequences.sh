# linn train equations with models that read expressions as sequences
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data bi-rnn bi-lstm cnn other none

"$LINN" generate equations --variables 30 --equations 300 --clauses 1..3 --literals 1..3 --seed 5 --out data >/dev/null
for model in bi-rnn bi-lstm cnn; do
  train=(train equations --data data --quiet --seed 1 --model "$model" --set d=8 --set hidden=8)
  "$LINN" "${train[@]}" --epochs 3 --out "$model" --json >train.json
  check "status of $model" 0 "$?"
  check "one line per epoch" 3 "$(wc -l <"$model/metrics.jsonl")"
  check "evaluate $model" "$(json train.json 'd["accuracy"]')" \
    "$(field accuracy evaluate "$model")"
  check "$model resumes" 5 "$(field epochs "${train[@]}" --epochs 5 --resume --out "$model")"
  # From nothing to the same place, on another number of threads.
  rm -rf other
  "$LINN" "${train[@]}" --epochs 5 --threads 3 --out other >/dev/null
  check "$model on three threads" "$(field log_loss evaluate "$model")" "$(field log_loss evaluate other)"
  check "solve $model" 30 "$("$LINN" solve "$model" --json | json - 'len(d["variables"])')"
  "$LINN" query "$model" "(1 & !2) | 3" >/dev/null || check "query $model" "an answer" "none"
done

refuses "the model cnn has no setting 'laws'; it is a setting of linn, linn-rl" train equations --data data --model cnn --set laws=1 --out none
refuses "the model bi-rnn has no setting 'widest'; it is a setting of cnn" train equations --data data --model bi-rnn --set widest=3 --out none
refuses "was started with model" train equations --data data --seed 1 --model cnn --resume --out bi-rnn
refuses "unknown option 'hiden', did you mean 'hidden'?" train equations --data data --model bi-rnn --set hiden=3 --out none
[[ ! -e none ]] || check "nothing is written" "no folder" "a folder"
finish
