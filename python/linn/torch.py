"""A trained reasoner as a torch.nn.Module, so that it can be a part of a larger network. Needs PyTorch."""

from __future__ import annotations

import json
import math
import pathlib
import struct
import tempfile
from typing import Any, Dict, Iterable, List, Tuple, Union

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ._errors import InputError
from ._learning import PathLike
from .reasoning import Reasoner

__all__ = ["LogicModule", "as_module"]

_ACTIVATIONS = {
    "relu": torch.relu,
    "leaky_relu": lambda x: torch.nn.functional.leaky_relu(x, 0.01),
    "tanh": torch.tanh,
}


def as_module(run: Union[Reasoner, PathLike]) -> LogicModule:
    """The modules and vectors of a LINN that learned equations: a Reasoner, a run folder, or a model file."""
    reasoner = run if isinstance(run, Reasoner) else Reasoner.load(run)
    return LogicModule(reasoner)


class LogicModule(nn.Module):
    """forward(expressions) gives the truth of each, as Reasoner.truth_of does, and gradients pass through it.

    names: the variables, in the order of the rows of `networks[i].variables`. Modules and vectors are parameters; freeze
    what should stay.
    """

    def __init__(self, reasoner: Reasoner) -> None:
        super().__init__()
        reasoner._core.clauses_of([])  # refuses other models
        self.names: List[str] = reasoner.variables
        self._reasoner = reasoner
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "model.safetensors"
            reasoner.save(file)
            metadata, tensors = _read(file)
        options = json.loads(metadata["network"])
        members = int(metadata["members"])
        self.networks = nn.ModuleList()
        for member in range(members):
            prefix = "" if members == 1 else f"{member}."
            own = {name[len(prefix) :]: value for name, value in tensors.items() if name.startswith(prefix)}
            self.networks.append(LogicNetwork(options, own))

    def forward(self, expressions: Union[str, Iterable[str]]) -> Tensor:
        asked = [expressions] if isinstance(expressions, str) else list(expressions)
        clauses = _Clauses(*self._reasoner._core.clauses_of(asked))
        truths = [torch.sigmoid(network(clauses)) for network in self.networks]
        return torch.stack(truths).mean(dim=0)


class _Clauses:
    """Expressions as places: of literals in each clause, and of clauses in each expression."""

    def __init__(
        self,
        disjunctive: bool,
        expressions: NDArray[np.uint32],
        clauses: NDArray[np.uint32],
        literals: NDArray[np.uint32],
    ) -> None:
        self.disjunctive = disjunctive
        self.clause_starts = torch.from_numpy(clauses.astype(np.int64))
        self.literals = torch.from_numpy(literals.astype(np.int64))
        self.expression_starts = torch.from_numpy(expressions.astype(np.int64))
        lengths = np.diff(clauses.astype(np.int64))
        counts = np.diff(expressions.astype(np.int64)).astype(np.int64)
        empty = np.zeros(len(counts), dtype=bool)
        owner = np.repeat(np.arange(len(counts)), counts)
        empty[owner[lengths == 0]] = True
        # A clause without literals decides its expression; without clauses it is the opposite.
        self.decided = torch.from_numpy(empty | (counts == 0))
        self.true = torch.from_numpy(empty == disjunctive)


