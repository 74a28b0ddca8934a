"""A run of a part must not take the place of a report on the whole: what is kept, and what not."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from assay import api
from assay.reports.progress import SilentProgress
from assay.store import Store
from assay.types import Estimate
from assay.types.decisions import Measured, SuiteFigures
from assay.workflow.checkpoints.richer_reports import what_is_lacking
from tests.models.local.checkpoints import make_checkpoint
from tests.reports.evaluated_folders import checkpoint

REPORT, SELECTION = "evaluation_report.json", "best_checkpoint_selection.json"


# --------------------------------------------------------------------------------------- the rule


def measured(*, suites: dict[str, int] | None = None, **figures: float) -> Measured:
    """Of the weights abc; `suites`: SUITE/CATEGORY and how many tests were marked."""
    made = replace(checkpoint("run/1", 1, **figures), fingerprint="abc")
    asked: dict[str, dict[str, Estimate]] = {}
    for name, n in (suites or {}).items():
        suite, _, category = name.partition("/")
        share = Estimate(
            value=0.5 if n else None, low=None, high=None, n=n, unscored=0, unit="share", method=""
        )
        asked.setdefault(suite, {})[category] = share
    return replace(
        made,
        suites={
            name: SuiteFigures(score=next(iter(shares.values())), categories=shares, scores={})
            for name, shares in asked.items()
        },
    )


def test_a_figure_that_would_become_null_keeps_the_report() -> None:
    whole = measured(perplexity=40, speed=30, suites={"os/hardware_id": 100})
    assert what_is_lacking(whole, measured(perplexity=40, suites={"os/hardware_id": 100})) == (
        "inference_speed",
        "memory_usage_mb",
    )
    assert what_is_lacking(whole, measured(perplexity=40, speed=30)) == ("os",)
    # something new does not make up for what is lost
    assert "os" in what_is_lacking(whole, measured(suites={"mmlu/computer_science": 90}))


def test_equal_and_richer_ones_take_its_place() -> None:
    whole = measured(perplexity=40, speed=30, suites={"os/hardware_id": 100})
    assert what_is_lacking(whole, whole) == ()
    assert what_is_lacking(measured(suites={"os/hardware_id": 100}), whole) == ()
    assert what_is_lacking(measured(), whole) == ()


def test_own_suites_do_not_stand_in_the_way_of_a_whole_evaluation() -> None:
    own = measured(suites={"mine/word": 5})
    whole = measured(perplexity=40, suites={"os/hardware_id": 100})
    assert what_is_lacking(own, whole) == ()
    assert what_is_lacking(own, measured(suites={"yours/word": 5})) == ()
    # but one that has all of the new one, and more, is kept
    assert what_is_lacking(measured(perplexity=40, suites={"mine/word": 5}),
                           measured(perplexity=40)) == ("mine",)  # fmt: skip


def test_a_part_of_a_suite_is_named() -> None:
    whole = measured(suites={"os/hardware_id": 100, "os/driver_select": 100})
    assert what_is_lacking(whole, measured(suites={"os/hardware_id": 100})) == ("os/driver_select",)
    # a category of which nothing could be marked has no value
    nothing = measured(suites={"os/hardware_id": 100, "os/driver_select": 0})
    assert what_is_lacking(whole, nothing) == ("os/driver_select",)


def test_a_sample_is_poorer_and_a_suite_that_lost_tests_is_not() -> None:
    whole, fewer = measured(suites={"os/hardware_id": 100}), measured(suites={"os/hardware_id": 20})
    assert what_is_lacking(whole, fewer, sampled=True) == ("os/hardware_id (20 of 100 tests)",)
    assert what_is_lacking(whole, fewer, sampled=False) == ()
    assert what_is_lacking(fewer, whole, sampled=True) == ()


def test_a_report_on_another_text_is_never_kept() -> None:
    whole = measured(perplexity=40, speed=30)
    same_text = measured(perplexity=45)
    assert same_text.text is not None
    assert what_is_lacking(whole, same_text)
    other_text = replace(same_text, text=replace(same_text.text, text="another"))
    assert what_is_lacking(whole, other_text) == ()


def test_a_report_of_other_weights_is_never_kept() -> None:
    whole = measured(perplexity=40, speed=30)
    assert what_is_lacking(whole, replace(measured(), fingerprint="def")) == ()
    assert (
        what_is_lacking(replace(whole, fingerprint=""), replace(measured(), fingerprint="")) == ()
    )


# ------------------------------------------------------------------------------------------- runs


class Hearing(SilentProgress):
    """Keeps the notes."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def note(self, sentence: str) -> None:
        self.heard.append(sentence)

    @property
    def kept(self) -> list[str]:
        return [note for note in self.heard if note.startswith("kept as")]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder with two steps that was evaluated; a text and a suite."""
    home = tmp_path_factory.mktemp("made")
    for number, step in enumerate(("step_1", "step_2")):
        make_checkpoint(home / "run" / step, seed=number)
    (home / "held_out.txt").write_text("The driver of the network card. " * 60)
    (home / "tests").mkdir()
    tests = [
        {
            "id": f"pick_{n:03d}",
            "prompt": f"Which of these lies in garden {n}?",
            "eval_method": "multiple_choice",
            "choices": ["the ball", "the machine"],
            "expected": "AB"[n % 2],
        }
        for n in range(1, 6)
    ]
    (home / "tests" / "pick.json").write_text(json.dumps(tests))
    (home / "gate.toml").write_text("[perplexity]\nmax = 1e8\n")
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "work")
    return tmp_path / "work"


def run(home: Path, *models: str, **changes):
    """All of it, unless told otherwise; the notes beside the report."""
    hearing = Hearing()
    settings = {"suites": [str(home / "tests")], "text": home / "held_out.txt"}
    settings |= {"measures": ("perplexity",), "gate": home / "gate.toml", "out": home / "out"}
    models = models or (str(home / "run" / "step_1"),)
    return api.run(models, observer=hearing, **(settings | changes)), hearing


SUITE_ALONE = {"measures": None, "gate": None, "text": None}


def files_of(home: Path) -> tuple[Path, Path]:
    """The report under out, and the one beside the weights."""
    return home / "out/checkpoints/run/step_1" / REPORT, home / "run/step_1" / REPORT


def replies_in(home: Path) -> int:
    with Store(home / "out", read_only=True) as store:
        return sum(store.count_replies(run) for run in store.runs())


def test_suites_alone_leave_the_whole_report_as_it_is_and_say_so(home: Path) -> None:
    """Beside the weights; under out lies what this run found."""
    run(home)
    own, beside = files_of(home)
    before = beside.read_bytes()
    report, hearing = run(home, **SUITE_ALONE)
    assert report.exit_code == 0
    assert beside.read_bytes() == before
    assert report.models[0].report == str(own)
    assert json.loads(own.read_text())["perplexity"] is None
    (note,) = hearing.kept
    assert str(beside) in note
    assert str(own) not in note
    assert "perplexity, accuracy_top1, accuracy_top5." in note
    assert f"This run's figures are in {home / 'out' / 'checkpoints'}." in note
    assert "delete it and give the same command again" in note


def verdict_in(file: Path) -> tuple[bool | None, list[str]]:
    found = json.loads(file.read_text())["details"]["acceptance"]
    return found["accepted"], list(found["criteria"])


def test_a_report_by_another_gate_is_never_kept(home: Path) -> None:
    """It would say accepted where this run says not."""
    (home / "two.toml").write_text(
        '[perplexity]\nmax = 1e8\n\n[[suite]]\nname = "tests"\nmin = 0\n'
    )
    (home / "strict.toml").write_text("[perplexity]\nmax = 1.5\n")
    first, _ = run(home, gate=home / "two.toml", measures=("perplexity", "generation"))
    report, hearing = run(home, gate=home / "strict.toml")
    assert (first.models[0].accepted, report.models[0].accepted) == (True, False)
    assert not hearing.kept
    for file in files_of(home):
        assert verdict_in(file) == (False, ["perplexity"])
    assert report.models[0].report == str(files_of(home)[0])


def test_a_report_by_the_same_gate_is_kept_wherever_the_gate_lies(home: Path) -> None:
    run(home, measures=("perplexity", "generation"))
    shutil.copy(home / "gate.toml", home / "again.toml")
    report, hearing = run(home, gate=home / "again.toml")
    assert report.models[0].accepted is True
    (note,) = hearing.kept
    assert "generation" in note
    own, beside = files_of(home)
    assert verdict_in(own) == verdict_in(beside) == (True, ["perplexity"])
    assert json.loads(own.read_text())["details"]["generation"] is None
    assert json.loads(beside.read_text())["details"]["generation"] is not None


@pytest.mark.parametrize(
    "damage",
    [
        lambda said: said.update(accepted=False),
        lambda said: said.update(criteria=None),
        lambda said: said["criteria"]["perplexity"].update(limit="1e8"),
        lambda said: said["criteria"]["perplexity"].pop("value"),
        lambda said: said.clear(),
    ],
)
def test_a_verdict_that_the_gate_would_not_give_is_not_kept(home: Path, damage) -> None:
    run(home, measures=("perplexity", "generation"))
    beside = files_of(home)[1]
    document = json.loads(beside.read_text())
    damage(document["details"]["acceptance"])
    beside.write_text(json.dumps(document))
    _, hearing = run(home)
    assert not hearing.kept
    assert verdict_in(beside) == (True, ["perplexity"])


def test_a_report_on_another_text_is_replaced(home: Path) -> None:
    run(home, measures=("perplexity", "generation"))
    (home / "other.txt").write_text("The small dog found a red ball in the garden. " * 40)
    _, hearing = run(home, text=home / "other.txt")
    assert not hearing.kept
    own, beside = files_of(home)
    assert own.read_bytes() == beside.read_bytes()


def test_select_prefers_what_says_more_of_the_same_weights(home: Path) -> None:
    """The report under out is the newer one, and of a part."""
    run(home)
    run(home, **SUITE_ALONE)
    own, beside = files_of(home)
    assert json.loads(own.read_text())["perplexity"] is None
    earlier = json.loads(beside.read_text()) | {"timestamp": "2026-01-01T00:00:00Z"}
    beside.write_text(json.dumps(earlier))
    found = api.select([str(home / "run" / "step_1")], gate=home / "gate.toml", out=home / "out")
    assert found.selection.selected == "run/step_1"
    assert found.selection.ranked_on == ("perplexity",)


def test_what_was_deleted_is_made_again_and_nothing_is_asked_twice(home: Path) -> None:
    run(home)
    run(home, **SUITE_ALONE)
    asked = replies_in(home)
    files_of(home)[1].unlink()
    _, hearing = run(home, **SUITE_ALONE)
    assert not hearing.kept
    assert replies_in(home) == asked
    for file in files_of(home):
        assert json.loads(file.read_text())["perplexity"] is None


def test_the_whole_takes_the_place_of_a_part(home: Path) -> None:
    run(home, **SUITE_ALONE)
    _, hearing = run(home)
    assert not hearing.kept
    for file in files_of(home):
        assert json.loads(file.read_text())["perplexity"] > 1


def test_a_sample_leaves_the_whole_as_it_is(home: Path) -> None:
    run(home)
    before = files_of(home)[1].read_bytes()
    _, hearing = run(home, limit=2)
    assert files_of(home)[1].read_bytes() == before
    assert "tests/pick (2 of 5 tests)" in hearing.kept[0]


def test_other_weights_in_the_same_folder_have_a_report_of_their_own(home: Path) -> None:
    run(home)
    weights = "model.safetensors"
    shutil.copy(home / "run/step_2" / weights, home / "run/step_1" / weights)
    _, hearing = run(home, **SUITE_ALONE)
    assert not hearing.kept
    for file in files_of(home):
        assert json.loads(file.read_text())["perplexity"] is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "[" * 100_000,
        lambda text: "[]",
        lambda text: '{"details": null}',
        lambda text: text.replace('"perplexity":', '"perplexitx":'),
        lambda text: text.replace('"n": ', '"n": -'),
        lambda text: "\ufeff" + text,
    ],
    ids=["empty", "cut", "deep", "list", "null", "misspelt", "negative", "marked"],
)
def test_a_broken_report_is_replaced(home: Path, damage) -> None:
    """What cannot be used must not be kept for what it seems to say."""
    run(home)
    for file in files_of(home):
        file.write_text(damage(file.read_text()))
    _, hearing = run(home, **SUITE_ALONE)
    assert not hearing.kept
    for file in files_of(home):
        assert json.loads(file.read_text())["perplexity"] is None


def test_a_report_that_moved_with_its_weights_counts_and_one_of_another_folder_does_not(
    home: Path,
) -> None:
    run(home)
    shutil.copytree(home / "run", home / "elsewhere" / "run")
    beside = home / "elsewhere/run/step_1" / REPORT
    before = beside.read_bytes()
    _, hearing = run(home, str(beside.parent), **SUITE_ALONE)
    assert beside.read_bytes() == before
    (note,) = hearing.kept
    assert str(beside) in note
    under_out = json.loads(files_of(home)[0].read_text())
    assert under_out["perplexity"] is None
    assert under_out["details"]["model"]["path"] == str(beside.parent)


def test_the_selection_is_over_the_figures_of_this_run(home: Path) -> None:
    """Reports are kept, and the selection is another: it says on what it ranks."""
    (home / "words.toml").write_text('[[suite]]\nname = "tests"\nmin = 0.0\n')
    make_checkpoint(home / "run" / "step_3", seed=3)
    folder = str(home / "run")
    run(home, folder, gate=home / "words.toml")
    before = files_of(home)[1].read_bytes()
    report, hearing = run(home, folder, gate=home / "words.toml", measures=(), text=None)
    (note,) = hearing.kept
    assert "and 1 more" in note
    assert files_of(home)[1].read_bytes() == before
    selection = json.loads((home / "run" / SELECTION).read_text())
    assert selection["gate"].endswith("words.toml")
    assert selection["ranked_on"] == []
    assert report.decision is not None
    assert [each.text for each in report.decision.measured] == [None, None, None]


def test_watching_tells_of_each_kept_report_once(home: Path) -> None:
    run(home, str(home / "run"))
    hearing = Hearing()
    watching = api.watch(
        home / "run",
        suites=[str(home / "tests")],
        gate=home / "gate.toml",
        text=home / "held_out.txt",
        measures=("perplexity",),
        limit=2,
        out=home / "out",
        once=True,
        interval=0.05,
        observer=hearing,
    )
    list(watching)
    assert len(hearing.kept) == 2
    for step, note in zip(("step_1", "step_2"), hearing.kept, strict=True):
        assert str(home / "run" / step / REPORT) in note
        assert "tests/pick (2 of 5 tests)" in note
