"""A folder of checkpoints to a decision: real checkpoints, small ones; faults; what is left."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import ClassVar

import pytest

from assay import api
from assay.errors import AssayError, Interrupted, InvalidFiles
from assay.models.local.model import LocalModel
from assay.reports.progress import SilentProgress
from tests.models.local.checkpoints import make_checkpoint

WITHOUT_SPEED = ("perplexity", "generation")
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
    tests = [
        {
            "id": f"word_{n:03d}",
            "prompt": f"The dog has {n}",
            "eval_method": "keywords",
            "expected_keywords": ["the"],
            "max_tokens": 4,
        }
        for n in range(1, 6)
    ]
    (home / "tests" / "word.json").write_text(json.dumps(tests))
    (home / "anything.toml").write_text(ANYTHING)
    (home / "nothing.toml").write_text(NOTHING)
    return home


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "work")
    return tmp_path / "work"


def run(folder: Path, *models: str, gate: str | None = "anything.toml", **more):
    settings = {"suites": [str(folder / "tests")], "text": folder / "held_out.txt"}
    settings |= {"out": folder / "out", "measures": WITHOUT_SPEED}
    settings |= {"gate": folder / gate if gate else None} | more
    return api.run(models or [str(folder / "run")], **settings)


def test_every_step_is_evaluated_in_order_and_the_best_that_passes_is_selected(
    folder: Path,
) -> None:
    report = run(folder)
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


def test_one_broken_checkpoint_is_reported_and_the_others_go_on(folder: Path) -> None:
    broken = shutil.copytree(folder / "run" / "step_900", folder / "run" / "step_950")
    weights = broken / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:500])
    report = run(folder)
    assert report.exit_code == 3
    assert len(report.models) == 2
    selection = json.loads((folder / "run" / "best_checkpoint_selection.json").read_text())
    failed = {each["checkpoint"]: each["failed"] for each in selection["ranking"]}
    assert "model.safetensors" in failed["run/step_950"]
    assert selection["selected"] in ("run/step_900", "run/step_1000")
    again = api.report("latest", out=folder / "out")
    assert again.exit_code == 3


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


def test_a_suite_without_a_gate_decides_nothing(folder: Path) -> None:
    report = run(folder, gate=None, measures=None, text=None)
    assert (report.exit_code, report.selected) == (0, None)
    document = json.loads(
        (folder / "out/checkpoints/run/step_900/evaluation_report.json").read_text()
    )
    assert document["perplexity"] is None
    assert not (folder / "run" / "best_checkpoint_selection.json").exists()


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
        (folder / "run" / step / ".evaluation_report.json.partial").mkdir()

    class Hearing(SilentProgress):
        heard: ClassVar[list[str]] = []

        def note(self, text: str) -> None:
            self.heard.append(text)

    report = run(folder, observer=Hearing())
    assert report.exit_code == 0
    assert sum("beside the weights" in note for note in Hearing.heard) == 2
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


def test_what_was_stopped_goes_on_and_nothing_is_asked_twice(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()
    answer = LocalModel.answer

    def counting(self, requests):
        for reply in answer(self, requests):
            asked[reply.request_id] += 1
            yield reply

    class Stopping(SilentProgress):
        left = 20

        def replied(self, *_: object) -> None:
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt

    monkeypatch.setattr(LocalModel, "answer", counting)
    with pytest.raises(Interrupted):
        run(folder, observer=Stopping())
    before = sum(asked.values())
    report = run(folder)
    assert report.exit_code == 0
    assert 20 <= before < sum(asked.values()) == 2 * (5 + 1 + 12)
    assert set(asked.values()) == {1}
    run(folder)
    assert set(asked.values()) == {1}


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


def test_a_final_copy_of_the_last_step_is_asked_once(folder: Path) -> None:
    for file in (folder / "run" / "step_1000").iterdir():
        shutil.copy(file, folder / "run" / file.name)

    class Hearing(SilentProgress):
        heard: ClassVar[list[str]] = []

        def note(self, text: str) -> None:
            self.heard.append(text)

    report = run(folder, observer=Hearing())
    assert report.exit_code == 0
    assert [Path(model.spec).name for model in report.models] == ["step_900", "step_1000"]
    assert any("run/final has the same weights as run/step_1000" in each for each in Hearing.heard)
