"""Interactions in every form, and what cannot be taken."""

from __future__ import annotations

import datetime
import decimal
import subprocess
import sys
import uuid
from typing import Any, Dict, List

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import linn
from conftest import Rows, arrays
from linn._tables import Interactions, read

NAMES = ("user", "item", "label", "time")


def plain(read_columns: Interactions) -> List[Any]:
    user, item, liked, time = read_columns
    return [
        [user.ids[code] for code in user.codes.tolist()],
        [item.ids[code] for code in item.codes.tolist()],
        None if liked is None else liked.tolist(),
        None if time is None else time.tolist(),
    ]


def forms(columns: Dict[str, List[Any]]) -> List[Any]:
    table = pa.table(columns)
    return [
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        pl.DataFrame(columns).lazy(),
        table,
        pa.concat_tables([table.slice(0, 3), table.slice(3)]),
        columns,
        tuple(columns.values()),
        tuple(np.array(column) for column in columns.values()),
    ]


@pytest.mark.parametrize("make", [int, str, lambda number: f"é {number}"])
def test_every_form_is_read_alike(rows: Rows, make: Any) -> None:
    columns = dict(zip(NAMES, rows))
    columns["user"], columns["item"] = [make(user) for user in rows[0]], [make(item) for item in rows[1]]
    for form in forms(columns):
        assert plain(read(form)) == list(columns.values())
        assert [type(each) for each in read(form).item.ids[:1]] == [type(make(1))]
    for form in forms({name: columns[name] for name in NAMES[:2]}):
        assert plain(read(form)) == [columns["user"], columns["item"], None, None]


def test_ids_are_numbered_in_order_of_first_occurrence() -> None:
    for ids in ([7, 3, 7, -2], ["b", "a", "b", "c"], [2.5, 1.5, 2.5, 0.5], [b"2", b"1", b"2", b"0"]):
        for values in (ids, np.array(ids), pd.Series(ids)):
            columns = read((values, values))
            assert columns.user.codes.tolist() == [0, 1, 0, 2]
            assert columns.user.ids == list(dict.fromkeys(ids))


def test_special_columns() -> None:
    text = ["x", "y", "x"]
    frame = pd.DataFrame({"user": pd.Categorical(text), "item": pd.array([3, 1, 3], dtype="Int64")})
    assert plain(read(frame))[:2] == [text, [3, 1, 3]]
    for dtype in ("string", "string[pyarrow]", object):
        assert plain(read(pd.DataFrame({"user": pd.array(text, dtype=dtype), "item": [1, 2, 3]})))[0] == text
    polars = pl.DataFrame({"user": pl.Series(text, dtype=pl.Categorical), "item": pl.Series([3, 1, 3], dtype=pl.UInt8)})
    assert plain(read(polars))[:2] == [text, [3, 1, 3]]
    arrow = pa.table({"user": pa.array(text).dictionary_encode(), "item": [3, 1, 3]})
    assert plain(read(arrow))[:2] == [text, [3, 1, 3]]
    mixed = pd.Series([np.int64(3), 1, np.int32(3)], dtype=object)
    assert plain(read((mixed, mixed)))[0] == [3, 1, 3]


def test_times_are_put_in_order() -> None:
    users = [1, 1, 1]
    dates = [datetime.datetime(2020, 1, 3), datetime.datetime(1960, 1, 1), datetime.datetime(2020, 1, 2)]
    columns: List[Any] = [
        [3, -1, 2],
        [3.5, -1.5, 2.25],
        [0.0, -np.inf, -0.5],
        dates,
        pd.to_datetime(dates),
        pd.Series(pd.to_datetime(dates)).dt.tz_localize("Europe/Berlin"),
        pl.Series(dates),
        pa.array(dates),
    ]
    for column in columns:
        time = read((users, users, None, column)).time
        assert time is not None and np.argsort(time).tolist() == [1, 2, 0]
    same = read((users, users, None, [0.0, -0.0, 1.0])).time
    assert same is not None and same[0] == same[1]


def test_matrices() -> None:
    matrix = scipy.sparse.csr_matrix(np.array([[0, 2, -1], [0.5, 0, 0]]))
    assert plain(read(matrix)) == [[0, 0, 1], [1, 2, 0], [1, 0, 1], None]
    assert plain(read(scipy.sparse.coo_array(matrix))) == plain(read(matrix))
    matrix.data[1] = 0  # stored, but nothing
    assert plain(read(matrix)) == [[0, 1], [1, 0], [1, 1], None]
    matrix.data[0] = np.nan
    with pytest.raises(linn.InputError, match="row 0, column 1: the value is missing"):
        read(matrix)


