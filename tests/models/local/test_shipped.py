"""The tiny checkpoints that ship, as files: one that fails clearly, one near the limit, the final
one. What they can do is in tests/workflow/test_demo_checkpoints.py, which asks them all once.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from assay.models.local.finding import find_checkpoint
from assay.models.local.model import LocalModel
from assay.types.decisions import size_class_of
from assay.types.options import LocalOptions
from assay.workflow.commands.demo import SHIPPED

README = SHIPPED / "README.md"
CPU = LocalOptions(device="cpu", dtype="float32")
EARLY, NEAR, FINAL = range(3)


def shipped_checkpoints() -> list[Path]:
    return sorted(config.parent for config in SHIPPED.glob("step_*/config.json"))


def opened(which: int) -> LocalModel:
    path = shipped_checkpoints()[which]
    return LocalModel(path, spec=str(path), settings=CPU)


def training_of(which: int) -> dict[str, float]:
    told: dict[str, float] = json.loads(
        (shipped_checkpoints()[which] / "training.json").read_text()
    )
    return told


# ------------------------------------------------------------------------------------- the files


def test_three_checkpoints_ship_in_the_order_of_their_steps() -> None:
    assert [path.name for path in shipped_checkpoints()] == [
        "step_000160", "step_005600", "step_008000",
    ]  # fmt: skip
    assert [training_of(which)["step"] for which in range(3)] == [160, 5600, 8000]


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


def test_all_are_base_models_of_three_and_a_half_million_parameters() -> None:
    facts = [opened(which).facts for which in range(3)]
    assert [fact.name for fact in facts] == [f"tiny/{path.name}" for path in shipped_checkpoints()]
    assert {fact.parameters for fact in facts} == {3_542_208}
    assert {fact.context_length for fact in facts} == {1024}
    assert {fact.is_chat for fact in facts} == {False}
    assert size_class_of(3_542_208) == "tiny"
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
