"""Recommender: items for users, given their likes and dislikes, with reasons."""

from __future__ import annotations

import json
import pathlib
import tempfile
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._checks import PathLike, listed, path_text, text, whole_number
from ._errors import InputError
from ._ids import Catalogue, plain
from ._learning import Learning, Progress
from ._tables import Interactions, read, to_core

__all__ = ["Reason", "Recommendation", "Recommender", "recommender_models", "recommender_settings"]

# The entry of a model's notes that this package writes.
_NOTE = "python"

# Items in an answer: what memory might hold.
_MOST = 2**31 - 1

_DEFAULTS: Dict[str, Any] = {
    "model": "linn",
    "preset": "best",
    "epochs": None,
    "seed": 0,
    "threads": 0,
    "device": "cpu",
    "progress": None,
}

# An id, an (id, liked) pair, in a sequence or as text such as "+50,-181".
History = Union[str, Iterable[Any], NDArray[Any]]
Events = List[Tuple[str, bool]]


class Reason(NamedTuple):
    """An event of the history that argues for or against an item."""

    item: Any
    liked: bool
    weight: Optional[float]  # the truth of "event and item", Sim(h and t, T); of LINN only
    effect: float  # how much the item's lead over the average item falls without the event
    share: Optional[float]  # LINN with form="fold": score = base + the shares of all reasons


class Recommendation(NamedTuple):
    """A recommended item."""

    item: Any
    title: str  # "" if the item has none
    score: float
    probability: Optional[float]  # that the user likes the item; of LINN over clauses only
    because: List[Reason]  # by falling effect; empty unless explain=True
    words: str  # such as "Because you liked Alien"
    truth: Optional[float]  # of "the item and this one", in similar() of LINN
    base: Optional[float]  # the score before the first event, where the reasons have a share


def recommender_models() -> List[str]:
    """The names for Recommender(model=...), the default first."""
    return _core.recommender_models()


def recommender_settings(model: str = "linn", preset: str = "best") -> List[Dict[str, str]]:
    """The settings of a model: name, help, range, and value in the preset."""
    return _core.recommender_settings(text("model", model), text("preset", preset))


