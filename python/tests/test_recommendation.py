from __future__ import annotations

import pathlib
import pickle
from typing import Any, Dict, List

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import linn
from conftest import SETTINGS, Rows, arrays, two_tastes

Fitted = linn.Recommender


def test_it_learns_the_taste(fitted: Fitted) -> None:
    best = fitted.recommend([100, (107, False), 101], n=4)
    assert [type(each.item) for each in best] == [int] * 4
    assert {each.item for each in best} <= set(range(102, 106))
    assert [each.score for each in best] == sorted((each.score for each in best), reverse=True)
    assert all(each.because == [] and each.title == "" and each.probability is None for each in best)
    assert fitted.training_["validation"]["ndcg@10"] > 0.5
    assert sorted(fitted.items_) == list(range(100, 112))
    assert fitted.users_ == list(range(1000, 1040))


def test_histories_in_every_form(fitted: Fitted) -> None:
    pairs: Any = [(101, True), (107, False)]
    best = fitted.recommend(pairs)
    forms: List[Any] = ["+101,-107", [(np.int64(101), np.True_), (np.int32(107), False)], iter(pairs), [101, (107, False)]]
    for form in forms:
        assert fitted.recommend(form) == best
    many: List[Any] = [form for form in forms if not hasattr(form, "__next__")]
    assert fitted.recommend_many(many)[0][:, 0].tolist() == [best[0].item] * len(many)
    assert fitted.recommend(np.array([101])) == fitted.recommend([101]) == fitted.recommend("101")
    assert len(fitted.recommend([])) == 10  # of a newcomer


def test_known_users_and_filters(fitted: Fitted) -> None:
    assert len(fitted.recommend(user=1003, n=100)) == 12 - 6 - 3
    assert len(fitted.recommend(user=1003, n=100, include_seen=True)) == 12
    best = fitted.recommend([101], n=4)
    left = fitted.recommend([101], n=2, exclude=[best[0].item, 999, best[2].item])
    assert [each.item for each in left] == [best[1].item, best[3].item]
    assert [each.item for each in fitted.recommend([101], only=[104, 101])] == [104]
    assert fitted.recommend([101], only=[]) == []
    assert len(fitted.recommend([101], user=9)) == 10  # a new user with a history


def test_reasons(fitted: Fitted) -> None:
    best = fitted.recommend([101, (107, False)], n=3, explain=True)
    assert len(best[0].because) == 2 and best[0].words.startswith("Because you ")
    assert {reason.item for reason in best[0].because} == {101, 107}
    assert all(isinstance(reason.weight, float) for reason in best[0].because)
    assert best[0].base is not None
    shares = sum(reason.share or 0.0 for reason in best[0].because)
    assert best[0].base + shares == pytest.approx(best[0].score, abs=1e-4)
    why = fitted.explain([101, (107, False)], best[2].item)
    assert why == best[2]
    scores = fitted.score_items([101, (107, False)], [best[2].item, best[0].item])
    assert scores.dtype == np.float64 and scores.tolist() == [best[2].score, best[0].score]
    similar = fitted.similar(101, n=3)
    assert len(similar) == 3 and all(each.truth is not None for each in similar)
    clauses = linn.Recommender(form="dnf", epochs=2, d=8, threads=1).fit(arrays(two_tastes()))
    for each in clauses.recommend([101]):
        assert each.probability == pytest.approx(1 / (1 + np.exp(-each.score)))


def test_many_histories(fitted: Fitted) -> None:
    lists: List[Any] = [[100 + i % 12, (100 + (i + 5) % 12, False)] for i in range(50)] + [[], "+101,-107"]
    items, scores = fitted.recommend_many(lists, n=5)
    assert items.shape == scores.shape == (52, 5)
    assert items.dtype == np.int64 and scores.dtype == np.float64
    for i, history in enumerate(lists):
        alone = fitted.recommend(history, n=5)
        assert items[i].tolist() == [each.item for each in alone]
        assert scores[i].tolist() == [each.score for each in alone]

    starts = np.arange(0, 101, 2)
    flat = np.array([[100 + i % 12, 100 + (i + 5) % 12] for i in range(50)]).ravel()
    liked = np.tile([1, 0], 50)
    for form in ((starts, flat, liked), (starts.astype(np.int32), flat.tolist(), liked.astype(bool))):
        again = fitted.recommend_many(form, n=5)
        assert np.array_equal(again[0], items[:50]) and np.array_equal(again[1], scores[:50])
    likes = fitted.recommend_many((starts, flat), n=5)
    assert np.array_equal(likes[0], fitted.recommend_many(flat.reshape(50, 2).tolist(), n=5)[0])
    assert np.array_equal(likes[0], fitted.recommend_many(list(flat.reshape(50, 2)), n=5)[0])

    dense = np.zeros((3, 112))
    dense[0, 101], dense[1, [100, 107]], dense[2, 105] = 1, [2, -1], -3
    matrix = scipy.sparse.csr_matrix(dense)
    expected = fitted.recommend_many([[101], [100, (107, False)], [(105, False)]], n=3)
    assert np.array_equal(fitted.recommend_many(matrix, n=3)[0], expected[0])
    matrix.data[0] = 0
    assert np.array_equal(fitted.recommend_many(matrix, n=3)[0][0], fitted.recommend_many([[]], n=3)[0][0])

    few, few_scores = fitted.recommend_many([[101, 102]], n=12)
    assert few[0, 10:].tolist() == [-1, -1] and np.isnan(few_scores[0, 10:]).all() and (few[0, :10] >= 0).all()
    chosen, _ = fitted.recommend_many([[101]], n=2, only=[104, 105], exclude=[104, 999])
    assert chosen.tolist() == [[105, -1]]
    assert fitted.recommend_many([], n=3)[0].shape == (0, 3)
    assert fitted.recommend_many([[101]], n=0)[0].shape == (1, 0)
    threads = linn.Recommender(threads=1)
    threads._fitted = fitted._fitted
    assert np.array_equal(threads.recommend_many(lists, n=5)[1], scores)


