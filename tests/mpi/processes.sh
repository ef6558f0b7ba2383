# Several processes: the same bits, the same answers, one line of complaint, one end for all.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

rm -rf ./*
"$LINN" --version | grep -q '^MPI: .*[0-9]' || check "version" "says which MPI" "$("$LINN" --version)"
"$LINN" generate equations --variables 60 --equations 300 --seed 1 --out equations >/dev/null
"$LINN" generate interactions --users 60 --items 40 --ratings 700 --seed 1 --out interactions >/dev/null

# bits NAME ARGUMENT...: any number of processes trains the same, and so does one that is resumed with another number.
bits() {
  local name="$1" count
  shift
  "$LINN" train "$@" --threads 2 --set shards=8 --quiet --out "$name" --json >"$name.json" || check "train $name" 0 "$?"
  for count in 2 3 4 8; do
    processes "$count" train "$@" --threads 1 --set shards=8 --quiet --out "$name-$count" --json >"$name-$count.json" ||
      check "train $name in $count" 0 "$?"
    same "$name in $count" "$name" "$name-$count"
    check "metrics of $name in $count" "$(json "$name.json" '{k: v for k, v in d.items() if "seconds" not in k}')" \
      "$(json "$name-$count.json" '{k: v for k, v in d.items() if "seconds" not in k}')"
    rm -r "$name-$count"
  done
}
bits equations-best equations --data equations --preset best --set pretrain_steps=50 --epochs 3 --seed 2
bits equations-authors equations --data equations --preset authors --epochs 3
bits fold recommend --data interactions --preset best --set d=16 --epochs 3
bits dnf recommend --data interactions --form dnf --set d=16 --epochs 3
bits authors recommend --data interactions --preset authors --set d=16 --epochs 3
bits sasrec recommend --data interactions --model sasrec --set d=16 --epochs 3

fold=(recommend --data interactions --set d=16 --set shards=8 --quiet --threads 1)
processes 3 train "${fold[@]}" --epochs 1 --out resumed >/dev/null
processes 2 train recommend --out resumed --resume --epochs 2 --quiet --threads 1 >/dev/null
"$LINN" train recommend --out resumed --resume --epochs 3 --quiet --threads 1 >/dev/null
same "resumed" fold resumed

# Data that the first process alone can read.
cat >elsewhere.sh <<END
[[ "\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-0}}" == 0 ]] || cd /
exec "\$@"
END
"${launcher[@]}" -n 3 bash ./elsewhere.sh "$LINN" train "${fold[@]}" --epochs 3 --send-data --out sent >/dev/null ||
  check "--send-data" 0 "$?"
same "sent" fold sent
"${launcher[@]}" -n 2 bash ./elsewhere.sh "$LINN" train equations --data equations --preset authors --epochs 3 \
  --set shards=8 --quiet --threads 1 --send-data --out sent-equations >/dev/null || check "--send-data" 0 "$?"
same "sent equations" equations-authors sent-equations

# Questions.
for candidates in 100 all; do
  check "evaluate among $candidates" "$("$LINN" evaluate fold --candidates "$candidates" --json)" \
    "$(processes 3 evaluate fold --candidates "$candidates" --json --threads 1)"
done
for i in {1..100}; do echo "+$((i % 39 + 1)),-$((i % 17 + 20))"; done >histories
for format in --json --json-lines --quiet; do
  "$LINN" recommend fold --file histories "$format" >expected
  processes 3 recommend fold --file histories "$format" --threads 1 >answers
  cmp expected answers || check "recommend --file $format" "the same" "others"
done
processes 2 recommend fold --file histories --out answers.json --threads 1
"$LINN" recommend fold --file histories --out expected.json
cmp expected.json answers.json || check "recommend --out" "the same" "others"

# Refusals, with one line.
complains 2 "shards is 2; set shards to 4 or more" 3 train recommend --data interactions --set shards=2 --quiet --out none
complains 2 "needs at least one shard" 2 train equations --data equations --out none
complains 2 "one process does" 2 train recommend --data interactions --model ease --out none
complains 2 "already contains a run" 2 train "${fold[@]}" --out fold
complains 2 "runs in one process" 2 normalize 'a & b'
complains 2 "nowhere" 2 train recommend --data nowhere --set shards=2 --quiet --out none
echo "+1,nonsense" >>histories
complains 2 "histories:101" 3 recommend fold --file histories --quiet --out none.json
[[ ! -e none && ! -e none.json ]] || check "nothing is written" "nothing" "something"

# What only one process meets.
cp -r interactions other
sed -i '2s/\t1\t/\t0\t/;3s/\t1\t/\t0\t/;4s/\t1\t/\t0\t/;5s/\t1\t/\t0\t/' other/train.tsv
mkdir -p there && cp -r other there/interactions
cat >there.sh <<END
[[ "\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-0}}" != 1 ]] || cd "\$THERE"
exec "\$@"
END
# lone MESSAGE STATUS FOLDER: process 1 works in the folder.
lone() {
  local start=$SECONDS status
  THERE="$3" "${launcher[@]}" -n 3 bash ./there.sh "$LINN" train recommend --data interactions --set shards=4 \
    --threads 1 --quiet --out none >/dev/null 2>errors.txt
  status=$?
  check "status: $1" "$2" "$status"
  check "lines: $1" 1 "$(grep -c "^linn: " errors.txt)"
  grep -q "$1" errors.txt || check "complaint" "$1" "$(cat errors.txt)"
  check "$1: ended within 10 s" yes "$( ((SECONDS - start <= 10)) && echo yes)"
}
lone "process 1 .*has other data than process 0" 1 "$PWD/there"
lone "process 1 on .*interactions" 2 /
[[ ! -e none ]] || check "nothing is written" "nothing" "something"

wait_for_epochs() {
  for _ in {1..200}; do
    [[ "$(cat "$1/metrics.jsonl" 2>/dev/null | wc -l)" -ge "$2" ]] && return
    sleep 0.05
  done
  check "epochs of $1" "$2" "none in time"
}
long=(recommend --data interactions --set d=16 --set shards=4 --quiet --threads 1 --epochs 60 --patience 60)
"$LINN" train "${long[@]}" --out undisturbed >/dev/null

# One process dies: all end, with one line, and the run goes on.
processes 3 train "${long[@]}" --resume --out killed >/dev/null 2>errors.txt &
wait_for_epochs killed 3
start=$SECONDS
kill -KILL "$(members $! | sed -n 2p)"
wait $!
check "a killed process ends all" yes "$([[ $? != 0 && $((SECONDS - start)) -le 10 ]] && echo yes)"
check "complaints after a kill" 1 "$(sort -u errors.txt | grep -c "^linn: ")"
processes 2 train "${long[@]}" --resume --out killed >/dev/null || check "resume" 0 "$?"
same "after a kill" undisturbed killed

# One process is told to stop: all stop at the same step.
processes 3 train "${long[@]}" --resume --out stopped >/dev/null 2>errors.txt &
wait_for_epochs stopped 3
kill -TERM "$(members $! | sed -n 3p)"
wait $!
check "status when stopped" 1 "$?"
check "nothing to complain about" "" "$(cat errors.txt)"
"$LINN" train "${long[@]}" --resume --out stopped >/dev/null
same "after a stop" undisturbed stopped

# What a step sends.
processes 2 bench --exchange --quick --seconds 0.01 --threads 1 --json >exchange.json || check "bench --exchange" 0 "$?"
check "cases" True "$(json exchange.json 'len(d["exchange"]) == 5' | sed 's/true/True/')"
check "bytes" true "$(json exchange.json 'all(0.4 < c["share_of_bound"] <= 1.2 for c in d["exchange"])')"
refuses "several processes" bench --exchange
finish
