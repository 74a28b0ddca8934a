"""A folder of checkpoints to a decision: real checkpoints, small ones; faults; what is left."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from assay import api
from assay.errors import AssayError, Interrupted, InvalidFiles, ModelUnavailable
from assay.models.local.model import LocalModel, _loaded
from assay.reports.json_documents import run_json
from assay.reports.progress import PlainProgress, SilentProgress
from assay.types import Reply
from tests.conftest import word_tests
from tests.models.local.checkpoints import make_checkpoint
from tests.models.local.hostile import HOSTILE

ANYTHING = "[perplexity]\nmax = 1e8\n"
NOTHING = "[perplexity]\nmax = 1.01\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder with two steps, a text and a suite."""
    home = tmp_path_factory.mktemp("made")
    for number, step in enumerate(("step_900", "step_1000")):
        make_checkpoint(home / "run" / step, seed=number, with_tokenizer=number == 0)
    shutil.copy(home / "run" / "step_900" / "tokenizer.json", home / "run")
    shutil.copy(home / "run" / "step_900" / "tokenizer_config.json", home / "run")
    (home / "held_out.txt").write_text("The driver of the network card. " * 60)
    (home / "tests").mkdir()
    (home / "tests" / "word.json").write_text(json.dumps(word_tests(5)))
    (home / "anything.toml").write_text(ANYTHING)
    (home / "nothing.toml").write_text(NOTHING)
    return home


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "work")
    return tmp_path / "work"


def run(folder: Path, *models: str, gate: str | None = "anything.toml", **more):
    settings = {"suites": [str(folder / "tests")], "text": folder / "held_out.txt"}
    settings |= {"out": folder / "out", "measures": ("perplexity",)}
    settings |= {"gate": folder / gate if gate else None} | more
    return api.run(models or [str(folder / "run")], **settings)


