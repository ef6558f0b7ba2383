# linn normalize
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

prints "!rain | umbrella | wet" normalize "(rain & !umbrella) -> wet"
prints "(a & !b) | (!a & b)" normalize "a xor b"
prints "(a | b) & (!a | !b)" normalize --form cnf "a xor b"
prints "a ∧ ¬b" normalize --notation unicode "not (!a or b)"
prints "29v~593^924" normalize --notation authors "~593^924v29"
prints "T" normalize "a | !a"
prints "F" normalize "a & !a"
prints "\"Star Wars (1977)\" & x" normalize 'x & "Star Wars (1977)"'

check "clauses" 2 "$(field clauses normalize "a xor b")"
check "literals" 4 "$(field literals normalize "a xor b")"
check "normal form" '"(a & !b) | (!a & b)"' "$(field normal_form normalize "a xor b")"

refuses "column 9: expected a variable, T, F, '!' or '(', found the end" normalize "a & (b |"
check "the caret" "          ^" "$(tail -n 1 errors.txt)"
refuses "column 3: unmatched ')'" normalize "a )"
refuses "over the limit of 10; raise max_literals" normalize --max-literals 10 "(a|b)&(c|d)&(e|f)&(g|h)"

# A file with one expression or equation per line.
printf '# comment\n\na -> b\n  (a & "x # y") | F = 0.5   # comment\n' >list.txt
prints $'!a | b\na & "x # y"' normalize --file list.txt
check "one object" '["!a | b", "a & \"x # y\""]' \
  "$("$LINN" normalize --file list.txt --json | json - '[one["normal_form"] for one in d["results"]]')"
printf 'a\nb &\n' >broken.txt
refuses "broken.txt:2:4: expected a variable" normalize --file broken.txt
: >empty.txt
refuses "empty.txt: this file has no expression" normalize --file empty.txt
refuses "missing.txt" normalize --file missing.txt

# A DIMACS file is one expression.
printf 'c a comment\np cnf 3 2\n1 -2 0\n2 3 0\n' >small.cnf
prints "(1 | !2) & (2 | 3)" normalize --form cnf --file small.cnf
check "dimacs is one" 2 "$(field clauses normalize --form cnf --file small.cnf)"
printf 'p cnf 3 2\n1 -2 0\n2 4 0\n' >wrong.cnf
refuses "wrong.cnf:3:3" normalize --file wrong.cnf
finish
