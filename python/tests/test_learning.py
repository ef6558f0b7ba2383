"""Progress, Ctrl-C, threads, processes, memory, and the same bits as the program."""

from __future__ import annotations

import concurrent.futures
import gc
import io
import json
import multiprocessing
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import threading
import time
from typing import Any, Dict, List

import numpy as np
import pandas as pd
import pytest

import linn
from conftest import SETTINGS, Rows, arrays, two_tastes

QUICK: Dict[str, Any] = {"epochs": 5, **SETTINGS}


def test_a_function_gets_a_dict_per_epoch(rows: Rows) -> None:
    epochs: List[Dict[str, Any]] = []
    recommender = linn.Recommender(progress=epochs.append, **QUICK).fit(arrays(rows))
    assert [epoch["epoch"] for epoch in epochs] == [1, 2, 3, 4, 5]
    assert all(epoch["loss"] > 0 and epoch["seconds"] >= 0 and 0 <= epoch["ndcg@10"] <= 1 for epoch in epochs)
    assert epochs == recommender.training_["history"]


def test_false_ends_the_training_and_errors_reach_the_caller(rows: Rows) -> None:
    recommender = linn.Recommender(progress=lambda epoch: epoch["epoch"] < 3, **QUICK).fit(arrays(rows))
    assert recommender.training_["epochs"] == 3 and recommender.training_["cancelled"]

    def fail(epoch: Dict[str, Any]) -> None:
        raise KeyError(epoch["epoch"])

    with pytest.raises(KeyError, match="1"):
        linn.Recommender(progress=fail, **QUICK).fit(arrays(rows))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_bar(rows: Rows, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    linn.Recommender(progress=True, **QUICK).fit(arrays(rows))
    drawn = terminal.getvalue()
    assert drawn.startswith("\rtraining [") and drawn.endswith("\n") and "loss" in drawn
    assert drawn.count("\n") == 1
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    linn.Recommender(progress=True, **QUICK).fit(arrays(rows))
    assert len(log.getvalue().splitlines()) == 5 and log.getvalue().startswith("epoch 1  loss ")
    silent = io.StringIO()
    monkeypatch.setattr(sys, "stderr", silent)
    linn.Recommender(**QUICK).fit(arrays(rows)).evaluate()
    assert silent.getvalue() == ""
    assert capfd.readouterr() == ("", "")


def test_the_interpreter_runs_on_while_the_core_learns(rows: Rows, tmp_path: pathlib.Path) -> None:
    """Another thread counts while a training is under way that only its interrupt ends."""
    metrics = tmp_path / "run" / "metrics.jsonl"
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        while not metrics.exists() or not metrics.read_text():
            time.sleep(0.01)
        while ticks < 1000:
            ticks += 1
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=tick)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        linn.Recommender(epochs=10**6, patience=10**6, d=16, threads=1).fit(arrays(rows), folder=tmp_path / "run")
    thread.join()
    assert ticks == 1000


def test_several_threads_ask_one_model(fitted: linn.Recommender, reasoner: linn.Reasoner) -> None:
    def ask(number: int) -> Any:
        history: Any = [100 + number % 12, (100 + (number + 5) % 12, False)]
        return (
            fitted.recommend(history, explain=True),
            fitted.recommend_many([history] * 5)[1].tolist(),
            fitted.evaluate(arrays(two_tastes(number, number + 10))),
            reasoner.truth_of("rain & !sun"),
            reasoner.truth_of(["rain", "sun"] * 300).tolist(),
            reasoner.truths.tolist(),
        )

    alone = [ask(number) for number in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(ask, range(8))) == alone


def test_trainings_side_by_side(rows: Rows) -> None:
    def train(seed: int) -> Any:
        return linn.Recommender(seed=seed, **QUICK).fit(arrays(rows)).score_items([101], range(100, 112)).tolist()

    alone = [train(seed) for seed in range(4)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(train, range(4))) == alone


def test_a_knowledge_base_is_not_changed_while_it_is_learned_from() -> None:
    knowledge = linn.KnowledgeBase(["a & b = T"] * 60)
    refused: List[str] = []

    def change(epoch: Dict[str, Any]) -> bool:
        try:
            knowledge.add("c = T")
        except linn.Failure as failure:
            refused.append(str(failure))
        return False

    linn.Reasoner.learn(knowledge, preset="authors", d=4, epochs=3, progress=change)
    assert refused == ["the knowledge base is being learned from"]
    knowledge.add("c = T")
    assert len(knowledge) == 61


def _in_child(recommender: linn.Recommender) -> Any:
    again = linn.Recommender(epochs=2, **SETTINGS).fit(arrays(two_tastes()))
    return recommender.recommend_many([[101], [107]])[1].tolist(), again.score_items([101], range(100, 112)).tolist()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(fitted: linn.Recommender, method: str) -> None:
    here = _in_child(fitted)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(_in_child, [fitted] * 3) == [here] * 3


