"""examples/notebooks/six_functions.ipynb: it runs, and prints what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

BOOK = Path(__file__).parents[2] / "examples" / "notebooks" / "six_functions.ipynb"
FUNCTIONS = (
    "compute_perplexity", "run_mmlu_benchmark", "run_hellaswag_benchmark", "run_os_benchmark",
    "compute_weighted_score", "check_generation_quality",
)  # fmt: skip


def printed(book) -> str:
    cells = (cell for cell in book.cells if cell.cell_type == "code")
    return "".join(
        each.text for cell in cells for each in cell.outputs if each.get("name") == "stdout"
    )


def test_the_six_functions_run_in_a_kernel_and_print_what_the_notebook_shows(tmp_path):
    book = nbformat.read(BOOK, as_version=4)
    shown = printed(book)
    code = "".join(cell.source for cell in book.cells if cell.cell_type == "code")
    assert [name for name in FUNCTIONS if f"assay.{name}(" not in code] == []
    assert all(callable(getattr(assay, name)) for name in FUNCTIONS)
    where = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3", resources=where).execute()
    assert printed(book) == shown
    assert shown.count("\n") == 9
