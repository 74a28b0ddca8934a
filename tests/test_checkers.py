"""assay.checkers: running the code of a test folder."""

from __future__ import annotations

from assay.checkers import fill


def test_fills_an_answer_from_files_and_truth():
    files = {"shop.py": "x = 1\n"}
    truth = {"name": "locate", "rows": [{"total": 2.5}], "none": None}
    text = "{{shop.py}} {{truth.name}} {{truth.rows.0.total}} {{truth.none}} {{truth.no}} {{x}}"
    assert fill(text, files, truth) == "x = 1 locate 2.5 null {{truth.no}} {{x}}"
