from __future__ import annotations

import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import linn


def test_normal_forms() -> None:
    assert linn.normalize("a -> b") == "!a | b"
    assert linn.normalize("a | (b & c)", form="cnf") == "(a | b) & (a | c)"
    with pytest.raises(linn.InputError) as caught:
        linn.normalize("a &")
    assert (caught.value.line, caught.value.column) == (1, 4)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(linn.InputError, match="dnf or cnf"):
        linn.normalize("a", form="xnf")
    with pytest.raises(linn.InputError, match="must be text, not int"):
        linn.normalize(3)  # type: ignore[arg-type]


def test_knowledge_bases(tmp_path: pathlib.Path) -> None:
    knowledge = linn.KnowledgeBase(["rain & !umbrella -> wet = T", ("wet -> cold", 0.8)])
    knowledge.add("rain = T")
    file = tmp_path / "more.txt"
    file.write_text("umbrella = F\n# a comment\nsnow = 0.1\n")
    knowledge.add_file(file)
    assert len(knowledge) == 5
    assert knowledge.variables == ["rain", "umbrella", "wet", "cold", "snow"]
    assert repr(knowledge) == "KnowledgeBase(5 equations, 5 variables)"
    file.write_text("a = T\nb & = F\n")
    with pytest.raises(linn.InputError) as caught:
        knowledge.add_file(file)
    assert (caught.value.file, caught.value.line) == (str(file), 2)
    with pytest.raises(linn.InputError) as caught:
        linn.KnowledgeBase(["a = T", "b & = F"])
    assert (caught.value.line, caught.value.column) == (2, 5)
    with pytest.raises(linn.InputError, match="equations: expected a list, not str"):
        linn.KnowledgeBase("a = T")
    for bad in (1.5, float("nan"), "x"):
        with pytest.raises(linn.InputError, match="number from 0 to 1"):
            knowledge.add("a", bad)  # type: ignore[arg-type]
    assert len(knowledge) == 5


def test_infer() -> None:
    knowledge = linn.KnowledgeBase(["rain & !umbrella -> wet = T", "rain = T", "umbrella = F", "wet -> cold = 0.8"])
    reasoner = linn.Reasoner.infer(knowledge)
    truth = reasoner.truth_of("wet & rain")
    assert isinstance(truth, float) and truth > 0.98
    assert linn.Reasoner.infer(knowledge, label_noise=0.2, seed=3).truth_of("wet") < 0.99
    assert reasoner.variables == ["rain", "umbrella", "wet", "cold"]
    assert reasoner.truths.shape == (4,) and reasoner.truths[0] > 0.9 > 0.1 > reasoner.truths[1]
    assert reasoner.vectors.shape == (4, 0)
    with pytest.raises(linn.InputError, match="no equations"):
        linn.Reasoner.infer(linn.KnowledgeBase())


def test_learn(reasoner: linn.Reasoner, tmp_path: pathlib.Path) -> None:
    assert reasoner.truth_of("rain") > 0.9
    many = reasoner.truth_of(["rain", "!rain", "rain | sun"] * 400)
    assert many.shape == (1200,) and many.dtype == np.float64
    assert many[:3].tolist() == [reasoner.truth_of(each) for each in ("rain", "!rain", "rain | sun")]
    assert np.array_equal(many, reasoner.truth_of(np.array(["rain", "!rain", "rain | sun"] * 400), threads=1))
    assert reasoner.truth_of([]).shape == (0,)
    assert reasoner.vectors.shape == (2, 8) and reasoner.vectors.dtype == np.float32
    assert reasoner.truths[0] > 0.6 > 0.4 > reasoner.truths[1]
    assert reasoner.training_["epochs"] == 30 and len(reasoner.training_["history"]) == 30
    file = tmp_path / "model.safetensors"
    reasoner.save(file)
    loaded = linn.Reasoner.load(file)
    assert loaded.truth_of("rain & !sun") == reasoner.truth_of("rain & !sun")
    again = pickle.loads(pickle.dumps(reasoner))
    assert np.array_equal(again.truths, reasoner.truths) and again.training_ == reasoner.training_
    assert repr(again) == "Reasoner(2 variables)"


