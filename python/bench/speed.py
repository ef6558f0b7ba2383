"""What calling from Python costs beside C++, how fast tables are read, and how many users a second get recommendations.

    pip install . pandas polars implicit
    cmake -S python -B build/python/bench -D CMAKE_PREFIX_PATH=PREFIX -D LINN_PYTHON_BENCH=ON   # PREFIX: an installed linn
    cmake --build build/python/bench --target core_calls
    python python/bench/speed.py --core build/python/bench/core_calls
    OPENBLAS_NUM_THREADS=1 python python/bench/speed.py --core build/python/bench/core_calls --data DATA   # MovieLens 1M

All that is compared runs in turns in one session, and the figures are medians of ratios over the rounds, since a machine that
others use, too, is slower at one time than at another. Processor time, summed over all threads, depends less on others.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import numpy as np
import pandas as pd
import polars as pl

import linn
from linn import _core
from linn._tables import read, to_core

Call = Callable[[], Tuple[float, float]]  # gives its seconds, and those of processor time; NaN: not known
History = List[Tuple[Any, bool]]


def timed(call: Callable[[], Any]) -> Call:
    def run() -> Tuple[float, float]:
        start, worked = time.perf_counter(), time.process_time()
        call()
        return time.perf_counter() - start, time.process_time() - worked

    return run


class CoreCall:
    """The same call from C++, in a process of its own."""

    def __init__(self, program: str, what: str, model: pathlib.Path, data: pathlib.Path) -> None:
        self._process = subprocess.Popen(
            [program, what, str(model), str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._read()

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def __call__(self) -> Tuple[float, float]:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._read()), float("nan")

    def close(self) -> None:
        self._process.communicate()


class Times(NamedTuple):
    seconds: List[float]  # by round
    processor: List[float]


def rounds(number: int, *calls: Call) -> List[Times]:
    """Of each call, after a round to warm up; every other round is in the opposite order."""
    taken = [Times([], []) for _ in calls]
    for turn in range(number + 1):
        order = range(len(calls)) if turn % 2 else range(len(calls) - 1, -1, -1)
        for i in order:
            seconds, processor = calls[i]()
            if turn:
                taken[i].seconds.append(seconds)
                taken[i].processor.append(processor)
    return taken


def ratio(taken: Times, to: Times) -> float:
    return statistics.median(a / b for a, b in zip(taken.seconds, to.seconds))


def generated(users: int, items: int, rows: int) -> Dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "user": rng.integers(users, size=rows),
        "item": (items * rng.power(0.4, size=rows)).astype(np.int64),
        "label": (rng.random(rows) < 0.6).astype(np.int64),
        "time": np.arange(rows),
    }


def tables(number: int) -> None:
    columns = generated(6000, 3700, 1_000_000)
    texts = {**columns, **{name: [f"{name} {value}" for value in columns[name]] for name in ("user", "item")}}
    for kind, values in (("whole numbers", columns), ("strings", texts)):
        for name, frame in (("pandas", pd.DataFrame(values)), ("polars", pl.DataFrame(values))):
            (taken,) = rounds(number, timed(lambda: to_core(read(frame))))
            print(
                f"a DataFrame of {name}, 1,000,000 rows, ids that are {kind}: {statistics.median(taken.seconds):.2f} s, "
                f"{statistics.median(taken.processor):.2f} s of processor time"
            )


def expressions(number: int, core: str, folder: pathlib.Path) -> None:
    knowledge = linn.KnowledgeBase([f"v{i} & !v{i + 1} | v{i + 2} = T" for i in range(200)])
    reasoner = linn.Reasoner.learn(knowledge, preset="authors", epochs=1)
    asked = [f"v{i % 200} & !v{i * 7 % 200} | v{i * 13 % 200}" for i in range(100_000)]
    reasoner.save(folder / "reasoner.safetensors")
    (folder / "expressions").write_text("\n".join(asked))
    of_core = CoreCall(core, "truth_of", folder / "reasoner.safetensors", folder / "expressions")
    from_core, from_python = rounds(number, of_core, timed(lambda: reasoner.truth_of(asked)))
    of_core.close()
    print(
        f"truth_of 100,000 expressions: C++ {statistics.median(from_core.seconds):.3f} s, "
        f"from Python {100 * (ratio(from_python, from_core) - 1):+.1f} %"
    )
    (one,) = rounds(number, timed(lambda: [reasoner.truth_of("v1") for _ in range(1000)]))
    print(f"truth_of one expression: {1000 * statistics.median(one.processor):.1f} µs of processor time")


def columns_of(histories: List[History]) -> Tuple[Any, Any, Any]:
    starts = np.cumsum([0] + [len(history) for history in histories])
    items = np.array([item for history in histories for item, _ in history])
    liked = np.array([is_liked for history in histories for _, is_liked in history])
    return starts, items, liked


def histories_of(frame: pd.DataFrame, known: List[Any]) -> List[History]:
    frame = frame[frame.item.isin(set(known))]
    return [list(zip(group.item.tolist(), (group.label == 1).tolist())) for _, group in frame.groupby("user", sort=False)]


def recommendations(
    number: int, core: str, folder: pathlib.Path, recommender: linn.Recommender, histories: List[History]
) -> None:
    starts, items, liked = columns_of(histories)
    places = {item: place for place, item in enumerate(recommender.items_)}
    recommender.save(folder / "recommender.safetensors")
    codes = np.array([2 * places[item] for item in items.tolist()], dtype=np.uint32) + liked.astype(np.uint32)
    with open(folder / "histories", "wb") as file:
        for array in (np.array([len(histories)]), starts):
            file.write(array.astype(np.int64).tobytes())
        file.write(codes.tobytes())
    of_core = CoreCall(core, "recommend", folder / "recommender.safetensors", folder / "histories")
    from_core, from_arrays, from_lists = rounds(
        number,
        of_core,
        timed(lambda: recommender.recommend_many((starts, items, liked))),
        timed(lambda: recommender.recommend_many(histories)),
    )
    of_core.close()
    seconds = statistics.median(from_core.seconds)
    print(
        f"recommend_many, {len(histories)} histories with {len(items) / len(histories):.0f} events, top 10 of "
        f"{len(places)}: C++ {seconds:.3f} s ({len(histories) / seconds:.0f} users a second), from arrays "
        f"{100 * (ratio(from_arrays, from_core) - 1):+.1f} %, from lists {100 * (ratio(from_lists, from_core) - 1):+.1f} %"
    )


def beside_implicit(number: int, recommender: linn.Recommender, histories: List[History]) -> None:
    """Users a second: with whole histories, with their last event alone, whose state is at once there, and those of ALS."""
    whole = columns_of(histories)
    last = columns_of([history[-1:] for history in histories])
    calls = [timed(lambda: recommender.recommend_many(whole)), timed(lambda: recommender.recommend_many(last))]
    try:
        import scipy.sparse
        from implicit.als import AlternatingLeastSquares
    except ImportError:
        print("implicit is not installed", file=sys.stderr)
    else:
        places = {item: place for place, item in enumerate(recommender.items_)}
        pairs = [(row, places[item]) for row, history in enumerate(histories) for item, is_liked in history if is_liked]
        rows, columns = np.array(pairs).T
        likes = scipy.sparse.csr_matrix(
            (np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=(len(histories), len(places))
        )
        als = AlternatingLeastSquares(factors=64, iterations=3, random_state=0)
        als.fit(likes, show_progress=False)
        users = np.arange(len(histories))
        calls.append(timed(lambda: als.recommend(users, likes, N=10, recalculate_user=True)))
        calls.append(timed(lambda: als.recommend(users, likes, N=10)))
    taken = rounds(number, *calls)
    print(f"top 10 of {len(recommender.items_)} for {len(histories)} users:")
    names = [
        f"linn, whole histories ({len(whole[1]) / len(histories):.0f} events)",
        "linn, the state known (one event)",
        "implicit's ALS, 64 factors, vectors from histories",
        "implicit's ALS, vectors known",
    ]
    for name, times in zip(names, taken):
        print(
            f"  {name}: {len(histories) / statistics.median(times.seconds):.0f} users a second, "
            f"{len(histories) / statistics.median(times.processor):.0f} per second of processor time"
        )
    if len(taken) == 4:
        print(f"  linn to implicit: {ratio(taken[2], taken[0]):.2f} from histories, {ratio(taken[3], taken[1]):.2f} if known")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", required=True, help="the program core_calls")
    parser.add_argument("--data", help="a data folder, for the users a second; its ids must be whole numbers")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    print(f"linn {linn.__version__} ({_core.commit}), {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.data:
            frame = pd.concat([pd.read_csv(f"{options.data}/{part}.tsv", sep="\t") for part in ("train", "validation", "test")])
            frame = frame.sort_values(["user", "time"], kind="stable")
            # What it has learned does not change how long it takes.
            recommender = linn.Recommender(epochs=1, d=64).fit(frame)
            histories = histories_of(frame, recommender.items_)
            beside_implicit(options.rounds, recommender, histories)
        else:
            tables(options.rounds)
            expressions(options.rounds, options.core, folder)
            frame = pd.DataFrame(generated(10_000, 3000, 1_000_000))
            recommender = linn.Recommender(epochs=1, d=64).fit(frame[:200_000])
            histories = histories_of(frame, recommender.items_)
        recommendations(options.rounds, options.core, folder, recommender, histories)


if __name__ == "__main__":
    main()
