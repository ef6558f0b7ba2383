"""What calling from Python costs beside the core, as ratios of one run, and how fast tables are read.

    python python/bench/speed.py            # generated data
    python python/bench/speed.py RUN        # a trained recommender and its data, such as one of MovieLens 1M

pandas, polars, and with --implicit the package implicit, must be installed.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import pandas as pd
import polars as pl

import linn
from linn import _core
from linn._tables import read, to_core


def seconds(times: int, *calls: Callable[[], Any]) -> List[float]:
    """The shortest time of each call, in turns, so that a busy moment meets all of them."""
    best = [float("inf")] * len(calls)
    for _ in range(times):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def generated(users: int, items: int, rows: int) -> Dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "user": rng.integers(users, size=rows),
        "item": (items * rng.power(0.4, size=rows)).astype(np.int64),
        "label": (rng.random(rows) < 0.6).astype(np.int64),
        "time": np.arange(rows),
    }


def tables() -> None:
    columns = generated(6000, 3700, 1_000_000)
    texts = {**columns, **{name: [f"{name} {value}" for value in columns[name]] for name in ("user", "item")}}
    for kind, values in (("whole numbers", columns), ("strings", texts)):
        for name, frame in (("pandas", pd.DataFrame(values)), ("polars", pl.DataFrame(values))):
            (taken,) = seconds(3, lambda: to_core(read(frame)))
            print(f"a DataFrame of {name}, 1,000,000 rows, ids that are {kind}: {taken:.2f} s")


def expressions() -> None:
    knowledge = linn.KnowledgeBase([f"v{i} & !v{i + 1} | v{i + 2} = T" for i in range(200)])
    reasoner = linn.Reasoner.learn(knowledge, preset="authors", epochs=1)
    asked = [f"v{i % 200} & !v{i * 7 % 200} | v{i * 13 % 200}" for i in range(100_000)]
    # What the call from Python adds is the conversion of the list, since the core gets the same strings.
    whole, empty = seconds(5, lambda: reasoner.truth_of(asked), lambda: [text.encode() for text in asked])
    print(f"truth_of 100,000 expressions: {whole:.3f} s; reading the strings of the list alone: {empty:.3f} s")


def recommendations(recommender: linn.Recommender, histories: List[List[Tuple[Any, bool]]]) -> None:
    fitted = recommender._fitted
    assert fitted is not None
    starts = np.cumsum([0] + [len(history) for history in histories])
    items = np.array([item for history in histories for item, _ in history])
    liked = np.array([is_liked for history in histories for _, is_liked in history])
    numbers = fitted.histories((starts, items, liked))
    nothing = np.empty(0, dtype=np.uint32)

    def core() -> Any:
        return fitted.core.recommend_many(*numbers, None, 10, nothing, None, False, recommender.threads)

    alone, arrays, lists = seconds(
        3,
        core,
        lambda: recommender.recommend_many((starts, items, liked)),
        lambda: recommender.recommend_many(histories),
    )
    number = len(histories)
    print(
        f"recommend_many of {number} histories with {len(items) / number:.0f} events, top 10 of {len(fitted.items.ids)}: "
        f"the core {alone:.3f} s ({number / alone:.0f} users a second), from arrays {100 * (arrays / alone - 1):+.1f} %, "
        f"from lists {100 * (lists / alone - 1):+.1f} %"
    )


def beside_implicit(recommender: linn.Recommender, histories: List[List[Tuple[Any, bool]]]) -> None:
    import scipy.sparse
    from implicit.als import AlternatingLeastSquares

    fitted = recommender._fitted
    assert fitted is not None
    rows = [row for row, history in enumerate(histories) for _, liked in history if liked]
    columns = [fitted.items.numbers[item] for history in histories for item, liked in history if liked]
    likes = scipy.sparse.csr_matrix(
        (np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=(len(histories), len(fitted.items.ids))
    )
    als = AlternatingLeastSquares(factors=64, iterations=3, random_state=0)
    als.fit(likes, show_progress=False)
    users = np.arange(len(histories))
    known, folded, ours = seconds(
        3,
        lambda: als.recommend(users, likes, N=10),
        lambda: als.recommend(users, likes, N=10, recalculate_user=True),
        lambda: recommender.recommend_many(histories),
    )
    number = len(histories)
    print(
        f"implicit's ALS, 64 factors: {number / known:.0f} users a second from known vectors, {number / folded:.0f} when it "
        f"computes them from histories; linn {number / ours:.0f}, a ratio of {folded / ours:.2f} to the latter"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?")
    parser.add_argument("--data", help="a data folder, for the histories")
    parser.add_argument("--implicit", action="store_true")
    options = parser.parse_args()
    print(f"linn {linn.__version__} ({_core.commit})")
    tables()
    expressions()
    histories: List[List[Tuple[Any, bool]]] = []
    if options.run:
        recommender = linn.Recommender.load(options.run)
        rows = pd.read_csv(f"{options.data}/train.tsv", sep="\t", dtype={"user": str, "item": str})
        for _, group in rows.groupby("user", sort=False):
            histories.append(list(zip(group["item"], group["label"] == 1)))
    else:
        columns = generated(10_000, 3000, 1_000_000)
        recommender = linn.Recommender(epochs=1, d=16, pretrain_steps=1).fit(
            tuple(column[:20_000] for column in columns.values())
        )
        known = set(recommender.items_)
        histories = [[] for _ in range(10_000)]
        for user, item, liked in zip(columns["user"], columns["item"].tolist(), columns["label"]):
            if item in known:
                histories[user].append((item, bool(liked)))
    recommendations(recommender, histories)
    fitted = recommender._fitted
    if fitted is not None and fitted.items.kind == "str" and all(item.isdecimal() for item in fitted.items.ids):
        print("the same with ids that are whole numbers:")
        recommender._fitted = type(fitted)(fitted.core, fitted.users.kind, "int")
        recommendations(recommender, [[(int(item), liked) for item, liked in history] for history in histories])
        recommender._fitted = fitted
    if options.implicit:
        beside_implicit(recommender, histories)


if __name__ == "__main__":
    main()
