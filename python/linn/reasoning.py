"""Logic: normal forms, knowledge bases and models of how true expressions are."""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._checks import PathLike, listed, path_text, real_number, text, whole_number
from ._errors import InputError
from ._learning import Learning, Progress

__all__ = ["KnowledgeBase", "Law", "LawFigures", "Reasoner", "normalize", "reasoner_models", "reasoner_settings"]


class LawFigures(NamedTuple):
    """How well a network obeys a law on some vectors."""

    cases: int
    similarity: float  # the mean of Sim(left, right)
    agreement: float  # the share of cases in which both sides are true or neither is; if they differ, exactly one is
    difference: float  # the mean of |p_left - p_right|; if they differ, of |p_left + p_right - 1|


class Law(NamedTuple):
    """A law of logic: two expressions over a, b and c that should be equal or, if they differ, opposites."""

    law: str
    left: str
    right: str
    differ: bool
    taught: bool  # one of the ten laws of the training
    variables: Optional[LawFigures]  # on the vectors of the variables
    expressions: Optional[LawFigures]  # on those of the given expressions; None without any


def normalize(expression: str, form: str = "dnf") -> str:
    """The simplified disjunctive ("dnf") or conjunctive ("cnf") normal form of an expression."""
    return _core.normalize(text("an expression", expression), text("form", form))


def reasoner_models() -> List[str]:
    """The names for Reasoner.learn(model=...), the default first."""
    return _core.reasoner_models()


def reasoner_settings(model: str = "linn", preset: str = "best") -> List[Dict[str, str]]:
    """The settings of a model: name, help, range, and value in the preset."""
    return _core.reasoner_settings(text("model", model), text("preset", preset))


class KnowledgeBase:
    """Equations: expressions with their truth values."""

    def __init__(self, equations: Iterable[Union[str, Tuple[str, float]]] = ()) -> None:
        self._core = _core.KnowledgeBase()
        for number, equation in enumerate(listed("equations", equations), 1):
            try:
                if isinstance(equation, tuple):
                    if len(equation) != 2:
                        raise InputError(f"expected an expression and its truth, not a tuple of {len(equation)}")
                    self.add(*equation)
                else:
                    self.add(equation)
            except InputError as error:
                error.line = number
                raise

    def add(self, equation: str, truth: Optional[float] = None) -> None:
        """Adds `EXPRESSION = VALUE`, or an expression and its truth from 0 to 1."""
        if truth is None:
            self._core.add(text("an equation", equation))
        else:
            self._core.add_truth(text("an expression", equation), real_number("the truth of an expression", truth, "a number from 0 to 1"))

    def add_file(self, path: PathLike) -> None:
        """Adds all equations of a file: one per line, a table, or a DIMACS CNF."""
        self._core.add_file(path_text("path", path))

    @property
    def variables(self) -> List[str]:
        """The names of all variables, in order of first occurrence."""
        return self._core.variables()

    def __len__(self) -> int:
        return self._core.size()

    def __repr__(self) -> str:
        return f"KnowledgeBase({len(self)} equations, {len(self.variables)} variables)"


