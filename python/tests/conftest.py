"""Small data, and models that are trained on it once."""

from __future__ import annotations

import random
import signal
from typing import Any, Dict, List, Tuple

import numpy as np
import pytest

import linn

# Shells start what runs in the background with Ctrl-C ignored, and what is ignored cannot be tested.
signal.signal(signal.SIGINT, signal.default_int_handler)

Rows = Tuple[List[int], List[int], List[int], List[int]]


def two_tastes(first: int = 0, last: int = 40) -> Rows:
    """Users 1000, 1001, ...: the even ones like items 100 to 105 and dislike some of 106 to 111, the odd ones the other
    way round, both in random order."""
    users: List[int] = []
    items: List[int] = []
    labels: List[int] = []
    times: List[int] = []
    for user in range(first, last):
        rng = random.Random(user)
        own = 6 * (user % 2)
        likes = rng.sample(range(6), 6)
        dislikes = rng.sample(range(6), 6)
        for step in range(6):
            rows = [(100 + own + likes[step], 1)]
            if step % 2 == 0:
                rows.append((100 + 6 - own + dislikes[step], 0))
            for item, label in rows:
                users.append(1000 + user)
                items.append(item)
                labels.append(label)
                times.append(len(times))
    return users, items, labels, times


# One thread is quickest for so little data, above all beside other programs.
SETTINGS: Dict[str, Any] = {"d": 8, "learning_rate": 0.02, "batch": 16, "dropout": 0.1, "threads": 1}


def arrays(rows: Rows) -> Tuple[Any, ...]:
    return tuple(np.array(column) for column in rows)


@pytest.fixture(scope="session")
def rows() -> Rows:
    return two_tastes()


@pytest.fixture(scope="session")
def fitted(rows: Rows) -> linn.Recommender:
    return linn.Recommender(epochs=60, seed=1, **SETTINGS).fit(arrays(rows))


@pytest.fixture(scope="session")
def weather() -> linn.KnowledgeBase:
    knowledge = linn.KnowledgeBase()
    for _ in range(20):
        knowledge.add("rain = T")
        knowledge.add("sun = F")
        knowledge.add("rain & !sun = T")
        knowledge.add("rain & sun", 0.0)
    return knowledge


@pytest.fixture(scope="session")
def reasoner(weather: linn.KnowledgeBase) -> linn.Reasoner:
    return linn.Reasoner.learn(weather, preset="authors", seed=1, d=8, epochs=30, learning_rate=0.01, threads=1)
