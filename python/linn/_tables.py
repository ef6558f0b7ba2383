"""Interactions in whatever form a caller has them, as columns of numbers.

Tables of pandas, polars and pyarrow and matrices of scipy are told by what they can do, so none of these is imported.
"""

from __future__ import annotations

import datetime
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import InputError
from ._checks import text
from ._ids import Codes, encode, is_missing, to_text

COLUMNS = ("user", "item", "label", "time")
_EXPECTED = (
    "expected a table with the columns user and item, and possibly label and time; a tuple of arrays in that order; "
    "or a sparse matrix of users and items"
)


class Interactions(NamedTuple):
    user: Codes
    item: Codes
    liked: Optional[NDArray[np.uint8]]
    time: Optional[NDArray[np.int64]]


# Whether a float is missing is seen in the array.
_NEVER_MISSING = {bool, int, float, str, datetime.date, datetime.datetime}


class _Categories(NamedTuple):
    """A column that the caller has as numbers already."""

    codes: NDArray[np.int64]
    values: List[Any]


def read(interactions: Any) -> Interactions:
    """Throws InputError naming the column and the row."""
    if hasattr(interactions, "tocoo"):
        return _from_matrix(interactions)
    columns = _columns_of(interactions)
    sizes = {name: _size(values, name) for name, values in columns.items()}
    for name, size in sizes.items():
        if size != sizes["user"]:
            raise InputError(
                f"column '{name}' has {size} rows, but 'user' has {sizes['user']}", column=name
            )
    return Interactions(
        _codes(columns["user"], "user"),
        _codes(columns["item"], "item"),
        _liked(_plain_array(columns["label"], "label")) if "label" in columns else None,
        _time(_plain_array(columns["time"], "time")) if "time" in columns else None,
    )


def to_core(
    interactions: Interactions, titles: Optional[List[Tuple[str, str]]] = None
) -> _core.Interactions:
    """The interactions for the core, which checks the text of the ids."""
    user, item = interactions.user, interactions.item
    try:
        return _core.interactions(
            _text("user", user),
            _text("item", item),
            user.codes,
            item.codes,
            interactions.liked,
            interactions.time,
            titles or [],
        )
    except InputError as error:
        if error.file not in ("user", "item") or error.line is None:
            raise
        row = error.line - 1
        message = str(error).split(": ", 1)[-1]
        raise InputError(
            f"column '{error.file}', row {row}: {message}", column=error.file, row=row
        ) from None


def _text(column: str, ids: Codes) -> List[str]:
    written = to_text(ids.ids, ids.kind)
    if ids.kind != "str":
        return written
    try:
        "\n".join(written).encode()
        return written
    except UnicodeEncodeError:
        for code, each in enumerate(written):
            row = int(np.argmax(ids.codes == code))
            try:
                text("an id", each)
            except InputError as error:
                raise InputError(f"column '{column}', row {row}: {error}", column=column, row=row) from None
        raise


def _columns_of(interactions: Any) -> Dict[str, Any]:
    if isinstance(interactions, tuple):
        if not 2 <= len(interactions) <= 4:
            raise InputError(f"{_EXPECTED}, not a tuple of {len(interactions)}")
        return {
            name: _column(values, name)
            for name, values in zip(COLUMNS, interactions)
            if values is not None
        }
    if hasattr(interactions, "collect") and hasattr(interactions, "lazy"):
        interactions = interactions.collect()  # a LazyFrame of polars
    names: List[Any]
    if isinstance(interactions, Mapping):
        names = list(interactions)
    elif hasattr(interactions, "column_names"):
        names = list(interactions.column_names)  # pyarrow
    elif hasattr(interactions, "columns"):
        names = list(interactions.columns)
    elif hasattr(interactions, "__arrow_c_stream__"):
        import pyarrow

        return _columns_of(pyarrow.table(interactions))
    else:
        raise InputError(f"{_EXPECTED}, not {type(interactions).__name__}")
    for name in COLUMNS[:2]:
        if name not in names:
            raise InputError(
                f"there is no column '{name}'; the columns are {', '.join(map(repr, names))}", column=name
            )
    return {name: _column(interactions[name], name) for name in COLUMNS if name in names}


def _from_pandas(series: Any, name: str) -> Any:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return series.to_numpy()
    if series.isna().any():
        raise _missing(name, int(np.argmax(series.isna().to_numpy())))
    if hasattr(series, "cat"):
        return _Categories(series.cat.codes.to_numpy(dtype=np.int64), series.cat.categories.tolist())
    if getattr(dtype, "tz", None) is not None and name == "time":
        return series.dt.tz_convert(None).to_numpy()
    if getattr(dtype, "kind", "O") in "iufb":
        return series.to_numpy(dtype=getattr(dtype, "numpy_dtype", None))
    return series.to_numpy(dtype=object)


def _from_polars(series: Any, name: str) -> Any:
    if series.null_count() > 0:
        raise _missing(name, int(series.is_null().arg_max()))
    dtype = str(series.dtype)
    if getattr(series.dtype, "time_zone", None) is not None and name != "time":
        return series.to_list()
    if dtype.startswith(("Int", "UInt", "Float", "Boolean", "Datetime", "Date")):
        return series.to_numpy()
    if dtype.startswith(("Categorical", "Enum")):
        series = series.cast(sys.modules["polars"].String)
    return series.to_list()


