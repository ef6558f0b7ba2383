"""The blocks of the documents run, in order, as one program each; and so does the quickstart."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from typing import List

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(document: str) -> List[str]:
    text = (ROOT / document).read_text()
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("document", ["docs/python.md", "README.md"])
def test_documents_run(document: str, tmp_path: pathlib.Path) -> None:
    found = blocks(document)
    assert found
    program = tmp_path / "program.py"
    program.write_text("\n".join(found))
    done = subprocess.run([sys.executable, program.name], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if document == "docs/python.md":
        assert "column 'item', row 1: the value is missing item 1" in done.stdout
        assert "Because you " in done.stdout


def test_documents_name_every_call() -> None:
    text = (ROOT / "docs" / "python.md").read_text()
    import linn

    for owner in (linn.Reasoner, linn.Recommender, linn.KnowledgeBase):
        for name in vars(owner):
            if not name.startswith("_"):
                assert name in text, f"{owner.__name__}.{name}"
    for name in linn.__all__:
        assert name in text or name in ("Reason", "__version__", "model_selection"), name


def test_quickstart(tmp_path: pathlib.Path) -> None:
    quickstart = ROOT / "examples" / "quickstart.py"
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, str(quickstart)], cwd=tmp_path, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "wet & rain: 0.9" in done.stdout or "wet & rain: 1.0" in done.stdout
    assert re.search(r"Solaris .* Because you liked Alien", done.stdout)
