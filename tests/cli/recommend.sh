# linn recommend, explain and cooccur
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

rm -rf ./*
mkdir data
printf 'user\titem\tlabel\ttime\n' | tee data/train.tsv data/validation.tsv >data/test.tsv
# Twenty users: those with an even number like even items, the others odd ones, and dislike one of the other kind.
for user in $(seq 20); do
  for step in 0 1 2 3 4; do
    item=$(((user + step * 2) % 12 + 1))
    printf '%s\t%s\t1\t%s\n' "$user" "$item" "$step"
  done
  printf '%s\t%s\t0\t9\n' "$user" "$(((user + 1) % 12 + 1))"
done >>data/train.tsv
for user in $(seq 20); do
  printf '%s\t%s\t1\t10\n' "$user" "$(((user + 10) % 12 + 1))" >>data/test.tsv
done
{
  printf 'item\ttitle\n'
  for item in $(seq 12); do printf '%s\tFilm %s, the\n' "$item" "$item"; done
} >data/items.tsv

train=(train recommend --data data --seed 1 --threads 1 --quiet --set d=8)
quick=("${train[@]}" --epochs 3)
"$LINN" "${quick[@]}" --model linn --out linn >/dev/null 2>errors.txt || check "train linn" 0 "$(cat errors.txt)"
"$LINN" "${quick[@]}" --model linn --preset authors --out authors >/dev/null
"$LINN" train recommend --data data --quiet --model popularity --out popular >/dev/null

# Clauses of two items, and vectors for users.
"$LINN" "${train[@]}" --model linn-rl --form dnf --order 2 --set user_vectors=true --set learning_rate=0.02 --epochs 40 --out pairs >/dev/null 2>errors.txt || check "train pairs" 0 "$(cat errors.txt)"
check "pairs" 10 "$("$LINN" recommend pairs --history "+1,-2" --user 4 | wc -l)"
[[ "$("$LINN" recommend pairs --history "+1,-2" --user 4)" != "$("$LINN" recommend pairs --history "+1,-2")" ]] ||
  check "a user's own vector" "another answer" "the same"
check "users without a vector" "$("$LINN" recommend linn --history "+1,-2")" "$("$LINN" recommend linn --history "+1,-2" --user 4)"
refuses "order 2 need the form dnf" "${train[@]}" --model linn --order 2 --form factored --out none
[[ ! -e none ]] || check "nothing is written" "no folder" "a folder"

# One history, as text and as JSON.
check "ten lines" 10 "$("$LINN" recommend linn --history "+1,-2" | wc -l)"
check "all that are left" 10 "$("$LINN" recommend linn --history "+1,-2" --top 50 | wc -l)"
check "all" 12 "$("$LINN" recommend linn --history "+1,-2" --top 50 --include-seen | wc -l)"
"$LINN" recommend linn --history "+1,-2,+3" --top 3 --json >three.json
check "items" 3 "$(json three.json 'len(d["items"])')"
check "reasons" 9 "$(json three.json 'sum(r["weight"] >= 0 for i in d["items"] for r in i["because"])')"
check "dislikes among them" 3 "$(json three.json 'sum(not r["liked"] for i in d["items"] for r in i["because"])')"
check "titles" 12 "$(json three.json 'sum(e["title"].startswith("Film ") for i in d["items"] for e in [i, *i["because"]])')"
"$LINN" recommend linn --history "+1" --top 1 --explain | grep -q "Because you liked Film 1, the" ||
  check "words" "Because you liked Film 1, the" "$("$LINN" recommend linn --history "+1" --top 1 --explain)"

# Items by title; errors name an unknown item.
check "by title" "$("$LINN" recommend linn --history "+1,-2" --json)" \
  "$("$LINN" recommend linn --history '"Film 1, the",-2' --json)"
refuses "does not know the item '77'" recommend linn --history "+1,77"
refuses "column 4" recommend linn --history "+1,"
check "skipped" "$("$LINN" recommend linn --history "+1")" "$("$LINN" recommend linn --history "+1,77" --unknown skip 2>errors.txt)"
check "the skipped item is named" "linn: skipped items that the model does not know: '77'" "$(cat errors.txt)"
refuses "--history or --user is required" recommend linn

# A new user gets popular items from every model.
titles() { "$LINN" recommend "$1" --history "" | sed 's/^ *[0-9]* *[-0-9.]* *//'; }
check "a new user" "$(titles popular)" "$(titles linn)"
# A user of the data has a history there.
check "a user of the data" 5 "$("$LINN" recommend linn --user 3 --top 100 | wc -l)"
refuses "no user '99'" recommend linn --user 99

