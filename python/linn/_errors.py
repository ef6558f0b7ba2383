"""What goes wrong: InputError for what the caller can put right, Failure for the rest."""

from __future__ import annotations

from typing import Optional, Union

__all__ = ["Divergence", "Failure", "InputError"]


class InputError(ValueError):
    """Input that cannot be used; the message says what was expected, and where.

    line and column count from 1: within an expression, an equation or a file. In a batch, line is the number of the
    expression or history. Of a table, column is the name of the column, and row the number of the row from 0, as in
    DataFrame.iloc.
    """

    def __init__(
        self,
        message: str,
        *,
        file: Optional[str] = None,
        line: Optional[int] = None,
        column: Union[int, str, None] = None,
        row: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column
        self.row = row


class Failure(RuntimeError):
    """Valid input that could not be processed, such as a full disk."""


class Divergence(Failure):
    """Training produced values that are not finite: these settings do not work on these data."""
