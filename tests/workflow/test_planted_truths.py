"""Twelve faults planted into the shipped checkpoint: each is named rightly, in one sentence."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from assay import api
from assay.decide.diagnosis import NOT_ALONE
from assay.reports.checkpoints.facts import sentence
from assay.suites.held_out_text import SHIPPED
from assay.types.decisions import FAULT
from tests.conftest import word_tests
from tests.workflow import planted

LETTERS = "ABCD"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short text in documents, two tests of no account, a gate that every perplexity passes."""
    home = tmp_path_factory.mktemp("planted")
    paragraphs = [each for each in SHIPPED.read_text("utf-8").split("\n\n") if len(each) > 400]
    rows = (json.dumps({"text": each[:400]}) for each in paragraphs[:12])
    (home / "text.jsonl").write_text("\n".join(rows))
    (home / "tests").mkdir()
    (home / "tests" / "word.json").write_text(json.dumps(word_tests(2)))
    (home / "anything.toml").write_text("[perplexity]\nmax = 1e8\n")
    return home


def evaluate(home: Path, *models: Path, **more: Any):
    given = {"suites": [str(home / "tests")], "text": home / "text.jsonl", "write_back": False}
    given |= {"measures": ("perplexity",), "gate": home / "anything.toml", "out": home / "out"}
    return api.run(list(map(str, models)), **{**given, **more})


def first_words(report: Any, name: str) -> str:
    """The finding on one checkpoint, which comes before all advice."""
    found = report.decision.advice[name]
    assert found[0].concern == FAULT, found
    if found[0].advice.kind not in NOT_ALONE:
        others = [each for each in found[1:] if each.concern != "missing"]
        assert others == [], "and nothing about data"
    return sentence(found[0].advice)


NAMED = {
    "permuted_tokenizer": "The tokenizer is not the model's: its token ids are not in the order",
    "shifted_tokenizer": "The tokenizer is not the model's: its token ids are off by 1",
    "permuted_head": "its weights, its head and its tokenizer do not belong together",
    "scaled_head": "The head gives numbers that are too large",
    "flattened_head": "The head gives numbers that are too small",
    "doubled_head": "The logits are about 2 times too large: divided by that",
    "tripled_head": "The head gives numbers that are too large",
    "halved_head": "The logits are about 2 times too small: multiplied by that",
    "wrong_rope": "The positions are not those of its training: compare rope_theta",
    "zeros": "It gives every token the same chance",
}


@pytest.fixture(scope="module")
def evaluated(home: Path):
    """All that can be opened, and one in which nothing is wrong."""
    folders = []
    for name in ("nothing", *NAMED):
        folder = planted.copy_step(home / "plants" / name)
        getattr(planted, name, lambda _: None)(folder)
        folders.append(folder)
    return evaluate(home, *folders)


@pytest.mark.parametrize("name", NAMED)
def test_a_checkpoint_that_opens_and_is_broken_is_named(evaluated, name):
    assert NAMED[name] in first_words(evaluated, f"plants/{name}")


def test_nothing_is_said_of_the_one_that_is_whole(evaluated):
    found = evaluated.decision.advice["plants/nothing"]
    assert [each for each in found if each.concern == FAULT] == []


def test_weights_that_cannot_be_used_are_refused_by_name(home):
    said = {
        "nan": "model.embed_tokens.weight that are infinite or not numbers",
        "infinite": "model.layers.3.mlp.up_proj.weight that are infinite or not numbers",
        "missing_head": "the files lack tensors of the model: lm_head.weight",
    }
    folder = home / "refused"
    planted.copy_step(folder / "step_10")
    for number, name in enumerate(said):
        getattr(planted, name)(planted.copy_step(folder / f"{name}_{number}"))
    report = evaluate(home, folder)
    failed = {each.name.split("/")[1]: each.failed for each in report.decision.measured}
    for number, (name, words) in enumerate(said.items()):
        assert words in failed[f"{name}_{number}"]
    assert failed["step_10"] == ""


def test_a_step_that_diverged_is_named_in_its_folder(home):
    folder = home / "steps"
    for step in ("step_000160", "step_005600", "step_008000"):
        planted.copy_step(folder / step, step)
    planted.diverged(planted.copy_step(folder / "step_006000"))
    report = evaluate(home, folder)
    words = first_words(report, "steps/step_006000")
    assert words.startswith("Step 6,000 diverged: held-out nats per token +")
    (selection,) = report.decision.selections.values()
    assert words in [sentence(each) for each in selection.notes]
    assert selection.selected == "steps/step_008000"


def test_overfitting_is_named_with_the_step_to_keep(home):
    """One paragraph by heart: the training loss falls, the held-out loss rises."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    start = planted.copy_step(home / "overfit" / "step_1")
    tokenizer = AutoTokenizer.from_pretrained(start)
    model = AutoModelForCausalLM.from_pretrained(start, dtype=torch.float32)
    last = [each for each in SHIPPED.read_text("utf-8").split("\n\n") if len(each) > 400][-1]
    ids = torch.tensor([tokenizer(last)["input_ids"][:160]])
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-4)
    log = []
    for step in range(2, 41):
        loss = model(ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        log.append({"step": step, "loss": loss.item()})
        if step in (3, 6, 12, 24, 40):
            into = planted.copy_step(home / "overfit" / f"step_{step}")
            model.save_pretrained(into)
            (into / "trainer_state.json").write_text(json.dumps({"log_history": log}))
    report = evaluate(home, home / "overfit")
    name = "overfit/step_40"
    advice = [sentence(each.advice) for each in report.decision.advice[name]]
    assert any(each.startswith("The run overfits since step ") for each in advice)
    assert not any("Train" in each.split()[0] for each in advice)


WORDS = [
    "door",
    "lamp",
    "cable",
    "fan",
    "disk",
    "board",
    "screw",
    "panel",
    "switch",
    "cover",
    "lock",
    "badge",
    "stand",
    "key",
]


def test_fluent_and_wrong_shows_as_suites_at_guessing(home):
    """Facts of no world: nobody can know them."""
    draw = random.Random(2)
    tests = [
        {
            "id": f"invented_{number:03}",
            "prompt": f"Which clan keeps the {draw.choice(WORDS)} of room {number}?",
            "eval_method": "multiple_choice",
            "choices": draw.sample(["Varn", "Ostil", "Mebra", "Quire"], 4),
            "expected": LETTERS[number % 4],
        }
        for number in range(40)
    ]
    suite = home / "invented"
    suite.mkdir()
    (suite / "clans.json").write_text(json.dumps(tests))
    step = planted.copy_step(home / "fluent" / "step_8000")
    report = evaluate(home, step, suites=[str(suite)])
    (one,) = report.decision.advice.values()
    said = [sentence(each.advice) for each in one]
    assert said[0].startswith("It writes the language and knows none of what was asked: invented")
