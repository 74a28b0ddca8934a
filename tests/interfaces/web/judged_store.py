"""A store that has everything people ask about: judged answers, two days, checkpoints."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import api
from tests.conftest import numbered, right
from tests.models.local.checkpoints import make_checkpoint
from tests.workflow.judged_work import RUBRIC, Court, form, judged_test

SUMS = numbered(8)
XSS = "<img src=x onerror=alert(1)><script>alert(2)</script>\ndef find(): ..."
GATE = "[perplexity]\nmax = { tiny = 5000, small = 30, medium = 20, large = 15 }\n"


def fill_store(folder: Path) -> Court:
    """Checkpoints, then a model as it was yesterday, then as it is today beside another one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "users-data"))
        court = Court(folder)
        _evaluate_checkpoints(court)
        judged = [judged_test("own_001"), judged_test("own_002")]
        suite = court.suite({"sums": SUMS, "writing": judged})
        court.rubric(RUBRIC)
        said = {
            "judge:own_001": form(9, 8, 9, quotes=("def find(): ...", "ret urn")),
            "judge:own_002": "I would rather not say.",
        }
        judge = court.script("judge", answers=said)
        few = dict.fromkeys(right(SUMS), "none") | dict(list(right(SUMS).items())[:2])
        model = court.script("model", answers=few, default=XSS)
        court.run(judge, suite=suite, models=[model])
        court.script("model", answers={**right(SUMS), "sum_001": "3"}, default=XSS)
        other = court.script("other", answers=dict.fromkeys(right(SUMS), "2"), default=XSS)
        court.run(judge, suite=suite, models=[model, other])
    return court


def _evaluate_checkpoints(court: Court) -> None:
    home = court.folder / "training"
    for name, seed in (("step_10", 1), ("step_20", 2), ("step_30", 3)):
        make_checkpoint(home / name, seed=seed)
    text, gate = court.folder / "held-out.txt", court.folder / "gate.toml"
    text.write_text("The old cat lives in the house. " * 20)
    gate.write_text(GATE)
    api.run(
        [str(home)], suites=[], text=text, gate=gate, measures=("perplexity",), limit=1,
        out=court.out, write_back=False,
    )  # fmt: skip
