"""docs/reference/cards: the card of every suite that ships, as `make cards` writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.reports.formats.markdown import render_markdown
from assay.reports.suites.card import card_document
from assay.suites.load import load_suite, shipped
from assay.workflow.commands.discover.catalogue import describe


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.name)
def test_a_shipped_suite_has_its_card_up_to_date(path: Path, root: Path) -> None:
    page = root / "docs" / "reference" / "cards" / f"{path.name}.md"
    assert page.read_text("utf-8") == render_markdown(card_document(describe(load_suite(path)))), (
        "run `make cards`"
    )


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.name)
def test_no_person_has_reviewed_a_shipped_test_and_its_card_says_so(path: Path, root: Path) -> None:
    suite = load_suite(path)
    examples = (case for cases in suite.few_shot.values() for case in cases)
    assert [case.id for case in (*suite.cases, *examples) if case.reviewed] == []
    page = root / "docs" / "reference" / "cards" / f"{path.name}.md"
    assert "| reviewed by a person | none yet |" in page.read_text("utf-8")


def test_there_is_no_card_of_a_suite_that_does_not_ship(root: Path) -> None:
    pages = {page.stem for page in (root / "docs" / "reference" / "cards").glob("*.md")}
    assert pages == {path.name for path in shipped()}
