# Trainings that are killed again and again, at random moments, end in the same model as one that was left alone.
#
#   LINN=build/linn LINN_SOURCE_DIR=. bash tests/soak/kill_training.sh [KILLS]
source "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"
kills="${1:-80}"
RANDOM=7

"$LINN" generate equations --variables 100 --equations 600 --seed 1 --out equations >/dev/null
"$LINN" generate interactions --users 60 --items 40 --ratings 700 --seed 1 --out interactions >/dev/null

# What the epochs were, without their times.
epochs_of() { sed -E 's/"(seconds|stages)[a-z_]*":(\{[^}]*\}|[^,}]*),?//g' "$1/metrics.jsonl"; }

# soak NAME ARGUMENT...: trains once without and once with kills. A training that has ended starts over, so that every
# kill hits one at work.
soak() {
  local name="$1" killed=0 round=0
  shift
  "$LINN" train "$@" --threads 2 --quiet --out "$name-straight" >/dev/null
  while ((killed < kills)); do
    "$LINN" train "$@" --threads 2 --quiet --resume --out "$name-killed" >/dev/null 2>&1 &
    sleep "0.$(printf '%02d' $((RANDOM % 60)))"
    if ! kill -KILL $! 2>/dev/null; then
      wait $!
      same "$name" "in round $((round += 1))"
      rm -rf "$name-killed"
      continue
    fi
    wait $! 2>/dev/null
    killed=$((killed + 1))
    if [[ -f "$name-killed/config.json" ]]; then
      # Whatever was being written, what is there can be read.
      "$LINN" evaluate "$name-killed" --quiet --json >/dev/null 2>errors.txt || grep -q 'no model yet' errors.txt ||
        check "$name after kill $killed" "readable" "$(cat errors.txt)"
    fi
  done
  "$LINN" train "$@" --threads 2 --quiet --resume --out "$name-killed" >/dev/null
  same "$name" "after $killed kills"
  echo "$name: $killed kills"
}
same() {
  check "$1 $2" "$(sha256sum <"$1-straight/model.safetensors")" "$(sha256sum <"$1-killed/model.safetensors")"
  check "epochs of $1 $2" "" "$(diff <(epochs_of "$1-straight") <(epochs_of "$1-killed") | head -n 3)"
  check "nothing left over by $1 $2" "" "$(find "$1-killed" \( -name '.linn-*' -o -name '*.tmp' -o -name 'config.next.json' \))"
}

soak equations equations --data equations --preset paper --epochs 120
soak recommend recommend --data interactions --preset best --set d=16 --epochs 120 --patience 120
soak pretraining equations --data equations --preset best --set pretrain_steps=3000 --epochs 5
soak sasrec recommend --data interactions --model sasrec --set d=16 --epochs 120 --patience 120
"$LINN" generate interactions --users 70 --items 50 --ratings 700 --seed 2 --out later >/dev/null
soak continued recommend --data later --from sasrec-straight --set replay=1 --epochs 120 --patience 120
"$LINN" generate equations --variables 110 --equations 300 --seed 3 --out later-equations >/dev/null
soak continued-equations equations --data later-equations --from equations-straight --set replay=1 --epochs 120
finish
