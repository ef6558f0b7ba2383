# What the program says about itself and about command lines that make no sense.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[[ "$("$LINN" --version)" =~ ^linn\ [0-9]+\.[0-9]+\.[0-9]+\ \(.+\)$ ]] || check "version" "linn X.Y.Z (commit)" "$("$LINN" --version)"

# Every command and option that there is stands in the help.
help="$("$LINN" --help)"
for command in normalize generate import bench; do
  [[ "$help" == *"$command"* ]] || check "help" "names $command" "$help"
  "$LINN" "$command" --help >/dev/null || check "help of $command" 0 "$?"
done

refuses "unknown command 'normalise' for 'linn', did you mean 'normalize'?" normalise x
refuses "unknown command 'equation' for 'linn generate', did you mean 'equations'?" generate equation
refuses "unknown option '--fomr' for 'linn normalize', did you mean '--form'?" normalize --fomr cnf a
refuses "unknown value 'xnf', did you mean 'dnf'?" normalize --form xnf a
refuses "subcommand is required"
refuses "is required" normalize
refuses "--out is required" generate equations
refuses "--variables" generate equations --variables many --out x
refuses "must be a whole number from 1" generate equations --equations -1 --out x
refuses "must be a whole number from 0 to 1024" bench --threads -1
refuses "must be a whole number" generate equations --seed 18446744073709551616 --out x
refuses "may have up to 1000000 literals" generate equations --clauses 1..99999999999 --out x
# With standard streams closed it works or fails, and does neither in a wild way.
"$LINN" normalize a >&- 2>&-
[[ $? -le 2 ]] || check "closed streams" "a status up to 2" "$?"
finish
