# Helpers of the scripts beside it, which source it and end with `finish`.
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

# prints WHAT ARGUMENT...: the program, run with the arguments, prints exactly that and succeeds.
prints() {
  local expected="$1" actual status
  shift
  actual="$("$LINN" "$@" 2>errors.txt)"
  status=$?
  check "status of: $*" 0 "$status"
  check "output of: $*" "$expected" "$actual"
}

# refuses MESSAGE ARGUMENT...: the program ends with status 2, prints nothing, and complains with a first line that
# holds the message.
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

# json KEY ARGUMENT...: prints the value behind a key of the one JSON object that the program prints.
json() {
  local key="$1"
  shift
  "$LINN" "$@" --json | sed -n "s/^  \"$key\": \(.*[^,]\),\{0,1\}\$/\1/p"
}

# in_browser PAGE: opened in a real browser, wide and narrow, every figure of the page has a place, nothing is wider than
# the window, and nothing goes wrong.
in_browser() {
  local page="$1" width seen figures
  check "chromium is there" yes "$(command -v chromium >/dev/null && echo yes)"
  figures="$(grep -c '<figure' "$page")"
  for width in 1280 390; do
    # Heard before anything else is read, and on the way down, so that what cannot be loaded counts too.
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
