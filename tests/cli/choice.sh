# --exclude and --only: which items are recommended, ranked and similar.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf shop facts knn reasoner *.txt

"$LINN" generate interactions --users 120 --items 40 --seed 1 --out shop >/dev/null
"$LINN" train recommend --model itemknn --data shop --quiet --out knn >/dev/null

# items ARGUMENT...: the recommended items, a line each.
items() { "$LINN" "$@" --json 2>errors.txt | json - '"\n".join(i["item"] for i in d["items"])' | tr -d '"' | sed 's/\\n/\n/g'; }
items recommend knn --history +1,-2 --top 40 >all.txt
check "all but the history" 38 "$(wc -l <all.txt)"
printf '%s\r\nThe item that is not there\n\n%s\n' "$(sed -n 1p all.txt)" "$(sed -n 4p all.txt)" >exclude.txt
sed -n '2p;4p;9p;20p' all.txt >only.txt
echo 1 >>only.txt
check "exactly ten without some" "$(sed '1d;4d' all.txt | head -n 10)" "$(items recommend knn --history +1,-2 --exclude exclude.txt)"
check "an unknown one is remarked on" "linn: skipped 1 items of --exclude or --only that the model does not know" "$(cat errors.txt)"
check "no remark if quiet" "" "$("$LINN" recommend knn --history +1,-2 --exclude exclude.txt --quiet 2>&1 >/dev/null)"
check "some of them" "$(sed -n '2p;4p;9p;20p' all.txt)" "$(items recommend knn --history +1,-2 --only only.txt)"
check "both" 3 "$(items recommend knn --history +1,-2 --only only.txt --exclude exclude.txt | wc -l)"
check "a seen one if asked" 4 "$(items recommend knn --history +1,-2 --only only.txt --exclude exclude.txt --include-seen | wc -l)"
: >nothing.txt
check "none" "nothing is left to recommend" "$("$LINN" recommend knn --history +1,-2 --only nothing.txt)"
printf '+1,-2\n+3\n' >histories.txt
check "a file of histories" "$(sed -n '2p;9p;20p' all.txt | sort)" \
  "$("$LINN" recommend knn --file histories.txt --only only.txt --exclude exclude.txt 2>/dev/null | awk '$1 == 1 { print $3 }' | sort)"

# What the model does not know.
echo nowhere >>only.txt
for asked in "recommend knn --history +1" "recommend knn --user 1" "recommend knn --file histories.txt" "evaluate knn" "similar knn --item 1"; do
  # shellcheck disable=SC2086
  refuses "only.txt:6: the model does not know the item 'nowhere'" $asked --only only.txt
  # shellcheck disable=SC2086
  check "$asked skips it" "0 1" "$("$LINN" $asked --only only.txt --unknown skip >/dev/null 2>errors.txt; echo $? "$(grep -c 'skipped 1 items' errors.txt)")"
done
refuses "unknown value 'ignore'; choose one of refuse|skip" evaluate knn --only only.txt --unknown ignore
refuses "cannot be read" recommend knn --history +1 --exclude missing.txt
sed -i '$d' only.txt

# evaluate: held-out likes of these items alone, ranked among these items.
held_out="$("$LINN" evaluate knn --candidates all --json | json - 'd["count"]')"
cut -f1,2 shop/items.tsv | tail -n +2 | cut -f1 | awk 'NR % 2' >half.txt
cut -f1,2 shop/items.tsv | tail -n +2 | cut -f1 | awk 'NR % 2 == 0' >other.txt
half="$("$LINN" evaluate knn --candidates all --only half.txt --json)"
check "the same by leaving the others out" "$half" "$("$LINN" evaluate knn --candidates all --exclude other.txt --json)"
check "every like is of one half" "$held_out" \
  "$(($(json - 'd["count"]' <<<"$half") + $("$LINN" evaluate knn --exclude half.txt --json | json - 'd["count"]')))"
refuses "this split has no likes of these items" evaluate knn --only nothing.txt

# similar: neither the item itself nor those left out.
items similar knn --item 1 --top 40 >similar.txt
check "all others" 39 "$(wc -l <similar.txt)"
check "without some" "$(grep -vxFf <(tr -d '\r' <exclude.txt | grep .) similar.txt | head -n 5)" "$(items similar knn --item 1 --exclude exclude.txt --top 5)"

"$LINN" generate equations --variables 10 --equations 60 --seed 1 --out facts >/dev/null
"$LINN" train equations --data facts --model majority --quiet --out reasoner >/dev/null
for option in "--exclude nothing.txt" "--only nothing.txt" "--unknown skip"; do
  # shellcheck disable=SC2086
  refuses "this run is about equations" evaluate reasoner $option
done
finish