class LogicNetwork(nn.Module):
    """The modules AND, OR and NOT, T, and the vectors of the variables."""

    def __init__(self, options: Dict[str, Any], tensors: Dict[str, NDArray[np.float32]]) -> None:
        super().__init__()
        self._options = options
        self.true: Tensor
        self.register_buffer("true", torch.from_numpy(tensors["true"].copy()))
        self.variables = nn.Parameter(torch.from_numpy(tensors["variables"].copy()))
        for name, value in tensors.items():
            if name not in ("true", "variables"):
                self.register_parameter(name.replace(".", "_"), nn.Parameter(torch.from_numpy(value.copy())))

    def forward(self, clauses: _Clauses) -> Tensor:
        """The score of each expression; its sigmoid is the truth."""
        inner, outer = ("and", "or") if clauses.disjunctive else ("or", "and")
        device = self.variables.device
        used, places = torch.unique(clauses.literals.to(device) // 2, return_inverse=True)
        plain = self.variables[used]
        both = torch.cat([plain, self._negate(plain)])
        literals = both[places + (clauses.literals.to(device) % 2) * len(used)]
        vectors = self._fold(inner, literals, clauses.clause_starts.to(device))
        roots = self._fold(outer, vectors, clauses.expression_starts.to(device))
        true = self.true.unsqueeze(0)
        constant = torch.where(clauses.true.to(device).unsqueeze(1), true, self._negate(true))
        roots = torch.where(clauses.decided.to(device).unsqueeze(1), constant, roots)
        return self._score(roots, true.expand_as(roots))

    def _fold(self, gate: str, vectors: Tensor, starts: Tensor) -> Tensor:
        """Joins the vectors from each start to the next, from the left; zeros where there are none."""
        begins, lengths = starts[:-1], starts[1:] - starts[:-1]
        joined = vectors.new_zeros((len(begins), self.variables.shape[1]))
        there = torch.nonzero(lengths > 0).squeeze(1)
        joined = joined.index_copy(0, there, vectors[begins[there]])
        for step in range(1, int(lengths.max()) if len(lengths) else 0):
            longer = torch.nonzero(lengths > step).squeeze(1)
            joined = joined.index_copy(0, longer, self._join(gate, joined[longer], vectors[begins[longer] + step]))
        return joined

    def _parameter(self, name: str) -> Tensor:
        value: Tensor = getattr(self, name.replace(".", "_"))
        return value

    def _finish(self, name: str, module: str, hidden: Tensor) -> Tensor:
        """Everything after the sum of the first layer, the same for AND, OR and NOT."""
        activate = _ACTIVATIONS[self._options[f"{module}_activation"]]
        hidden = activate(hidden)
        for layer in range(2, int(self._options[f"{module}_depth"]) + 1):
            weight = self._parameter(f"{name}.hidden{layer}")
            hidden = activate(hidden @ weight + self._parameter(f"{name}.hidden{layer}_bias").reshape(-1))
        out = hidden @ self._parameter(f"{name}.out")
        if _is_true(self._options[f"{module}_output_bias"]):
            out = out + self._parameter(f"{name}.out_bias").reshape(-1)
        return out

    def _join(self, gate: str, a: Tensor, b: Tensor) -> Tensor:
        structure = self._options[f"{gate}_structure"]
        if structure == "gate":
            structure = self._options["gate_structure"]
        product = torch.zeros((), device=a.device)
        if structure in ("product", "mlp_product"):
            product = (a @ self._parameter(f"{gate}.product_left")) * (b @ self._parameter(f"{gate}.product_right"))
            if structure == "product":
                return product
        hidden = a @ self._parameter(f"{gate}.left") + b @ self._parameter(f"{gate}.right")
        out = self._finish(gate, "gate", hidden + self._parameter(f"{gate}.bias").reshape(-1))
        if structure == "residual":
            return out + (a + b) / 2
        if structure == "left_residual":
            out = a + out
            bound = float(self._options["length_bound"]) or math.sqrt(out.shape[1])
            return out * (bound / out.norm(dim=1, keepdim=True).clamp(min=bound))
        return out + product

    def _negate(self, a: Tensor) -> Tensor:
        out = self._finish("not", "not", a @ self._parameter("not.in") + self._parameter("not.bias").reshape(-1))
        return out - a if self._options["not_structure"] == "residual" else out

    def _score(self, a: Tensor, b: Tensor) -> Tensor:
        kind = self._options["similarity"]
        if kind == "dot":
            return (a * b).sum(dim=1)
        if kind == "mlp":
            hidden = a @ self._parameter("similarity.left") + b @ self._parameter("similarity.right")
            hidden = torch.relu(hidden + self._parameter("similarity.bias").reshape(-1))
            out = hidden @ self._parameter("similarity.out").reshape(-1)
            return out + self._parameter("similarity.out_bias").reshape(())
        squares = [(x * x).sum(dim=1).clamp(min=1e-16) for x in (a, b)]
        cosine = (a * b).sum(dim=1) / (squares[0].sqrt() * squares[1].sqrt())
        return float(self._options["alpha"]) * cosine


def _is_true(value: Any) -> bool:
    return value in (True, "true")


def _read(file: pathlib.Path) -> Tuple[Dict[str, str], Dict[str, NDArray[np.float32]]]:
    """The metadata of a safetensors file and its tensors of floats."""
    content = file.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] != "F32":
            raise InputError(f"the tensor {name} of the model is of the type {entry['dtype']}")
        begin, end = entry["data_offsets"]
        values = np.frombuffer(content[8 + length + begin : 8 + length + end], dtype="<f4")
        tensors[name] = values.reshape(entry["shape"])
    return metadata, tensors
