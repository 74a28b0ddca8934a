"""Gate and pick among reports that are there already: which are found, used, refused, written."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from assay import api
from assay.errors import AssayError, InvalidFiles, UsageError, in_one_line
from assay.reports.checkpoints.json_documents import evaluation_report
from assay.reports.checkpoints.report_shapes import selection_schema
from assay.types.decisions import DecisionPlan
from assay.workflow.reporting.decision import decide
from tests.decide.candidates import GATE, candidate, os_suite, text

SELECTION = "best_checkpoint_selection.json"
REPORT = "evaluation_report.json"


def document(measured):
    plan = DecisionPlan(subjects=(), measures=(), gate=GATE, selects=True)
    return evaluation_report(decide(plan, [measured], timestamp=""), measured)


def put(path, measured):
    """A report, as a run would have left it there."""
    path.mkdir(parents=True, exist_ok=True)
    (path / REPORT).write_text(json.dumps(document(measured)), "utf-8")
    return path


def checkpoint(path, measured=None):
    """A folder that looks like a checkpoint; nothing in it is ever opened."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "config.json").write_text("{}")
    return path if measured is None else put(path, measured)


def perplexity(value, name="tiny/step_100", **changed):
    return candidate(name, text=text(value, value - 1, value + 1), **changed)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def tiny(home):
    """60 fails the gate at 50; 45 and 40 pass, and 40 has the higher score: 0.4 · 10/40 is 0.1,
    0.4 · 10/45 is 0.089, and all else is equal.
    """
    folder = home / "tiny"
    checkpoint(folder / "step_900", perplexity(60.0))
    checkpoint(folder / "step_1000", perplexity(45.0))
    checkpoint(folder / "step_2000", perplexity(40.0))
    return folder


def read(path):
    found = json.loads(path.read_text("utf-8"))
    jsonschema.validate(found, selection_schema())
    return found


# ----------------------------------------------------------------------------------- what is picked


def test_the_best_of_those_that_pass_is_selected_and_written_in_both_places(tiny, home):
    selected = api.select([str(tiny)])
    assert selected.selection.selected == "tiny/step_2000"
    assert selected.exit_code == 0
    assert selected.to_dict()["headline"] == "Ship tiny/step_2000."
    ranking = [(row.name, row.accepted) for row in selected.selection.ranking]
    assert ranking == [
        ("tiny/step_2000", True),
        ("tiny/step_1000", True),
        ("tiny/step_900", False),
    ]
    beside = read(tiny / SELECTION)
    assert beside == read(home / "assay-out" / "checkpoints" / "tiny" / SELECTION)
    assert beside["selected"] == "tiny/step_2000"
    assert beside["gate"] == "default"
    assert not (home / "assay-out" / "assay.db").exists()  # no run was made of it
    assert (home / "assay-out" / "checkpoints" / "tiny" / "curves.csv").is_file()


def test_another_gate_picks_another_one_and_a_stricter_one_none(tiny, home):
    """Below 42 there is one, below 39 none."""
    (home / "strict.toml").write_text("[perplexity]\nmax = 42\n")
    selected = api.select([str(tiny)], gate=home / "strict.toml")
    assert selected.selection.selected == "tiny/step_2000"
    assert [row.accepted for row in selected.selection.ranking] == [True, False, False]
    (home / "none.toml").write_text("[perplexity]\nmax = 39\n")
    nothing = api.select([str(tiny)], gate=home / "none.toml")
    assert nothing.exit_code == 1
    assert nothing.selection.selected is None
    says = "Ship none: tiny/step_2000 comes closest and misses perplexity."
    assert nothing.headline == says
    assert nothing.selection.best_so_far == "tiny/step_2000"
    assert read(tiny / SELECTION)["gate"].endswith("none.toml")


def test_the_verdict_that_stands_in_a_report_is_not_believed(tiny):
    file = tiny / "step_900" / REPORT
    changed = json.loads(file.read_text())
    changed["details"]["acceptance"]["accepted"] = True
    file.write_text(json.dumps(changed))
    rows = {row.name: row.accepted for row in api.select([str(tiny)]).selection.ranking}
    assert rows["tiny/step_900"] is False


def test_advice_and_trend_are_those_of_a_run(tiny):
    decision = api.select([str(tiny)]).decision
    assert all(decision.advice.values())
    assert decision.advice["tiny/step_900"]


def test_a_config_beside_the_steps_is_the_final_one(tiny):
    checkpoint(tiny, perplexity(30.0, "tiny/final"))
    selected = api.select([str(tiny)])
    assert selected.selection.selected == "tiny/final"
    assert selected.report.selected == str(tiny)


# ------------------------------------------------------------------------------ what a folder means