def _memory() -> int:
    """Bytes in use now."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@pytest.mark.skipif("LINN_SANITIZERS" in os.environ, reason="sanitizers keep memory")
def test_memory_stays_level() -> None:
    small = arrays(two_tastes(0, 6))
    knowledge = linn.KnowledgeBase(["a & b = T", "a = T"])

    def cycles(number: int) -> None:
        for _ in range(number):
            recommender = linn.Recommender(epochs=1, d=4, pretrain_steps=1, threads=1).fit(small)
            recommender.recommend([100], explain=True)
            recommender.recommend_many([[100], [101]])
            reasoner = linn.Reasoner.learn(knowledge, preset="authors", d=4, epochs=1, threads=1)
            reasoner.truth_of(["a", "a & b"])
            try:
                recommender.recommend([5])
            except linn.InputError:
                pass
        gc.collect()

    number = int(os.environ.get("LINN_CYCLES", "100"))
    cycles(number)
    before = _memory()
    cycles(number)
    assert _memory() - before < 4 << 20


def tensors(file: pathlib.Path) -> Dict[str, bytes]:
    content = file.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__")
    values = content[8 + length :]
    return {name: values[slice(*entry["data_offsets"])] for name, entry in header.items()}


LINN = os.environ.get("LINN", "")


def program(*words: Any) -> str:
    return subprocess.run([LINN, *map(str, words)], check=True, capture_output=True, text=True).stdout


@pytest.mark.skipif(not LINN, reason="LINN is not set to the program")
def test_the_same_bits_as_the_program(tmp_path: pathlib.Path) -> None:
    data = tmp_path / "data"
    program("generate", "interactions", "--users", 100, "--items", 60, "--ratings", 2000, "--seed", 3, "--out", data)
    run = tmp_path / "run"
    words = ["--seed", 5, "--threads", 1, "--epochs", 3, "--set", "d=8", "--set", "learning_rate=0.003"]
    program("train", "recommend", "--data", data, "--out", run, "--quiet", *words)
    settings: Dict[str, Any] = {"epochs": 3, "seed": 5, "threads": 1, "d": 8, "learning_rate": 0.003}
    folder = linn.Recommender(**settings).fit_folder(data, folder=tmp_path / "of_folder")
    assert tensors(tmp_path / "of_folder" / "model.safetensors") == tensors(run / "model.safetensors")
    evaluated = json.loads(program("evaluate", run, "--json"))
    metrics = folder.evaluate()
    assert {name: metrics[name] for name in ("ndcg@10", "hit@1", "hit@10", "mrr", "count")} == {
        name: evaluated[name] for name in ("ndcg@10", "hit@1", "hit@10", "mrr", "count")
    }

    # What Python saves, the program reads, and the other way round.
    parts = [pd.read_csv(data / f"{part}.tsv", sep="\t") for part in ("train", "validation")]
    frame = linn.Recommender(**settings).fit(parts[0], validation=parts[1])
    frame.save(tmp_path / "saved")
    item = frame.items_[0]
    assert isinstance(item, int)
    answer = json.loads(program("recommend", tmp_path / "saved", "--history", f"+{item}", "--json", "--explain"))
    best = frame.recommend([item], explain=True)
    assert [each["item"] for each in answer["items"]] == [str(each.item) for each in best]
    assert [each["score"] for each in answer["items"]] == pytest.approx([each.score for each in best], abs=1e-6)
    program("evaluate", tmp_path / "saved", "--split", "validation")
    loaded = linn.Recommender.load(run)
    assert isinstance(loaded.items_[0], str) and loaded.model == "linn"
    assert len(loaded.recommend(user=loaded.users_[0], n=3)) == 3


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    data = tmp_path_factory.mktemp("generated") / "data"
    program("generate", "interactions", "--users", 60, "--items", 40, "--ratings", 1200, "--seed", 3, "--out", data)
    return data


@pytest.mark.skipif(not LINN, reason="LINN is not set to the program")
@pytest.mark.parametrize("model", linn.recommender_models())
def test_every_model_has_the_same_bits_as_the_program(
    model: str, generated: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    names = {setting["name"] for setting in linn.recommender_settings(model)}
    quick: Dict[str, Any] = {name: value for name, value in {"d": 8}.items() if name in names}
    if model == "linn":
        quick["pretrain_steps"] = 20
    words = [word for name, value in quick.items() for word in ("--set", f"{name}={value}")]
    if "epochs" in names:
        words += ["--epochs", "2"]
        quick["epochs"] = 2
    program("train", "recommend", "--data", generated, "--model", model, "--out", tmp_path / "run", "--seed", 5, "--quiet", *words)
    expected = tensors(tmp_path / "run" / "model.safetensors")

    linn.Recommender(model, seed=5, **quick).fit_folder(generated, folder=tmp_path / "of_folder")
    assert tensors(tmp_path / "of_folder" / "model.safetensors") == expected

    # The rows of the folder as tables, in the order of users: their ids are numbers here.
    parts = [pd.read_csv(generated / f"{part}.tsv", sep="\t") for part in ("train", "validation")]
    recommender = linn.Recommender(model, seed=5, **quick).fit(parts[0], validation=parts[1])
    recommender.save(tmp_path / "of_tables")
    # Users and items are numbered by first occurrence, and so the folder that was saved gives the same bits.
    program(
        "train", "recommend", "--data", tmp_path / "of_tables" / "data", "--model", model, "--out", tmp_path / "again",
        "--seed", 5, "--quiet", *words,
    )
    assert tensors(tmp_path / "of_tables" / "model.safetensors") == tensors(tmp_path / "again" / "model.safetensors")


@pytest.mark.skipif(not LINN, reason="LINN is not set to the program")
def test_the_audit_is_that_of_the_program(tmp_path: pathlib.Path) -> None:
    program("generate", "equations", "--variables", 20, "--equations", 100, "--seed", 3, "--out", tmp_path / "data")
    run = tmp_path / "run"
    reasoner = linn.Reasoner.learn(tmp_path / "data", preset="authors", seed=5, epochs=2, d=8, folder=run)
    asked = pd.read_csv(tmp_path / "data" / "test.tsv", sep="\t")["expression"].tolist()
    told = json.loads(program("audit", run, "--cases", 50, "--seed", 2, "--json"))["laws"]
    for ours, law in zip(reasoner.audit(asked, cases=50, seed=2), told):
        assert (ours.law, ours.left, ours.right, ours.differ, ours.taught) == tuple(
            law[name] for name in ("law", "left", "right", "differ", "taught")
        )
        for figures, expected in ((ours.variables, law["variables"]), (ours.expressions, law["expressions"])):
            assert figures is not None and figures._asdict() == pytest.approx(expected, abs=1e-9)


@pytest.mark.skipif(not LINN, reason="LINN is not set to the program")
def test_reasoners_have_the_same_bits_as_the_program(tmp_path: pathlib.Path) -> None:
    data = tmp_path / "data"
    program("generate", "equations", "--variables", 20, "--equations", 100, "--seed", 3, "--out", data)
    program("train", "equations", "--data", data, "--out", tmp_path / "run", "--seed", 5, "--epochs", 3, "--preset", "authors", "--quiet", "--set", "d=8")
    reasoner = linn.Reasoner.learn(data, preset="authors", seed=5, threads=1, epochs=3, d=8)
    reasoner.save(tmp_path / "model.safetensors")
    assert tensors(tmp_path / "model.safetensors") == tensors(tmp_path / "run" / "model.safetensors")
    names = reasoner.variables
    answers = program("query", tmp_path / "run", f"{names[0]} & !{names[1]}", "--json")
    assert json.loads(answers)["probability"] == pytest.approx(reasoner.truth_of(f"{names[0]} & !{names[1]}"), abs=1e-6)
    assert np.array_equal(linn.Reasoner.load(tmp_path / "run").vectors, reasoner.vectors)


@pytest.mark.skipif(not LINN, reason="LINN is not set to the program")
def test_it_learns_on_as_the_program_does(tmp_path: pathlib.Path) -> None:
    """partial_fit(NEW) on a loaded run, and `linn train recommend --from RUN --data NEW`."""
    data = tmp_path / "data"
    program("generate", "interactions", "--users", 60, "--items", 40, "--ratings", 1200, "--seed", 3, "--out", data)
    words = ["--seed", 5, "--threads", 1, "--set", "d=8", "--quiet"]
    program("train", "recommend", "--data", data, "--out", tmp_path / "run", "--epochs", 2, *words)
    rows = pd.read_csv(data / "train.tsv", sep="\t", dtype=str).groupby("user").head(3)
    rows = rows.assign(user="new" + rows["user"], time=pd.to_numeric(rows["time"]) + 10**9)
    (tmp_path / "new").mkdir()
    rows[["user", "item", "label", "time"]].to_csv(tmp_path / "new" / "train.tsv", sep="\t", index=False)
    program("train", "recommend", "--from", tmp_path / "run", "--data", tmp_path / "new", "--out", tmp_path / "on", "--epochs", 2, *words)
    loaded = linn.Recommender.load(tmp_path / "run").set_params(seed=5, threads=1)
    loaded.partial_fit((rows["user"].tolist(), rows["item"].tolist(), rows["label"].astype(int).tolist(), rows["time"].tolist()), epochs=2)
    by_program = linn.Recommender.load(tmp_path / "on")
    assert loaded.users_ == by_program.users_ and loaded.items_ == by_program.items_
    user = loaded.users_[-1]
    assert loaded.recommend(user=user, n=20) == by_program.recommend(user=user, n=20)
