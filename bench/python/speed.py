"""What asking from Python costs over C++, and how quick recommend_many is beside `implicit`.

    OPENBLAS_NUM_THREADS=1 python bench/python/speed.py --cpp build/bench/cpp_side --recommender RUN --reasoner RUN [--rounds 7]

Both sides do the same work in turns, and the median of the ratios counts. Processor time, summed over all threads, depends
less on what else the machine does. Needs the package, pandas, polars and scipy; with implicit installed, its ALS is compared
too: it has threads of its own, which those of OpenBLAS would hinder. RUN of a recommender has the histories of its users; ids
that are whole numbers come from one that Python saved.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
import time
from typing import Any, Callable, List, NamedTuple

import numpy as np

import linn


class Taken(NamedTuple):
    seconds: float
    processor: float


def taken_by(work: Callable[[], Any]) -> Taken:
    begin, worked = time.perf_counter(), time.process_time()
    work()
    return Taken(time.perf_counter() - begin, time.process_time() - worked)


class CppSide:
    def __init__(self, program: str, recommender: str, reasoner: str) -> None:
        self.process = subprocess.Popen([program, recommender, reasoner], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, *words: str) -> Taken:
        assert self.process.stdin and self.process.stdout
        print(*words, file=self.process.stdin, flush=True)
        seconds, processor = self.process.stdout.readline().split()
        return Taken(float(seconds), float(processor))


def compare(name: str, rounds: int, bar: float, python: Callable[[], Any], cpp: Callable[[], Taken]) -> None:
    cpp(), python()
    pairs = [(cpp(), taken_by(python)) for _ in range(rounds)]
    more, more_processor = (
        100 * (statistics.median(ours[i] / theirs[i] for theirs, ours in pairs) - 1) for i in range(len(Taken._fields))
    )
    theirs, ours = (statistics.median(taken.seconds for taken in column) for column in zip(*pairs))
    print(
        f"{name}: {ours:.3f} s, C++ {theirs:.3f} s, {more:+.1f} % (bar {bar:+.0f} %); "
        f"processor time {more_processor:+.1f} %",
        flush=True,
    )


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

    users_a_second(recommender, chosen.rounds)
    tables()


def users_a_second(recommender: linn.Recommender, rounds: int) -> None:
    """Beside ALS with factors of the same width for as many users and items; what it learned does not matter here."""
    users = recommender.users_
    ids = recommender.items_
    one = (np.arange(len(users) + 1), np.array([ids[number % len(ids)] for number in range(len(users))]))
    work = {
        "linn, whole histories folded in": lambda: recommender.recommend_many(users=users),
        "linn, histories of one event, whose state is at once there": lambda: recommender.recommend_many(one),
    }
    try:
        import implicit
        from scipy.sparse import random as random_matrix
    except ImportError:
        print("implicit is not installed: not compared")
    else:
        matrix = random_matrix(len(users), len(ids), density=0.03, format="csr", random_state=1, dtype=np.float32)
        als = implicit.als.AlternatingLeastSquares(factors=64, iterations=1)
        als.fit(matrix, show_progress=False)
        numbers = np.arange(len(users))
        rows = matrix[numbers]
        work["implicit, users folded in"] = lambda: als.recommend(numbers, rows, N=10, recalculate_user=True)
        work["implicit, factors known"] = lambda: als.recommend(numbers, rows, N=10)
    taken = {name: [] for name in work}
    for _ in range(rounds):
        for name, each in work.items():
            taken[name].append(taken_by(each))
    print(f"the ten best of {len(ids)} items for {len(users)} users:")
    for name, times in taken.items():
        seconds, processor = (statistics.median(column) for column in zip(*times))
        print(f"{name}: {len(users) / seconds:,.0f} users a second, {len(users) / processor:,.0f} a second of processor time")
    if len(work) == 4:
        linn_times, linn_known, implicit_times, implicit_known = taken.values()
        for what, ours, theirs in (("folding in", linn_times, implicit_times), ("known", linn_known, implicit_known)):
            ratio, of_processor = (statistics.median(b[i] / a[i] for a, b in zip(ours, theirs)) for i in range(2))
            print(f"linn to implicit, {what}: {ratio:.2f}, by processor time {of_processor:.2f}")


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
            seconds = statistics.median(taken_by(lambda: _tables.to_core(_tables.read(table))).seconds for _ in range(5))
            print(f"a million rows of {name}, ids are {kind}: {seconds:.2f} s (bar 1.5 s)")


if __name__ == "__main__":
    main()
