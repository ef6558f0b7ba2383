"""How a training is asked for, and how it shows its progress."""

from __future__ import annotations

import html
import math
import sys
import time
from typing import Any, Callable, Dict, Mapping, Optional, Union

import numpy as np

from ._checks import PathLike, path_text, text, whole_number
from ._errors import InputError

Epoch = Dict[str, Any]
Progress = Union[bool, None, Callable[[Epoch], Any]]


class Bar:
    """A bar in a notebook; a line on standard error that a terminal draws anew; elsewhere a line per epoch."""

    _WIDTH = 24
    _SECONDS = 0.1

    def __init__(self) -> None:
        self._notebook = _notebook()
        self._redraws = self._notebook is not None or sys.stderr.isatty()
        self._drawn = 0.0
        self._width = 0
        self._last = ("", 0, 1, 0.0)
        self._note = ""

    def step(self, stage: str, done: int, total: int, loss: float) -> None:
        now = time.monotonic()
        self._last = (stage, done, max(total, 1), loss)
        if not self._redraws or (now - self._drawn < self._SECONDS and done < total):
            return
        self._drawn = now
        self._draw()

    def epoch(self, epoch: Epoch) -> None:
        shown = {name: epoch[name] for name in ("accuracy", "ndcg@10") if name in epoch}
        metrics = "".join(f"  {name} {value:.4f}" for name, value in shown.items())
        self._note = f"  epoch {epoch['epoch']}{metrics}"
        if not self._redraws:
            print(f"epoch {epoch['epoch']}  loss {epoch['loss']:.4f}{metrics}", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._redraws and self._last[0]:
            self._draw()
        if self._width:
            print(file=sys.stderr, flush=True)

    def _draw(self) -> None:
        stage, done, total, loss = self._last
        words = "" if math.isnan(loss) else f"  loss {loss:.4f}"
        percent = 100 * done // total
        full = self._WIDTH * done // total
        line = f"{stage} [{'#' * full + '-' * (self._WIDTH - full)}] {percent} %{words}{self._note}"
        if self._notebook is not None:
            page = (
                f'<progress value="{done}" max="{total}"></progress> '
                f"{html.escape(stage)} {percent} %{words}{html.escape(self._note)}"
            )
            self._notebook(line, page)
            return
        print("\r" + line.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(line)


def _notebook() -> Optional[Callable[[str, str], None]]:
    """What shows text, or HTML in place of it, in one output of a notebook; None elsewhere. Needs no widgets."""
    if not type(sys.stderr).__module__.startswith("ipykernel"):
        return None
    from IPython import display  # this is a kernel of IPython

    draw: Any = display.display
    handle: Any = None

    def show(text: str, page: str) -> None:
        nonlocal handle
        bundle = {"text/plain": text, "text/html": page}
        if handle is None:
            handle = draw(bundle, raw=True, display_id=True)
        else:
            handle.update(bundle, raw=True)

    return show


def _text(name: str, value: Any) -> str:
    """The value of a setting as the command line takes it."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()  # a number of NumPy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, str)):
        return text(name, str(value))
    raise InputError(f"{name} must be a number, a word, True or False, not {type(value).__name__}")


class Learning:
    """with Learning(...) as request: the core learns as requested, and shows its progress."""

    def __init__(
        self,
        *,
        model: str,
        preset: str,
        seed: int,
        threads: int,
        settings: Mapping[str, Any],
        progress: Progress,
        folder: Optional[PathLike] = None,
        resume: bool = False,
        force: bool = False,
        notes: Optional[Mapping[str, str]] = None,
    ) -> None:
        for name, value in (("model", model), ("preset", preset)):
            text(name, value)
        self._bar: Optional[Bar] = None
        on_epoch: Optional[Callable[[Epoch], Any]] = None
        if callable(progress):
            on_epoch = progress
        elif progress is not None and not isinstance(progress, (bool, np.bool_)):
            raise InputError(f"progress must be True, False or a function, not {type(progress).__name__}")
        elif progress:
            self._bar = Bar()
            on_epoch = self._bar.epoch
        self._request: Dict[str, Any] = {
            "model": model,
            "preset": preset,
            "settings": {name: _text(name, value) for name, value in settings.items() if value is not None},
            "seed": whole_number("seed", seed),
            "threads": whole_number("threads", threads),
            "folder": "" if folder is None else path_text("folder", folder),
            "resume": bool(resume),
            "force": bool(force),
            "notes": dict(notes or {}),
            "on_step": self._bar.step if self._bar else None,
            "on_epoch": on_epoch,
        }

    def __enter__(self) -> Dict[str, Any]:
        return self._request

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.close()
