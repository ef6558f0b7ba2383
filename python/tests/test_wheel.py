"""The wheel that is tested runs on other machines, too."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

import linn

WHEEL = os.environ.get("LINN_WHEEL", "")


@pytest.mark.skipif(not WHEEL, reason="LINN_WHEEL is not set to the wheel")
def test_the_wheel_is_portable() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", WHEEL], check=True, capture_output=True, text=True
    ).stdout
    tag = re.search(r'consistent with the following platform tag:\s+"(\w+)"', " ".join(shown.split()))
    assert tag and tag[1].startswith("manylinux_2_"), shown
    assert tag[1] in pathlib.Path(WHEEL).name


@pytest.mark.skipif(not WHEEL, reason="LINN_WHEEL is not set to the wheel")
def test_the_wheel_has_what_it_should() -> None:
    files = [each.filename for each in zipfile.ZipFile(WHEEL).infolist() if not each.is_dir()]
    names = [name for name in files if name.startswith("linn/")]
    for name in ("__init__.py", "_core.pyi", "py.typed", "recommendation.py", "torch.py"):
        assert f"linn/{name}" in names
    assert [name for name in names if not name.endswith((".py", ".pyi", ".so", "py.typed"))] == []


def test_it_needs_numpy_alone() -> None:
    metadata = importlib.metadata.metadata("linn")
    required = metadata.get_all("Requires-Dist") or []
    assert [line for line in required if "extra ==" not in line] == ["numpy"]
    assert metadata["Requires-Python"] == ">=3.9"
    assert linn.__version__ == metadata["Version"]
