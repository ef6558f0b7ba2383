"""Ids of users and items: of the caller's type outside, numbers and text inside."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Type

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._checks import text as checked_text
from ._errors import InputError


class _Kind(NamedTuple):
    """How ids of one type are written as text, which model files hold, and read back."""

    type: type
    to_text: Callable[[Any], str]
    from_text: Callable[[str], Any]


_KINDS: Dict[str, _Kind] = {
    "str": _Kind(str, str, str),
    "int": _Kind(int, str, int),
    "float": _Kind(float, repr, float),
    "bool": _Kind(bool, str, lambda text: text == "True"),
    "bytes": _Kind(bytes, bytes.hex, bytes.fromhex),
    "date": _Kind(datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
    "datetime": _Kind(datetime.datetime, datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    "uuid": _Kind(uuid.UUID, str, uuid.UUID),
    "decimal": _Kind(decimal.Decimal, str, decimal.Decimal),
}


def is_missing(value: Any) -> bool:
    """None, NaN, NaT, or a missing value of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, np.datetime64, decimal.Decimal)) and bool(value != value)


def _kind_of(value: Any) -> Optional[str]:
    for name, kind in _KINDS.items():
        if type(value) is kind.type:
            return name
    return None


def plain(value: Any) -> Any:
    """Numbers of NumPy as those of Python, a Timestamp of pandas as a datetime.

    Throws InputError for a time that a datetime cannot hold: another id would be taken for it.
    """
    if isinstance(value, np.datetime64):
        exact = value.astype("datetime64[us]")
        if exact != value:
            raise InputError(f"an id cannot be more precise than a microsecond: {value!r}")
        return exact.item()
    if isinstance(value, np.generic):
        return value.item()
    to_datetime = getattr(value, "to_pydatetime", None)
    if to_datetime is None:
        return value
    if getattr(value, "nanosecond", 0):
        raise InputError(f"an id cannot be more precise than a microsecond: {value!r}")
    return to_datetime()


class Codes(NamedTuple):
    """A column of ids as numbers in order of first occurrence."""

    codes: NDArray[np.uint32]
    ids: List[Any]  # of Python's types, one for each number
    kind: str