class Recommender:
    """Recommends items to users, given their history; an estimator in the manner of scikit-learn.

    model: one of recommender_models(). preset: the settings to start from, "best", "paper" or "authors".
    epochs: at most so many; None: as in the preset. threads: 0 for all cores; results do not depend on it.
    progress: True shows a bar on standard error; a function is called with a dict after each epoch, and ends
    the training by returning False. settings: those of `linn train recommend --set`.
    """

    def __init__(
        self,
        model: str = "linn",
        preset: str = "best",
        epochs: Optional[int] = None,
        seed: int = 0,
        threads: int = 0,
        device: str = "cpu",
        progress: Progress = None,
        **settings: Any,
    ) -> None:
        self.model = model
        self.preset = preset
        self.epochs = epochs
        self.seed = seed
        self.threads = threads
        self.device = device
        self.progress = progress
        self.settings: Dict[str, Any] = settings
        self._fitted: Optional[_Fitted] = None

    # -----------------------------------------------------------------------------------------------------------------
    # Learning

    def fit(
        self,
        interactions: Any,
        validation: Any = None,
        *,
        titles: Optional[Mapping[Any, str]] = None,
        folder: Optional[PathLike] = None,
        resume: bool = False,
        force: bool = False,
    ) -> Recommender:
        """Learns from interactions: a DataFrame of pandas, polars or pyarrow with the columns user, item and, if there
        are any, label (1 liked, 0 disliked) and time; a tuple of arrays in that order; or a sparse matrix of users and
        items, above zero for liked and below for disliked.

        Without `validation` the last like of each user with more than five is held back to choose the best epoch.
        titles: what to show for an id. folder: a run folder to write; an interrupted training can be resumed there,
        and `force` replaces one.
        """
        read_train = read(interactions)
        kinds = (read_train.user.kind, read_train.item.kind)
        read_validation: Optional[Interactions] = None
        if validation is not None:
            read_validation = read(validation)
            _check_kinds(read_validation, kinds)
        there = [*read_train.item.ids, *(read_validation.item.ids if read_validation else [])]
        train = to_core(read_train, _titles(titles, Catalogue([], kinds[1]), there))
        held_back = to_core(read_validation) if read_validation else None
        with self._learning(kinds, folder, resume, force) as request:
            core = _core.Recommender.learn(train, held_back, request)
        self._fitted = _Fitted(core, *kinds)
        return self

    def partial_fit(
        self,
        interactions: Any,
        *,
        epochs: Optional[int] = None,
        titles: Optional[Mapping[Any, str]] = None,
    ) -> Recommender:
        """Learns on from interactions that came later, as `linn train recommend --from` does: known users and items
        keep what was learned about them, and new ones are added. Without an earlier fit the same as fit().

        epochs: at most so many, 10 by default; each has all new likes and a share of the old ones, the setting `replay`.
        """
        if self._fitted is None:
            return self.fit(interactions, titles=titles)
        before = self._fitted
        if before.core.model() != self.model:
            raise InputError(f"the model is a fitted {before.core.model()!r}; fit() makes another one, {self.model!r}")
        columns = read(interactions)
        kinds = (before.users.kind, before.items.kind)
        _check_kinds(columns, kinds)
        later = to_core(columns, _titles(titles, before.items, [*before.items.ids, *columns.item.ids]))
        with self._learning(kinds, None, False, False, continued=True) as request:
            request["settings"].pop("epochs", None)
            if epochs is not None:
                request["settings"]["epochs"] = str(whole_number("epochs", epochs, 1))
            core = _core.Recommender.learn_more(before.core, later, request)
        self._fitted = _Fitted(core, *kinds)
        return self

    def fit_folder(
        self,
        data: PathLike,
        *,
        folder: Optional[PathLike] = None,
        resume: bool = False,
        force: bool = False,
    ) -> Recommender:
        """Learns from a data folder of `linn import`, as `linn train recommend` does; its ids are strings."""
        with self._learning(("str", "str"), folder, resume, force) as request:
            core = _core.Recommender.learn_folder(path_text("data", data), request)
        self._fitted = _Fitted(core, "str", "str")
        return self

    def _learning(
        self, kinds: Tuple[str, str], folder: Optional[PathLike], resume: bool, force: bool, continued: bool = False
    ) -> Learning:
        if self.device != "cpu":
            raise InputError(f"this build has no CUDA: device must be 'cpu', not {self.device!r}")
        settings = dict(self.settings)
        if not continued:
            settings.pop("replay", None)  # for partial_fit alone
        if self.epochs is not None:
            settings["epochs"] = whole_number("epochs", self.epochs, 1)
        return Learning(
            model=self.model,
            preset=self.preset,
            seed=self.seed,
            threads=self.threads,
            settings=settings,
            progress=self.progress,
            folder=folder,
            resume=resume,
            force=force,
            notes={_NOTE: json.dumps({"users": kinds[0], "items": kinds[1], "params": self._plain_params()})},
        )

    # -----------------------------------------------------------------------------------------------------------------
    # Asking

    def recommend(
        self,
        history: Optional[History] = None,
        user: Any = None,
        n: int = 10,
        exclude: Iterable[Any] = (),
        only: Optional[Iterable[Any]] = None,
        explain: bool = False,
        include_seen: bool = False,
    ) -> List[Recommendation]:
        """The best items for a history, or for the history of a user in training, best first.

        exclude: items not to recommend. only: items to choose from. explain: with reasons, which takes longer.
        """
        fitted = self._require()
        found = fitted.core.recommend(
            fitted.events(history),
            fitted.user_text(user),
            whole_number("n", n, 0, _MOST),
            [fitted.items.text(item) for item in listed("exclude", exclude)],
            None if only is None else [fitted.items.text(item) for item in listed("only", only)],
            bool(include_seen),
            bool(explain),
        )
        return [fitted.recommendation(each) for each in found]

    def recommend_many(
        self,
        histories: Any = None,
        users: Optional[Union[Sequence[Any], NDArray[Any]]] = None,
        n: int = 10,
        exclude: Iterable[Any] = (),
        only: Optional[Iterable[Any]] = None,
        include_seen: bool = False,
    ) -> Tuple[NDArray[Any], NDArray[np.float64]]:
        """The best items for many histories, on all cores: items and scores, arrays of shape (histories, n).

        histories: a list of histories; arrays (starts, items) or (starts, items, liked), where history i has the
        events starts[i] to starts[i + 1]; or a sparse matrix with items that are whole numbers in its columns. None:
        those of `users` in training. Where fewer than n are left, the score is NaN and the item -1, or None if
        items are not whole numbers.
        """
        fitted = self._require()
        starts, items, liked = fitted.histories(histories)
        numbers: Optional[NDArray[np.int64]] = None
        if users is not None:
            users = users if isinstance(users, np.ndarray) else listed("users", users)
            numbers = fitted.users.find_many(users, "users")
            if starts is None and (numbers < 0).any():
                place = int(np.argmax(numbers < 0))
                raise InputError(f"{place + 1}: the model does not know the user {users[place]!r}", line=place + 1)
        elif starts is None:
            raise InputError("give histories, users or both")
        found, scores = fitted.core.recommend_many(
            starts,
            items,
            liked,
            numbers,
            whole_number("n", n, 0, _MOST),
            fitted.numbers(exclude, "exclude", skip_unknown=True),
            None if only is None else fitted.numbers(only, "only", skip_unknown=False),
            bool(include_seen),
            whole_number("threads", self.threads),
        )
        return fitted.items.take(found), scores

    def score_items(self, history: Optional[History], items: Iterable[Any], user: Any = None) -> NDArray[np.float64]:
        """The scores of items for a history, in their order; higher is better."""
        fitted = self._require()
        names = [fitted.items.text(item) for item in listed("items", items)]
        return fitted.core.score(fitted.events(history), fitted.user_text(user), names)

    def explain(self, history: Optional[History], item: Any, user: Any = None) -> Recommendation:
        """Why an item, whether it would be recommended or not."""
        fitted = self._require()
        return fitted.recommendation(
            fitted.core.explain(fitted.events(history), fitted.user_text(user), fitted.items.text(item))
        )

    def similar(self, item: Any, n: int = 10) -> List[Recommendation]:
        """The items that go with an item, best first."""
        fitted = self._require()
        found = fitted.core.similar(fitted.items.text(item), whole_number("n", n, 0, _MOST))
        return [fitted.recommendation(each) for each in found]

    def evaluate(self, interactions: Any = None, candidates: Optional[int] = 100) -> Dict[str, Any]:
        """nDCG@10, hit@1, hit@10, mrr and auc of each user's last like, ranked among `candidates` random items that
        the user did not like (0 or None: among all of them).

        Without interactions: of what was held back in training, the test data of a data folder or what chose the epoch.
        """
        fitted = self._require()
        number = whole_number("candidates", candidates or 0)
        threads = whole_number("threads", self.threads)
        metrics: Dict[str, Any]
        if interactions is None:
            metrics = dict(fitted.core.evaluate_held_back(number, threads))
        else:
            columns = read(interactions)
            _check_kinds(columns, (fitted.users.kind, fitted.items.kind))
            metrics = dict(fitted.core.evaluate(to_core(columns), number, threads))
        metrics["count"] = int(metrics["count"])
        metrics["candidates"] = number or "all"
        return metrics

    def score(self, interactions: Any, y: Any = None) -> float:
        """The nDCG@10 of each user's last like, for scikit-learn's searches; y is ignored."""
        return float(self.evaluate(interactions)["ndcg@10"])

    # -----------------------------------------------------------------------------------------------------------------
    # What it knows

    @property
    def items_(self) -> List[Any]:
        """The ids of all items."""
        return list(self._require().items.ids)

    @property
    def users_(self) -> List[Any]:
        """The ids of the users in training."""
        return list(self._require().users.ids)

    @property
    def training_(self) -> Dict[str, Any]:
        """How the training went: best_epoch, epochs, validation, history, ..."""
        return self._require().training

    # -----------------------------------------------------------------------------------------------------------------
    # Keeping

    def save(self, run: PathLike) -> None:
        """Writes a run folder, which load() and the program `linn` read, in place of one that is there; or, if the name
        ends in .safetensors, the model alone."""
        core = self._require().core
        path = path_text("run", run)
        if path.endswith(".safetensors"):
            core.save(path)
        else:
            core.save_run(path)

    @classmethod
    def load(cls, run: PathLike) -> Recommender:
        """Loads a run folder, of the program too, or a model file. The histories of users are known if the run folder
        has them, or the data folder that it was trained on still exists."""
        path = path_text("run", run)
        try:
            core = _core.Recommender.load(path, True)
        except InputError:
            core = _core.Recommender.load(path, False)
        note = json.loads(core.notes().get(_NOTE, "{}"))
        made = cls(**{"model": core.model(), **note.get("params", {})})
        made._fitted = _Fitted(core, note.get("users", "str"), note.get("items", "str"))
        return made

    def __getstate__(self) -> Dict[str, Any]:
        state = {"params": self.get_params(), "files": None, "training": None}
        if self._fitted is not None:
            with tempfile.TemporaryDirectory() as folder:
                run = pathlib.Path(folder) / "run"
                self.save(run)
                files = {str(file.relative_to(run)): file.read_bytes() for file in run.rglob("*") if file.is_file()}
            state.update(files=files, training=self._fitted.training)
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        Recommender.__init__(self, **state["params"])
        if state["files"] is None:
            return
        with tempfile.TemporaryDirectory() as folder:
            run = pathlib.Path(folder) / "run"
            for name, content in state["files"].items():
                (run / name).parent.mkdir(parents=True, exist_ok=True)
                (run / name).write_bytes(content)
            self._fitted = Recommender.load(run)._fitted
        if self._fitted is not None:
            self._fitted.training = state["training"]

    # -----------------------------------------------------------------------------------------------------------------
    # The manners of scikit-learn

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """What the constructor takes, as it is now."""
        return {**{name: getattr(self, name) for name in _DEFAULTS}, **self.settings}

    def set_params(self, **params: Any) -> Recommender:
        """Changes what the constructor takes; a model that was fitted stays as it is until the next fit()."""
        for name, value in params.items():
            if name in _DEFAULTS:
                setattr(self, name, value)
            else:
                self.settings[name] = value
        return self

    def _plain_params(self) -> Dict[str, Any]:
        """Those that JSON can hold."""
        params = {}
        for name, value in self.get_params().items():
            plain = value.item() if isinstance(value, np.generic) else value
            if name != "progress" and isinstance(plain, (str, int, float, bool)):
                params[name] = plain
        return params

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted is not None

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags  # only scikit-learn asks

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(two_d_array=False, string=True, categorical=True),
        )

    def __repr__(self) -> str:
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if name not in _DEFAULTS or value != _DEFAULTS[name]
        ]
        return f"Recommender({', '.join(changed)})"

    def _require(self) -> _Fitted:
        if self._fitted is None:
            raise InputError("this recommender was not fitted yet; call fit() first")
        return self._fitted