def test_many_known_users(fitted: Fitted) -> None:
    items, _ = fitted.recommend_many(users=[1003, 1000], n=3)
    assert items[0].tolist() == [each.item for each in fitted.recommend(user=1003, n=3)]
    assert items[1].tolist() == [each.item for each in fitted.recommend(user=1000, n=3)]
    both, _ = fitted.recommend_many([[101], [107]], users=[1003, 7], n=3)
    assert both[0].tolist() == [each.item for each in fitted.recommend([101], user=1003, n=3)]


def test_questions_that_cannot_be_answered(fitted: Fitted) -> None:
    wrong_history: Any = 5
    wrong: List[Any] = [
        (lambda: fitted.recommend([99]), "99"),
        (lambda: fitted.recommend(["101"]), "the ids are of the type int, not str: '101'"),
        (lambda: fitted.recommend(wrong_history), "a history must be a list"),
        (lambda: fitted.recommend("+101,,"), "column 6"),
        (lambda: fitted.recommend(), "needs a history or a user"),
        (lambda: fitted.recommend(user=5), "does not know the user '5'"),
        (lambda: fitted.recommend([101], n=-1), "n must be a whole number"),
        (lambda: fitted.recommend([101], only=[99]), "99"),
        (lambda: fitted.explain([101], 99), "99"),
        (lambda: fitted.similar(99), "99"),
        (lambda: fitted.score_items([101], [99]), "99"),
        (lambda: fitted.recommend_many([[101], [102, 99]]), "^2: .*99"),
        (lambda: fitted.recommend_many([[101], "+102,-99"]), "^2: .*99"),
        (lambda: fitted.recommend_many([[101], ["x"]]), "^2: .*x"),
        (lambda: fitted.recommend_many([101]), "list of histories"),
        (lambda: fitted.recommend_many("+101"), "list of histories"),
        (lambda: fitted.recommend_many(), "histories, users or both"),
        (lambda: fitted.recommend_many(users=[1003, 5]), "^2: .*does not know the user 5"),
        (lambda: fitted.recommend_many([[101]], users=[1, 2]), "not as many users as histories"),
        (lambda: fitted.recommend_many((np.array([0, 1, 3]), np.array([101, 102, 99]))), "^2: .*99"),
        (lambda: fitted.recommend_many((np.array([0, 5]), np.array([101]))), "increasing places"),
        (lambda: fitted.recommend_many((np.array([2, 0]), np.array([101, 102]))), "increasing places"),
        (lambda: fitted.recommend_many((np.array([0.0]), np.array([101]))), "array of whole numbers"),
        (lambda: fitted.recommend_many((np.array([0, 1]), np.array([101]), np.array([1, 0]))), "likes and dislikes"),
        (lambda: fitted.recommend_many(scipy.sparse.csr_matrix(np.eye(3))), "0"),
        (lambda: linn.Recommender().recommend([1]), "not fitted yet"),
    ]
    for ask, message in wrong:
        with pytest.raises(linn.InputError, match=message):
            ask()


def test_settings_that_cannot_be(rows: Rows) -> None:
    for wrong, message in (
        ({"model": "lin"}, "did you mean 'linn'"),
        ({"epoch": 3}, "did you mean 'epochs'"),
        ({"epochs": 0}, "epochs must be a whole number"),
        ({"device": "cuda"}, "this build has no CUDA: device must be 'cpu', not 'cuda'"),
        ({"threads": -1}, "threads must be"),
    ):
        settings: Any = wrong
        with pytest.raises(linn.InputError, match=message):
            linn.Recommender(**settings).fit(arrays(rows))