def _from_arrow(array: Any, name: str) -> Any:
    if array.null_count > 0:
        raise _missing(name, int(np.argmax(np.asarray(array.is_null()))))
    if hasattr(array, "combine_chunks"):
        array = array.combine_chunks()
        if hasattr(array, "chunks"):  # of older versions
            array = array.chunk(0) if array.num_chunks else array
    kind = str(array.type)
    if kind in ("string", "large_string"):
        array = array.dictionary_encode()
    if hasattr(array, "dictionary"):
        return _Categories(
            np.asarray(array.indices).astype(np.int64), array.dictionary.to_pylist()
        )
    if getattr(array.type, "tz", None) is not None and name != "time":
        return array.to_pylist()
    if kind.startswith(("int", "uint", "float", "double", "bool", "timestamp", "date32")):
        return array.to_numpy(zero_copy_only=False)
    return array.to_pylist()


def _column(values: Any, name: str) -> Any:
    """An array, a list, or categories."""
    module = type(values).__module__.partition(".")[0]
    if module == "pandas":
        return _from_pandas(values, name) if hasattr(values, "dtype") else values
    if module == "polars":
        return _from_polars(values, name)
    if module == "pyarrow":
        return _from_arrow(values, name)
    if isinstance(values, (np.ndarray, list)):
        return values
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise InputError(
            f"column '{name}': expected an array, not {type(values).__name__}", column=name
        )
    return np.asarray(values) if hasattr(values, "__array__") else list(values)


def _size(values: Any, name: str) -> int:
    if isinstance(values, _Categories):
        return len(values.codes)
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise InputError(
            f"column '{name}': expected an array of one dimension, not of the shape {values.shape}",
            column=name,
        )
    return len(values)


def _codes(values: Any, name: str) -> Codes:
    if not isinstance(values, _Categories):
        return encode(values, name)
    if len(values.codes) and int(values.codes.min()) < 0:
        raise _missing(name, int(np.argmax(values.codes < 0)))
    codes, used = _core.encode_ints(np.ascontiguousarray(values.codes))
    ids = encode([values.values[number] for number in used.tolist()], name)
    return Codes(ids.codes[codes] if len(codes) else codes, ids.ids, ids.kind)


def _plain_array(values: Any, name: str) -> NDArray[Any]:
    if isinstance(values, _Categories):
        values = [values.values[code] for code in values.codes.tolist()]
    if isinstance(values, list) or values.dtype == object:
        listed = values if isinstance(values, list) else values.tolist()
        types = set(map(type, listed))
        if types - _NEVER_MISSING:
            for row, value in enumerate(listed):
                if is_missing(value):
                    raise _missing(name, row)
        if types and all(issubclass(each, datetime.date) for each in types):
            if not types <= {datetime.date}:
                listed = [_without_zone(value) for value in listed]
            values = np.array(listed, dtype="datetime64[us]")
        else:
            values = np.array(listed) if listed else np.empty(0)
    if values.dtype.kind in "fM":
        missing = np.isnan(values) if values.dtype.kind == "f" else np.isnat(values)
        if missing.any():
            raise _missing(name, int(np.argmax(missing)))
    array: NDArray[Any] = values
    return array


def _without_zone(value: Any) -> Any:
    """A date and time with a time zone in universal time."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return value


def _liked(labels: NDArray[Any]) -> NDArray[np.uint8]:
    if labels.dtype.kind == "b":
        return labels.astype(np.uint8)
    wrong = np.ones(len(labels), dtype=bool)
    if labels.dtype.kind in "iuf":
        wrong = (labels != 1) & (labels != 0) & (labels != -1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"column 'label', row {row}: expected 1 for liked, 0 or -1 for disliked, not {labels[row].item()!r}",
            column="label",
            row=row,
        )
    return (labels > 0).astype(np.uint8)


def _time(times: NDArray[Any]) -> NDArray[np.int64]:
    """Whole numbers in the same order."""
    if times.dtype.kind == "M":
        return np.ascontiguousarray(times.astype("datetime64[us]").astype(np.int64))
    if times.dtype.kind == "f":
        # The bits of a positive number are in its order; those of a negative one in the opposite one.
        bits = times.astype(np.float64) + 0.0
        order = bits.view(np.int64)
        return np.ascontiguousarray(np.where(order < 0, np.int64(-(2**63)) - order, order))
    if times.dtype.kind in "iub" and (times.dtype != np.uint64 or len(times) == 0 or times.max() < 2**63):
        return np.ascontiguousarray(times, dtype=np.int64)
    raise InputError(
        f"column 'time': expected numbers or dates, not {times.dtype}", column="time", row=0
    )


def _from_matrix(matrix: Any) -> Interactions:
    """Users in rows, items in columns; above zero liked, below disliked."""
    rows = matrix.tocoo()
    user, item, values = np.asarray(rows.row), np.asarray(rows.col), np.asarray(rows.data)
    if values.dtype.kind not in "biuf":
        raise InputError(f"expected a matrix of numbers, not {values.dtype}")
    if values.dtype.kind == "f" and np.isnan(values).any():
        at = int(np.argmax(np.isnan(values)))
        raise InputError(
            f"row {user[at]}, column {item[at]}: the value is missing", column=str(item[at]), row=int(user[at])
        )
    stored = values != 0
    order = np.lexsort((item[stored], user[stored]))
    return Interactions(
        encode(user[stored][order], "user"),
        encode(item[stored][order], "item"),
        (values[stored][order] > 0).astype(np.uint8),
        None,
    )


def _missing(name: str, row: int) -> InputError:
    return InputError(f"column '{name}', row {row}: the value is missing", column=name, row=row)