class _Fitted:
    """A trained model, and the ids that it knows. Never changed: several threads may ask it while another fits anew."""

    def __init__(self, core: _core.Recommender, users: str, items: str) -> None:
        self.core = core
        self.users = Catalogue(core.users(), users)
        self.items = Catalogue(core.items(), items)
        self.training: Dict[str, Any] = core.training()

    def user_text(self, user: Any) -> str:
        return "" if user is None else self.users.text(user)

    def events(self, history: Optional[History]) -> Optional[Events]:
        if history is None:
            return None
        if isinstance(history, str):
            return _core.parse_history(text("a history", history))
        name = self.items.text
        try:
            events = list(history)
        except TypeError:
            raise InputError(
                f"a history must be a list of ids or of (id, liked) pairs, or text, not {type(history).__name__}"
            ) from None
        return [(name(event[0]), bool(event[1])) if _is_pair(event) else (name(event), True) for event in events]

    def histories(
        self, histories: Any
    ) -> Tuple[Optional[NDArray[np.int64]], Optional[NDArray[np.uint32]], Optional[NDArray[np.uint8]]]:
        """In columns: where each starts, the numbers of items, and whether they are liked."""
        if histories is None:
            return None, None, None
        if hasattr(histories, "tocsr"):
            return self._matrix(histories.tocsr())
        if isinstance(histories, tuple) and 2 <= len(histories) <= 3 and isinstance(histories[0], np.ndarray):
            return self._columns(*histories)
        if isinstance(histories, str) or not hasattr(histories, "__iter__"):
            raise InputError(f"expected a list of histories, not {type(histories).__name__}")
        lists = [
            self._named(entry, number) if isinstance(entry, str) else entry
            for number, entry in enumerate(histories, 1)
        ]
        try:
            lists = [each if isinstance(each, (list, tuple)) else _listed(each) for each in lists]
        except TypeError as error:
            raise InputError(f"expected a list of histories: {error}") from None
        starts, items, liked, wrong, event = _core.encode_histories(lists, self.items.numbers, self.items.type)
        if wrong >= 0:
            # Types of NumPy may be mixed with those of Python.
            lists = [[_plain_event(each) for each in history] for history in lists]
            starts, items, liked, wrong, event = _core.encode_histories(lists, self.items.numbers, self.items.type)
        if wrong >= 0:
            unknown = lists[wrong][event]
            raise self._unknown(unknown[0] if _is_pair(unknown) else unknown, wrong + 1)
        return starts, items, liked

    def numbers(self, items: Iterable[Any], what: str, skip_unknown: bool) -> NDArray[np.uint32]:
        given = items if isinstance(items, np.ndarray) else listed(what, items)
        found = self.items.find_many(given, what)
        if not skip_unknown and (found < 0).any():
            raise self._unknown(given[int(np.argmax(found < 0))], None)
        return found[found >= 0].astype(np.uint32)

    def recommendation(self, each: Tuple[Any, ...]) -> Recommendation:
        item, title, score, probability, truth, base, words, because = each
        reasons = [Reason(self.items.value(name), *rest) for name, *rest in because]
        return Recommendation(self.items.value(item), title, score, probability, reasons, words, truth, base)

    def _matrix(self, matrix: Any) -> Tuple[NDArray[np.int64], NDArray[np.uint32], Optional[NDArray[np.uint8]]]:
        values = np.asarray(matrix.data)
        starts, columns = np.asarray(matrix.indptr, dtype=np.int64), np.asarray(matrix.indices)
        if (values == 0).any():
            stored = values != 0
            starts = np.concatenate(([0], np.cumsum(stored, dtype=np.int64)))[starts]
            columns, values = columns[stored], values[stored]
        return self._columns(starts, columns, values)

    def _columns(
        self, starts: Any, items: Any, liked: Any = None
    ) -> Tuple[NDArray[np.int64], NDArray[np.uint32], Optional[NDArray[np.uint8]]]:
        begins = np.asarray(starts)
        if begins.ndim != 1 or begins.size == 0 or begins.dtype.kind not in "iu":
            raise InputError("the starts of histories must be an array of whole numbers, one more than histories")
        given = items if isinstance(items, np.ndarray) else listed("histories", items)
        found = self.items.find_many(given, "histories")
        if (found < 0).any():
            place = int(np.argmax(found < 0))
            raise self._unknown(given[place], int(np.searchsorted(begins, place, side="right")))
        return (
            np.ascontiguousarray(begins, dtype=np.int64),
            found.astype(np.uint32),
            None if liked is None else _above_zero(np.asarray(liked)),
        )

    def _named(self, text: str, number: int) -> List[Tuple[Any, bool]]:
        """A history as text; its names are ids or titles."""
        events = []
        for name, is_liked in _core.parse_history(text):
            known = self.items.named(name)
            if known is None:
                titled = [place for place, title in enumerate(self.core.titles()) if title == name]
                if len(titled) != 1:
                    raise self._unknown(name, number, is_name=True)
                known = self.items.ids[titled[0]]
            events.append((known, is_liked))
        return events

    def _unknown(self, item: Any, line: Optional[int], is_name: bool = False) -> InputError:
        """The message of the core, which knows the most similar name. is_name: the item is as in a text."""
        try:
            name = item if is_name else self.items.text(item)
            self.core.score([(name, True)], "", [])
        except InputError as error:
            return InputError(f"{line}: {error}" if line else str(error), line=line)
        return InputError(f"the model does not know the item {item!r}", line=line)


