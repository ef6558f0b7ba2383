"""The module of PyTorch against the core; where PyTorch is not installed, there is nothing to test."""

from __future__ import annotations

import copy
import pathlib
import random
from typing import Any, Dict, List

import numpy as np
import pytest

import linn

torch = pytest.importorskip("torch", exc_type=ImportError)

NAMES = [f"v{i}" for i in range(12)]
QUICK: Dict[str, Any] = {"preset": "authors", "d": 8, "epochs": 2, "seed": 3, "threads": 1}


def knowledge() -> linn.KnowledgeBase:
    rng = random.Random(1)
    return linn.KnowledgeBase([(expression(rng, 3), rng.random()) for _ in range(80)])


def expression(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(["", "!"]) + rng.choice(NAMES)
    parts = (expression(rng, depth - 1), expression(rng, rng.randrange(depth)))
    operator = rng.choice(["&", "|", "->", "xor"])
    return f"({parts[0]} {operator} {parts[1]})"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"preset": "paper"},
        {"preset": "best", "pretrain_steps": 20, "ensemble": 2},
        {"gate_structure": "residual", "not_structure": "residual"},
        {"and_structure": "product", "or_structure": "left_residual", "similarity": "dot"},
        {"or_structure": "left_residual", "length_bound": 0.1},
        {"gate_structure": "mlp_product", "gate_depth": 3, "not_depth": 2, "gate_activation": "tanh"},
        {"similarity": "mlp", "gate_activation": "leaky_relu", "not_activation": "leaky_relu"},
    ],
)
def test_it_is_equal_to_the_core(settings: Dict[str, Any], tmp_path: pathlib.Path) -> None:
    from linn.torch import as_module

    reasoner = linn.Reasoner.learn(knowledge(), **{**QUICK, **settings})
    rng = random.Random(2)
    expressions: List[str] = [expression(rng, rng.randrange(4)) for _ in range(200)]
    known = set(reasoner.variables)
    expressions = [each for each in expressions if not set(NAMES) - known]
    expressions += ["T", "F", "v1 & !v1", "v1 | !v1", "v1", "!v2"]
    # Singly: the order in which a batch of the core meets the variables is that of the whole batch.
    core = np.array([reasoner.truth_of(each) for each in expressions])
    module = as_module(reasoner)
    assert module.names == reasoner.variables
    truths = module(expressions)
    assert truths.dtype == torch.float32 and truths.shape == (len(expressions),)
    assert np.abs(truths.detach().numpy() - core).max() < 1e-5
    assert np.abs(copy.deepcopy(module)(expressions).detach().numpy() - core).max() < 1e-5
    reasoner.save(tmp_path / "model.safetensors")
    assert abs(as_module(tmp_path / "model.safetensors")("v1 | v2").item() - reasoner.truth_of("v1 | v2")) < 1e-5
    assert module([]).shape == (0,)


def test_gradients_are_those_of_differences() -> None:
    from linn.torch import as_module

    module = as_module(linn.Reasoner.learn(knowledge(), gate_activation="tanh", not_activation="tanh", **QUICK)).double()
    asked = ["v1 & !v2 | v3", "v4 -> (v1 | v5)"]
    module(asked).sum().backward()
    checked = 0
    for name, parameter in module.named_parameters():
        if parameter.grad is None:  # a bias that these expressions do not use
            continue
        flat = parameter.data.view(-1)
        place = int(parameter.grad.abs().view(-1).argmax())
        slope = parameter.grad.view(-1)[place].item()
        kept, step = flat[place].item(), 1e-6
        values = []
        for sign in (1, -1):
            flat[place] = kept + sign * step
            values.append(module(asked).sum().item())
        flat[place] = kept
        assert slope == pytest.approx((values[0] - values[1]) / (2 * step), rel=1e-4, abs=1e-9), name
        checked += 1
    assert checked >= 10


def test_it_is_a_part_of_a_larger_network() -> None:
    from linn.torch import as_module

    module = as_module(linn.Reasoner.learn(knowledge(), **QUICK))
    larger = torch.nn.Linear(2, 1)
    optimizer = torch.optim.Adam([*module.parameters(), *larger.parameters()], lr=0.03)
    losses = []
    for _ in range(150):
        optimizer.zero_grad()
        loss = (larger(module(["v1 & v2", "!v3"])) - 2.0).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 10
    state = module.state_dict()
    assert "networks.0.variables" in state and "networks.0.and_left" in state


def test_what_is_no_network() -> None:
    from linn.torch import as_module

    with pytest.raises(linn.InputError, match="not a LINN network"):
        as_module(linn.Reasoner.infer(linn.KnowledgeBase(["a = T"])))
    with pytest.raises(linn.InputError, match="2: .*does not know the variable"):
        as_module(linn.Reasoner.learn(knowledge(), **QUICK))(["v1", "snow"])
