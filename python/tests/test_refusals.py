"""Values of the wrong type give an InputError that says what was expected, never an error of the binding."""

from __future__ import annotations

import ast
import inspect
import pathlib
from typing import Any, Callable, List, Tuple

import numpy as np
import pytest

import linn
from linn import _core

from conftest import SETTINGS, Rows

Fitted = linn.Recommender
Lambda = Callable[[Fitted, linn.Reasoner], Any]

ONE = (np.array([0, 1]), np.array([100]))

CASES: List[Tuple[str, Lambda]] = [
    ("for what is liked, not complex128", lambda r, _: r.recommend_many((*ONE, np.array([1j])))),
    ("for what is liked, not <U1", lambda r, _: r.recommend_many((*ONE, np.array(["x"])))),
    ("event 0 is liked is missing", lambda r, _: r.recommend_many((*ONE, np.array([np.nan])))),
    ("not tuple", lambda r, _: r.recommend([(100, float("nan"))])),
    ("not tuple", lambda r, _: r.recommend([(100, 5)])),
    ("a history must be a list", lambda r, _: r.recommend(5)),  # type: ignore[arg-type]
    ("exclude: expected a list, not int", lambda r, _: r.recommend([100], exclude=5)),  # type: ignore[arg-type]
    ("only: expected a list, not str", lambda r, _: r.recommend([100], only="101")),
    ("exclude: expected a list, not int", lambda r, _: r.recommend_many([[100]], exclude=5)),  # type: ignore[arg-type]
    ("only: expected a list, not int", lambda r, _: r.recommend_many([[100]], only=5)),  # type: ignore[arg-type]
    ("users: expected a list, not int", lambda r, _: r.recommend_many(users=5)),  # type: ignore[arg-type]
    ("users: expected a list, not str", lambda r, _: r.recommend_many(users="1000")),
    ("items: expected a list, not int", lambda r, _: r.score_items([100], 5)),  # type: ignore[arg-type]
    ("n must be a whole number from 0 to", lambda r, _: r.recommend([100], n=2**62)),
    ("n must be a whole number from 0 to", lambda r, _: r.recommend_many([[100]], n=2**62)),
    ("n must be a whole number from 0 to", lambda r, _: r.similar(100, n=-1)),
    ("candidates must be a whole number", lambda r, _: r.evaluate(candidates=1.5)),  # type: ignore[arg-type]
    ("run must be a path, not NoneType", lambda r, _: r.save(None)),  # type: ignore[arg-type]
    ("run must be a path, not int", lambda r, _: linn.Recommender.load(5)),  # type: ignore[arg-type]
    ("data must be a path", lambda r, _: linn.Recommender().fit_folder(None)),  # type: ignore[arg-type]
    ("folder must be a path", lambda r, _: linn.Recommender().fit((["a"] * 6, list("abcdef")), folder=5)),  # type: ignore[arg-type]
    ("titles: expected a dict", lambda r, _: linn.Recommender().fit((["a"], ["b"]), titles=["b"])),  # type: ignore[arg-type]
    ("the title of 'b' must be text, not NoneType", lambda r, _: linn.Recommender().fit((["a"], ["b"]), titles={"b": None})),  # type: ignore[dict-item]
    ("column 'item', row 1: an id must be text that UTF-8 can write", lambda r, _: linn.Recommender().fit((["a", "a"], ["b", "\ud800"]))),
    ("progress must be True, False or a function", lambda r, _: linn.Recommender(progress=np.array([1, 2])).fit((["a"], ["b"]))),  # type: ignore[arg-type]
    ("model must be text", lambda r, _: linn.recommender_settings(5)),  # type: ignore[arg-type]
    ("form must be text, not NoneType", lambda r, _: linn.normalize("a", form=None)),  # type: ignore[arg-type]
    ("equations: expected a list, not int", lambda r, _: linn.KnowledgeBase(5)),  # type: ignore[arg-type]
    ("not a tuple of 3", lambda r, _: linn.KnowledgeBase([("a", 1, 2)])),  # type: ignore[list-item]
    ("path must be a path", lambda r, _: linn.KnowledgeBase().add_file(None)),  # type: ignore[arg-type]
    ("label_noise must be a number", lambda r, _: linn.Reasoner.infer(linn.KnowledgeBase(["a = T"]), "x")),  # type: ignore[arg-type]
    ("expected a KnowledgeBase or the path of a data folder or file, not int", lambda r, _: linn.Reasoner.learn(5)),  # type: ignore[arg-type]
    ("expressions: expected a list, not NoneType", lambda _, r: r.truth_of(None)),  # type: ignore[call-overload]
    ("1: an expression must be text, not bytes", lambda _, r: r.truth_of([b"rain"])),  # type: ignore[list-item]
    ("an expression must be text that UTF-8 can write", lambda _, r: r.truth_of("\ud800")),
    ("2: an expression must be text that UTF-8 can write", lambda _, r: r.truth_of(["rain", "\ud800"])),
    ("expressions: expected a list, not int", lambda _, r: r.audit(5)),  # type: ignore[arg-type]
    ("file must be a path", lambda _, r: r.save(None)),  # type: ignore[arg-type]
    ("run_or_file must be a path", lambda _, r: linn.Reasoner.load(None)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_it_is_refused(number: int, fitted: Fitted, reasoner: linn.Reasoner) -> None:
    message, ask = CASES[number]
    with pytest.raises(linn.InputError) as caught:
        ask(fitted, reasoner)
    assert message in str(caught.value)


def test_text_ids_without_utf8(rows: Rows) -> None:
    users, items, *_ = rows
    named = linn.Recommender(epochs=1, **SETTINGS).fit(([f"u{user}" for user in users], [f"i{item}" for item in items]))
    with pytest.raises(linn.InputError, match="an id must be text that UTF-8 can write"):
        named.recommend(["\ud800"])


def test_the_stub_has_what_the_module_has() -> None:
    stub = ast.parse((pathlib.Path(linn.__file__).parent / "_core.pyi").read_text())
    described = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for name, found in vars(_core).items():
        if name.startswith("_") or inspect.ismodule(found) or not callable(found):
            continue
        if isinstance(found, type) and issubclass(found, Exception):
            continue
        node = described.pop(name, None)
        assert node is not None, f"_core.{name} is not in the stub"
        if isinstance(node, ast.ClassDef):
            methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            there = {each for each in vars(found) if not each.startswith("_")}
            assert {each for each in methods if not each.startswith("_")} == there, name
    assert not described, f"only in the stub: {sorted(described)}"


def test_arrays_still_work(fitted: Fitted) -> None:
    """What is checked is not refused: NumPy's own types, and generators."""
    users = np.array(fitted.users_[:2])
    found, _ = fitted.recommend_many(users=users, n=2, exclude=(item for item in (100, 101)))
    assert found.shape == (2, 2) and not np.isin(found, [100, 101]).any()
    many, _ = fitted.recommend_many((*ONE, np.array([2.5])), n=np.int64(1))  # type: ignore[arg-type]
    one, _ = fitted.recommend_many((*ONE, np.array([True])), n=1)
    assert np.array_equal(many, one)
    assert fitted.score_items([100], np.array([101, 102])).shape == (2,)
