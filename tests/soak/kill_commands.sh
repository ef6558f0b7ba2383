# Commands that write folders are killed again and again, at random moments, and started anew at once: nothing is lost,
# left over or different.
#
#   LINN=build/linn LINN_SOURCE_DIR=. bash tests/soak/kill_commands.sh [KILLS]
source "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"
kills="${1:-150}"
RANDOM=11

"$LINN" generate equations --variables 20 --equations 100 --clauses 1..2 --literals 1..2 --seed 5 --out data >/dev/null
mkdir -p sets
cp -r data sets/equations-1k
"$LINN" generate interactions --users 3000 --items 500 --ratings 60000 --seed 1 --out shop >/dev/null
awk -F'\t' -v OFS=, 'NR == 1 { print "user,item,rating,timestamp"; next } { print $1, $2, ($3 ? 5 : 2), $4 }' shop/train.tsv >ratings.csv

# soak NAME MOST-MILLISECONDS REPEAT-OPTION OUT ARGUMENT...: runs the command once without and once with kills, the
# option added to every repetition, and compares the two folders.
soak() {
  local name="$1" most="$2" again="$3" out="$4" killed=0 process status
  shift 4
  "$LINN" "$@" --out "$out-straight" >"$name-straight.txt" 2>/dev/null
  check "status of $name" 0 "$?"
  rm -rf "$out-killed"
  while ((killed < kills)); do
    # A command that has ended starts over, so that every kill hits one at work.
    # shellcheck disable=SC2086
    "$LINN" "$@" $([[ -e "$out-killed" ]] && echo $again) --out "$out-killed" >/dev/null 2>errors.txt &
    process=$!
    sleep "$(printf '0.%03d' $((RANDOM % most)))"
    if kill -KILL "$process" 2>/dev/null; then
      killed=$((killed + 1))
    elif [[ "$again" != --force ]]; then
      rm -rf "$out-killed"  # it would only report what is there
    fi
    wait "$process" 2>/dev/null
    status=$?
    if ((status != 0 && status != 137)); then
      check "$name after $killed kills" "0 or killed" "$status: $(head -n 1 errors.txt)"
      return
    fi
  done
  # shellcheck disable=SC2086
  "$LINN" "$@" $again --out "$out-killed" >"$name-killed.txt" 2>errors.txt
  check "status of $name after $killed kills" 0 "$?"
  # Nothing of a file that was half written, of a child's output, or of a program that is still at work.
  check "nothing left over by $name" "" \
    "$(find "$out-killed" \( -name '.linn-*' -o -name '*.tmp' -o -name '*.out' -o -name '*.log' -o -name 'config.next.json' \))"
  check "no process of $name is left" 0 "$(pgrep -fc -- "$out-killed/")"
  compare "$name" "$out"
  echo "$name: $killed kills"
}

same_files() { check "$1: same files" "" "$(diff -rq "$2-straight" "$2-killed" | head -n 3)"; }
# Every stored result of a folder, without its times and the folder's own name.
results_of() {
  python3 - "$1" "$2" <<'END'
import json, pathlib, sys
folder, name = sys.argv[1:]
def timeless(value):
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if "seconds" not in key}
    return [timeless(each) for each in value] if isinstance(value, list) else value
for file in sorted(pathlib.Path(folder).rglob("*-*.json")):
    print(file.relative_to(folder), json.dumps(timeless(json.loads(file.read_text()))).replace(name, "OUT"))
END
}
# The trained models of a folder.
models_of() { (cd "$1" && find . -name model.safetensors -exec sha256sum {} + | sort); }
# Times and the folder's own name may differ in the folder of a search or a report; results and models may not.
compare() {
  case "$1" in
    tune | reproduce)
      check "$1: same output" "" "$(diff <(sed 's/-straight//g' "$1-straight.txt") <(sed 's/-killed//g' "$1-killed.txt"))"
      check "$1: there are results" yes "$([[ -n "$(results_of "$2-straight" "$2-straight")" ]] && echo yes)"
      check "$1: same results" "" "$(diff <(results_of "$2-straight" "$2-straight") <(results_of "$2-killed" "$2-killed") | head -n 3)"
      check "$1: same models" "" "$(diff <(models_of "$2-straight") <(models_of "$2-killed") | head -n 3)"
      ;;
    *) same_files "$1" "$2" ;;
  esac
}

soak generate 120 --force generated generate interactions --users 3000 --items 500 --ratings 60000 --seed 2
soak import 200 --force imported import csv ratings.csv
soak tune 900 --resume tune tune equations --data data --preset authors --set d=32 --set patience=100 --trials 6 --epochs 54 \
  --parallel 2 --search learning_rate=1e-4..1e-1:log --seed 3 --quiet
soak reproduce 900 "" reproduce reproduce table-1 --data sets --quick --seeds 1 --quiet
finish
