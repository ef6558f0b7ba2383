"""The notebooks of examples/notebooks run, and show what they are there to show; a notebook draws a bar of its own."""

from __future__ import annotations

import pathlib
from typing import Any, Dict, List

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks"

# For each: what its outputs have, as text or as types of content.
SHOWN = {
    "knowledge_base": ["| column 13", "new expressions right: network", "text/html", "hidden values found", "True"],
    "laws_and_vectors": ["image/png", "AND commutativity", "% of the hidden values found"],
    "recommendations": ["image/png", "Because you liked", "ndcg@10", "(600, 3)"],
}

pytestmark = pytest.mark.filterwarnings("ignore")  # of what runs the notebooks


def execute(notebook: Any, folder: pathlib.Path) -> List[Dict[str, Any]]:
    """The outputs of all cells. Throws where a cell fails."""
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def text_of(output: Dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return str(output["text"])
    return " ".join(f"{kind}: {content}" for kind, content in output["data"].items() if kind != "image/png") + (
        " image/png" if "image/png" in output["data"] else ""
    )


@pytest.mark.parametrize("name", sorted(file.stem for file in NOTEBOOKS.glob("*.ipynb")))
def test_notebooks_run(name: str, tmp_path: pathlib.Path) -> None:
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")
    outputs = execute(notebook, tmp_path)
    assert [output for output in outputs if output.get("name") == "stderr"] == []
    shown = "\n".join(map(text_of, outputs))
    for expected in SHOWN[name]:
        assert expected in shown


def test_a_notebook_has_one_bar(tmp_path: pathlib.Path) -> None:
    code = (
        "import linn\n"
        "knowledge = linn.KnowledgeBase(['a & !b = T', 'a | c = T', 'b = F'] * 20)\n"
        "linn.Reasoner.learn(knowledge, preset='authors', d=4, epochs=3, threads=1, progress=True)"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])  # type: ignore[no-untyped-call]
    bars = [output for output in execute(notebook, tmp_path) if output["output_type"] == "display_data"]
    assert len(bars) == 1
    page, text = bars[0]["data"]["text/html"], bars[0]["data"]["text/plain"]
    assert page.startswith("<progress value=") and "100 %" in page and "epoch 3" in page
    assert text.startswith("training [########################] 100 %")
