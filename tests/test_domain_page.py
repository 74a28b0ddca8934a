"""docs/how-to/gate-your-domain.md: it runs as it is, and prints what it shows."""

import json
import re
from pathlib import Path

from tests.test_extend_page import Section, run

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "gate-your-domain.md"


def test_the_step_that_knows_more_is_selected_by_both_gates(tmp_path):
    section = Section("The facts", tmp_path, PAGE)
    lines = section.commands.splitlines()
    printed = [run(tmp_path, *line.split()).stdout for line in lines][-2:]
    shown = re.findall(r"^```text\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    for page, output in zip(shown, printed, strict=True):
        said = [line.rstrip() for line in output.splitlines()]
        assert [line for line in page.splitlines() if line != "…" and line not in said] == []
    selection = json.loads(
        (tmp_path / "assay-out/checkpoints/lighthouse/best_checkpoint_selection.json").read_text()
    )
    assert selection["selected"] == "lighthouse/step_2"
    assert selection["max_by_formula"] == "lighthouse/step_1"
    assert selection["ranked_on"] == ["suite:keepers", "perplexity"]
    assert selection["confirmed"] is True
