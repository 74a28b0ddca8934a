"""A real judge behind a real server: stories260K under llama.cpp. It knows nothing but children's
stories, so it can judge nothing; it must be asked and read like any other, and never make a score.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import no_hang
from tests.workflow.judged_work import Court, judged_test, rows, verdicts

pytest.importorskip("xllamacpp", reason="the wheel is made for Linux only")

SERVE = """
import os
import sys
from xllamacpp import CommonParams, Server
p = CommonParams()
p.model.path = sys.argv[1]
p.n_ctx = 512
p.cpuparams.n_threads = 1
p.hostnames = ["127.0.0.1"]
p.port = 0
p.chat_template = "{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"
server = Server(p)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)
"""


@pytest.fixture(scope="module")
def judge(shared: Path) -> Iterator[str]:
    """A process of its own: it ends with its standard input, so that it cannot outlive us."""
    model = shared / "models" / "stories260K" / "gguf" / "stories260K-f32.gguf"
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with no_hang():
            address = next((line for line in process.stdout if line.startswith("http")), "")
        assert address, "llama.cpp did not start"
        yield f"openai:stories260K@{address.strip()}/v1"
        process.stdin.close()


@pytest.mark.parametrize(
    ("form", "reason", "why", "exit_code"),
    [
        pytest.param("likelihood", "unreadable", "neither Yes nor No", 0, id="it says neither"),
        pytest.param("reasoned", "failed", "512 tokens", 3, id="its context is too small"),
    ],
)
def test_a_real_judge_that_knows_nothing_gives_no_score(
    tmp_path, judge, form, reason, why, exit_code
):
    court = Court(tmp_path)
    court.model = court.script("brief", default="Lily went to the park and found a big red ball.")
    suite = court.tests(judged_test("own_001", prompt="Tell a story.", checklist=["It ends."]))
    document = court.run(judge, suite=suite, judge_form=form)
    row, verdict = rows(document)["own_001"], verdicts(document)["own_001"]
    assert verdict["judgements"][0]["form"] == form
    assert (row["outcome"], row["score"], verdict["unscored_reason"]) == ("unscored", None, reason)
    assert why in row["explanation"]
    assert document["exit_code"] == exit_code
