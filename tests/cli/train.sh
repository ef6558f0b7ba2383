# linn train equations, evaluate, query and solve
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
rm -rf data run exact majority own kept small copy other lawless

"$LINN" generate equations --variables 30 --equations 300 --clauses 1..3 --literals 1..3 --seed 5 --out data >/dev/null
train=(train equations --data data --quiet --seed 1)

"$LINN" "${train[@]}" --preset authors --set d=16 --set learning_rate=0.01 --epochs 30 --out run --json >train.json
check "status of train" 0 "$?"
for key in accuracy rmse log_loss count validation epoch epochs seconds_per_epoch; do
  check "train gives $key" true "$(json train.json "'$key' in d")"
done
check "test equations" 30 "$(json train.json 'd["count"]')"
for file in config.json metrics.jsonl model.safetensors checkpoint.safetensors; do
  [[ -f "run/$file" ]] || check "$file" "written" "missing"
done
check "one line per epoch" 30 "$(wc -l <run/metrics.jsonl)"

# evaluate agrees with train.
check "evaluate" "$(json train.json 'd["accuracy"]')" "$(field accuracy evaluate run)"
check "evaluate counts" 240 "$(field count evaluate run --split train)"

# A finished run only reports; an existing run is not replaced by accident; --epochs extends it.
again=("${train[@]}" --preset authors --set d=16 --set learning_rate=0.01)
check "resumed" 30 "$(field epochs "${again[@]}" --resume --out run)"
check "longer" 32 "$(field epochs "${again[@]}" --resume --epochs 32 --out run)"
refuses "run: this folder already contains a run; use --resume to continue it or --force to replace it" "${train[@]}" --out run
check "the configuration has the new epochs" '"32"' "$(json run/config.json 'd["options"]["epochs"]')"
refuses "--resume excludes --force" train equations --resume --force --quiet --out run
check "resumed by its folder alone" 32 "$(field epochs train equations --resume --quiet --out run)"
refuses "was started with seed '1', not '2'" train equations --data data --seed 2 --preset authors --resume --quiet --out run
refuses "was started with model" "${train[@]}" --model exact --resume --out run

# Settings from a file, under those of the command line; an ensemble is one run like any other.
printf '# quick\nd = 16\nepochs = 4   # few\npretrain_steps = 5\n' >quick.conf
check "epochs of the file" 4 "$(field epochs "${train[@]}" --config quick.conf --ensemble 2 --label-noise auto --out small)"
check "the command line overrides the file" 3 "$(field epochs "${train[@]}" --config quick.conf --epochs 3 --force --out small)"
check "settings of another run" 3 "$(field epochs "${train[@]}" --config small/config.json --force --out copy)"
check "an ensemble answers" 30 "$(field count evaluate copy)"
printf 'd = 16\nepochs 4\n' >bad.conf
refuses "bad.conf:2: expected KEY = VALUE" "${train[@]}" --config bad.conf --out other
printf 'epoch = 4\n' >bad.conf
refuses "bad.conf:1: unknown option 'epoch', did you mean 'epochs'" "${train[@]}" --config bad.conf --out other
refuses "the model cnn has no setting 'ensemble'; it is a setting of linn, linn-rl" "${train[@]}" --model cnn --ensemble 3 --out other

# The exact reasoner knows nearly everything about so small a clean set.
"$LINN" "${train[@]}" --model exact --label-noise 0 --out exact >/dev/null
accuracy="$(field accuracy evaluate exact)"
[[ "$accuracy" > "0.9" || "$accuracy" == 1* ]] || check "exact" "> 0.9" "$accuracy"
check "exact only reports" "$accuracy" "$(field accuracy "${train[@]}" --model exact --label-noise 0 --resume --out exact)"
check "the time is not known after resuming" null "$(field seconds_per_epoch "${train[@]}" --model exact --label-noise 0 --resume --out exact)"
refuses "already contains a run" "${train[@]}" --model exact --label-noise 0 --out exact
refuses "--preset is only for models that are trained by epochs" "${train[@]}" --model exact --preset paper --out other
# A run killed before its model was written is fitted again with the same options.
cp exact/model.safetensors exact-model
rm exact/model.safetensors
refuses "this run has no model yet; resume its training with linn train --resume" query exact "1"
"$LINN" train equations --resume --quiet --out exact >/dev/null
check "fitted again" "" "$(cmp exact-model exact/model.safetensors)"
"$LINN" solve exact --truth data/variables.tsv --json >solve.json
check "solve names every variable" 30 "$(json solve.json 'sum("probability" in v for v in d["variables"].values())')"
check "accuracy of solve" true "$(json solve.json '0 <= d["accuracy"] <= 1')"

"$LINN" "${train[@]}" --model majority --out majority >/dev/null
check "majority" "$(field probability query majority "1")" "$(field probability query majority "!1 | 2")"

# Another file is evaluated as a whole.
check "whole file" 240 "$(field count evaluate run --data data/train.tsv)"

# A knowledge base with named variables.
printf 'rain = T\nrain -> wet = T\n!umbrella | F = 0.9  # not sure\n' >own.txt
"$LINN" train equations --data own.txt --model exact --seed 1 --out own >/dev/null 2>remarks.txt
check "too few to split" 1 "$(grep -c 'too few to split' remarks.txt)"
check "query" "true" "$(field value query own "rain & wet")"
check "normal form" '"rain & wet"' "$(field normal_form query own "wet & rain")"
refuses "does not know the variable umbrela, did you mean umbrella?" query own "rain & umbrela"
# Invalid data replaces nothing.
cp -r own kept
clauses="$(for i in $(seq 30); do printf "(a%s | b%s) & " "$i" "$i"; done)"
printf "%s c = T\n" "$clauses" >explodes.txt
refuses "over the limit" train equations --data explodes.txt --quiet --force --out own
check "nothing is lost" "" "$(diff -r kept own)"
refuses "column 8" query own "rain & "

refuses "unknown option 'dropuot', did you mean 'dropout'?" "${train[@]}" --set dropuot=1 --out none
refuses "dropout must be a number from 0 to 0.95, not '2'" "${train[@]}" --set dropout=2 --out none
refuses "unknown value 'lin', did you mean 'linn'?" "${train[@]}" --model lin --out none
refuses "missing" train equations --data missing --out none
refuses "nowhere" evaluate nowhere
[[ ! -e none ]] || check "nothing is written" "no folder" "a folder"
# linn-rl has no pretraining either: the modules learn only from the likelihood of the labels.
"$LINN" train equations --data data --model linn-rl --set d=8 --epochs 1 --quiet --out lawless >/dev/null
check "settings of linn-rl" '["0", "0", "1", "likelihood"]' \
  "$(json lawless/config.json '[d["options"][key] for key in ("laws", "pretrain_steps", "module_rate", "loss")]')"
refuses "module_sets=3 needs an ensemble of at least as many" train equations --data data --ensemble 2 --set module_sets=3 --out none
refuses "module_sets is for networks whose modules are pretrained" train equations --data data --preset authors --ensemble 2 --set module_sets=2 --out none
refuses "linn-rl is LINN without laws" train equations --data data --model linn-rl --set laws=1 --out none
"$LINN" train equations --data data --model linn-rl --set d=8 --set module_rate=0.5 --epochs 1 --quiet --out lawless --force >/dev/null
check "a setting of linn-rl" '"0.5"' "$(json lawless/config.json 'd["options"]["module_rate"]')"
finish