class Hearing(SilentProgress):
    """Listens to what is told on the way, counts replies, and may stop the run after some."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.replies: Counter[str] = Counter()
        self.stops_at = 0

    def replied(self, spec: str, reply: Reply, score: object) -> None:
        self.replies[reply.request_id] += 1
        if sum(self.replies.values()) == self.stops_at:
            raise KeyboardInterrupt

    def note(self, sentence: str) -> None:
        self.heard.append(sentence)


def test_every_step_is_evaluated_in_order_and_the_best_that_passes_is_selected(
    folder: Path,
) -> None:
    report = run(folder, measures=("perplexity", "generation"))
    assert report.exit_code == 0
    assert [Path(model.spec).name for model in report.models] == ["step_900", "step_1000"]
    assert all(model.accepted for model in report.models)
    selection = json.loads((folder / "run" / "best_checkpoint_selection.json").read_text())
    scores = {each["checkpoint"]: each["ranking_score"] for each in selection["ranking"]}
    assert selection["selected"] == max(scores, key=scores.__getitem__)
    assert report.selected is not None
    assert selection["selected"] == f"run/{Path(report.selected).name}"
    for step in ("step_900", "step_1000"):
        beside = (folder / "run" / step / "evaluation_report.json").read_text()
        kept = folder / "out" / "checkpoints" / "run" / step / "evaluation_report.json"
        assert kept.read_text() == beside
        document = json.loads(beside)
        assert document["checkpoint"] == f"run/{step}"
        assert document["perplexity"] > 1
        assert document["mmlu_cs"] is None
        assert document["os_benchmark"]["avg"] is None
        assert document["details"]["generation"]["samples"]


def test_no_number_is_one_pass_of_the_gate(folder: Path) -> None:
    report = run(folder, gate="nothing.toml")
    assert (report.exit_code, report.selected) == (1, None)
    selection = json.loads((folder / "run" / "best_checkpoint_selection.json").read_text())
    assert selection["selected"] is None
    assert selection["best_so_far"] in ("run/step_900", "run/step_1000")
    assert "erplexity" in selection["reason"]


def test_broken_and_hostile_checkpoints_are_reported_and_the_others_go_on(folder: Path) -> None:
    broken = shutil.copytree(folder / "run" / "step_900", folder / "run" / "step_950")
    weights = broken / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:500])
    hostile = {
        "run/step_960": "tokenizer that panics (pieces of length 0)",
        "run/step_970": "template `{{ 'a'*(10**10) }}`",
        "run/step_980": "architecture that is an escape code",
    }
    for checkpoint, name in hostile.items():
        HOSTILE[name][0](shutil.copytree(folder / "run" / "step_900", folder / checkpoint))
    report = run(folder)
    assert report.exit_code == 3
    assert len(report.models) == 2
    selection = json.loads((folder / "run" / "best_checkpoint_selection.json").read_text())
    failed = {each["checkpoint"]: each["failed"] for each in selection["ranking"]}
    assert "model.safetensors" in failed["run/step_950"]
    for checkpoint, name in hostile.items():
        assert re.search(HOSTILE[name][1], failed[checkpoint]), failed[checkpoint]
        assert failed[checkpoint].isprintable()
    assert selection["selected"] in ("run/step_900", "run/step_1000")
    again = api.report("latest", out=folder / "out")
    assert again.exit_code == 3


def test_a_broken_checkpoint_stands_among_the_models_for_programs_and_is_told_of(
    folder: Path,
) -> None:
    broken = shutil.copytree(folder / "run" / "step_900", folder / "run" / "step_950")
    (broken / "model.safetensors").write_bytes(b"no")
    hearing = Hearing()
    report = run(folder, measures=("perplexity",), observer=hearing)
    assert [each for each in hearing.heard if "run/step_950 could not be evaluated" in each]
    assert [each for each in report.notes if "run/step_950 could not be evaluated" in each]
    document = run_json(report)
    assert [Path(each["model"]).name for each in document["models"]] == [
        "step_900",
        "step_950",
        "step_1000",
    ]
    row = document["models"][1]
    assert "model.safetensors" in row.pop("failed")
    spec = str(folder / "run" / "step_950")
    assert row == {"model": spec, "suites": [], "measurements": {}, "report": None} | {
        "accepted": None,
        "decision": None,
        "about": {},
    }
    assert not any("failed" in document["models"][at] for at in (0, 2))


class Removing(Hearing):
    """Something happens to the checkpoints once the first of them has answered."""

    def __init__(self, damage: Callable[[], object]) -> None:
        super().__init__()
        self.damage: Callable[[], object] | None = damage

    def replied(self, *_: object) -> None:
        if self.damage:
            self.damage()
        self.damage = None


def test_a_checkpoint_that_goes_away_after_the_start_fails_alone(folder: Path) -> None:
    gone = folder / "run" / "step_1000"
    hearing = Removing(lambda: shutil.rmtree(gone))
    report = run(folder, measures=("perplexity",), observer=hearing)
    assert report.exit_code == 3
    assert [Path(model.spec).name for model in report.models] == ["step_900"]
    assert report.selected == str(folder / "run" / "step_900")
    (told,) = (each for each in hearing.heard if "step_1000" in each)
    assert told.endswith(f"{gone} has been removed since the run began")
    assert not gone.exists(), "nothing is written where it lay"
    selection = json.loads((folder / "run" / "best_checkpoint_selection.json").read_text())
    assert [each["checkpoint"] for each in selection["ranking"] if each["failed"]] == [
        "run/step_1000"
    ]
    again = api.report("latest", out=folder / "out")
    assert again.exit_code == 3
    assert len(again.models) == 1
    board = api.leaderboard(out=folder / "out")
    assert [row.model for row in board.suites[0].rows] == [str(folder / "run" / "step_900")]


def test_a_checkpoint_that_breaks_after_the_start_fails_alone_and_is_asked_when_mended(
    folder: Path,
) -> None:
    weights = folder / "run" / "step_1000" / "model.safetensors"
    whole = weights.read_bytes()
    report = run(
        folder,
        measures=("perplexity",),
        observer=Removing(lambda: weights.write_bytes(whole[:3000])),
    )
    assert report.exit_code == 3
    assert [each.name for each in report.failed] == ["run/step_1000"]
    assert "cannot be loaded" in report.failed[0].why
    weights.write_bytes(whole)
    mended = run(folder, measures=("perplexity",))
    assert mended.exit_code == 0
    assert len(mended.models) == 2
    assert not mended.failed


def test_a_run_that_was_stopped_after_a_checkpoint_broke_asks_it_again_when_it_is_whole(
    folder: Path,
) -> None:
    make_checkpoint(folder / "run" / "step_1100", seed=5)
    weights = folder / "run" / "step_1000" / "model.safetensors"
    whole = weights.read_bytes()

    class Stopping(Removing):
        def model_started(self, spec: str, *, total: int, reused: int) -> None:
            if spec.endswith("step_1100"):
                raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        run(folder, measures=("perplexity",), observer=Stopping(lambda: weights.write_bytes(b"")))
    stopped = api.report("latest", out=folder / "out")
    assert [each.name for each in stopped.failed] == ["run/step_1000"]
    weights.write_bytes(whole)
    report = run(folder, measures=("perplexity",))
    assert (report.run, report.exit_code) == (stopped.run, 0)
    assert len(report.models) == 3


def test_a_checkpoint_that_was_named_and_goes_away_ends_the_run(folder: Path) -> None:
    first, second = (folder / "run" / step for step in ("step_900", "step_1000"))
    with pytest.raises(ModelUnavailable):
        run(
            folder,
            str(first),
            str(second),
            measures=("perplexity",),
            observer=Removing(lambda: shutil.rmtree(second)),
        )


def test_a_folder_of_which_nothing_is_left_selects_nothing(folder: Path) -> None:
    shutil.rmtree(folder / "run" / "step_1000")

    class Early(Hearing):
        def model_started(self, spec: str, *, total: int, reused: int) -> None:
            shutil.rmtree(spec)
            LocalModel.close(_loaded.owner)

    report = run(folder, measures=("perplexity",), observer=Early())
    assert (report.exit_code, report.selected, report.models) == (3, None, ())


def test_a_broken_checkpoint_that_was_named_is_refused(folder: Path) -> None:
    (folder / "run" / "step_900" / "model.safetensors").write_bytes(b"no")
    with pytest.raises(AssayError, match=r"model\.safetensors"):
        run(folder, str(folder / "run" / "step_900"))
    (folder / "run" / "step_1000" / "model.safetensors").write_bytes(b"no")
    with pytest.raises(AssayError, match="none of the checkpoints"):
        run(folder)
    assert not (folder / "out").exists()


def test_a_checkpoint_named_itself_with_a_gate_fails_or_passes(folder: Path) -> None:
    one = str(folder / "run" / "step_900")
    assert run(folder, one).exit_code == 0
    assert run(folder, one, gate="nothing.toml").exit_code == 1
    assert not (folder / "run" / "best_checkpoint_selection.json").exists()


def test_several_named_singly_are_selected_among_like_a_folder(folder: Path) -> None:
    steps = [str(folder / "run" / step) for step in ("step_900", "step_1000")]
    report = run(folder, *steps)
    kept = folder / "out" / "checkpoints" / "best_checkpoint_selection.json"
    selection = json.loads(kept.read_text())
    document = run_json(report)
    assert report.exit_code == 0
    assert {each["checkpoint"] for each in selection["ranking"]} == {
        "run/step_900",
        "run/step_1000",
    }
    assert selection["selected"] == f"run/{Path(document['selected']).name}"
    assert document["headline"].lower().startswith(f"ship {selection['selected']}")
    assert not (folder / "run" / "best_checkpoint_selection.json").exists()
    page = api.render(report, "md")
    assert "checkpoints/best_checkpoint_selection.json" in page
    inside = json.loads(
        (folder / "out" / "checkpoints" / "best_checkpoint_selection.json").read_text()
    )
    whole = run(folder, out=folder / "whole")
    of_folder = json.loads((folder / "run" / "best_checkpoint_selection.json").read_text())
    assert (inside["selected"], inside["ranking"]) == (of_folder["selected"], of_folder["ranking"])
    assert whole.exit_code == 0


def test_several_named_singly_end_with_1_if_one_is_not_accepted(folder: Path) -> None:
    steps = [str(folder / "run" / step) for step in ("step_900", "step_1000")]
    values = [
        model["measurements"]["perplexity"]["value"]
        for model in run_json(run(folder, *steps))["models"]
    ]
    (folder / "between.toml").write_text(f"[perplexity]\nmax = {sum(values) / 2}\n")
    report = run(folder, *steps, gate="between.toml")
    best = steps[values.index(min(values))]
    assert (report.exit_code, report.selected) == (1, best)
    assert run(folder, gate="between.toml").exit_code == 0, "a folder has one selected"
    without = run(folder, *steps, gate=None, apply_gate=False)
    assert (without.exit_code, without.selected) == (0, None)


def test_the_next_step_of_an_accepted_checkpoint_is_quantising_it(folder: Path) -> None:
    for models in ([], [str(folder / "run" / "step_900")]):
        following = run_json(run(folder, *models))["card"]["next"]
        assert "Quantise run/step_" in following
        assert "assay quants" in following
    refused = run_json(run(folder, gate="nothing.toml"))["card"]["next"]
    assert "assay quants" not in refused


def test_the_default_gate_decides_on_one_named_itself_unless_no_gate_is_asked_for(
    folder: Path,
) -> None:
    one = str(folder / "run" / "step_900")
    (folder / "both.toml").write_text(ANYTHING + "[memory]\nmax_mb = 1000\n")
    only_read = {"measures": ("perplexity",)}
    refused = run(folder, one, gate=None, **only_read)
    (model,) = run_json(refused)["models"]
    assert (refused.exit_code, model["accepted"], refused.selected) == (1, False, None)
    assert model["decision"]["criteria"]["perplexity"]["passed"] is False
    unknown = run(folder, one, gate="both.toml", **only_read)
    assert (unknown.exit_code, unknown.models[0].accepted) == (1, None), "a gate that was named"
    assert run(folder, one, gate=None, measures=()).exit_code == 0, "nothing known, and no gate"
    measured = run(folder, one, gate=None, apply_gate=False, **only_read)
    (model,) = run_json(measured)["models"]
    assert (measured.exit_code, model["accepted"], model["decision"]) == (0, None, None)
    assert model["measurements"]["perplexity"]["value"] is not None
    with pytest.raises(AssayError, match="--no-gate asks for none"):
        run(folder, one, apply_gate=False)


def test_a_suite_without_a_gate_decides_nothing(folder: Path) -> None:
    report = run(folder, gate=None, measures=None, text=None)
    assert (report.exit_code, report.selected) == (0, None)
    document = json.loads(
        (folder / "out/checkpoints/run/step_900/evaluation_report.json").read_text()
    )
    assert document["perplexity"] is None
    assert not (folder / "run" / "best_checkpoint_selection.json").exists()


def test_a_report_has_no_verdict_of_a_gate_that_decides_nothing(folder: Path) -> None:
    report = run(folder, gate=None, measures=None)
    assert [model.accepted for model in report.models] == [None, None]
    kept = folder / "out" / "checkpoints" / "run" / "step_900" / "evaluation_report.json"
    acceptance = json.loads(kept.read_text())["details"]["acceptance"]
    perplexity = acceptance["criteria"]["perplexity"]
    assert perplexity["value"] > perplexity["limit"] == 50
    assert "is not below 50" in perplexity["reason"]
    assert acceptance["accepted"] is None
    assert {each["passed"] for each in acceptance["criteria"].values()} == {None}


def test_a_gate_that_asks_for_what_is_not_asked_is_refused_before_anything(folder: Path) -> None:
    (folder / "odd.toml").write_text('[[suite]]\nname = "testz"\nmin = 0.5\n')
    with pytest.raises(InvalidFiles) as caught:
        run(folder, gate="odd.toml")
    assert "tests" in str(caught.value.findings[0])
    assert not (folder / "out").exists()


def test_any_suite_can_be_what_a_gate_asks_for(folder: Path) -> None:
    (folder / "own.toml").write_text('[[suite]]\nname = "tests"\nmin = 0.0\n')
    report = run(folder, gate="own.toml", measures=None, text=None)
    assert report.decision is not None
    (first, _) = report.decision.acceptances.values()
    assert set(first.criteria) == {"suite:tests"}
    assert report.decision.measured[0].text is None


def test_where_nobody_may_write_the_reports_lie_under_out_alone(folder: Path) -> None:
    for step in ("step_900", "step_1000"):
        (folder / "run" / step / "evaluation_report.json").mkdir()

    hearing = Hearing()
    report = run(folder, observer=hearing)
    assert report.exit_code == 0
    assert sum("beside the weights" in note for note in hearing.heard) == 2
    assert (folder / "out/checkpoints/run/step_900/evaluation_report.json").is_file()


def test_nothing_is_written_back_where_that_is_not_wanted(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (folder / "run").rglob("*")}
    run(folder, write_back=False)
    assert before == {path: path.stat().st_mtime_ns for path in (folder / "run").rglob("*")}
    assert (folder / "out/checkpoints/run/best_checkpoint_selection.json").is_file()


def test_model_folders_have_their_own_selections_and_there_is_one_over_all(folder: Path) -> None:
    shutil.copytree(folder / "run", folder / "models" / "a")
    (folder / "models" / "b").mkdir()
    make_checkpoint(folder / "models" / "b" / "step_10", seed=7)
    report = run(folder, str(folder / "models"))
    assert report.exit_code == 0
    chosen = [
        json.loads((folder / "models" / name / "best_checkpoint_selection.json").read_text())
        for name in ("a", "b", "")
    ]
    assert chosen[0]["selected"].startswith("a/")
    assert chosen[1]["selected"] == "b/step_10"
    assert len(chosen[2]["ranking"]) == 3
    assert report.selected is not None
    assert report.selected.endswith(chosen[2]["selected"])


def test_of_model_folders_named_one_by_one_there_is_a_selection_over_all(folder: Path) -> None:
    other = folder / "other"
    make_checkpoint(other / "step_10", seed=7)
    stale = folder / "out" / "checkpoints" / "best_checkpoint_selection.json"
    stale.parent.mkdir(parents=True)
    stale.write_text("{}")
    report = run(folder, str(folder / "run"), str(other), measures=("perplexity",))
    assert report.exit_code == 0
    overall = json.loads(stale.read_text())
    assert len(overall["ranking"]) == 3
    assert report.selected is not None
    assert report.selected.endswith(overall["selected"])
    nothing = run(
        folder, str(folder / "run"), str(other), gate="nothing.toml", measures=("perplexity",)
    )
    assert (nothing.exit_code, nothing.selected) == (1, None)
    assert json.loads(stale.read_text())["selected"] is None
    make_checkpoint(folder / "models" / "b" / "step_10", seed=8)
    run(folder, str(folder / "models"), str(other), measures=("perplexity",))
    assert len(json.loads(stale.read_text())["ranking"]) == 2
    apart = folder / "models" / "best_checkpoint_selection.json"
    assert not apart.exists(), "not all of them lie there"


def test_one_named_beside_folders_is_no_part_of_their_selection_and_must_pass_itself(
    folder: Path,
) -> None:
    make_checkpoint(folder / "models" / "a" / "step_10", seed=11)
    make_checkpoint(folder / "models" / "b" / "step_10", seed=12)
    single = str(folder / "run" / "step_900")
    report = run(folder, single, str(folder / "models"), measures=("perplexity",))
    assert report.decision is not None
    figures = {
        each.name: each.text.perplexity.value for each in report.decision.measured if each.text
    }
    overall = json.loads((folder / "models" / "best_checkpoint_selection.json").read_text())
    assert {each["checkpoint"] for each in overall["ranking"]} == {"a/step_10", "b/step_10"}
    best, *_, worst = sorted(figures.values())
    assert worst == figures["run/step_900"], "so that the gate below refuses this one"
    (folder / "between.toml").write_text(f"[perplexity]\nmax = {(best + worst) / 2}\n")
    again = run(
        folder, single, str(folder / "models"), gate="between.toml", measures=("perplexity",)
    )
    assert again.selected is not None
    assert (again.models[0].accepted, again.exit_code) == (False, 1)


def test_a_checkpoint_named_beside_its_folder_takes_part_in_its_selection(folder: Path) -> None:
    single, whole = str(folder / "run" / "step_900"), str(folder / "run")
    for models in ((single, whole), (whole, single)):
        report = run(folder, *models, measures=("perplexity",))
        assert report.exit_code == 0
        assert [Path(model.spec).name for model in report.models] == ["step_900", "step_1000"]
        selection = json.loads((folder / "run" / "best_checkpoint_selection.json").read_text())
        assert len(selection["ranking"]) == 2


def test_the_average_of_the_os_tasks_is_among_the_measurements(folder: Path) -> None:
    one = str(make_checkpoint(folder / "run" / "step_900", context=1024))
    report = run(folder, one, gate=None, suites=["os"], measures=(), text=None, limit=8)
    (model,) = report.models
    shares = model.suites[0].categories
    tasks = [shares[name].value for name in ("hardware_id", "driver_select", "command_complete")]
    average = model.measurements["os_benchmark"]
    assert average.value == pytest.approx(sum(tasks) / 3)
    assert average.unit == "share"
    kept = folder / "out" / "checkpoints" / "run" / "step_900" / "evaluation_report.json"
    assert json.loads(kept.read_text())["os_benchmark"]["avg"] == average.value


def test_what_is_measured_is_not_told_to_be_unscored(folder: Path) -> None:
    told = io.StringIO()
    run(folder, observer=PlainProgress(told))
    assert "done, 6/6" in told.getvalue()
    assert "n=5" in told.getvalue()
    assert "unscored" not in told.getvalue()


def test_what_was_stopped_goes_on_and_nothing_is_asked_twice(folder: Path) -> None:
    seen = Hearing()
    seen.stops_at = 8
    with pytest.raises(Interrupted):
        run(folder, observer=seen)
    report = run(folder, observer=seen)
    assert report.exit_code == 0
    assert sum(seen.replies.values()) == 2 * (5 + 1)
    assert set(seen.replies.values()) == {1}
    run(folder, observer=seen)
    assert set(seen.replies.values()) == {1}


def test_token_ids_and_documents_are_read_like_text(folder: Path) -> None:
    lines = [{"text": "The driver of the network card. " * 20}, {"text": "A dog has a ball."}]
    (folder / "held_out.jsonl").write_text("\n".join(map(json.dumps, lines)))
    report = run(folder, text=folder / "held_out.jsonl", measures=("perplexity",))
    assert report.decision is not None
    text = report.decision.measured[0].text
    assert text is not None
    nats = sum(-value for value, _ in text.blocks) / sum(count for _, count in text.blocks)
    assert text.perplexity.value == pytest.approx(2.718281828459045**nats)
    assert text.bits_per_byte is not None


def test_a_final_copy_of_the_last_step_is_a_checkpoint_that_is_not_asked_again(
    folder: Path,
) -> None:
    """Every folder with a config.json is evaluated; a link to one is no second one."""
    for file in (folder / "run" / "step_1000").iterdir():
        shutil.copy(file, folder / "run" / file.name)
    (folder / "run" / "latest").symlink_to("step_1000")
    hearing = Hearing()
    report = run(folder, observer=hearing)
    assert report.exit_code == 0
    assert [Path(model.spec).name for model in report.models] == ["step_900", "step_1000", "run"]
    assert any("run/latest has the same weights as run/step_1000" in each for each in hearing.heard)
    assert set(hearing.replies.values()) == {1}
    _, step, final = report.models
    assert final.suites[0].score == step.suites[0].score
    selection = json.loads((folder / "run" / "best_checkpoint_selection.json").read_text())
    scores = {each["checkpoint"]: each["ranking_score"] for each in selection["ranking"]}
    assert scores["run/final"] == scores["run/step_1000"]


def test_copies_that_are_named_are_models_of_their_own_and_one_named_twice_is_refused(
    folder: Path,
) -> None:
    step, copy = folder / "run" / "step_900", folder / "copy"
    shutil.copytree(step, copy)
    report = run(folder, str(step), str(copy), measures=())
    assert [model.accepted for model in report.models] == [None, None]
    one, other = report.models
    assert one.suites[0].score == other.suites[0].score
    with pytest.raises(AssayError, match="is the same model as"):
        run(folder, str(copy), f"{step}/../../copy", measures=())
