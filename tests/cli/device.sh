# --device: what is no device is refused, and without CUDA so is cuda, by every command, before anything is made.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data run out

"$LINN" generate equations --variables 20 --equations 60 --seed 1 --out data >/dev/null
train=(train equations --data data --preset paper --epochs 1 --quiet)
"$LINN" "${train[@]}" --device cpu --out run >/dev/null || check "the CPU" 0 "$?"
for command in "${train[*]} --out out" "evaluate run" "tune equations --data data --out out" "bench"; do
  read -ra words <<<"$command"
  refuses "unknown device 'gpu'; it must be cpu, cuda or cuda:N" "${words[@]}" --device gpu
  refuses "unknown device 'cuda:one'" "${words[@]}" --device cuda:one
  [[ "$("$LINN" --version)" == *CUDA* ]] || refuses "this build has no CUDA: the device must be 'cpu'" "${words[@]}" --device cuda
done
check "nothing was made" no "$([[ -e out ]] && echo yes || echo no)"
finish
