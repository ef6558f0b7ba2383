# Trainings that are killed again and again, at random moments, end in the same model as one that was left alone.
#
#   LINN=build/linn LINN_SOURCE_DIR=. bash tests/soak/kill_training.sh [KILLS]
source "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"
kills="${1:-80}"
RANDOM=7

"$LINN" generate equations --variables 100 --equations 600 --seed 1 --out equations >/dev/null
"$LINN" generate interactions --users 60 --items 40 --ratings 700 --seed 1 --out interactions >/dev/null

# soak NAME ARGUMENT...: trains once without and once with kills.
soak() {
  local name="$1" killed=0
  shift
  "$LINN" train "$@" --threads 2 --quiet --out "$name-straight" >/dev/null
  while ((killed < kills)); do
    "$LINN" train "$@" --threads 2 --quiet --resume --out "$name-killed" >/dev/null 2>&1 &
    sleep "0.$(printf '%02d' $((RANDOM % 60)))"
    if ! kill -KILL $! 2>/dev/null; then break; fi
    wait $! 2>/dev/null
    killed=$((killed + 1))
    if [[ -f "$name-killed/config.json" ]]; then
      # Whatever was being written, what is there can be read.
      "$LINN" evaluate "$name-killed" --quiet --json >/dev/null 2>errors.txt || grep -q 'no model yet' errors.txt ||
        check "$name after kill $killed" "readable" "$(cat errors.txt)"
    fi
  done
  "$LINN" train "$@" --threads 2 --quiet --resume --out "$name-killed" >/dev/null
  check "$name after $killed kills" "$(sha256sum <"$name-straight/model.safetensors")" \
    "$(sha256sum <"$name-killed/model.safetensors")"
  check "epochs of $name" "$(wc -l <"$name-straight/metrics.jsonl")" "$(wc -l <"$name-killed/metrics.jsonl")"
  echo "$name: $killed kills"
}

soak equations equations --data equations --preset paper --epochs 120
soak recommend recommend --data interactions --preset best --set d=16 --epochs 120 --patience 120
soak pretraining equations --data equations --preset best --set pretrain_steps=3000 --epochs 5
soak sasrec recommend --data interactions --model sasrec --set d=16 --epochs 120 --patience 120
"$LINN" generate interactions --users 70 --items 50 --ratings 700 --seed 2 --out later >/dev/null
soak continued recommend --data later --from sasrec-straight --set replay=1 --epochs 120 --patience 120
finish
