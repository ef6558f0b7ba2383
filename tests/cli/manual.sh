# linn manual: the man page, the list of options in the docs, and completion
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$LINN" manual --format markdown >options.md
check "docs/options.md is up to date" "" "$(diff options.md "$LINN_SOURCE_DIR/docs/options.md" | head -n 5)"

"$LINN" manual >linn.1
check "man page" 1 "$(grep -c '^\.TH LINN 1' linn.1)"
if command -v groff >/dev/null; then
  check "groff has no warnings" "" "$(groff -man -Tutf8 -ww -z linn.1 2>&1 | head -n 5)"
fi
for command in normalize "train equations" "train recommend" recommend reproduce bench; do
  check "$command in the man page" 1 "$(grep -c "^\.SH \\\\&$command\$" linn.1)"
done

"$LINN" manual --format bash-completion >completion
# complete_words WORD...: the completions of the last word.
complete_words() {
  bash -c 'source ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _linn; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
check "a command" "normalize" "$(complete_words linn norm)"
check "a command below" "equations" "$(complete_words linn train eq)"
check "an option" "--label-noise" "$(complete_words linn train equations --lab)"
check "a choice" "authors" "$(complete_words linn train equations --preset au)"
touch a-file-here
check "a file" "a-file-here" "$(complete_words linn evaluate a-file)"

"$LINN" manual --format zsh-completion >completion.zsh
# The same for zsh, with stubs for the functions that offer words.
suggest_words() {
  zsh -fc 'compdef() { :; }; _describe() { print -l -- "${(@P)2}"; }; _files() { print "(files)"; }
    source ./completion.zsh; words=("$@"); CURRENT=$#; _linn' zsh "$@"
}
check "a command in zsh" "normalize" "$(suggest_words linn norm | sed -n 's/^\(normalize\):..*/\1/p')"
check "a command below in zsh" "equations" "$(suggest_words linn train eq | sed -n 's/^\(equations\):..*/\1/p')"
check "an option in zsh" "--label-noise" "$(suggest_words linn train equations --lab | sed -n 's/^\(--label-noise\):..*/\1/p')"
check "choices in zsh" "authors best paper" "$(suggest_words linn train equations --preset au | sort | tr '\n' ' ' | sed 's/ $//')"
check "a file in zsh" "(files)" "$(suggest_words linn evaluate a-file | tail -n 1)"
finish
