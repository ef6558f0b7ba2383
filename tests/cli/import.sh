# linn import
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf headers.csv dates.csv wrong_date.csv ms.csv none.csv ml ml1m mlcsv reviews.json reviews.json.gz amazon.csv amazon2014.csv recbole table.csv out-* broken.csv none

# One user with seven likes and a dislike in every format, a second one with a single dislike. The rows are not in order.
ratings="1 10 5 100
1 11 4 200
1 12 5 300
1 13 4 400
1 14 5 500
1 17 4 800
1 16 2 700
1 15 5 600
2 10 3 50"
mkdir ml ml1m mlcsv recbole
tr ' ' '\t' <<<"$ratings" >ml/u.data
printf '10|Caf\xe9 (1995)|01-Jan-1995||http://x|0|0|0|0|0|0|0|0|1\n17|Seventeen||||0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|1\n99|Unrated||\n' \
  >ml/u.item
sed 's/ /::/g' <<<"$ratings" >ml1m/ratings.dat
printf '10::Caf\xe9 (1995)::Drama\n17::Seventeen::War\n' >ml1m/movies.dat
{ echo userId,movieId,rating,timestamp; tr ' ' , <<<"$ratings"; } >mlcsv/ratings.csv
printf 'movieId,title,genres\n10,"Caf\xc3\xa9 (1995)",Drama\n17,Seventeen,War\n' >mlcsv/movies.csv
sed 's/\(.*\) \(.*\) \(.*\) \(.*\)/{"reviewerID": "\1", "asin": "\2", "reviewText": "{}", "overall": \3.0, "unixReviewTime": \4}/' \
  <<<"$ratings" >reviews.json
gzip -kf reviews.json
{ echo itemID,rating,userID,timestamp; awk '{ print $2 "," $3 "," $1 "," $4 }' <<<"$ratings"; } >amazon.csv
tr ' ' , <<<"$ratings" >amazon2014.csv
{
  printf 'user_id:token\titem_id:token\trating:float\ttimestamp:float\n'
  tr ' ' '\t' <<<"$ratings"
} >recbole/tiny.inter
printf 'item_id:token\tmovie_title:token_seq\n10\tCaf\xc3\xa9 (1995)\n17\tSeventeen\n' >recbole/tiny.item
{ echo when,stars,who,what; awk '{ print $4 "," $3 "," $1 "," $2 }' <<<"$ratings"; } >table.csv

summary() { echo "2 users and 8 items with 7 likes and 2 dislikes in $1: 6 for training, 2 for validation, 1 for testing"; }
prints "$(summary out-ml)" import movielens-100k ml --out out-ml
prints "$(summary out-1m)" import movielens-1m ml1m --out out-1m
prints "$(summary out-csv)" import movielens-csv mlcsv --out out-csv
prints "$(summary out-json)" import amazon-json reviews.json --out out-json
prints "$(summary out-gz)" import amazon-json reviews.json.gz --out out-gz
prints "$(summary out-amazon)" import amazon-csv amazon.csv --out out-amazon
prints "$(summary out-2014)" import amazon-csv amazon2014.csv --out out-2014
prints "$(summary out-recbole)" import recbole recbole --out out-recbole
prints "$(summary out-table)" import csv table.csv --user-column who --item-column what --rating-column stars \
  --time-column when --out out-table

check "train" $'user\titem\tlabel\ttime
1\t10\t1\t100
1\t11\t1\t200
1\t12\t1\t300
1\t13\t1\t400
1\t14\t1\t500
2\t10\t0\t50' "$(cat out-ml/train.tsv)"
check "validation" $'1\t15\t1\t600\n1\t16\t0\t700' "$(tail -n +2 out-ml/validation.tsv)"
check "test" $'1\t17\t1\t800' "$(tail -n +2 out-ml/test.tsv)"
check "titles and genres" $'item\ttitle\tgenres\n10\tCafé (1995)\tDrama' "$(head -n 2 out-ml/items.tsv)"
for other in 1m csv; do check "$other" "" "$(diff -r out-ml "out-$other")"; done
cut -f 1,2 out-ml/items.tsv >items && mv items out-ml/items.tsv
check "recbole" "" "$(diff -r out-ml out-recbole)"
rm out-ml/items.tsv
for other in json gz amazon 2014 table; do check "$other" "" "$(diff -r out-ml "out-$other")"; done

for key in users:2 items:8 likes:7 dislikes:2 train:6 validation:2 test:1 skipped:0 repeated:0; do
  check "$key" "${key#*:}" "$(field "${key%:*}" import movielens-100k ml --force --out out-ml)"
done
check "likes from 5 on" 4 "$(field likes import movielens-100k ml/u.data --like-from 5 --force --out out-ml)"

# Broken rows: an error, or counted.
cp table.csv broken.csv
printf '900,good,1,18\n950,5,1\n1000,5,1,10\n' >>broken.csv
columns=(--user-column who --item-column what --rating-column stars --time-column when)
refuses "broken.csv:11:5: expected a number as rating, found 'good'" import csv broken.csv "${columns[@]}" --out none
refuses "broken.csv:12:8: expected 4 comma-separated fields as in the header, found 3 (more than the 1 invalid row" \
  import csv broken.csv "${columns[@]}" --skip-bad 1 --out none
