"""`assay speed --profile`: a table, a picture, and advice that names the part."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.decide.accept import accept
from assay.decide.advice import advise
from assay.reports.checkpoints.facts import advice_texts
from tests.conftest import Bench
from tests.decide.candidates import GATE, candidate, estimate
from tests.models.local.checkpoints import make_checkpoint


def test_a_profile_is_a_table_and_a_picture_and_part_of_the_document(tmp_path: Path) -> None:
    checkpoint = make_checkpoint(tmp_path / "run" / "step_1", seed=1)
    bench = Bench(tmp_path)
    words = ("speed", str(checkpoint), "--context", "0", "--repeats", "1", "--device", "cpu")
    document = bench.document(*words, "--profile")
    (depth,) = document["models"][0]["speed"]
    assert set(depth["profile"]) == {"attention", "mlp", "head", "sampling", "cache", "rest"}
    assert sum(depth["profile"].values()) > 0
    shown = " ".join(bench.assay("report", "latest", "-v").stdout.split())
    assert "Where a token's time goes" in shown
    assert "attention" in shown
    picture = bench.out / "runs" / document["run"] / "reports" / "profile-1.svg"
    assert "<svg" in picture.read_text("utf-8")
    without = bench.document(*words)
    assert without["run"] != document["run"]
    assert "profile" not in without["models"][0]["speed"][0]


def test_a_model_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    done = Bench(tmp_path).assay("speed", "ollama:small", "--profile")
    assert done.returncode == 2
    assert "--profile is for checkpoints" in done.stderr


def test_the_advice_for_a_slow_model_names_the_part() -> None:
    slow = candidate()
    assert slow.speed is not None
    spent = {"attention": 0.1, "mlp": 0.2, "head": 0.6, "sampling": 0.0, "cache": 0.0, "rest": 0.1}
    speed = replace(
        slow.speed,
        tokens_per_s=estimate(4.0, 3.9, 4.1, n=3, unit="tokens/s"),
        details={"profile": {"tokens": 28, "seconds_per_token": spent}},
    )
    slow = replace(slow, speed=speed)
    advice = advise(slow, accept(slow, GATE), None, GATE)
    _, figures = advice_texts(next(each for each in advice if each.concern == "speed"))
    assert any("60 % of a token's time is the head" in each for each in figures)