# Other models give reasons without weights.
check "reasons of any model" 4 "$("$LINN" recommend popular --history "+1,-2" --top 2 --json | json - 'sum(r["weight"] is None for i in d["items"] for r in i["because"])')"

# A file of histories.
printf '+1,-2\nsomebody\t+3\n\n' >histories.txt
"$LINN" recommend linn --file histories.txt --top 2 --out answers.tsv
check "table" 7 "$(wc -l <answers.tsv)"
check "header" "line	user	rank	item	title	score" "$(head -n 1 answers.tsv)"
check "users" "2	somebody	1" "$(sed -n 4p answers.tsv | cut -f 1-3)"
check "on standard output" "$(cat answers.tsv)" "$("$LINN" recommend linn --file histories.txt --top 2)"
check "the same as one by one" "$("$LINN" recommend linn --history "+1,-2" --top 2 | sed 's/.*\[\(.*\)\]/\1/')" \
  "$(sed -n 2,3p answers.tsv | cut -f 4)"
"$LINN" recommend linn --file histories.txt --top 2 --out answers.json
check "results" 3 "$(json answers.json 'len(d["results"])')"
check "as JSON" "$(cat answers.json)" "$("$LINN" recommend linn --file histories.txt --top 2 --json)"
printf '+1\nsomebody\t+1,zzz\n' >broken.txt
refuses "broken.txt:2:13: the model does not know the item 'zzz'" recommend linn --file broken.txt
printf 'jürgen\t+1,zzz\n' >broken.txt
refuses "broken.txt:1:11: the model does not know the item 'zzz'" recommend linn --file broken.txt
refuses "cannot be used with it" recommend linn --file histories.txt --data data
refuses "--data applies only to --user" recommend linn --history "+1" --data data
refuses "--unknown applies only to items of --history" recommend linn --user 1 --unknown skip
refuses "--out and --json-lines apply only to --file" recommend linn --history "" --out x
refuses "cannot be used with it" recommend linn --file histories.txt --user 1

# Explaining one item.
"$LINN" explain linn --history "+1,-2,+3" --item 5 --json >explain.json
check "explain has a weight for each event" 3 "$(json explain.json 'sum(r["weight"] >= 0 for r in d["because"])')"
check "explain names the item" '"5"' "$(json explain.json 'd["item"]')"
check "three reasons for people" 3 "$("$LINN" explain authors --history "+1,-2,+3" --item "Film 5, the" | grep -cE '^(for|against|-) ')"
refuses "does not know the item 'Film'" explain linn --history "+1" --item Film
check "nothing argues" "Nothing in this history argues for it." "$("$LINN" explain linn --history "" --item 5 | tail -n 1)"

# Co-occurrence.
"$LINN" cooccur linn --out map.tsv >cooccur.txt
check "nine items" 10 "$(wc -l <map.tsv)"
grep -q "over 10000 random pairs" cooccur.txt || check "symmetry" "is printed" "$(cat cooccur.txt)"
"$LINN" cooccur linn --items "1,2,3" --out map.csv --json >cooccur.json
check "chosen items" 4 "$(wc -l <map.csv)"
check "quoted titles" 'item,"Film 1, the","Film 2, the","Film 3, the"' "$(head -n 1 map.csv)"
check "symmetry in JSON" true "$(json cooccur.json '0 < d["mean_asymmetry"] < 1')"
check "values in JSON" "[3, 3, 3]" "$(json cooccur.json '[len(row) for row in d["values"]]')"
"$LINN" cooccur linn --items "1,2" --out map.svg >/dev/null
check "a picture" "<svg" "$(head -c 4 map.svg)"
refuses "needs a LINN" cooccur popular --out map.tsv
refuses "is listed twice" cooccur linn --items "1,1" --out map.tsv

# The quality of explanations.
"$LINN" evaluate linn --explanations --json >quality.json
check "reasons of the test" 20 "$(json quality.json 'd["explanations"]["count"]')"
printf 'rule\tbody\thead\n1\t+1\t11\n' >data/rules.tsv
printf 'user\titem\trule\n12\t11\t1\n' >data/causes.tsv
check "a like with a known cause" 1 "$("$LINN" evaluate linn --explanations --json | json - 'd["explanations"]["caused"]')"
finish
