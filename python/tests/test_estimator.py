"""The manners of scikit-learn."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import linn
from conftest import SETTINGS, Rows
from linn.model_selection import LeaveLastOut

NAMES = ("user", "item", "label", "time")


def test_parameters() -> None:
    recommender = linn.Recommender("sasrec", epochs=3, d=16)
    assert recommender.get_params() == {
        "model": "sasrec",
        "preset": "best",
        "epochs": 3,
        "seed": 0,
        "threads": 0,
        "device": "cpu",
        "progress": None,
        "d": 16,
    }
    assert recommender.set_params(seed=2, dropout=0.5) is recommender
    assert repr(recommender) == "Recommender(model='sasrec', epochs=3, seed=2, d=16, dropout=0.5)"
    assert repr(linn.Recommender()) == "Recommender()"


def test_clones(fitted: linn.Recommender) -> None:
    copy = clone(fitted)
    assert copy is not fitted and copy.get_params() == fitted.get_params()
    with pytest.raises(linn.InputError, match="not fitted"):
        copy.recommend([101])
    check_is_fitted(fitted)
    copy.set_params(d=9)
    assert fitted.get_params()["d"] == SETTINGS["d"]


def test_leave_last_out() -> None:
    # User 1 likes a, b, c in this order of time and dislikes x before and z after c; user 2 likes once.
    frame = pd.DataFrame(
        [
            (1, "c", 1, 30),
            (1, "a", 1, 10),
            (2, "a", 1, 5),
            (1, "b", 1, 20),
            (1, "x", 0, 25),
            (1, "z", 0, 40),
            (3, "q", 0, 1),
        ],
        columns=NAMES,
    )
    first, second = LeaveLastOut(n_splits=2).split(frame)
    assert [rows.tolist() for rows in first] == [[1, 2, 3, 4, 6], [0, 1, 3, 4]]
    assert [rows.tolist() for rows in second] == [[1, 2, 6], [1, 3]]
    assert LeaveLastOut(3).get_n_splits(frame) == 3
    with pytest.raises(linn.InputError, match="nothing to hold out"):
        list(LeaveLastOut(n_splits=3).split(frame))
    (at_least,) = LeaveLastOut(at_least=3).split(frame)
    assert at_least[1].tolist() == first[1].tolist()


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_grid_search(rows: Rows, kind: Any) -> None:
    frame = kind(dict(zip(NAMES, rows)))
    search = GridSearchCV(
        linn.Recommender(epochs=4, seed=1, **SETTINGS), {"d": [4, 8]}, cv=LeaveLastOut(), error_score="raise"
    )
    search.fit(frame)
    assert search.best_params_["d"] in (4, 8) and search.best_score_ > 0.3
    assert len(search.best_estimator_.recommend([101], n=3)) == 3
    # The score is that of a recommender that never saw the held-out likes.
    (train, test) = next(LeaveLastOut().split(frame))
    alone = linn.Recommender(epochs=4, seed=1, **{**SETTINGS, "d": 8}).fit(frame[train] if kind is pl.DataFrame else frame.iloc[train])
    scores: List[float] = search.cv_results_["mean_test_score"].tolist()
    assert alone.score(frame[test] if kind is pl.DataFrame else frame.iloc[test]) == scores[1]


def test_cross_validation_and_pipelines(rows: Rows) -> None:
    frame = pd.DataFrame(dict(zip(NAMES, rows)))
    scores = cross_val_score(linn.Recommender("itemknn"), frame, cv=LeaveLastOut(n_splits=2))
    assert scores.shape == (2,) and np.isfinite(scores).all()
    pipeline = Pipeline([("recommender", linn.Recommender("ease"))])
    pipeline.set_params(recommender__seed=4)
    assert pipeline.fit(frame).score(frame) > 0


def test_settings_of_a_dict(rows: Rows) -> None:
    settings: Dict[str, Any] = {"d": 8, "form": "dnf"}
    recommender = linn.Recommender(epochs=1, **settings).fit(dict(zip(NAMES, rows)))
    assert recommender.settings == settings