def _is_pair(event: Any) -> bool:
    return isinstance(event, tuple) and len(event) == 2 and isinstance(event[1], (bool, np.bool_))


def _above_zero(values: NDArray[Any]) -> NDArray[np.uint8]:
    """Whether events are liked."""
    if values.dtype.kind not in "biuf":
        raise InputError(f"histories: expected numbers or truth values for what is liked, not {values.dtype}")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise InputError(f"histories: whether event {int(np.argmax(np.isnan(values)))} is liked is missing")
    return np.ascontiguousarray(values > 0, dtype=np.uint8)


def _listed(history: Any) -> List[Any]:
    # Numbers become those of Python; the times of NumPy might become numbers.
    if isinstance(history, np.ndarray) and history.dtype.kind in "biufU":
        return list(history.tolist())
    return list(history)


def _plain_event(event: Any) -> Any:
    return (plain(event[0]), bool(event[1])) if _is_pair(event) else plain(event)


def _titles(
    titles: Optional[Mapping[Any, str]], items: Catalogue, known: Iterable[Any]
) -> List[Tuple[str, str]]:
    """The titles of known items, with the ids as text: a title does not make an item."""
    if titles is None:
        return []
    if not isinstance(titles, Mapping):
        raise InputError(f"titles: expected a dict of ids and their titles, not {type(titles).__name__}")
    there = set(known)
    checked = [(items.checked(item), text(f"the title of {item!r}", title)) for item, title in titles.items()]
    return [(items.text(item), title) for item, title in checked if item in there]


def _check_kinds(columns: Interactions, kinds: Tuple[str, str]) -> None:
    for name, codes, kind in (("user", columns.user, kinds[0]), ("item", columns.item, kinds[1])):
        if codes.kind != kind and codes.ids:
            raise InputError(
                f"column '{name}', row 0: the ids are of the type {codes.kind}, but those in training are {kind}",
                column=name,
                row=0,
            )
