# A random process of three is killed, again and again, at random moments: nothing is half written, and the training
# ends in the bits of one that was left alone.
#
#   LINN=build-mpi/linn LINN_SOURCE_DIR=. bash tests/mpi/kills.sh [KILLS]
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
kills="${1:-200}"
RANDOM=11
rm -rf ./*

"$LINN" generate equations --variables 60 --equations 300 --seed 1 --out equations >/dev/null
"$LINN" generate interactions --users 60 --items 40 --ratings 700 --seed 1 --out interactions >/dev/null

# soak NAME KILLS ARGUMENT...: a training that has ended starts over, so that every kill hits one at work.
soak() {
  local name="$1" wanted="$2" killed=0 round=0 launched victim start
  shift 2
  "$LINN" train "$@" --threads 2 --quiet --out "$name-straight" >/dev/null
  while ((killed < wanted)); do
    processes 3 train "$@" --threads 1 --quiet --resume --out "$name-killed" >/dev/null 2>errors.txt &
    launched=$!
    until mapfile -t victims < <(members "$launched") && ((${#victims[@]} == 3)); do
      kill -0 "$launched" 2>/dev/null || break
      sleep 0.01
    done
    if ((${#victims[@]} != 3)); then
      check "$name in round $round" "three processes" "${#victims[@]}"
      return
    fi
    sleep "$((RANDOM % 3)).$(printf '%02d' $((RANDOM % 100)))"
    victim="${victims[RANDOM % 3]}"
    if ! kill -KILL "$victim" 2>/dev/null; then
      wait "$launched"
      same "$name in round $((round += 1))" "$name-straight" "$name-killed"
      rm -rf "$name-killed"
      continue
    fi
    start=$SECONDS
    wait "$launched"
    check "$name after kill $killed: the launcher's status" no "$([[ $? == 0 ]] && echo yes || echo no)"
    check "$name after kill $killed: all ended" yes "$( ((SECONDS - start <= 10)) && echo yes)"
    check "$name after kill $killed: complaints" yes "$( (($(grep -c '^linn: ' errors.txt) <= 1)) && echo yes)"
    killed=$((killed + 1))
    if [[ -f "$name-killed/config.json" ]]; then
      "$LINN" evaluate "$name-killed" --quiet --json >/dev/null 2>errors.txt || grep -q 'no model yet' errors.txt ||
        check "$name after kill $killed" "readable" "$(cat errors.txt)"
    fi
  done
  "$LINN" train "$@" --threads 2 --quiet --resume --out "$name-killed" >/dev/null
  same "$name after $killed kills" "$name-straight" "$name-killed"
  check "nothing left over by $name" "" "$(find "$name-killed" \( -name '.linn-*' -o -name '*.tmp' -o -name 'config.next.json' \))"
  echo "$name: $killed kills of a process of three"
}

soak fold $((kills * 2 / 5)) recommend --data interactions --set d=16 --set shards=4 --epochs 200 --patience 200
soak equations $((kills * 2 / 5)) equations --data equations --preset authors --set shards=4 --epochs 60
soak pretraining $((kills / 5)) equations --data equations --preset best --set pretrain_steps=1500 --set shards=4 --epochs 5
finish
