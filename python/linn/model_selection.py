"""A splitter for scikit-learn's searches over a Recommender."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

import numpy as np
from numpy.typing import NDArray

from ._errors import InputError
from ._learning import whole_number
from ._tables import read

__all__ = ["LeaveLastOut"]


class LeaveLastOut:
    """Splits interactions so that a recommender is scored on the last like of each user.

    The first split holds out the last like of each user with at least `at_least` likes, the second the one before it,
    and so on. To train on: what comes before the held-out like. To score on: that and the held-out like, since a
    recommender ranks it for the history before it. Users with too few likes are only trained on.

    GridSearchCV(Recommender(epochs=5), {"d": [16, 32]}, cv=LeaveLastOut()).fit(ratings)
    """

    def __init__(self, n_splits: int = 1, at_least: int = 2) -> None:
        self.n_splits = n_splits
        self.at_least = at_least

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[Tuple[NDArray[np.int64], NDArray[np.int64]]]:
        if hasattr(X, "tocoo"):
            raise InputError("the rows of a matrix are users; give a table with a row for each interaction")
        columns = read(X)
        rows = len(columns.user.codes)
        time = columns.time if columns.time is not None else np.zeros(rows, dtype=np.int64)
        liked = columns.liked if columns.liked is not None else np.ones(rows, dtype=np.uint8)
        # By user and time; rows of the same time stay in their order.
        order = np.lexsort((np.arange(rows), time, columns.user.codes))
        user = columns.user.codes[order].astype(np.int64)
        likes = liked[order].astype(np.int64)
        totals = np.bincount(user, weights=likes, minlength=len(columns.user.ids)).astype(np.int64)
        before = np.cumsum(likes) - likes  # likes before each row, of all users
        firsts = np.searchsorted(user, np.arange(len(totals)))
        own = before - before[firsts[user]] if rows else before  # of the same user
        for split in range(whole_number("n_splits", self.n_splits, 1)):
            held_out = totals - 1 - split  # which like of each user
            tested = totals >= max(whole_number("at_least", self.at_least, 2), split + 2)
            # Rows with as many likes before them as the held-out like are dislikes before it, and the like itself.
            before_it = (own < held_out[user]) | ((own == held_out[user]) & (likes == 0))
            train = ~tested[user] | before_it
            test = tested[user] & (own <= held_out[user])
            if not test.any():
                raise InputError("there is nothing to hold out: no user has enough likes")
            yield np.sort(order[train]), np.sort(order[test])

