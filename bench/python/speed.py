"""What asking from Python costs over C++, and how quick recommend_many is beside `implicit`.

    python bench/python/speed.py --cpp build/bench/cpp_side --recommender RUN --reasoner RUN [--rounds 7]

Both sides do the same work in turns, and the median of the ratios counts. Needs the package, pandas, polars and scipy;
with implicit installed, its ALS is compared too. RUN of a recommender has the histories of its users.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from typing import Any, Callable, List

import numpy as np

import linn


def seconds_of(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


class CppSide:
    def __init__(self, program: str, recommender: str, reasoner: str) -> None:
        self.process = subprocess.Popen([program, recommender, reasoner], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, *words: str) -> float:
        assert self.process.stdin and self.process.stdout
        print(*words, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())


def compare(name: str, rounds: int, bar: float, python: Callable[[], Any], cpp: Callable[[], float]) -> None:
    cpp(), python()
    pairs = [(cpp(), seconds_of(python)) for _ in range(rounds)]
    ratio = statistics.median(ours / theirs for theirs, ours in pairs)
    theirs, ours = (statistics.median(column) for column in zip(*pairs))
    print(f"{name}: {ours:.3f} s, C++ {theirs:.3f} s, {100 * (ratio - 1):+.1f} % (bar {bar:+.0f} %)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpp", required=True)
    parser.add_argument("--recommender", required=True)
    parser.add_argument("--reasoner", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args()
    recommender = linn.Recommender.load(chosen.recommender)
    reasoner = linn.Reasoner.load(chosen.reasoner)
    cpp = CppSide(chosen.cpp, chosen.recommender, chosen.reasoner)
    random = np.random.default_rng(1)

    ids = np.array(recommender.items_)
    starts = np.arange(10_001) * 20
    numbers = random.integers(0, len(ids), starts[-1])
    items = ids[numbers]
    lists: List[List[Any]] = [items[a:b].tolist() for a, b in zip(starts, starts[1:])]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/histories", "w") as file:
            print(len(starts) - 1, *starts, *numbers, file=file)
        cpp("histories", f"{folder}/histories")
        expressions = []
        for _ in range(100_000):
            drawn = random.choice(reasoner.variables, 6)
            expressions.append("({} & !{}) | ({} & {}) | (!{} & {})".format(*drawn))
        with open(f"{folder}/expressions", "w") as file:
            print("\n".join(expressions), file=file)
        cpp("expressions", f"{folder}/expressions")
    print(f"{len(ids)} items, 10,000 histories of 20 events, 100,000 expressions of 6 literals")
    if items.dtype.kind == "i":
        compare("recommend_many, arrays", chosen.rounds, 5, lambda: recommender.recommend_many((starts, items)), lambda: cpp("recommend"))
    else:
        print("the ids of this run are text: arrays of them are compared as lists are")
    compare("recommend_many, lists", chosen.rounds, 30, lambda: recommender.recommend_many(lists), lambda: cpp("recommend"))
    compare("truth_of", chosen.rounds, 10, lambda: reasoner.truth_of(expressions), lambda: cpp("truths"))

    users = recommender.users_
    seconds = statistics.median(seconds_of(lambda: recommender.recommend_many(users=users)) for _ in range(chosen.rounds))
    print(f"recommend_many of {len(users)} users with their whole histories: {len(users) / seconds:,.0f} users a second")
    against_implicit(recommender, chosen.rounds)
    tables()


def against_implicit(recommender: linn.Recommender, rounds: int) -> None:
    """ALS with factors of the same width for as many users and items; what it learned does not matter here."""
    try:
        import implicit
        from scipy.sparse import random as random_matrix
    except ImportError:
        print("implicit is not installed: not compared")
        return
    users = recommender.users_
    matrix = random_matrix(len(users), len(recommender.items_), density=0.03, format="csr", random_state=1, dtype=np.float32)
    als = implicit.als.AlternatingLeastSquares(factors=64, iterations=1)
    als.fit(matrix, show_progress=False)
    numbers = np.arange(len(users))
    rows = matrix[numbers]
    work = [
        ("implicit, factors known", lambda: als.recommend(numbers, rows, N=10)),
        ("implicit, users folded in", lambda: als.recommend(numbers, rows, N=10, recalculate_user=True)),
        ("linn, histories folded in", lambda: recommender.recommend_many(users=users)),
    ]
    times = {name: [] for name, _ in work}
    for _ in range(rounds):
        for name, each in work:
            times[name].append(seconds_of(each))
    for name, taken in times.items():
        print(f"{name}: {len(users) / statistics.median(taken):,.0f} users a second")


def tables() -> None:
    import pandas
    import polars

    from linn import _tables

    random = np.random.default_rng(1)
    columns = {
        "user": random.integers(0, 50_000, 1_000_000), "item": random.integers(0, 20_000, 1_000_000),
        "label": random.integers(0, 2, 1_000_000), "time": random.integers(0, 2**31, 1_000_000),
    }
    text = {**columns, "user": [f"user {each}" for each in columns["user"]], "item": [f"item {each}" for each in columns["item"]]}
    for name, make in (("pandas", pandas.DataFrame), ("polars", polars.DataFrame)):
        for kind, given in (("whole numbers", columns), ("text", text)):
            table = make(given)
            seconds = statistics.median(seconds_of(lambda: _tables.to_core(_tables.read(table))) for _ in range(5))
            print(f"a million rows of {name}, ids are {kind}: {seconds:.2f} s (bar 1.5 s)")


if __name__ == "__main__":
    main()