WRONG: List[Any] = [
    (([1, 2], [3]), "column 'item' has 1 rows, but 'user' has 2", "item", None),
    (([1, None], [3, 4]), "column 'user', row 1: the value is missing", "user", 1),
    (([None, 1], [3, 4]), "column 'user', row 0: the value is missing", "user", 0),
    (([1, "a"], [3, 4]), "column 'user', row 1: expected int like the ids before it, not str", "user", 1),
    (([1, 2], [3.0, float("nan")]), "column 'item', row 1: the value is missing", "item", 1),
    ((np.array([1.5, np.nan]), [3, 4]), "column 'user', row 1: the value is missing", "user", 1),
    (([1, 2], ["a", ""]), "column 'item', row 1: expected an identifier", "item", 1),
    (([1, 2], ["a", "b\n"]), "column 'item', row 1: ", "item", 1),
    (([[1], [2]], [3, 4]), "column 'user', row 0: an id can be str, int, .*, not list", "user", 0),
    (([(1, 2)], [3]), "an id can be str, int, .*, not tuple", "user", 0),
    (([1, 2], [3, 4], [1, 5]), "column 'label', row 1: expected 1 for liked, 0 or -1 for disliked, not 5", "label", 1),
    (([1, 2], [3, 4], ["yes", "no"]), "column 'label', row 0: expected 1", "label", 0),
    (([1, 2], [3, 4], [1, None]), "column 'label', row 1: the value is missing", "label", 1),
    (([1, 2], [3, 4], [1.0, np.nan]), "column 'label', row 1: the value is missing", "label", 1),
    (([1, 2], [3, 4], [1, 0], ["x", "y"]), "column 'time': expected numbers or dates", "time", 0),
    (([1, 2], [3, 4], [1, 0], [1.0, np.nan]), "column 'time', row 1: the value is missing", "time", 1),
    ((np.zeros((2, 2)), [3, 4]), "column 'user': expected an array of one dimension", "user", None),
    (([1, 2],), "not a tuple of 1", None, None),
    (pd.DataFrame({"user": [1], "movie": [2]}), "no column 'item'; the columns are 'user', 'movie'", "item", None),
    (pd.DataFrame({"user": pd.array([1, None], dtype="Int64"), "item": [1, 2]}), "column 'user', row 1", "user", 1),
    (pd.DataFrame({"user": pd.Categorical(["a", None]), "item": [1, 2]}), "column 'user', row 1", "user", 1),
    (pl.DataFrame({"user": [1, None], "item": [1, 2]}), "column 'user', row 1: the value is missing", "user", 1),
    (pa.table({"user": ["a", None], "item": [1, 2]}), "column 'user', row 1: the value is missing", "user", 1),
    ([(1, 2)], "expected a table with the columns", None, None),
    (np.zeros((3, 2)), "expected a table with the columns", None, None),
    ("ratings.csv", "expected a table with the columns", None, None),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_cannot_be_taken(number: int) -> None:
    interactions, message, column, row = WRONG[number]
    with pytest.raises(linn.InputError, match=message) as caught:
        linn.Recommender("popularity").fit(interactions)
    assert caught.value.column == column
    if row is not None:
        assert caught.value.row == row


@pytest.mark.parametrize(
    "ids",
    [
        [2**70, 5, -3],
        [1.5, -0.25, 1e300],
        [True, False],
        [b"\x00a", b"\xff"],
        [datetime.date(2020, 1, 2), datetime.date(1999, 12, 31)],
        [datetime.datetime(2020, 1, 2, 3, 4, 5, 6), datetime.datetime(1999, 12, 31)],
        [uuid.UUID(int=5), uuid.UUID(int=2**100)],
        [decimal.Decimal("1.50"), decimal.Decimal("-3")],
    ],
)
def test_ids_keep_their_type(ids: List[Any], tmp_path: Any) -> None:
    users = [user for user in range(9) for _ in ids]
    recommender = linn.Recommender("popularity", threads=1).fit((users, ids * 9))
    recommender.save(tmp_path / "run")
    for each in (recommender, linn.Recommender.load(tmp_path / "run")):
        assert sorted(each.items_) == sorted(ids)
        assert {type(item) for item in each.items_} == {type(ids[0])}
        assert each.users_ == list(range(9))
        first = each.recommend([ids[0]])
        assert {item.item for item in first} == set(ids[1:])
        assert set(each.recommend_many([[ids[0]]], n=len(ids) - 1)[0][0].tolist()) == set(ids[1:])


def test_nothing_is_imported_that_the_caller_did_not() -> None:
    code = (
        "import sys, linn, linn.model_selection\n"
        "linn.Recommender('popularity').fit(([1] * 3, [1, 2, 3])).recommend_many([[1]])\n"
        "print([name for name in ('pandas', 'polars', 'pyarrow', 'scipy', 'sklearn', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_arrays_of_numbers_are_not_copied() -> None:
    values = np.arange(1000)
    from linn._tables import _column

    for series in (pd.Series(values), pl.Series(values), pa.array(values)):
        assert np.shares_memory(_column(series, "user"), np.asarray(series))


def test_arrays(rows: Rows) -> None:
    assert plain(read(arrays(rows))) == [list(column) for column in rows]