def test_of_several_model_folders_each_has_its_own_and_there_is_one_over_all(tiny, home):
    checkpoint(home / "models" / "a" / "step_1", perplexity(35.0))
    checkpoint(home / "models" / "b" / "step_1", perplexity(30.0))
    checkpoint(home / "models" / "b" / "step_2", perplexity(60.0))
    selected = api.select(["models"])
    assert selected.selection.selected == "b/step_1"
    assert read(home / "models" / "a" / SELECTION)["selected"] == "a/step_1"
    assert read(home / "models" / "b" / SELECTION)["selected"] == "b/step_1"
    assert len(read(home / "models" / SELECTION)["ranking"]) == 3
    # Named one by one they have no folder in common, so that there is no place beside them.
    both = api.select(["models/a", str(tiny)])
    assert both.selection.selected == "a/step_1"
    kept = read(home / "assay-out" / "checkpoints" / SELECTION)
    assert [row["checkpoint"] for row in kept["ranking"]][:2] == ["a/step_1", "tiny/step_2000"]
    assert not (home / SELECTION).exists()


def test_checkpoints_named_singly_are_compared_and_no_selection_is_written(tiny, home):
    before = api.select([str(tiny)])
    written = (tiny / SELECTION).read_bytes()
    selected = api.select([str(tiny / "step_1000"), str(tiny / "step_900")])
    assert selected.selection.selected == "tiny/step_1000"
    assert [each.name for each in selected.decision.measured] == ["tiny/step_900", "tiny/step_1000"]
    assert (tiny / SELECTION).read_bytes() == written
    assert selected.left_in == frozenset()
    assert before.left_in == {"checkpoints/tiny"}
    checkpoint(home / "other" / "step_1", perplexity(45.0))
    (tiny / SELECTION).unlink()
    assert api.select([str(tiny), "other/step_1"]).left_in == frozenset()
    assert not (tiny / SELECTION).exists()


def test_a_checkpoint_named_beside_its_folder_counts_once(tiny):
    for words in ([str(tiny / "step_900"), str(tiny)], [str(tiny), str(tiny / "step_900")]):
        selected = api.select(words)
        assert len(selected.selection.ranking) == 3
        assert list(selected.decision.folders) == [str(tiny)]


@pytest.mark.parametrize("words", ["out", "out/checkpoints", "out/checkpoints/tiny"])
def test_reports_that_a_run_kept_are_enough(home, words):
    (home / "out").mkdir()
    (home / "out" / "assay.db").touch()
    for step, value in ((1, 60.0), (2, 40.0)):
        measured = perplexity(value, path=f"elsewhere/tiny/step_{step}")
        put(home / "out" / "checkpoints" / "tiny" / f"step_{step}", measured)
    selected = api.select([words], out=home / "out")
    assert selected.selection.selected == "tiny/step_2"
    assert selected.decision.overall is None
    assert selected.report.selected == "elsewhere/tiny/step_2"
    assert read(home / "out" / "checkpoints" / "tiny" / SELECTION)["selected"] == "tiny/step_2"


# ------------------------------------------------------------------------------------ which report


def test_a_report_under_out_counts_for_weights_whose_folder_nobody_may_write(home):
    step = checkpoint(home / "tiny" / "step_1")
    kept = home / "assay-out" / "checkpoints" / "tiny" / "step_1"
    put(kept, perplexity(40.0, path="tiny/step_1"))
    assert api.select(["tiny"]).selection.selected == "tiny/step_1"
    assert not (step / REPORT).exists()


def test_of_two_reports_the_newer_one_counts(home):
    old, new = "2026-02-08T12:34:56Z", "2026-02-09T00:00:00Z"
    kept = home / "assay-out" / "checkpoints" / "tiny" / "step_1"
    step = home / "tiny" / "step_1"
    checkpoint(step, perplexity(60.0, timestamp=old))
    put(kept, perplexity(40.0, path="tiny/step_1", timestamp=new))
    assert api.select(["tiny"]).selection.selected == "tiny/step_1"
    put(step, perplexity(60.0, timestamp="2026-02-10T00:00:00Z"))
    assert api.select(["tiny"]).selection.selected is None


def test_a_report_of_another_folder_of_that_name_is_not_used(home):
    checkpoint(home / "tiny" / "step_1")
    checkpoint(home / "tiny" / "step_2", perplexity(45.0))
    kept = home / "assay-out" / "checkpoints" / "tiny" / "step_1"
    put(kept, perplexity(30.0, path="other/tiny/step_1"))
    selected = api.select(["tiny"])
    assert selected.selection.selected == "tiny/step_2"
    assert [each.name for each in selected.not_evaluated] == ["tiny/step_1"]


def test_a_renamed_folder_goes_by_its_new_name(home):
    checkpoint(home / "renamed" / "step_7", perplexity(40.0, "tiny/step_100"))
    selected = api.select(["renamed"])
    assert selected.selection.selected == "renamed/step_7"
    assert selected.decision.measured[0].step == 7.0


# ------------------------------------------------------------------------------- what is missing


def test_a_checkpoint_without_a_report_is_named_with_the_command_that_makes_one(tiny, home):
    checkpoint(tiny / "step_3000")
    (home / "my gate.toml").write_text("[perplexity]\nmax = 50\n")
    selected = api.select(["tiny"], gate=home / "my gate.toml", out=home / "out")
    assert selected.selection.selected == "tiny/step_2000"
    (missing,) = selected.not_evaluated
    assert missing.name == "tiny/step_3000"
    assert missing.command == (
        f"assay run tiny/step_3000 --gate '{home / 'my gate.toml'}' --out {home / 'out'}"
    )
    assert "Not evaluated: tiny/step_3000." in read(tiny / SELECTION)["reason"]


