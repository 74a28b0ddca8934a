"""A gate with sample prompts and terms of its own: asked, examined, and three figures of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import assay
from assay.reports.checkpoints.samples import samples_block
from assay.stats.samples import shares_of
from assay.types import Health, HealthCheck
from assay.types.decisions import Measurements, Sample
from assay.types.documents import Paragraph, plain_text
from tests.conftest import Bench, word_tests
from tests.models.local.checkpoints import make_checkpoint

LAW = [
    {"id": "lease", "prompt": "A lease is", "subject": [["lease", "contract"]],
     "ticks": [{"name": "parties", "kind": "words", "words": [["tenant"], ["landlord"]]}]},
    {"id": "appeal", "prompt": "An appeal begins when", "subject": ["appeal"]},
]  # fmt: skip
GATE = '[generation]\nmax_failures = 2\nsamples = "own/samples.json"\nterms = "own/terms.txt"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "samples.json").write_text(json.dumps(LAW))
    (tmp_path / "own" / "terms.txt").write_text("# of law\ntenant landlord lease\n")
    (tmp_path / "gate.toml").write_text(GATE)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "word.json").write_text(json.dumps(word_tests(1)))
    return tmp_path


def generation(bench: Bench, *words: str) -> dict[str, Any]:
    document = bench.document("run", *words)
    report = json.loads(Path(document["models"][0]["report"]).read_text("utf-8"))
    found: dict[str, Any] = report["details"]["generation"]
    return found


def test_own_prompts_are_asked_beside_a_gate_and_have_three_figures(folder: Path) -> None:
    bench = Bench(folder)
    checkpoint = make_checkpoint(folder / "run" / "step_1", seed=1)
    words = (str(checkpoint), "-s", str(folder / "tests"), "--gate", str(folder / "gate.toml"))
    found = generation(bench, *words)
    assert {each["id"] for each in found["samples"]} == {"lease", "appeal"}
    assert {each["temperature"] for each in found["samples"]} == {0.0, 0.3}
    for name, n in (("coherent", 2), ("relevant", 2), ("technically_right", 1)):
        share = found[name]
        assert share["n"] == n, name
        assert 0 <= share["low"] <= share["value"] <= share["high"] <= 1
    assert "likelihood over other prompts" in found["relevant"]["method"]
    assert all(isinstance(each["margin"], float) for each in found["samples"] if each["text"])
    told = bench.assay("report", "latest", "-v").stdout
    assert "technically right" in " ".join(told.split())
    again = folder / "own" / "samples.json"
    again.write_text(json.dumps([{**LAW[0], "prompt": "A tenancy is"}, LAW[1]]))
    assert {each["prompt"] for each in generation(bench, *words)["samples"]} == {
        "A tenancy is",
        "An appeal begins when",
    }


def test_a_text_of_a_served_model_has_terms_of_the_gate_and_ticks_of_its_prompt(
    folder: Path,
) -> None:
    bench = Bench(folder)
    said = "A lease binds the landlord and the tenant because both of them have agreed to it."
    model = bench.script("model", default=said)
    words = ("-s", str(folder / "tests"), "--gate", str(folder / "gate.toml"))
    bench.document("run", model, *words)
    measured = assay.report("latest", out=bench.out).decision.measured[0]
    checks = {each.name: each.passed for each in measured.samples[0].health.checks}
    assert checks["technical_terms"] is True
    assert checks["accuracy"] is True
    shares = shares_of(measured.samples)
    assert (shares["coherent"].value, shares["technically_right"].value) == (1, 1)
    assert (shares["relevant"].value, shares["relevant"].unscored) == (None, 2)
    (folder / "gate.toml").write_text(GATE.replace('terms = "own/terms.txt"\n', ""))
    bench.document("run", model, *words)
    measured = assay.report("latest", out=bench.out).decision.measured[0]
    assert measured.samples[0].health.named("technical_terms").passed is None


@pytest.mark.parametrize(
    ("samples", "mistake"),
    [
        ("[]", "is empty"),
        ('[{"id": "a", "prompt": "x", "subjct": []}]', "unknown key 'subjct'"),
        ('[{"id": "a", "prompt": "x"}, {"id": "a", "prompt": "y"}]', "another sample has this id"),
        ('[{"id": "a", "prompt": "x", "ticks": [{"name": "t", "kind": "words"}]}]',
         "the kind 'words' needs 'words'"),
        ('[{"id": "a", "prompt": "x", "ticks": [{"name": "t", "kind": "syntax", "words": ["b"]}]}]',
         "the kind 'syntax' has no 'words'"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_samples_is_found_with_its_place_before_anything_is_asked(
    folder: Path, samples: str, mistake: str
) -> None:
    file = folder / "own" / "samples.json"
    file.write_text(samples)
    done = Bench(folder).assay("validate", str(folder / "gate.toml"))
    assert done.returncode == 2
    assert f"{file}:1:" in done.stdout
    assert mistake in done.stdout
    refused = Bench(folder).assay(
        "run",
        "scripted:none.json",
        "-s",
        str(folder / "tests"),
        "--gate",
        str(folder / "gate.toml"),
    )
    assert refused.returncode == 2
    assert "samples.json" in refused.stderr


def test_a_file_that_is_not_there_is_a_mistake_of_the_gate(folder: Path) -> None:
    (folder / "own" / "terms.txt").unlink()
    done = Bench(folder).assay("validate", str(folder / "gate.toml"))
    assert "own/terms.txt:1:1: -: error: there is no such file" in done.stdout


def test_a_new_suite_with_samples_is_valid_and_so_is_its_gate(folder: Path) -> None:
    bench = Bench(folder)
    done = bench.assay("new-suite", "law", "--samples")
    assert done.returncode == 0
    assert "--gate law/generation/gate.toml" in done.stderr
    checked = bench.assay("validate", "law", "law/generation/gate.toml")
    assert (checked.returncode, checked.stdout) == (0, "")
    written = json.loads((folder / "law" / "generation" / "samples.json").read_text())
    schema = Draft202012Validator(assay.schema("samples"))
    assert schema.is_valid(written)
    assert schema.is_valid(LAW)
    assert not schema.is_valid([{"id": "a"}])


def sample(
    seed: int,
    *,
    prompt: str = "p",
    margin: float | None = 1.0,
    bad: bool = False,
    sentences: bool = True,
) -> Sample:
    coherent = None if not sentences else not bad
    checks = (
        HealthCheck(name="nonsense", passed=not bad, explanation="", failure=bad),
        HealthCheck(name="coherence", passed=coherent, explanation=""),
        HealthCheck(name="accuracy", passed=None, explanation=""),
    )
    return Sample(
        id=prompt, prompt=prompt, text="x", health=Health(checks=checks), seed=seed, margin=margin
    )


def test_shares_count_prompts_and_a_text_that_fits_another_prompt_better_is_not_relevant() -> None:
    samples = [
        sample(0), sample(1, margin=-0.5), sample(2, bad=True),
        sample(0, prompt="q", margin=None),
    ]  # fmt: skip
    shares = shares_of(samples)
    assert (shares["coherent"].n, shares["relevant"].n) == (2, 1)
    assert shares["coherent"].value == pytest.approx((2 / 3 + 1) / 2)
    assert shares["relevant"].value == pytest.approx(2 / 3)
    assert shares["relevant"].unscored == 1
    assert (shares["technically_right"].n, shares["technically_right"].value) == (0, None)


def test_samples_without_sentences_are_in_no_share_of_coherent_ones_and_are_counted() -> None:
    commands = [sample(seed, prompt="q", sentences=False) for seed in range(3)]
    written = [sample(0), sample(1, bad=True), sample(2, sentences=False), *commands]
    coherent = shares_of(written)["coherent"]
    assert (coherent.value, coherent.n, coherent.unscored) == (0.5, 1, 1)
    looped = sample(3, prompt="r", bad=True, sentences=False)
    assert shares_of([*written, looped])["coherent"].n == 2  # a failure is no open question
    checkpoint = Measurements(name="tiny/1", path="tiny/1", step=1, samples=tuple(written))
    legend = samples_block(checkpoint, long=True).blocks[0]
    assert isinstance(legend, Paragraph)
    text = plain_text(legend.line)
    assert "could not be judged for 4 of 6 samples" in text
    assert "coherent 0.50" in text
