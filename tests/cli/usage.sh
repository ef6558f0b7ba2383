# Version, help, and errors in the command line
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version="$("$LINN" --version)"
[[ "${version%%$'\n'*}" =~ ^linn\ [0-9]+\.[0-9]+\.[0-9]+\ \(.+\)$ ]] || check "version" "linn X.Y.Z (commit)" "$version"
[[ "$version" == *$'\nMPI: '* ]] || check "version" "says whether it has MPI" "$version"

# Every documented command is listed in the help and has a help of its own.
help="$("$LINN" --help)"
commands="$(sed -n 's/^## linn //p' "$LINN_SOURCE_DIR/docs/options.md")"
check "commands" yes "$([[ "$(wc -l <<<"$commands")" -ge 20 ]] && echo yes || echo "$commands")"
while read -ra command; do
  grep -q "^  ${command[0]} " <<<"$help" || check "help" "names ${command[0]}" "$help"
  own="$("$LINN" "${command[@]}" --help)" || check "help of ${command[*]}" 0 "$?"
  [[ "$own" == *"Usage: linn ${command[*]}"* ]] || check "help of ${command[*]}" "how to use it" "$own"
done <<<"$commands"

refuses "unknown command 'normalise' for 'linn', did you mean 'normalize'?" normalise x
refuses "unknown command 'equation' for 'linn generate', did you mean 'equations'?" generate equation
refuses "unknown option '--fomr' for 'linn normalize', did you mean '--form'?" normalize --fomr cnf a
refuses "unknown value 'xnf', did you mean 'dnf'?" normalize --form xnf a
refuses "a command is required (see 'linn --help')"
refuses "a command is required (see 'linn train --help')" train
refuses "the argument 'bad?' is not UTF-8" generate equations --out $'bad\xff' --json
check "nothing is made under such a name" no "$([[ -e $'bad\xff' ]] && echo yes || echo no)"
refuses "is required" normalize
refuses "--out is required" generate equations
refuses "--variables" generate equations --variables many --out x
refuses "must be a whole number from 1" generate equations --equations -1 --out x
refuses "must be a whole number from 0 to 1024" bench --threads -1
refuses "must be a whole number" generate equations --seed 18446744073709551616 --out x
refuses "may have up to 1000000 literals" generate equations --clauses 1..99999999999 --out x
# With closed standard streams, it works or fails with a regular status.
"$LINN" normalize a >&- 2>&-
[[ $? -le 2 ]] || check "closed streams" "a status up to 2" "$?"
finish
