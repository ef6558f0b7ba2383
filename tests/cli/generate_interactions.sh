# linn generate interactions
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf one two three small none

generate=(generate interactions --users 300 --items 200 --ratings 3000)
"$LINN" "${generate[@]}" --seed 3 --out one >/dev/null || check "status" 0 "$?"
"$LINN" "${generate[@]}" --seed 3 --out two >/dev/null
"$LINN" "${generate[@]}" --seed 4 --out three >/dev/null
check "the same seed gives the same files" "" "$(diff -r one two)"
[[ -n "$(diff -r one three)" ]] || check "another seed" "another file" "the same file"
check "files" "causes.tsv items.tsv rules.tsv test.tsv train.tsv validation.tsv" "$(cd one && echo *)"
check "ratings" 3003 "$(cat one/{train,validation,test}.tsv | wc -l)"
check "items" 201 "$(wc -l <one/items.tsv)"
check "header of rules" $'rule\tbody\thead' "$(head -n 1 one/rules.tsv)"
check "header of causes" $'user\titem\trule' "$(head -n 1 one/causes.tsv)"
check "bodies" "" "$(tail -n +2 one/rules.tsv | cut -f 2 | grep -vE '^[+-][0-9]+( [+-][0-9]+)?$')"
# Every cause is a like of the rule's head.
check "causes are likes of heads" "" "$(awk -F '\t' '
  FILENAME ~ /rules/ { head[$1] = $3; next }
  FILENAME ~ /causes/ { if (FNR > 1 && ($2 != head[$3] || !(($1, $2) in liked))) print; next }
  $3 == 1 { liked[$1, $2] = 1 }' one/rules.tsv one/train.tsv one/validation.tsv one/test.tsv one/causes.tsv)"

check "users" 300 "$(field users "${generate[@]}" --seed 3 --force --out one)"
check "caused" "$(($(wc -l <one/causes.tsv) - 1))" "$(field caused "${generate[@]}" --seed 3 --force --out one)"
check "rules" 7 "$(field rules "${generate[@]}" --rules 7 --out small)"
check "no dislikes" 0 "$(field dislikes "${generate[@]}" --likes 1 --force --out small)"
prints "10 users and 20 items with 46 likes and 44 dislikes in small: 83 for training, 4 for validation, 3 for testing
0 rules caused 0 of the likes" generate interactions --users 10 --items 20 --rules 0 --likes 0.6 --force --out small

refuses "already exists; use --force to overwrite it" "${generate[@]}" --out one
refuses "ratings: expected 1500 to 30000, found 10" generate interactions --users 300 --items 200 --ratings 10 --out none
refuses "items: expected 10 to 1000000000, found 3" generate interactions --items 3 --out none
refuses "rules: 200 items allow at most" "${generate[@]}" --rules 500 --out none
refuses "share of likes: expected a number between 0 and 1, found 2" "${generate[@]}" --likes 2 --out none
refuses "must be a whole number" "${generate[@]}" --rules -1 --out none
refuses "did you mean 'interactions'?" generate interaction --out none
[[ ! -e none ]] || check "nothing is written" "no folder" "a folder"
finish
