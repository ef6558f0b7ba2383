#!/usr/bin/env bash
# Half an hour of mixed load on a service whose models are swapped every ten seconds: no request fails, and its memory
# stays level. LINN_SOAK_SECONDS sets another time.
set -euo pipefail
: "${LINN:?the program under test}" "${LINN_SOURCE_DIR:?the repository}"
mkdir -p serve-soak
cd serve-soak
exec python3 -B "$LINN_SOURCE_DIR/tests/serve/soak.py"
