"""A folder of LoRA adapters, run like a folder of checkpoints: with their base, and what each of
them gained and forgot.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.errors import ExitCode
from assay.reports.formats.markdown import write_markdown
from tests.models.local.checkpoints import make_checkpoint
from tests.models.local.test_adapter import make_adapter

GATE = """
perplexity.max = 1e9
[[suite]]
name = "tests"
min = 0
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Two adapters and one that is none, with a base that was named: the config's is gone."""
    home = tmp_path_factory.mktemp("adapters")
    base = make_checkpoint(home / "somewhere" / "tiny", "llama")
    folder = home / "tuned"
    for seed, name in enumerate(("checkpoint-10", "checkpoint-20")):
        make_adapter(folder / name, base, seed=seed, r=8, lora_alpha=16)
    (folder / "checkpoint-30").mkdir()
    (folder / "checkpoint-30" / "adapter_config.json").write_text('{"peft_type": "IA3"}')
    base = base.rename(home / "base model")
    (home / "gate.toml").write_text(GATE, "utf-8")
    (home / "text.txt").write_text("The old cat lives in the house. " * 400, "utf-8")
    pick = {"prompt": "Which?", "eval_method": "multiple_choice", "choices": ["the ball", "a cat"]}
    tests = [{"id": f"pick_{n:03d}", **pick, "expected": "AB"[n % 2]} for n in range(8)]
    (home / "tests").mkdir()
    (home / "tests" / "pick.json").write_text(json.dumps(tests), "utf-8")
    return assay.run(
        str(folder),
        suites=[str(home / "tests")],
        gate=home / "gate.toml",
        text=home / "text.txt",
        base=str(base),
        device="cpu",
        out=home / "out",
    )


def test_the_base_is_evaluated_first_and_a_broken_adapter_fails_alone(report):
    names = [each.name for each in report.decision.measured]
    assert names == [f"tuned/{each}" for each in
                     ("base", "checkpoint-10", "checkpoint-20", "checkpoint-30")]  # fmt: skip
    assert [each.step for each in report.decision.measured] == [0, 10, 20, 30]
    assert "'IA3', not LORA" in report.decision.measured[3].failed
    assert report.exit_code == ExitCode.REQUESTS_FAILED
    selection = report.decision.selections[next(iter(report.decision.selections))]
    assert {each.name for each in selection.ranking} == {*names[1:]}, "the base is none"


def test_changes_from_the_base_are_paired_and_have_intervals(report):
    changes = report.decision.changes
    assert set(changes) == {"tuned/checkpoint-10", "tuned/checkpoint-20"}
    base, adapted = report.decision.measured[:2]
    for change in changes["tuned/checkpoint-10"]:
        assert change.change.low < change.change.value < change.change.high
        assert change.change.n > 0
    text, suite = changes["tuned/checkpoint-10"]
    assert (text.measure, suite.measure) == ("perplexity", "suite:tests")
    ratio = adapted.text.perplexity.value / base.text.perplexity.value
    assert 2.718281828**text.change.value == pytest.approx(ratio)
    assert text.counts, "random matrices change every token"
    points = adapted.suites["tests"].score.value - base.suites["tests"].score.value
    assert suite.change.value == pytest.approx(points)
    written = Path(report.out) / "checkpoints/tuned/checkpoint-10/evaluation_report.json"
    details = json.loads(written.read_text("utf-8"))["details"]
    assert details["changes_from_base"]["perplexity"]["value"] == text.change.value


def test_the_report_shows_gain_and_forgetting_side_by_side(report):
    text = write_markdown(report)
    assert "Gain and forgetting" in text
    (heads,) = (line for line in text.splitlines() if "forgot" in line and "gained" in line)
    assert "no significant difference" in heads
    row = next(line for line in text.splitlines() if "perplexity ×" in line)
    assert "checkpoint-10" in row
    assert "n=" in row
