# What must not hurt: kills, orphans, full disks, files that somebody else made.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data data2 replaced locked search killed whole small run run2 file.txt bomb* deep* wide* shop shop2 target linked* elsewhere diverged named*

"$LINN" generate equations --variables 20 --equations 100 --clauses 1..2 --literals 1..2 --seed 5 --out data >/dev/null
tune=(tune equations --data data --preset authors --set d=32 --set patience=100 --trials 6 --epochs 54 --parallel 2
  --search learning_rate=1e-4..1e-1:log --seed 3 --quiet --json)

# The trials of a search that is killed end with it, and the search is resumed at once with the same result.
"$LINN" "${tune[@]}" --out whole >whole.json
for seconds in 0.1 0.3 0.6; do
  rm -rf killed
  "$LINN" "${tune[@]}" --out killed >/dev/null 2>&1 &
  process=$!
  sleep "$seconds"
  kill -KILL "$process" 2>/dev/null
  wait "$process" 2>/dev/null
  "$LINN" "${tune[@]}" --out killed --resume >killed.json
  check "status of a search resumed after $seconds s" 0 "$?"
  check "same trials after $seconds s" "" "$(diff whole.json killed.json)"
  check "no orphans after $seconds s" 0 "$(pgrep -fc -- "^linn train equations .* killed/trial-")"
  check "nothing left over after $seconds s" "" "$(find killed -name '.linn-*')"
