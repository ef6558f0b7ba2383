# linn generate equations
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf one two three noisy fresh

prints "50 equations over 20 variables in one: 40 for training, 5 for validation, 5 for testing" \
  generate equations --variables 20 --equations 50 --seed 3 --out one
"$LINN" generate equations --variables 20 --equations 50 --seed 3 --out two >/dev/null
"$LINN" generate equations --variables 20 --equations 50 --seed 4 --out three >/dev/null
check "the same seed gives the same files" "" "$(diff -r one two)"
[[ -n "$(diff -r one three)" ]] || check "another seed" "another file" "the same file"
check "header" $'expression\tlabel' "$(head -n 1 one/train.tsv)"
check "train rows" 41 "$(wc -l <one/train.tsv)"
check "truth rows" 21 "$(wc -l <one/variables.tsv)"
check "train" 40 "$(field train generate equations --variables 20 --equations 50 --seed 3 --force --out one)"

# Noise flips labels for training and validation, and nothing else.
"$LINN" generate equations --variables 20 --equations 50 --seed 3 --noise 1 --out noisy >/dev/null
check "test labels stay clean" "" "$(diff one/test.tsv noisy/test.tsv)"
check "training labels flip" "$(cut -f 2 one/train.tsv | tail -n +2 | tr 01 10)" "$(cut -f 2 noisy/train.tsv | tail -n +2)"

# Fresh equations of a known truth: the same variables and values.
"$LINN" generate equations --truth one/variables.tsv --equations 30 --seed 9 --out fresh >/dev/null
check "truth is kept" "" "$(diff one/variables.tsv fresh/variables.tsv)"

refuses "already exists; use --force to overwrite it" generate equations --variables 20 --equations 50 --out one
refuses "--variables: must be a whole number from 1" generate equations --variables 0 --out none
refuses "noise: expected a number between 0 and 1, found 2" generate equations --noise 2 --out none
refuses "clauses: the range 5..1 is empty" generate equations --clauses 5..1 --out none
refuses "'x' is not a number or a range" generate equations --clauses x --out none
refuses "missing.tsv" generate equations --truth missing.tsv --out none
[[ ! -e none ]] || check "nothing is written" "no folder" "a folder"
finish
