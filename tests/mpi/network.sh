# Three hosts with 1 Gbit/s between them (hosts.sh): training gives the same bits, and what a step sends takes the time
# that docs/distributed.md says. Needs root, ip and tc.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
source "$(dirname "${BASH_SOURCE[0]}")/hosts.sh"
rm -rf ./*
trap remove_hosts EXIT

"$LINN" generate interactions --users 60 --items 40 --ratings 700 --seed 1 --out interactions >/dev/null
train=(train recommend --data interactions --set d=16 --set shards=4 --epochs 3 --threads 1 --quiet)
"$LINN" "${train[@]}" --out alone >/dev/null
make_hosts 1gbit
on_hosts 3 "$LINN" "${train[@]}" --out hosts >/dev/null || check "training on three hosts" 0 "$?"
same "three hosts" alone hosts

# The model: what a process sends, at most 2 (K - 1) / K of what all touch, at the rate of the network, and what it
# receives at the same time. TCP's headers take 4 % of 1 Gbit/s. Other work on this machine can only make it slower, so
# the best of some runs counts.
best=
for _ in {1..5}; do
  on_hosts 3 "$LINN" bench --exchange --quick --threads 1 --seconds 1 --json >exchange.json
  best="$(python3 - exchange.json ${best:+best.json} <<'END'
import json, sys
runs = [json.load(open(name))["exchange"] for name in sys.argv[1:]]
for cases in zip(*runs): cases[0]["transfer_seconds"] = min(case["transfer_seconds"] for case in cases)
json.dump({"exchange": runs[0]}, open("best.json", "w"))
print("best")
END
)"
done
check "the time of an exchange" "" "$(python3 - <<'END'
import json
hosts = 3
for case in json.load(open("best.json"))["exchange"]:
    touched = 4 * (case["modules"] + case["rows"] * case["d"])
    bytes_ = max(case["bytes_sent"], case["bytes_received"])
    if bytes_ > 1.05 * 2 * (hosts - 1) / hosts * touched: print(f'{case["name"]} {case["form"]}: {bytes_} bytes')
    model = bytes_ / (0.96 * 1e9 / 8)
    ratio = case["transfer_seconds"] / model
    print(f'{case["name"]} {case["form"]}: {1e3 * case["transfer_seconds"]:.2f} ms, model {1e3 * model:.2f} ms',
          file=open("/dev/stderr", "w"))
    if not 0.75 <= ratio <= 1.25: print(f'{case["name"]} {case["form"]}: {ratio:.2f} of the model')
END
)"
finish