class Reasoner:
    """Predicts the truth of expressions. Made by learn(), infer() or load(); any number of threads may ask it."""

    def __init__(self, core: _core.Reasoner) -> None:
        if not isinstance(core, _core.Reasoner):
            raise InputError("use Reasoner.learn(), Reasoner.infer() or Reasoner.load()")
        self._core = core
        self._training: Dict[str, Any] = core.training()
        self._known: Optional[Tuple[List[str], NDArray[np.float64]]] = None

    @classmethod
    def learn(
        cls,
        knowledge: Union[KnowledgeBase, PathLike],
        *,
        model: str = "linn",
        preset: str = "best",
        seed: int = 0,
        threads: int = 0,
        progress: Progress = None,
        folder: Optional[PathLike] = None,
        resume: bool = False,
        force: bool = False,
        **settings: Any,
    ) -> Reasoner:
        """Trains a model on a knowledge base, or as `linn train equations` on a data folder or file.

        The settings are those of `linn train equations --set`. With `folder`, the training writes a run folder:
        an interrupted one can be resumed, and `force` replaces one.
        """
        learning = Learning(
            model=model,
            preset=preset,
            seed=seed,
            threads=threads,
            settings=settings,
            progress=progress,
            folder=folder,
            resume=resume,
            force=force,
        )
        with learning as request:
            if isinstance(knowledge, KnowledgeBase):
                return cls(_core.Reasoner.learn(knowledge._core, request))
            if not isinstance(knowledge, (str, os.PathLike)):
                found = type(knowledge).__name__
                raise InputError(f"expected a KnowledgeBase or the path of a data folder or file, not {found}")
            return cls(_core.Reasoner.learn_folder(path_text("knowledge", knowledge), request))

    @classmethod
    def infer(cls, knowledge: KnowledgeBase, label_noise: float = 0.0, seed: int = 0) -> Reasoner:
        """Infers the posterior of all variables by Gibbs sampling: the better choice for few equations."""
        if not isinstance(knowledge, KnowledgeBase):
            raise InputError(f"expected a KnowledgeBase, not {type(knowledge).__name__}")
        noise = real_number("label_noise", label_noise)
        return cls(_core.Reasoner.infer(knowledge._core, noise, whole_number("seed", seed)))

    @classmethod
    def load(cls, run_or_file: PathLike) -> Reasoner:
        """Loads a run folder or a model file."""
        return cls(_core.Reasoner.load(path_text("run_or_file", run_or_file)))

    def save(self, file: PathLike) -> None:
        """Writes the model to a file for load()."""
        self._core.save(path_text("file", file))

    @overload
    def truth_of(  # type: ignore[overload-overlap]  # a word is an iterable of words, but only the first is meant
        self, expressions: str, threads: int = ...
    ) -> float: ...

    @overload
    def truth_of(self, expressions: Iterable[str], threads: int = ...) -> NDArray[np.float64]: ...

    def truth_of(
        self, expressions: Union[str, Iterable[str]], threads: int = 0
    ) -> Union[float, NDArray[np.float64]]:
        """The probability that an expression is true, or that each of many is, on all cores."""
        if isinstance(expressions, str):
            return self._core.truth_of(text("an expression", expressions))
        many = expressions if isinstance(expressions, list) else listed("expressions", expressions)
        try:
            return self._core.truths_of(many, whole_number("threads", threads))
        except TypeError:
            for number, expression in enumerate(many, 1):
                try:
                    text("an expression", expression)
                except InputError as error:
                    raise InputError(f"{number}: {error}", line=number) from None
            raise

    @property
    def variables(self) -> List[str]:
        """The names of all variables."""
        return list(self._variables()[0])

    @property
    def truths(self) -> NDArray[np.float64]:
        """The probability that each variable is true, in the order of `variables`."""
        return np.array(self._variables()[1])

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vector of each variable, in the order of `variables`; of width 0 if the model has none."""
        vectors = self._core.vectors()
        return vectors if vectors.shape[1] else np.empty((len(self.variables), 0), dtype=np.float32)

    def audit(
        self, expressions: Iterable[str] = (), cases: int = 1000, seed: int = 0, threads: int = 0
    ) -> List[Law]:
        """How well a LINN obeys the laws of logic, those of its training and others, as `linn audit` tells: on the
        vectors of its variables and of expressions, on at most so many random cases each."""
        checked = [text("an expression", expression) for expression in listed("expressions", expressions)]
        found = self._core.audit(
            checked, whole_number("cases", cases, 1), whole_number("seed", seed), whole_number("threads", threads)
        )
        return [
            Law(law, left, right, differ, taught, _figures(variables), _figures(others))
            for law, left, right, differ, taught, variables, others in found
        ]

    @property
    def training_(self) -> Dict[str, Any]:
        """How the training went: best_epoch, epochs, validation, history, ..."""
        return self._training

    def _variables(self) -> Tuple[List[str], NDArray[np.float64]]:
        if self._known is None:
            self._known = self._core.variables()
        return self._known

    def __getstate__(self) -> Dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "model.safetensors"
            self.save(file)
            return {"model": file.read_bytes(), "training": self._training}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "model.safetensors"
            file.write_bytes(state["model"])
            Reasoner.__init__(self, _core.Reasoner.load(str(file)))
        self._training = state["training"]

    def __repr__(self) -> str:
        return f"Reasoner({len(self.variables)} variables)"


def _figures(figures: Tuple[int, float, float, float]) -> Optional[LawFigures]:
    return LawFigures(*figures) if figures[0] else None
