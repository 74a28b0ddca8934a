"""The tiny checkpoints that ship, asked as a user would ask them: one that fails clearly, one near
the limit, the final one. Nothing here is played back; every figure is computed from the weights.

Figures in comments were measured on two cores in fp32; other processors round the last digits
differently, which moves a perplexity by far less than the distance to any limit here.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

import assay
from assay import api
from assay.models.local.folder import find_checkpoint
from assay.models.local.model import LocalModel
from assay.models.local.reading import perplexity
from assay.models.local.shipped import SHIPPED, shipped_checkpoints
from assay.models.local.size_class import size_class
from assay.models.settings import LocalSettings
from assay.scorers.health.examine import examine
from assay.suites.samples import load_samples
from assay.types import Answered, Message, ReadText, Request, Sampling, ToAnswer, ToRead, Work

HELD_OUT = Path(assay.__file__).parent / "builtin" / "texts" / "held_out_english.txt"
README = SHIPPED / "README.md"
CPU = LocalSettings(device="cpu", dtype="float32")
EARLY, NEAR, FINAL = range(3)
LIMIT = 50  # perplexity of the size class tiny at the gate
CUT = 8_000  # characters; all 63,792 take four seconds of one core


def opened(which: int) -> LocalModel:
    path = shipped_checkpoints()[which]
    return LocalModel(path, spec=str(path), settings=CPU)


def request_of(name: str, work: Work) -> Request:
    return Request(id=name, suite="s", test_id=name, turn=0, repeat=0, work=work)


def training_of(which: int) -> dict[str, float]:
    told: dict[str, float] = json.loads(
        (shipped_checkpoints()[which] / "training.json").read_text()
    )
    return told


# ------------------------------------------------------------------------------------- the files


def test_three_checkpoints_ship_in_the_order_of_their_steps() -> None:
    assert [path.name for path in shipped_checkpoints()] == [
        "step_000160", "step_003200", "step_008000",
    ]  # fmt: skip
    assert [training_of(which)["step"] for which in range(3)] == [160, 3200, 8000]


def test_the_three_are_of_one_run() -> None:
    """The same but for what grows with the steps."""
    grown = {"step", "share", "tokens", "loss", "seconds"}
    runs = [{k: v for k, v in training_of(w).items() if k not in grown} for w in range(3)]
    assert runs[EARLY] == runs[NEAR] == runs[FINAL]
    assert [training_of(w)["tokens"] / training_of(w)["step"] for w in range(3)] == [64 * 1024] * 3


def test_a_step_holds_its_weights_and_the_folder_above_the_one_tokenizer() -> None:
    for path in shipped_checkpoints():
        assert {file.name for file in path.iterdir()} == {
            "config.json", "generation_config.json", "model.safetensors", "training.json",
        }  # fmt: skip
        assert find_checkpoint(path).tokenizer_folder == SHIPPED


def test_a_folder_without_checkpoints_has_none(tmp_path: Path) -> None:
    (tmp_path / "step_000001").mkdir()
    assert shipped_checkpoints(tmp_path) == ()


def test_all_are_base_models_of_three_and_a_half_million_parameters() -> None:
    facts = [opened(which).facts for which in range(3)]
    assert [fact.name for fact in facts] == [f"tiny/{path.name}" for path in shipped_checkpoints()]
    assert {fact.parameters for fact in facts} == {3_542_208}
    assert {fact.context_length for fact in facts} == {1024}
    assert {fact.is_chat for fact in facts} == {False}
    assert size_class(3_542_208) == "tiny"
    assert len({fact.fingerprint for fact in facts}) == 3


def test_the_readme_tells_the_true_digests() -> None:
    told = dict(re.findall(r"^\| `(\S+)` \| ([0-9a-f]{64}) \|$", README.read_text(), re.MULTILINE))
    files = [SHIPPED / "tokenizer.json", *SHIPPED.glob("step_*/model.safetensors")]
    assert told == {
        str(file.relative_to(SHIPPED)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


def test_the_weights_were_trained_on_the_corpus_that_is_recorded(root: Path) -> None:
    record = json.loads((root / "examples" / "train_tiny" / "corpus.json").read_text())
    assert f"| corpus | {record['sha256']} |" in README.read_text(), (
        "the corpus was made again: train again, and ship the new checkpoints"
    )


# -------------------------------------------------------------------------------- what they can do


def perplexity_of(which: int, text: str) -> float:
    model = opened(which)
    (reply,) = model.answer([request_of("read", ToRead(text=text))])
    model.close()
    assert isinstance(reply, ReadText)
    found = perplexity(reply.log_likelihood, reply.tokens)
    assert found is not None
    return found


def test_perplexity_is_far_above_the_limit_then_near_it_then_below() -> None:
    text = HELD_OUT.read_text("utf-8")
    early = perplexity_of(EARLY, text[:CUT])
    near, final = perplexity_of(NEAR, text), perplexity_of(FINAL, text)
    assert early > 2 * LIMIT  # 136.68; of the whole text 137.06
    assert LIMIT < near < 1.1 * LIMIT  # 50.38
    assert 0.8 * LIMIT < final < LIMIT  # 46.76


def test_the_final_one_neither_loops_nor_repeats_itself_nor_writes_nonsense() -> None:
    samples = load_samples()
    drawn = Sampling(temperature=0.3, seed=0, max_tokens=160)
    model = opened(FINAL)
    replies = model.answer(
        [
            request_of(s.id, ToAnswer(messages=(Message("user", s.prompt),), sampling=drawn))
            for s in samples
        ]
    )
    written = {reply.request_id: reply for reply in replies}
    model.close()
    assert len(written) == len(samples) == 12
    failures = {}
    for sample in samples:
        reply = written[sample.id]
        assert isinstance(reply, Answered)
        assert reply.text.strip()
        found = examine(sample, reply.text, truncated=reply.truncated).failures
        failures.update({sample.id: found} if found else {})
    assert failures == {}


@pytest.mark.parametrize(
    ("which", "least", "most"),
    [
        pytest.param(EARLY, 0, 30, id="early"),  # 6 points with all 400 tests
        pytest.param(FINAL, 70, 100, id="final"),  # 92
    ],
)
def test_the_final_one_answers_what_the_early_one_cannot(
    which: int, least: float, most: float, tmp_path: Path
) -> None:
    """Ten tests of each category, the same for both."""
    path = shipped_checkpoints()[which]
    report = api.run([str(path)], suites=["os"], out=tmp_path, limit=40, device="cpu")
    (suite,) = report.models[0].suites
    assert {figure.n for figure in suite.categories.values()} == {10}
    assert suite.score.value is not None
    assert least <= suite.score.value <= most