def test_every_model(rows: Rows, tmp_path: pathlib.Path) -> None:
    assert len(linn.recommender_models()) == 11
    for model in linn.recommender_models():
        names = {setting["name"] for setting in linn.recommender_settings(model)}
        quick: Any = {name: value for name, value in {"d": 8, "epochs": 2}.items() if name in names}
        recommender = linn.Recommender(model, threads=1, **quick).fit(arrays(rows))
        best = recommender.recommend([101, (107, False)], n=3, explain=True)
        assert len(best) == 3
        recommender.save(tmp_path / model)
        assert linn.Recommender.load(tmp_path / model).recommend([101, (107, False)], n=3, explain=True) == best


def test_saved_runs_are_whole(fitted: Fitted, tmp_path: pathlib.Path) -> None:
    history: Any = [101, (107, False)]
    fitted.save(tmp_path / "run")
    fitted.save(tmp_path / "run")  # again
    (tmp_path / "run").rename(tmp_path / "moved")
    loaded = linn.Recommender.load(tmp_path / "moved")
    assert loaded.recommend(history, explain=True) == fitted.recommend(history, explain=True)
    assert loaded.recommend(user=1003) == fitted.recommend(user=1003)
    assert loaded.evaluate() == fitted.evaluate()
    assert loaded.get_params() == fitted.get_params() and repr(loaded) == repr(fitted)
    loaded.save(tmp_path / "run")
    assert linn.Recommender.load(tmp_path / "run").evaluate() == fitted.evaluate()
    fitted.save(tmp_path / "model.safetensors")
    alone = linn.Recommender.load(tmp_path / "model.safetensors")
    assert alone.recommend(history) == fitted.recommend(history)
    with pytest.raises(linn.InputError, match="without histories"):
        alone.recommend(user=1003)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("mine")
    with pytest.raises(linn.InputError):
        fitted.save(tmp_path / "other")
    with pytest.raises(linn.InputError):
        linn.Recommender.load(tmp_path / "nothing")
    with pytest.raises(linn.InputError):
        linn.Reasoner.load(tmp_path / "moved")


def test_pickles(fitted: Fitted) -> None:
    again = pickle.loads(pickle.dumps(fitted))
    assert again.recommend(user=1003, explain=True) == fitted.recommend(user=1003, explain=True)
    assert again.training_ == fitted.training_ and again.evaluate() == fitted.evaluate()
    blank = pickle.loads(pickle.dumps(linn.Recommender("ease", seed=3)))
    assert repr(blank) == "Recommender(model='ease', seed=3)"


def test_titles_and_text(tmp_path: pathlib.Path) -> None:
    users, items, labels, _ = two_tastes()
    names = [f"film {item}" for item in items]
    titles = {f"film {item}": f"The Title of {item}" for item in range(100, 112)}
    recommender = linn.Recommender(epochs=3, **SETTINGS).fit((users, names, labels), titles=titles)
    best = recommender.recommend('+"The Title of 101",-film 107', n=3, explain=True)
    assert best == recommender.recommend(["film 101", ("film 107", False)], n=3, explain=True)
    assert best[0].title == titles[best[0].item]
    many, _ = recommender.recommend_many(['+"The Title of 101",-film 107'], n=11)
    assert many.dtype == object and many[0, :3].tolist() == [each.item for each in best]
    assert many[0, 10] is None
    with pytest.raises(linn.InputError, match="did you mean|film"):
        recommender.recommend(["film 1011"])


def test_titles_do_not_make_items(tmp_path: pathlib.Path) -> None:
    users, items, labels, _ = two_tastes()
    titles = {np.int64(item): f"film {item}" for item in range(90, 130)}
    recommender = linn.Recommender("itemknn").fit((users, items, labels), titles=titles)
    assert sorted(recommender.items_) == list(range(100, 112))
    assert recommender.recommend([101], n=1)[0].title.startswith("film 10")
    recommender.partial_fit(([5000, 5000], [101, 115]), titles={115: "later", 116: "never"})
    assert sorted(recommender.items_) == [*range(100, 112), 115]
    assert {each.item: each.title for each in recommender.recommend([101], n=20)}[115] == "later"


def test_evaluation(fitted: Fitted) -> None:
    held_back = fitted.evaluate()
    assert held_back["count"] == 40 and held_back["candidates"] == 100
    assert isinstance(held_back["count"], int)
    assert held_back["ndcg@10"] == fitted.training_["validation"]["ndcg@10"]
    others = arrays(two_tastes(40, 50))
    among_all = fitted.evaluate(others, candidates=0)
    assert among_all["candidates"] == "all" and among_all["count"] == 10
    assert among_all == fitted.evaluate(others, candidates=None)
    assert {"ndcg@10", "hit@1", "hit@10", "mrr", "auc"} <= set(among_all)
    assert fitted.score(others) == fitted.evaluate(others)["ndcg@10"]
    with pytest.raises(linn.InputError, match="nothing to evaluate"):
        fitted.evaluate(([1], [2]))
    with pytest.raises(linn.InputError, match="column 'item', row 0: the ids are of the type str") as caught:
        fitted.evaluate(([1000, 1000], ["101", "102"]))
    assert caught.value.column == "item"


