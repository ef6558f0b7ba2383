"""What callers give, checked: InputError for a value of the wrong type, before the core sees it."""

from __future__ import annotations

import operator
import os
from typing import Any, List, Union

import numpy as np

from ._errors import InputError

PathLike = Union[str, "os.PathLike[str]"]


def whole_number(name: str, value: Any, least: int = 0, most: int = 2**63 - 1) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        limit = f"of at least {least}" if most == 2**63 - 1 else f"from {least} to {most}"
        raise InputError(f"{name} must be a whole number {limit}, not {value!r}")
    return number


def real_number(name: str, value: Any, expected: str = "a number") -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be {expected}, not {value!r}") from None


def text(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} must be text, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{what} must be text that UTF-8 can write: {error.reason} at {error.start}") from None
    return value


def path_text(what: str, value: Any) -> str:
    try:
        return text(what, os.fspath(value))
    except TypeError:
        raise InputError(f"{what} must be a path, not {type(value).__name__}") from None


def listed(what: str, values: Any) -> List[Any]:
    """The entries of anything iterable but text, whose letters are hardly ever meant."""
    if isinstance(values, (str, bytes)):
        raise InputError(f"{what}: expected a list, not {type(values).__name__}; write [{values!r}] for a single one")
    if isinstance(values, np.ndarray) and values.ndim == 0:
        raise InputError(f"{what}: expected a list, not a single number")
    try:
        return list(values)
    except TypeError:
        raise InputError(f"{what}: expected a list, not {type(values).__name__}") from None