done
# A trial that cannot work, here because its run folder is locked, is no result.
mkdir -p search/trial-002
python3 -c 'import fcntl, time
lock = open("search/trial-002/run.lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
open("locked", "w")
time.sleep(60)' &
sleeper=$!
until [[ -e locked ]]; do sleep 0.05; done
cp whole/tune.json search
"$LINN" "${tune[@]}" --out search --resume >locked.json 2>errors.txt
check "status with a locked trial" 1 "$?"
check "the lock is named" 1 "$(grep -c 'trial-002: .*another process is training into this run folder' errors.txt)"
kill "$sleeper"
wait "$sleeper" 2>/dev/null
"$LINN" "${tune[@]}" --out search --resume >locked.json
check "same result once it is free" "" "$(diff whole.json locked.json)"
# A full disk, too. Every file is limited to 1 KiB here; a log of nothing but zero bytes must not count as success.
(
  trap '' XFSZ
  ulimit -f 1
  "$LINN" "${tune[@]}" --out small --resume >full.json 2>errors.txt
)
check "status on a full disk" 1 "$?"
check "no winner on a full disk" 0 "$(cat full.json errors.txt | grep -c 'best on validation\|"score"')"

# A diverged training is no model, and says so in JSON. It counts as a failed trial.
diverging=(train equations --data data --preset authors --set d=8 --set optimizer=sgd --set learning_rate=10
  --set init=10 --set length=100 --set clip_norm=0 --set clip_value=0 --epochs 50 --seed 1 --quiet --json)
"$LINN" "${diverging[@]}" --out diverged >diverged.json 2>errors.txt
check "status of a diverged training" 1 "$?"
check "diverged" true "$(json diverged.json 'd["diverged"]')"
check "no best model is promised" 0 "$(grep -c 'best model so far' errors.txt)"

# Data that changed since a run was started.
"$LINN" generate equations --variables 20 --equations 100 --clauses 1..2 --literals 1..2 --seed 5 --out data2 >/dev/null
train=(train equations --preset authors --set d=8 --quiet)
"$LINN" "${train[@]}" --data data2 --epochs 3 --seed 1 --out run >/dev/null
sed -i 's/\t1$/\tx/; s/\t0$/\t1/; s/\tx$/\t0/' data2/train.tsv
refuses "the data have changed since this run was started" train equations --resume --quiet --epochs 4 --out run
check "3 epochs" 3 "$(wc -l <run/metrics.jsonl)"
check "accepted" 4 "$(field epochs train equations --resume --accept-changed-data --quiet --epochs 4 --out run)"
refuses "--accept-changed-data requires --resume" "${train[@]}" --data data2 --accept-changed-data --out run2

# A run that was being replaced when linn was killed: the new configuration holds.
cp -r run replaced
python3 - <<'END'
import json
config = json.load(open("replaced/config.json"))
config["seed"] = 3
print(json.dumps(config, indent=2), file=open("replaced/config.next.json", "w"))
END
"$LINN" train equations --resume --accept-changed-data --quiet --out replaced >/dev/null
check "the new seed" 3 "$(json replaced/config.json 'd["seed"]')"
check "trained afresh" "" "$(ls replaced | grep next)"
"$LINN" "${train[@]}" --data data2 --epochs 4 --seed 3 --out run2 >/dev/null
check "as if it had not been killed" "" "$(cmp run2/model.safetensors replaced/model.safetensors)"

# A data set of which only some tables were renamed is refused, and may be written again without --force.
"$LINN" generate interactions --users 20 --items 20 --seed 1 --out shop >/dev/null
touch shop/.linn-incomplete
refuses "shop: this data set is incomplete" train recommend --data shop --out run3
echo half >shop/.linn-1-0.tmp
"$LINN" generate interactions --users 20 --items 20 --seed 1 --out shop >/dev/null
check "written again" 0 "$?"
check "nothing left over" "" "$(find shop -name '.linn-*')"

# A symbolic link in a run folder is not followed.
echo precious >target
cp -r run linked
ln -sf ../target linked/metrics.jsonl
"$LINN" train equations --resume --accept-changed-data --quiet --out linked >/dev/null 2>errors.txt
check "status with a linked file" 1 "$?"
check "the target is untouched" precious "$(cat target)"
# The others are replaced, and folders refused.
for file in config.json model.safetensors checkpoint.safetensors; do
  rm -rf linked
  cp -r run linked
  cp "run/$file" linked-target
  ln -sf ../linked-target "linked/$file"
  "$LINN" train equations --resume --accept-changed-data --epochs 6 --quiet --out linked >/dev/null
  check "status with a linked $file" 0 "$?"
  check "the target of $file is untouched" "" "$(cmp "run/$file" linked-target)"
done
mkdir elsewhere
"$LINN" "${train[@]}" --data data2 --snapshots every:1 --epochs 2 --seed 1 --force --out linked >/dev/null
rm -rf linked/snapshots
ln -s ../elsewhere linked/snapshots
refuses "linked/snapshots: is a symbolic link" train equations --resume --quiet --epochs 3 --out linked
check "nothing elsewhere" "" "$(ls elsewhere)"

# Deep or wide JSON, and settings that promise a huge model.
python3 - <<'END'
import json
print("[" * 100000 + "]" * 100000, file=open("deep.json", "w"))
json.dump({"options": {f"k{i}": "1" for i in range(80000)}}, open("wide.json", "w"))
END
for file in deep wide; do
  rm -rf "$file"
  cp -r run "$file"
  cp "$file.json" "$file/config.json"
  refuses "$file/config.json: not the configuration of a run" evaluate "$file"
  refuses "$file.json:" "${train[@]}" --data data --config "$file.json" --out other
done
echo '{"options": 1}' >list.json
refuses "list.json: \"options\" must be a JSON object" "${train[@]}" --data data --config list.json --out other

# A gzip bomb, and a line of separators.
python3 - <<'END'
import gzip
with gzip.open("bomb.csv.gz", "wb", 9) as out:
    for _ in range(300): out.write(b"x" * (1 << 20))
open("commas.csv", "w").write("user,item,rating\n" + "," * 10_000_000 + "\n")
END
refuses "bomb.csv.gz:1: the line is longer than 64 MiB" import csv bomb.csv.gz --out other
refuses "commas.csv:2: the line has more than 10000 fields" import csv commas.csv --out other
python3 - <<'END'
import gzip
with gzip.open("bomb.csv.gz", "wb", 9) as out:
    out.write(b"user,item,rating\n")
    for _ in range(200): out.write(b"ann,lamp,5\n" * 100_000)
open("wide_expression.txt", "w").write("1 | 2\n" + " | ".join(["1"] * 1_000_000) + "\n")
open("long_expression.txt", "w").write("1 | 2\n" + "(" * 50_000_000 + "\n")
open("long_name.txt", "w").write("1 | 2\n" + "x" * 1_000_000 + "\n")
END
refuses "bomb.csv.gz: cannot be read: it unpacks to more than 200 times its size" import csv bomb.csv.gz --out other
refuses "bomb.csv.gz: cannot be read: it unpacks to more than 200 times its size" "${train[@]}" --data bomb.csv.gz --out other
refuses "wide_expression.txt:2: the expression has 1000000 variables; at most 100000" query run --file wide_expression.txt
refuses "long_expression.txt:2: the expression is longer than 4 MiB" query run --file long_expression.txt
refuses "long_name.txt:2:1: the model does not know the variable xxx" query run --file long_name.txt
check "a short complaint about a long name" yes "$([[ "$(wc -c <errors.txt)" -lt 500 ]] && echo yes)"
rm -f bomb.csv.gz commas.csv wide_expression.txt long_expression.txt long_name.txt
refuses "unknown option 'x" "${train[@]}" --data data --config <(python3 -c 'print("x" * 1_000_000, "= 1")' 2>/dev/null) --out other
check "a short complaint" yes "$([[ "$(wc -c <errors.txt)" -lt 500 ]] && echo yes)"
printf 'user,item,rating\n\033[2Ja,b,c\n' >escape.csv
refuses "expected" import csv escape.csv --out other
check "no escape sequence" 0 "$(grep -c $'\033' errors.txt)"

# What spreadsheets call Unicode text, and what is no text.
head -c 5000 "$LINN" >linn.csv
printf '\377\376u\0s\0e\0r\0,\0i\0t\0e\0m\0\n\0' >utf16.csv
for command in "import csv utf16.csv --out other" "query run --file utf16.csv" "normalize --file utf16.csv" \
  "train equations --data utf16.csv --out other"; do
  # shellcheck disable=SC2086
  refuses "utf16.csv: the file is in UTF-16; save it as UTF-8" $command
done
refuses "linn.csv:1: expected a table with a header, found a binary file" import csv linn.csv --out other
rm -f utf16.csv linn.csv

# Names that no model file can hold are reported before the training, not after it.
python3 - <<'END'
import os
os.mkdir("named")
for part in ["train", "validation", "test"]:
    open(f"named/{part}.tsv", "w").write("user\titem\tlabel\n")
with open("named/train.tsv", "a") as likes, open("named.txt", "w") as equations:
    for i in range(36):
        name = f"n{i}" + "x" * 3_000_000
        likes.write(f"ann\t{name}\t1\n")
        equations.write(f"{name} | b = T\n")
END
for command in "equations --model majority --data named.txt" "recommend --model popularity --data named"; do
  # shellcheck disable=SC2086
  "$LINN" train $command --quiet --out other >/dev/null 2>errors.txt
  check "status of $command" 1 "$?"
  check "complaint of $command" 1 "$(grep -c 'a model with 108[0-9]* bytes of names and settings cannot be saved' errors.txt)"
  check "no folder of $command" no "$([[ -e other ]] && echo yes || echo no)"
done
rm -rf named named.txt

# Places that cannot be written.
echo >file.txt
for out in file.txt file.txt/deeper /proc/linn; do
  for command in "tune equations --data data --trials 2" "report run" "reproduce --quiet --data data table-1"; do
    # shellcheck disable=SC2086
    "$LINN" $command --out "$out" >/dev/null 2>errors.txt
    check "$command into $out fails" yes "$([[ $? == [12] ]] && echo yes)"
    check "$command into $out: one line, no raw exception" "1 0" "$(wc -l <errors.txt) $(grep -c 'filesystem error\|exception' errors.txt)"
  done
done
"$LINN" generate equations --variables 10 --equations 18446744073709551615 --out other >/dev/null 2>errors.txt
check "too many equations" yes "$([[ $? -ne 0 ]] && echo yes)"
check "no raw exception" 0 "$(grep -c 'std::\|max_size' errors.txt)"

# The instruction set can be chosen; the same one gives the same bits.
first="$(LINN_INSTRUCTIONS=nonsense "$LINN" bench --help 2>&1 | head -n 1)"
check "unknown instruction set" yes "$([[ "$first" == *"LINN_INSTRUCTIONS must be one of "*"not 'nonsense'"* ]] && echo yes)"
set_name="$(sed 's/.*, \([A-Z0-9_]*\), not.*/\1/' <<<"$first")"
for out in first second; do
  LINN_INSTRUCTIONS="$set_name" "$LINN" "${train[@]}" --data data --epochs 3 --force --out "bits-$out" >/dev/null
done
check "same bits with $set_name" "" "$(cmp bits-first/model.safetensors bits-second/model.safetensors)"
finish
