"""In a real Jupyter kernel: a run shows a bar that ends, and then its result."""

from __future__ import annotations

import json

import pytest

from tests.conftest import numbered, right

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

CELLS = (
    "import assay",
    "r = assay.run(['scripted:good.json', 'scripted:<b>weak.json'], suites='my-tests')",
    "r",
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What each cell shows, after every update."""
    folder = tmp_path_factory.mktemp("notebook")
    tests = numbered(5)
    (folder / "my-tests").mkdir()
    (folder / "my-tests" / "sum.json").write_text(json.dumps(tests))
    (folder / "my-tests" / "suite.json").write_text("{}")
    (folder / "good.json").write_text(json.dumps({"answers": right(tests), "delay_s": 0.1}))
    (folder / "<b>weak.json").write_text(json.dumps({"default": "<script>alert(1)</script>"}))
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    return [cell["outputs"] for cell in book["cells"]]


def test_each_model_has_a_bar_that_ends_full(outputs):
    bars = [
        each["data"]["text/html"] for each in outputs[1] if each["output_type"] == "display_data"
    ]
    assert len(bars) == 2
    for bar, name in zip(bars, ("scripted:good.json", "scripted:&lt;b&gt;weak.json"), strict=True):
        assert name in bar
        assert '<progress value="5" max="5">' in bar
        assert "5/5 (100%)" in bar


def test_nothing_else_is_written_while_it_runs(outputs):
    assert [each for each in outputs[1] if each["output_type"] != "display_data"] == []


def test_the_result_is_a_card_a_table_and_a_picture(outputs):
    (shown,) = outputs[2]
    page = shown["data"]["text/html"]
    assert "good shows no significant difference from &lt;b&gt;weak on my-tests." in page
    assert page.index("<strong>") < page.index("<table>") < page.index("data:image/svg+xml")
    assert "<script" not in page
    assert shown["data"]["text/plain"].startswith("<Assay run ")
