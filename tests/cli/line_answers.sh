# Files of any length: recommend --file and query --file need no more memory for many lines than for few.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf facts many shop run model *.txt

# kilobytes ARGUMENT...: the peak memory of the program.
kilobytes() {
  python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$LINN" "$@"
}

"$LINN" generate equations --variables 1000 --equations 3000 --seed 7 --out facts >/dev/null
"$LINN" generate equations --truth facts/variables.tsv --equations 30000 --validation-share 0 --test-share 0 --seed 2 --out many >/dev/null
"$LINN" train equations --data facts --preset authors --epochs 1 --quiet --out model >/dev/null
tail -n +2 many/train.tsv | cut -f 1 >many.txt
head -n 1000 many.txt >few.txt
check "a line of the table per expression" 30001 "$("$LINN" query model --file many.txt | wc -l)"

refuses "--json-lines needs a file NAME.jsonl" query model --file few.txt --json-lines --out answers.json
refuses "--json needs a file NAME.json," query model --file few.txt --json --out answers.jsonl

"$LINN" generate interactions --users 2000 --items 5000 --ratings 20000 --seed 1 --out shop >/dev/null
"$LINN" train recommend --data shop --epochs 1 --quiet --out run >/dev/null
awk 'NR > 1 && $1 == user { line = line ","; } NR > 1 && $1 != user { if (user != "") print line; user = $1; line = "" }
     NR > 1 { line = line ($3 ? "+" : "-") $2 } END { print line }' shop/train.tsv >histories.txt
check "histories" 2000 "$(wc -l <histories.txt)"
head -n 1000 histories.txt >few_histories.txt
for _ in 1 2 3 4 5 6 7; do cat histories.txt; done >many_histories.txt
check "ten items per history" 140001 "$("$LINN" recommend run --file many_histories.txt | wc -l)"

# The memory of a program with sanitizers says nothing.
if ! ldd "$LINN" | grep -qE 'libasan|libtsan'; then
  for asked in "query model --file few.txt many.txt" "recommend run --file few_histories.txt many_histories.txt"; do
    read -r -a words <<<"$asked"
    few="$(kilobytes "${words[@]:0:4}")"
    many="$(kilobytes "${words[@]:0:3}" "${words[4]}")"
    check "${words[0]}: $many kB for many lines, $few kB for few" yes "$( ((many < few + 60000)) && echo yes)"
  done
  # Reasons take memory for each thread.
  few="$(kilobytes recommend run --json-lines --threads 8 --file few_histories.txt)"
  many="$(kilobytes recommend run --json-lines --threads 8 --file many_histories.txt)"
  check "with reasons: $many kB for many lines, $few kB for few" yes "$( ((many < few + 100000)) && echo yes)"
fi
finish