check "skipped" 2 "$(field skipped import csv broken.csv "${columns[@]}" --skip-bad 2 --out out-broken 2>/dev/null)"
check "repeated" 1 "$(field repeated import csv broken.csv "${columns[@]}" --skip-bad 9 --quiet --force --out out-broken)"
check "what was skipped" "linn: skipped broken.csv:11:5: expected a number as rating, found 'good'" \
  "$("$LINN" import csv broken.csv "${columns[@]}" --skip-bad 2 --force --out out-broken 2>&1 >/dev/null | head -n 1)"
check "quiet" "" "$("$LINN" import csv broken.csv "${columns[@]}" --skip-bad 2 --force --quiet --out out-broken 2>&1 >/dev/null)"
check "the same rows" "" "$(diff -r out-table out-broken)"

refuses "out-ml/train.tsv already exists; use --force to overwrite it" import movielens-100k ml --out out-ml
cp amazon.csv out-amazon/train.csv
refuses "out-amazon/train.csv is in the way" import amazon-csv amazon.csv --force --out out-amazon
refuses "unknown value 'movielens', did you mean 'movielens-" import movielens ml --out none
refuses "--user-column is not for the format movielens-100k, whose files have no header" \
  import movielens-100k ml --user-column x --out none
refuses "table.csv:1: no column 'whom'; the header has 'when', 'stars', 'who', 'what'; name it with --user-column, for example --user-column who" \
  import csv table.csv --user-column whom --item-column what --rating-column stars --out none
printf 'Customer No,Product,Score,When\n1,2,3,4\n' >headers.csv
refuses '; name it with --user-column, for example --user-column "Customer No"' import csv headers.csv --out none
refuses "; name it with --item-column, for example --item-column Product" \
  import csv headers.csv --user-column "Customer No" --out none
refuses "; name it with --rating-column, for example --rating-column Score, or give --no-ratings if every row is a like" \
  import csv headers.csv --user-column "Customer No" --item-column Product --out none
"$LINN" import csv headers.csv --user-column "Customer No" --item-column Product --no-ratings --dry-run >rows.txt 2>remarks.txt
check "without ratings" "1     2     none    1 (like)  none" "$(sed -n 2p rows.txt)"
check "the column that may have times" 1 "$(grep -c "if 'When' has times: --time-column When" remarks.txt)"
refuses "--no-ratings is for the formats csv and recbole, not movielens-100k" import movielens-100k ml --no-ratings --out none
refuses "--no-ratings excludes --rating-column" import csv headers.csv --no-ratings --rating-column Score --out none
echo '{"rating": 5.0, "asin": "B1", "user_id": "u1", "timestamp": 7}' >newer.jsonl
refuses "newer.jsonl:1: the review has no 'reviewerID' that is a string; name it with --user-column, for example --user-column user_id" \
  import amazon-json newer.jsonl --out none
refuses "unknown value 'ml-1m'; choose one of movielens-100k|movielens-1m|" import ml-1m ml --out none
refuses "the folder contains no u.data" import movielens-100k ml1m --out none
refuses "missing: cannot be read: No such file or directory" import csv missing --out none
refuses "--like-from" import movielens-100k ml --like-from high --out none
refuses "--out is required; --dry-run shows what would be written" import movielens-100k ml

# Dates, and columns of another format.
printf 'userId,movieId,stars,when\n1,10,5,2024-02-14T10:01:00+01:00\n1,11,2,2024-02-14 09:01:01.5\n2,10,4,1707868800\n' >dates.csv
check "dates" $'1\t10\t1\t1707901260\n1\t11\t0\t1707901261\n2\t10\t1\t1707868800' \
  "$("$LINN" import movielens-csv dates.csv --rating-column stars --time-column when --out out-dates >/dev/null &&
    tail -n +2 out-dates/train.tsv)"
sed '3s/02-14/02-30/' dates.csv >wrong_date.csv
refuses "wrong_date.csv:3:8: expected a number or a date such as 2024-02-14 or 2024-02-14T10:01:00Z as time, found '2024-02-30" \
  import csv wrong_date.csv --rating-column stars --time-column when --out none

# What would be imported.
check "dry run" "user  item  rating  label        time        date                  title
1     10    5       1 (like)     1707901260  2024-02-14T09:01:00Z
1     11    2       0 (dislike)  1707901261  2024-02-14T09:01:01Z
2     10    4       1 (like)     1707868800  2024-02-14T00:00:00Z
2 users and 2 items with 2 likes and 1 dislikes: 3 for training, 0 for validation, 0 for testing
nothing was written" "$("$LINN" import csv dates.csv --rating-column stars --time-column when --dry-run)"
check "title" "Café (1995)" "$("$LINN" import movielens-1m ml1m --dry-run --json --out none |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["first"][0]["title"])')"
check "milliseconds" "2024-02-14T09:01:00Z" "$(printf 'user,item,rating,time\n1,2,3,1707901260123\n' >ms.csv
  "$LINN" import csv ms.csv --dry-run --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["first"][0]["date"])')"
check "no times" "None" "$(printf 'user,item,rating\n1,2,3\n' >none.csv
  "$LINN" import csv none.csv --dry-run --json --quiet | python3 -c 'import json, sys; print(json.load(sys.stdin)["first"][0]["time"])')"
refuses "is required" import
[[ ! -e none ]] || check "nothing is written" "no folder" "a folder"
finish
