# Runs that version 0.1.0 wrote are read, asked, evaluated and resumed as that version did it. Numbers may differ in their
# last digits, since processors of different kinds add in different orders.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cp -r "$LINN_SOURCE_DIR/tests/fixtures/0.1.0/." .
# Their data has moved here.
sed -i "s#/srv/linn/#$PWD/#" runs/*/config.json

# same NAME OLD NEW: two JSON files agree in all that the old one has.
same() {
  check "$1" "" "$(
    python3 - "$2" "$3" <<'PYTHON'
import json, math, sys

def compare(old, new, place):
    if isinstance(old, dict):
        for key, value in old.items():
            compare(value, new[key], f"{place}.{key}")
    elif isinstance(old, list):
        for i, value in enumerate(old):
            compare(value, new[i], f"{place}[{i}]")
    elif not (math.isclose(old, new, rel_tol=1e-3, abs_tol=1e-4) if isinstance(old, float) else old == new):
        print(f"{place}: {old} before, {new} now")

compare(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), "")
PYTHON
  )"
}

# same_tensors NAME OLD NEW: two model files hold the same tensors.
same_tensors() {
  check "$1" "" "$(
    python3 - "$2" "$3" <<'PYTHON'
import json, math, struct, sys

def tensors(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    del header["__metadata__"]
    result = {}
    for name, info in header.items():
        begin, end = info["data_offsets"]
        values = data[8 + size + begin : 8 + size + end]
        kind = {"F32": "f", "F64": "d", "U32": "I", "U8": "B"}[info["dtype"]]
        result[name] = struct.unpack(f"<{len(values) // struct.calcsize(kind)}{kind}", values)
    return result

old, new = tensors(sys.argv[1]), tensors(sys.argv[2])
if old.keys() != new.keys():
    print("other tensors:", sorted(old.keys() ^ new.keys()))
for name in old.keys() & new.keys():
    if len(old[name]) != len(new[name]) or not all(
        math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-4) for a, b in zip(old[name], new[name])
    ):
        print(f"{name} differs")
PYTHON
  )"
}

for run in linn-equations cnn exact linn-recommend gru4rec itemknn; do
  "$LINN" evaluate "runs/$run" --threads 1 --quiet --json >now.json
  same "evaluate $run" "expected/$run.evaluate.json" now.json
done
for run in linn-equations cnn exact; do
  "$LINN" query "runs/$run" "1 & ~2" --json >now.json
  same "query $run" "expected/$run.query.json" now.json
done
for run in linn-recommend gru4rec itemknn; do
  "$LINN" recommend "runs/$run" --history "+1,-2,+3" --top 3 --threads 1 --json >now.json
  same "recommend $run" "expected/$run.recommend.json" now.json
done

# A run that was fitted at once is there already; the others are trained for longer.
check "exact only reports" null "$(field seconds_per_epoch train equations --resume --quiet --out runs/exact)"
check "itemknn only reports" null "$(field seconds_per_epoch train recommend --resume --quiet --out runs/itemknn)"
for run in linn-equations cnn linn-recommend gru4rec; do
  task=equations
  if [[ $run == linn-recommend || $run == gru4rec ]]; then task=recommend; fi
  check "epochs of $run" 5 "$(field epochs train $task --resume --epochs 5 --threads 2 --quiet --out "runs/$run")"
  same_tensors "$run after 5 epochs" "expected/$run.safetensors" "runs/$run/model.safetensors"
  check "$run has no old names left" 0 "$(grep -c 'flip_rate\|schools' "runs/$run/config.json")"
done

# Old names are read from configurations, too.
"$LINN" train equations --data equations --epochs 1 --quiet --out again >/dev/null \
  --config "$LINN_SOURCE_DIR/tests/fixtures/0.1.0/runs/linn-equations/config.json"
check "module_sets from the old configuration" '"2"' "$(json again/config.json 'd["options"]["module_sets"]')"

finish