def test_validation_data(rows: Rows) -> None:
    users, items = [1000 + user for user in range(40)], [100 + 6 * (user % 2) for user in range(40)]
    unrated = pd.DataFrame({"user": users, "item": [999] * 40})
    recommender = linn.Recommender(epochs=3, **SETTINGS).fit(arrays(rows), validation=unrated)
    assert recommender.training_["validation"]["count"] == 40
    assert 999 in recommender.items_
    with pytest.raises(linn.InputError, match="column 'user'"):
        linn.Recommender(epochs=3).fit(arrays(rows), validation=([str(user) for user in users], items))


def test_same_answers_whatever_the_threads_and_the_form_of_the_data(rows: Rows) -> None:
    def scores(**settings: Any) -> Any:
        recommender = linn.Recommender(epochs=3, **{**SETTINGS, **settings})
        return recommender.fit(pd.DataFrame(dict(zip(("user", "item", "label", "time"), rows)))).score_items(
            [101, (107, False)], range(100, 112)
        )

    one = scores(threads=1)
    assert np.array_equal(one, scores(threads=2))
    assert not np.array_equal(one, scores(seed=1))
    values: Dict[str, Any] = {"threads": np.int64(1), "seed": np.int32(0), "l2": None}
    assert np.array_equal(one, scores(**values))


@pytest.mark.parametrize("model", linn.recommender_models())
def test_a_saved_model_learns_on(model: str, rows: Rows, tmp_path: pathlib.Path) -> None:
    """Whatever the order of the rows was, of users and of times."""
    order = np.random.default_rng(1).permutation(len(rows[0]))
    shuffled = tuple(column[order] for column in arrays(rows))
    names = {setting["name"] for setting in linn.recommender_settings(model)}
    quick: Any = {name: value for name, value in {"d": 8, "epochs": 2}.items() if name in names}
    recommender = linn.Recommender(model, seed=3, threads=1, **quick).fit(shuffled)
    recommender.save(tmp_path / "run")
    later = arrays(two_tastes(38, 46))
    more: Any = {"epochs": 2} if "epochs" in names else {}
    loaded = linn.Recommender.load(tmp_path / "run").partial_fit(later, **more)
    recommender.partial_fit(later, **more)
    assert loaded.users_ == recommender.users_ and len(loaded.users_) == 46
    assert loaded.recommend(user=1000, n=20) == recommender.recommend(user=1000, n=20)
    assert loaded.recommend([101, (107, False)], explain=True) == recommender.recommend([101, (107, False)], explain=True)
    loaded.save(tmp_path / "again")
    again = linn.Recommender.load(tmp_path / "again")
    assert again.recommend(user=1045) == recommender.recommend(user=1045)
    again.partial_fit(arrays(two_tastes(46, 48)), **more)
    assert len(again.users_) == 48


def test_partial_fit(rows: Rows, tmp_path: pathlib.Path) -> None:
    first = arrays(two_tastes(0, 30))
    learner = linn.Recommender(epochs=40, patience=100, seed=1, replay=1.0, **SETTINGS).partial_fit(first)  # the same as fit
    assert len(learner.training_["history"]) == 40
    users, items, labels, times = two_tastes(30, 40)
    for user in range(10, 40, 2):  # who likes 100 to 105 comes to like 999, too
        for item in (100, 101, 102, 103, 104, 105, 999):
            users.append(1000 + user)
            items.append(item)
            labels.append(1)
            times.append(1000 + len(times))
    learner.partial_fit(arrays((users, items, labels, times)), epochs=20, titles={999: "new"})
    assert learner.training_["epochs"] == 20
    assert set(learner.items_) == {*range(100, 112), 999}
    assert len(learner.users_) == 40
    best = learner.recommend([100, 101, 102, 103, 104, 105], n=1)
    assert (best[0].item, best[0].title) == (999, "new")
    assert 999 not in [each.item for each in learner.recommend(user=1010, n=20)]
    assert learner.recommend(user=1039, n=3)
    with pytest.raises(linn.InputError):
        learner.partial_fit((["a"], ["b"]))
    learner.save(tmp_path / "model.safetensors")
    with pytest.raises(linn.InputError, match="histories"):
        linn.Recommender.load(tmp_path / "model.safetensors").partial_fit(first)
