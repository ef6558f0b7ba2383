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


EQUAL: List[Any] = [
    # Ids, and values that are equal to one of them but are none.
    ([1, 2, 3], [True, 1.0, np.float64(1.0), "1", decimal.Decimal(1), np.True_]),
    ([True, False], [1, 0, 1.0, np.int64(1), "True"]),
    ([1.0, 2.5], [1, True, np.int64(1), decimal.Decimal(1), "1.0"]),
    (["1", "2"], [1, 1.0, b"1", np.int64(1)]),
    ([b"1", b"2"], ["1", 1]),
    ([decimal.Decimal(1), decimal.Decimal(2)], [1, 1.0, True, "1"]),
    ([datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)], [datetime.date(2020, 1, 1), "2020-01-01T00:00:00"]),
    ([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)], [datetime.datetime(2020, 1, 1), "2020-01-01"]),
]


@pytest.mark.parametrize("number", range(len(EQUAL)))
def test_ids_are_not_taken_for_others(number: int) -> None:
    ids, others = EQUAL[number]
    users = [user for user in range(9) for _ in ids]
    recommender = linn.Recommender("popularity", threads=1).fit((users, ids * 9))
    for other in others:
        asks: List[Any] = [
            lambda: recommender.recommend([other]),
            lambda: recommender.recommend([(other, False)]),
            lambda: recommender.recommend([ids[0]], only=[other]),
            lambda: recommender.recommend([ids[0]], exclude=[other]),
            lambda: recommender.recommend_many([[ids[0]], [other]]),
            lambda: recommender.recommend_many([[ids[0]], [(other, True)]]),
            lambda: recommender.recommend_many([[ids[0]]], only=[other]),
            lambda: recommender.recommend_many([[ids[0]]], exclude=[other]),
            lambda: recommender.score_items([ids[0]], [other]),
            lambda: recommender.explain([ids[0]], other),
            lambda: recommender.similar(other),
            lambda: linn.Recommender("popularity").fit((users, ids * 9), titles={other: "another"}),
            lambda: recommender.partial_fit(([1], [other])),
            lambda: recommender.evaluate(([1, 1], [other, other])),
        ]
        for ask in asks:
            with pytest.raises(linn.InputError, match="(of the type|expected) "):
                ask()
        with pytest.raises(linn.InputError, match="column 'item', row 1: expected "):
            read(([0, 0], [ids[0], other]))


def test_users_are_not_taken_for_others() -> None:
    recommender = linn.Recommender("popularity", threads=1).fit(([1, 1, 2, 2], [5, 6, 5, 7]))
    for other in (True, 1.0, "1"):
        with pytest.raises(linn.InputError, match="of the type int"):
            recommender.recommend(user=other)
        with pytest.raises(linn.InputError, match="of the type int"):
            recommender.recommend_many(users=[2, other])
    for same in (np.int8(1), np.uint64(1), np.int64(1)):
        assert recommender.recommend(user=same) == recommender.recommend(user=1)
        assert recommender.recommend_many(users=[same], n=1)[0].tolist() == [[7]]
    # Whole numbers that do not fit into 64 bits with a sign.
    big = np.array([2**64 - 1, 5], dtype=np.uint64)
    with pytest.raises(linn.InputError, match=str(2**64 - 1)):
        recommender.score_items([5], big)
    with pytest.raises(linn.InputError, match=str(2**64 - 1)):
        recommender.recommend_many((np.array([0, 2]), big))
    of_big = linn.Recommender("popularity", threads=1).fit((np.array([1, 1, 2], dtype=np.uint64), np.append(big, big[:1])))
    assert set(of_big.items_) == {2**64 - 1, 5}
    with pytest.raises(linn.InputError, match="-1"):
        of_big.recommend([-1])


def test_text_means_ids_as_they_are_written() -> None:
    recommender = linn.Recommender("popularity", threads=1).fit(([1, 1, 2, 2], [10, 6, 10, 7]))
    assert recommender.recommend_many(["+10"], n=2)[0].tolist() == [[6, 7]]
    for text in ("+1_0", "+010", '+" 10"', "+10.0", "+\u0661\u0660"):
        with pytest.raises(linn.InputError):
            recommender.recommend_many([text])
        with pytest.raises(linn.InputError):
            recommender.recommend(text)
    of_bools = linn.Recommender("popularity", threads=1).fit(([1, 1, 2], [True, False, True]))
    assert of_bools.recommend_many(["+True"], n=1)[0].tolist() == [[False]]
    with pytest.raises(linn.InputError):
        of_bools.recommend_many(["+no"])


def test_times_as_ids_are_exact() -> None:
    late = np.datetime64("2020-01-01T00:00:00.000000001")
    with pytest.raises(linn.InputError, match="column 'item', row 1: .*microsecond"):
        read(([1, 1], np.array([np.datetime64("2020-01-01"), late], dtype="M8[ns]")))
    with pytest.raises(linn.InputError, match="microsecond"):
        read(([1], [pd.Timestamp("2020-01-01T00:00:00.000000001")]))
    exact = [np.datetime64("2020-01-01", "ns"), np.datetime64("2020-01-02", "ns")]
    assert plain(read(([1, 1], exact)))[1] == [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)]


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