def encode(values: Any, column: str) -> Codes:
    """values: a one-dimensional array or list. Throws InputError naming the column and the row."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iu" and values.dtype != np.uint64:
            codes, distinct = _core.encode_ints(np.ascontiguousarray(values, dtype=np.int64))
            return Codes(codes, distinct.tolist(), "int")
        if values.dtype.kind in "fM":
            missing = np.isnan(values) if values.dtype.kind == "f" else np.isnat(values)
            if missing.any():
                raise _missing(column, int(np.argmax(missing)))
        if values.dtype.kind == "M":
            exact = values.astype("datetime64[us]")
            if (exact != values).any():
                row = int(np.argmax(exact != values))
                raise InputError(
                    f"column '{column}', row {row}: an id cannot be more precise than a microsecond",
                    column=column,
                    row=row,
                )
            values = exact
        values = values.tolist()
    codes, ids, wrong = _core.encode_objects(values if type(values) is list else list(values))
    if wrong >= 0 and not is_missing(values[wrong]) and not is_missing(values[0]):
        # Types of NumPy and of Python may be mixed.
        values = [plain(value) for value in values]
        codes, ids, wrong = _core.encode_objects(values)
    if wrong >= 0:
        first, other = type(values[0]).__name__, type(values[wrong]).__name__
        if is_missing(values[0]):
            raise _missing(column, 0)
        if is_missing(values[wrong]):
            raise _missing(column, wrong)
        if first == other:
            raise _no_id(column, wrong, first)
        raise InputError(
            f"column '{column}', row {wrong}: expected {first} like the ids before it, not {other}",
            column=column,
            row=wrong,
        )
    ids = [plain(value) for value in ids]
    if not ids:
        return Codes(codes, ids, "str")
    for code, value in enumerate(ids):
        if is_missing(value):
            raise _missing(column, int(np.argmax(codes == code)))
    kind = _kind_of(ids[0])
    if kind is None:
        raise _no_id(column, 0, type(ids[0]).__name__)
    return Codes(codes, ids, kind)


def _missing(column: str, row: int) -> InputError:
    return InputError(f"column '{column}', row {row}: the value is missing", column=column, row=row)


def _no_id(column: str, row: int, found: str) -> InputError:
    return InputError(
        f"column '{column}', row {row}: an id can be {', '.join(_KINDS)}, not {found}", column=column, row=row
    )


def to_text(ids: Sequence[Any], kind: str) -> List[str]:
    """The text of ids of one kind."""
    if kind == "str":
        return list(ids)
    return list(map(_KINDS[kind].to_text, ids))


class Catalogue:
    """The ids that a model knows, in its order."""

    def __init__(self, names: List[str], kind: str) -> None:
        if kind not in _KINDS:
            raise InputError(f"the model was saved with ids of the kind '{kind}', which this version does not know")
        self.kind = kind
        self.ids: List[Any] = names if kind == "str" else list(map(_KINDS[kind].from_text, names))
        self.numbers: Dict[Any, int] = {value: number for number, value in enumerate(self.ids)}
        # For taking many at once.
        self.array: NDArray[Any]
        if kind == "int" and all(-(2**63) <= int(value) < 2**63 for value in self.ids):
            self.array = np.array(self.ids, dtype=np.int64)
        else:
            self.array = np.empty(len(self.ids), dtype=object)
            self.array[:] = self.ids

    def text(self, value: Any) -> str:
        """The name of an id in the model, which need not know it. Throws InputError for another type."""
        return checked_text("an id", _KINDS[self.kind].to_text(self.checked(value)))

    @property
    def type(self) -> Type[Any]:
        """The type of all ids. Values of other types are no ids, even if they are equal to one: not True for 1."""
        return _KINDS[self.kind].type

    def checked(self, value: Any) -> Any:
        """The id as it is known. Throws InputError for another type."""
        value = plain(value)
        if type(value) is not self.type:
            raise InputError(f"the ids are of the type {self.kind}, not {type(value).__name__}: {value!r}")
        return value

    def value(self, text: str) -> Any:
        """The id of a name."""
        return text if self.kind == "str" else _KINDS[self.kind].from_text(text)

    def named(self, name: str) -> Any:
        """The known id that is written like this; None if there is none."""
        try:
            value = self.value(name)
        except (ValueError, ArithmeticError):
            return None
        # Not 10 for "1_0".
        return value if value in self.numbers and _KINDS[self.kind].to_text(value) == name else None

    def find_many(self, values: Any, what: str) -> NDArray[np.int64]:
        """The numbers of many ids, -1 for an unknown one."""
        if isinstance(values, np.ndarray) and values.ndim != 1:
            raise InputError(f"{what}: expected an array of one dimension, not of the shape {values.shape}")
        is_int = isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.dtype != np.uint64
        if is_int and self.array.dtype == np.int64:
            return _core.find_ints(np.ascontiguousarray(values, dtype=np.int64), self.array)
        get = self.numbers.get
        if isinstance(values, np.ndarray) and values.dtype.kind != "M":
            values = values.tolist()
        own = self.type
        try:
            found = [get(value if type(value) is own else self.checked(value), -1) for value in values]
        except InputError as error:
            raise InputError(f"{what}: {error}") from None
        return np.array(found, dtype=np.int64)

    def take(self, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """The ids of numbers; -1 or None for the number -1."""
        missing = numbers < 0
        if self.array.dtype == np.int64:
            if len(self.array) == 0:
                return np.full(numbers.shape, -1, dtype=np.int64)
            found = self.array[numbers]
            found[missing] = -1
            return found
        found = np.full(numbers.shape, None, dtype=object)
        if len(self.array):
            found[~missing] = self.array[numbers[~missing]]
        return found