def test_where_nothing_was_evaluated_it_is_refused_with_what_to_do(home):
    checkpoint(home / "tiny" / "step_1")
    checkpoint(home / "tiny" / "step_2")
    with pytest.raises(UsageError, match="nothing in tiny was evaluated") as refused:
        api.select(["tiny"])
    assert refused.value.hint == "assay run tiny/step_1\nassay run tiny/step_2"
    assert not (home / "assay-out").exists()


@pytest.mark.parametrize("name", ["nowhere", "empty", "file"])
def test_what_holds_no_checkpoint_is_refused(home, name):
    (home / "empty").mkdir()
    (home / "file").touch()
    with pytest.raises(UsageError, match=name) as refused:
        api.select([name])
    assert refused.value.hint


# -------------------------------------------------------------------------------- what is refused


def test_every_report_that_cannot_be_used_is_named_with_its_key(tiny):
    one = json.loads((tiny / "step_900" / REPORT).read_text())
    one["details"]["speed"]["runs_per_s"][1] = -3
    (tiny / "step_900" / REPORT).write_text(json.dumps(one))
    two = json.loads((tiny / "step_1000" / REPORT).read_text())
    two["perplexity"] = 3.0
    (tiny / "step_1000" / REPORT).write_text(json.dumps(two))
    (tiny / "step_2000" / REPORT).write_text('{"checkpoint": ')
    with pytest.raises(InvalidFiles, match="3 reports") as refused:
        api.select([str(tiny)])
    found = {finding.file: finding.message for finding in refused.value.findings}
    assert "details.speed.runs_per_s.1" in found[str(tiny / "step_900" / REPORT)]
    assert "perplexity is at odds" in found[str(tiny / "step_1000" / REPORT)]
    assert "not valid JSON" in found[str(tiny / "step_2000" / REPORT)]
    assert str(tiny / "step_900") in refused.value.hint
    assert not (tiny / SELECTION).exists()


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"[1]", b"null", b'"text"', b"[" * 5000, b'{"a": NaN}']
)
def test_whatever_stands_in_the_file_it_is_refused_and_never_raises_else(home, content):
    step = checkpoint(home / "tiny" / "step_1")
    (step / REPORT).write_bytes(content)
    with pytest.raises(InvalidFiles) as refused:
        api.select(["tiny"])
    assert refused.value.findings[0].file == os.path.join("tiny", "step_1", REPORT)


def test_a_program_sees_every_mistake_of_a_gate_and_of_the_folder(home):
    Path("bad.toml").write_text("[perplexity]\nmin = 3\n\n[speed]\nmin_tokens_per_s = -1\n")
    with pytest.raises(AssayError) as refused:
        api.select(["nowhere"], gate=Path("bad.toml"))
    told = str(refused.value)
    assert "bad.toml:2:1: -: error: " in told
    assert "bad.toml:5:" in told
    assert "nowhere" in told
    assert "bad.toml:5:" in in_one_line(refused.value)


def test_a_suite_that_no_report_has_is_found_in_the_gate(tiny, home):
    (home / "gate.toml").write_text('[[suite]]\nname = "oss"\nmin = 0.5\n')
    with pytest.raises(InvalidFiles) as refused:
        api.select([str(tiny)], gate=home / "gate.toml")
    (finding,) = refused.value.findings
    assert (finding.line, "did you mean 'os'" in finding.message) == (2, True)


def test_a_suite_that_only_some_reports_have_leaves_the_others_unknown(tiny, home):
    less = replace(perplexity(30.0), suites={"technical": os_suite(1, 2, 3)})
    checkpoint(tiny / "step_3000", less)
    (home / "gate.toml").write_text('[[suite]]\nname = "os"\nmin = 0.5\n')
    selected = api.select([str(tiny)], gate=home / "gate.toml")
    rows = {row.name: row.accepted for row in selected.selection.ranking}
    assert rows["tiny/step_3000"] is None
    assert selected.selection.selected == "tiny/step_2000"


# ------------------------------------------------------------------------------- what is written


def test_a_folder_nobody_may_write_is_a_warning(tiny, home):
    (tiny / SELECTION).mkdir()  # no file takes the place of a folder, also as root
    selected = api.select([str(tiny)])
    assert selected.selection.selected == "tiny/step_2000"
    assert not (tiny / SELECTION).is_file()
    assert (home / "assay-out" / "checkpoints" / "tiny" / SELECTION).is_file()
    assert any("nothing is written beside the weights" in note for note in selected.report.notes)


def test_without_write_back_only_out_is_written(tiny, home):
    api.select([str(tiny)], write_back=False, out=home / "out")
    assert not (tiny / SELECTION).exists()
    assert (home / "out" / "checkpoints" / "tiny" / SELECTION).is_file()
