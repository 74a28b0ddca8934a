"""A conversation is shown as it went, with the model's own turns, in every view and export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import assay
from assay.api.rendering import render
from assay.api.viewing import Viewing
from assay.interfaces.web.app import make_app
from assay.interfaces.web.security import Access
from assay.reports.cards.run import run_card
from assay.types.results import Report

OWN = {"calm": "I heard one.", "brief": "Yes?"}  # what each said in between
TURNS = ({"role": "user", "content": "Say one."}, {"role": "user", "content": "Which was it?"})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Two models fail a live conversation; a third one has no score for most tests."""
    folder = tmp_path_factory.mktemp("talks")
    suite = folder / "talks"
    suite.mkdir()
    (suite / "suite.json").write_text(json.dumps({"system": "Be kind."}))
    live = {"id": "talk_001", "messages": TURNS, "live": True}
    easy = [{"id": f"talk_{number:03}", "prompt": f"Say {number}."} for number in range(2, 5)]
    exact = {"eval_method": "exact_match", "expected": "one"}
    (suite / "talk.json").write_text(json.dumps([{**each, **exact} for each in (live, *easy)]))
    for name, said in OWN.items():
        script = {"answers": {"talk_001": [said, "two"]}, "default": "one"}
        (folder / f"{name}.json").write_text(json.dumps(script))
    fails = dict.fromkeys(("talk_001", "talk_002"), "connection reset")
    (folder / "away.json").write_text(json.dumps({"default": "one", "fail": fails}))
    specs = [f"scripted:{folder / name}.json" for name in (*OWN, "away")]
    return assay.run(specs, suites=[str(suite)], out=folder / "out")


@pytest.mark.parametrize("form", ["text", "md"])
def test_a_failure_has_the_turns_before_the_question(run: Report, form: str) -> None:
    shown = " ".join(render(run, form, verbose=True).split())
    assert "System prompt, unless another is shown: Be kind." in shown
    for said in ("user: Say one.", "assistant: I heard one.", "asked: Which was it?"):
        assert said in shown


def test_the_page_has_the_conversation_of_each_model(run: Report) -> None:
    page = render(run, "html")
    for said in OWN.values():
        talk = f"system: Be kind.\n\nuser: Say one.\n\nassistant: {said}\n\nuser: Which was it?"
        assert talk in page


def test_exports_have_the_conversation(run: Report) -> None:
    for form in ("jsonl", "csv"):
        lines = "".join(assay.export(run.run, form=form, out=run.out))  # type: ignore[arg-type]
        for said in OWN.values():
            assert f"assistant: {said}" in lines
    tests = json.loads(render(run, "json"))["models"][0]["suites"][0]["tests"]
    assert [turn["content"] for turn in tests[0]["turns"]] == [
        "Be kind.", "Say one.", "I heard one.", "Which was it?",
    ]  # fmt: skip
    assert "turns" not in tests[1]


def test_the_viewer_shows_the_conversation_of_a_sample_and_of_both_sides(run: Report) -> None:
    app = make_app(Viewing(Path(run.out)), Access("127.0.0.1", 80))
    asked = TestClient(app, base_url="http://127.0.0.1")
    own = asked.get(f"/runs/{run.run}/tests/talk_001", params={"in": "talks", "model": 1}).text
    assert "<details><summary>" not in own.partition("Answer</h2>")[0], "nothing is folded"
    assert own.index("Be kind.") < own.index("Say one.") < own.index("Yes?")
    sides = {side: f"{run.run}/{run.models[at].spec}" for at, side in enumerate("ab")}
    both = asked.get("/compare", params={**sides, "suite": "talks", "test": "talk_001"}).text
    assert "I heard one." in both
    assert "Yes?" in both


def test_the_card_says_who_could_not_be_compared(run: Report) -> None:
    said = "away is not compared: 100.0 points on 2 of 4 tests"
    assert run_card(run).caveats[0] == f"{said}."
    assert said in " ".join(render(run).split())
    board = assay.leaderboard(out=run.out)
    assert said in json.loads(render(board, "json"))["headline"]
