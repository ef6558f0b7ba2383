# Runs every command that the README and the docs show, each page in a folder of its own, in the order of the page.
#
# Commands are the blocks marked sh, and the lines starting with $ in blocks marked console. A command that is followed
# by a line starting with "linn:" must fail. A line <!-- not run: WHY --> skips the next block.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

script_of() {
  awk '
    /^<!-- not run: / { skip = 1; next }
    /^```/ {
      if (inside) { if (kept != "") print kept; kept = ""; inside = 0; skip = 0 }
      else { inside = 1; kind = substr($0, 4) }
      next
    }
    !inside || skip { next }
    kind == "sh" { print }
    kind == "console" && /^\$ / { if (kept != "") print kept; kept = substr($0, 3) }
    kind == "console" && /^linn: / && kept != "" { kept = "if " kept "; then exit 1; fi" }
  ' "$1"
}

pages=0
for page in "$LINN_SOURCE_DIR"/README.md "$LINN_SOURCE_DIR"/docs/*.md; do
  name="$(basename "$page" .md)"
  rm -rf "$name"
  mkdir -p "$name/build"
  ln -s "$LINN" "$name/build/linn"
  script_of "$page" >"$name/script"
  if [[ ! -s "$name/script" ]]; then continue; fi
  pages=$((pages + 1))
  start=$SECONDS
  # With -x, the last command in the trace is the one that failed.
  (cd "$name" && bash -e -o pipefail -x ./script) >"$name/output" 2>"$name/errors"
  status=$?
  echo "$name: $((SECONDS - start)) s"
  if ((status != 0)); then check "status of $name, at $(grep '^+' "$name/errors" | tail -n 1)" 0 "$status"; fi
done
check "pages with commands" yes "$( ((pages >= 6)) && echo yes)"
finish
