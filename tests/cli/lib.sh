# Helpers for the test scripts, which source this file and end with `finish`.
# shellcheck shell=bash
set -uo pipefail
: "${LINN:?the program under test}"
failures=0

# check NAME EXPECTED ACTUAL
check() {
  if [[ "$2" == "$3" ]]; then return 0; fi
  printf 'FAILED %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}

# prints TEXT ARGUMENT...: the program succeeds and prints exactly the text.
prints() {
  local expected="$1" actual status
  shift
  actual="$("$LINN" "$@" 2>errors.txt)"
  status=$?
  check "status of: $*" 0 "$status"
  check "output of: $*" "$expected" "$actual"
}

# refuses MESSAGE ARGUMENT...: the program exits with status 2, prints nothing, and the first line of its error output
# contains the message.
refuses() {
  local message="$1" actual status first
  shift
  actual="$("$LINN" "$@" 2>errors.txt)"
  status=$?
  first="$(head -n 1 errors.txt)"
  check "status of: $*" 2 "$status"
  check "output of: $*" "" "$actual"
  if [[ "$first" != *"$message"* ]]; then check "complaint of: $*" "...$message..." "$first"; fi
}

# json FILE EXPRESSION: prints a Python expression over `d`, the JSON object in the file (- for standard input), as JSON.
json() {
  python3 -c 'import json, sys
d = json.load(sys.stdin if sys.argv[1] == "-" else open(sys.argv[1]))
print(json.dumps(eval(sys.argv[2]), ensure_ascii=False))' "$@"
}

# field KEY ARGUMENT...: runs the program with --json and prints the value of a key.
field() {
  local key="$1"
  shift
  "$LINN" "$@" --json | json - "d['$key']"
}

# in_browser PAGE: in a real browser, on a wide and a narrow window, every figure of the page is visible, nothing is
# wider than the window, and there are no errors.
in_browser() {
  local page="$1" width seen figures
  check "chromium is there" yes "$(command -v chromium >/dev/null && echo yes)"
  figures="$(grep -c '<figure' "$page")"
  for width in 1280 390; do
    # Installed first and in the capture phase, so that resources that fail to load count, too.
    sed 's|<head>|<head><script>addEventListener("error", () => { window.failed = true; }, true);</script>|' "$page" >"$page.checked.html"
    check "errors of $page are heard" 1 "$(grep -c 'window.failed' "$page.checked.html")"
    cat >>"$page.checked.html" <<'END'
<script>
addEventListener("load", () => {
  const figures = [...document.querySelectorAll("figure svg")].map(svg => svg.getBoundingClientRect());
  const lost = figures.filter(box => box.width < 100 || box.height < 60).length;
  const root = document.documentElement;
  document.title = ["seen", window.failed === true, figures.length, lost, root.scrollWidth <= root.clientWidth].join(" ");
});
</script>
END
    seen="$(chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/chromium" --window-size="$width,900" \
      --dump-dom "file://$PWD/$page.checked.html" 2>/dev/null | sed -n 's|.*<title>\(.*\)</title>.*|\1|p')"
    check "$page at $width: errors, figures, lost ones, fits" "seen false $figures 0 true" "$seen"
  done
}

finish() {
  if ((failures > 0)); then
    echo "$failures checks failed"
    exit 1
  fi
}
