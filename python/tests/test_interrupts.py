"""Ctrl-C in the middle of everything that may take long.

Each call here would take minutes. The limit is generous for loaded machines and sanitizers; `pytest -s` shows the times.
"""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pytest

import linn
from conftest import Rows, arrays
from linn._learning import Bar

LIMIT = 30.0
AFTER = 0.5  # seconds until the signal

Call = Callable[[], Any]


def ratings(users: int, items: int, each: int) -> Tuple[Any, ...]:
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(users), each)
    return user, rng.integers(items, size=users * each)


@pytest.fixture(scope="module")
def wide() -> linn.Recommender:
    """Quick to learn, slow to ask: every answer needs the scores of many items."""
    return linn.Recommender(epochs=1, d=64, batch=4096, pretrain_steps=1).fit(ratings(400, 20_000, 60))


def hidden_equations(number: int) -> linn.KnowledgeBase:
    rng = np.random.default_rng(0)
    knowledge = linn.KnowledgeBase()
    for a, b, c in rng.integers(500, size=(number, 3)).tolist():
        knowledge.add(f"v{a} & !v{b} | v{c} = T")
    return knowledge


def learn(model: str, data: Tuple[Any, ...], **settings: Any) -> Call:
    return lambda: linn.Recommender(model, **settings).fit(data)


def reason(knowledge: linn.KnowledgeBase, **settings: Any) -> Call:
    return lambda: linn.Reasoner.learn(knowledge, **settings)


def infer(knowledge: linn.KnowledgeBase) -> Call:
    return lambda: linn.Reasoner.infer(knowledge)


def evaluate(wide: linn.Recommender, data: Tuple[Any, ...]) -> Call:
    return lambda: wide.evaluate(data, candidates=0)


def many(wide: linn.Recommender) -> Call:
    starts, items = np.arange(2_000_001) * 5, np.tile(np.array(wide.items_[:50]), 200_000)
    return lambda: wide.recommend_many((starts, items))


SMALL = ratings(2000, 500, 30)
FOREVER: Dict[str, Any] = {"epochs": 10**6, "patience": 10**6}
CASES: Dict[str, Callable[[linn.Recommender], Call]] = {
    "linn": lambda _: learn("linn", SMALL, d=16, **FOREVER),
    "pretraining": lambda _: learn("linn", SMALL, d=64, pretrain_steps=10**6),
    "linn over clauses": lambda _: learn("linn", SMALL, form="dnf", d=16, **FOREVER),
    "bprmf": lambda _: learn("bprmf", SMALL, **FOREVER),
    "svdpp": lambda _: learn("svdpp", SMALL, **FOREVER),
    "sasrec": lambda _: learn("sasrec", SMALL, **FOREVER),
    "ease": lambda _: learn("ease", ratings(10_000, 12_000, 20)),
    "itemknn": lambda _: learn("itemknn", ratings(150, 30_000, 20_000)),
    "network of equations": lambda _: reason(hidden_equations(5000), **FOREVER),
    "exact model": lambda _: reason(hidden_equations(60_000), model="exact"),
    "inference": lambda _: infer(hidden_equations(60_000)),
    "evaluate": lambda wide: evaluate(wide, ratings(200_000, 20_000, 3)),
    "recommend_many": many,
}


def interrupted_after(call: Call) -> float:
    """Seconds from a Ctrl-C in the middle of the call to its KeyboardInterrupt."""
    sent = 0.0

    def interrupt() -> None:
        nonlocal sent
        time.sleep(AFTER)
        sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        call()
    except KeyboardInterrupt:
        ended = time.monotonic()
        thread.join()
        return ended - sent
    except BaseException:
        with pytest.raises(KeyboardInterrupt):  # which must not come later
            time.sleep(60)
        raise
    with pytest.raises(KeyboardInterrupt):
        time.sleep(60)
    pytest.fail("the call ended before the signal")


@pytest.mark.parametrize("name", list(CASES))
def test_it_ends_soon(name: str, wide: linn.Recommender) -> None:
    seconds = interrupted_after(CASES[name](wide))
    print(f"{name}: {seconds:.2f} s")
    assert seconds < LIMIT


def test_many_expressions_end_soon() -> None:
    knowledge = hidden_equations(500)
    reasoner = linn.Reasoner.learn(knowledge, preset="authors", epochs=1, d=64)
    known = reasoner.variables
    asked = [" & ".join(f"({known[i]} | !{known[i * 7 % 300]})" for i in range(k, k + 9)) for k in range(64)] * 10_000
    seconds = interrupted_after(lambda: reasoner.truth_of(asked))
    print(f"truth_of: {seconds:.2f} s")
    assert seconds < LIMIT


def test_ctrl_c_while_the_bar_is_drawn(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the stages that a training has, whatever its time."""
    stages: List[str] = []

    def step(self: Bar, stage: str, done: int, total: int, loss: float) -> None:
        stages.append(stage)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Bar, "step", step)
    for settings in ({"model": "linn", "pretrain_steps": 10**6}, {"model": "bprmf", "epochs": 10**6}, {"model": "ease"}):
        with pytest.raises(KeyboardInterrupt):
            linn.Recommender(progress=True, **settings).fit(arrays(rows))
    assert stages[0] == "pretraining" and stages[1] == "training" and stages[2].startswith("inverting a matrix")


KEPT = """
import sys, linn
sys.path.insert(0, sys.argv[1])
from conftest import arrays, two_tastes
recommender = linn.Recommender(epochs=10**6, patience=10**6, d=16, threads=1, progress=lambda epoch: print(epoch["epoch"], flush=True))
try:
    recommender.fit(arrays(two_tastes()), folder=sys.argv[2])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_the_epochs_are_kept_in_the_run_folder(rows: Rows, tmp_path: pathlib.Path) -> None:
    here, run = str(pathlib.Path(__file__).parent), tmp_path / "run"
    process = subprocess.Popen([sys.executable, "-c", KEPT, here, str(run)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == "3":
            break
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=120)  # of a training that would take days
    assert process.returncode == 0
    assert rest.splitlines()[-1] == "interrupted"
    assert len(linn.Recommender.load(run).recommend([101])) == 10
    epochs = len((run / "metrics.jsonl").read_text().splitlines())
    assert epochs >= 3
    settings: Dict[str, Any] = {"epochs": epochs + 1, "patience": 10**6, "d": 16, "threads": 1}
    resumed = linn.Recommender(**settings).fit(arrays(rows), folder=run, resume=True)
    assert resumed.training_["epochs"] >= epochs + 1