def test_audit(reasoner: linn.Reasoner, tmp_path: pathlib.Path) -> None:
    laws = reasoner.audit(["rain & !sun", "rain | sun", "!sun"], cases=100)
    assert len(laws) == 20 and sum(law.taught for law in laws) == 10
    for law in laws:
        assert law.law and law.left != law.right
        for figures in (law.variables, law.expressions):
            assert figures is not None and figures.cases > 0
            assert 0 <= figures.agreement <= 1 and 0 <= figures.difference <= 1 and -1 <= figures.similarity <= 1
    alone = reasoner.audit(seed=3)
    assert alone == reasoner.audit([], seed=3, threads=1) and alone[0].expressions is None
    with pytest.raises(linn.InputError, match="2: .*does not know the variable snow"):
        reasoner.audit(["rain", "snow"])
    with pytest.raises(linn.InputError, match="expressions: expected a list, not str"):
        reasoner.audit("rain")
    with pytest.raises(linn.InputError, match="cases must be a whole number of at least 1"):
        reasoner.audit(cases=0)
    with pytest.raises(linn.InputError, match="not a LINN network"):
        linn.Reasoner.infer(linn.KnowledgeBase(["a = T"])).audit()


def test_questions_that_cannot_be_answered(reasoner: linn.Reasoner, tmp_path: pathlib.Path) -> None:
    with pytest.raises(linn.InputError, match="does not know the variable snow"):
        reasoner.truth_of("snow")
    with pytest.raises(linn.InputError) as caught:
        reasoner.truth_of(["rain", "!rain", "rain &"])
    assert (caught.value.line, caught.value.column) == (3, 7)
    wrong: Any = ["rain", 3]
    with pytest.raises(linn.InputError, match="2: an expression must be text, not int"):
        reasoner.truth_of(wrong)
    with pytest.raises(linn.InputError):
        linn.Reasoner.load(tmp_path / "nothing")
    with pytest.raises(linn.InputError, match="threads must be a whole number"):
        reasoner.truth_of(["rain"], threads=-1)


def test_settings_that_cannot_be(weather: linn.KnowledgeBase) -> None:
    for wrong, message in (
        ({"model": "lin"}, "did you mean 'linn'"),
        ({"preset": "none"}, "preset must be one of best"),
        ({"epoch": 3}, "did you mean 'epochs'"),
        ({"epochs": -1}, "epochs must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"laws": [1]}, "laws must be a number"),
        ({"progress": 3}, "progress must be"),
    ):
        settings: Any = wrong
        with pytest.raises(linn.InputError, match=message):
            linn.Reasoner.learn(weather, **settings)
    with pytest.raises(linn.InputError, match="expected a KnowledgeBase or the path"):
        linn.Reasoner.learn(3)  # type: ignore[arg-type]


def test_every_model_answers(weather: linn.KnowledgeBase) -> None:
    assert linn.reasoner_models()[0] == "linn"
    for model in linn.reasoner_models():
        names = {setting["name"] for setting in linn.reasoner_settings(model, "authors")}
        quick: Any = {name: value for name, value in {"d": 8, "epochs": 5}.items() if name in names}
        reasoner = linn.Reasoner.learn(weather, model=model, preset="authors", threads=1, **quick)
        assert 0.0 <= reasoner.truth_of("rain & !sun") <= 1.0


def test_run_folders_are_resumed(weather: linn.KnowledgeBase, tmp_path: pathlib.Path) -> None:
    quick: Any = {"preset": "authors", "d": 8, "epochs": 10, "threads": 1}
    straight = linn.Reasoner.learn(weather, **quick)
    run = tmp_path / "run"
    stopped = linn.Reasoner.learn(weather, folder=run, progress=lambda epoch: epoch["epoch"] < 4, **quick)
    assert stopped.training_["cancelled"] and stopped.training_["epochs"] == 4
    with pytest.raises(linn.InputError, match="already"):
        linn.Reasoner.learn(weather, folder=run, **quick)
    resumed = linn.Reasoner.learn(weather, folder=run, resume=True, **quick)
    assert resumed.training_["epochs"] == 10
    assert resumed.truth_of("rain & sun") == straight.truth_of("rain & sun")
    assert linn.Reasoner.load(run).truth_of("rain & sun") == straight.truth_of("rain & sun")
    assert linn.Reasoner.learn(weather, folder=run, force=True, **quick).training_["epochs"] == 10
