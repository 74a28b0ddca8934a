"""How long `assay speed` will take, and which depths it leaves out."""

from __future__ import annotations

import pytest

from assay.workflow.commands.depth_forecast import DepthPace, ReadPrompt

LONG = " ".join(f"number{n}" for n in range(40))


def test_a_prompt_read_before_says_how_long_a_longer_one_takes():
    pace = DepthPace((ReadPrompt(100, 1.0),), token_s=0.05)
    assert pace.seconds(4000, 64, 3) == pytest.approx(3 * (40 + 2 * 64 * 0.05))


def test_two_prompts_say_how_much_slower_a_model_reads_behind_many_tokens():
    """75 tokens/s over 128, 40 over 4,096, as SmolLM2 on two cores: at 16,384 17 by the line."""
    pace = DepthPace((ReadPrompt(128, 128 / 75), ReadPrompt(4096, 4096 / 40)), token_s=0.0)
    assert 16384 / pace.seconds(16384, 0, 1) == pytest.approx(16.2, abs=0.5)
    cached = DepthPace((ReadPrompt(128, 2.0), ReadPrompt(4096, 4.0)), token_s=0.0)
    assert cached.seconds(8192, 0, 1) == pytest.approx(8.0), "never faster than the longest says"


def test_a_depth_that_takes_long_is_named_and_left_out_unless_it_is_asked_for(bench, ollama_server):
    ollama_server.answers({"*": LONG})
    ollama_server.fault("slow_prefill", times=1, seconds=5.0)
    done = bench.assay("speed", ollama_server.spec())
    said = " ".join(done.stderr.split())
    assert "8,192 tokens would take about" in said
    assert "measured with --context 8192" in said
    assert "take about" in said
    depths = [each["depth"] for each in bench.document("report", "latest")["models"][0]["speed"]]
    assert depths == [0, 4096]
    assert "left out" in bench.assay("report", "latest", "-v").stdout


def test_before_anything_is_known_it_says_so_and_then_the_store_knows(bench, ollama_server):
    ollama_server.answers({"*": LONG})
    words = ["speed", ollama_server.spec(), "--context", "0,1k", "--repeats", "1"]
    first = bench.assay(*words)
    assert "is known after the first depth" in " ".join(first.stderr.split())
    assert "tokens take about" in " ".join(bench.assay(*words, "--fresh").stderr.split())


def test_a_stopped_run_leaves_no_empty_folder(bench, ollama_server):
    """Refused in the middle: nothing was measured, and nothing is left of it."""
    ollama_server.fault("slow_prefill", times=1, seconds=30.0)
    words = ["--context", "0", "--budget", "1s"]
    bench.assay("speed", ollama_server.spec(), *words)
    assert not [*bench.out.glob("runs/*")]
    ollama_server.reset()
    ollama_server.answers({"*": LONG})
    assert bench.assay("speed", ollama_server.spec(), "--context", "0").returncode == 0
    (folder,) = bench.out.glob("runs/*")
    assert (folder / "reports").is_dir()
