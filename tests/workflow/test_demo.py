"""`assay demo`: what it shows, and that it leaves nothing behind."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess

import pytest

from assay.workflow.commands.demo import STOPPED_AFTER
from tests.conftest import Bench


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    bench = Bench(tmp_path_factory.mktemp("demo"))
    bench.environment["HOME"] = str(bench.folder)
    return bench, bench.assay("demo", "--part", "models")


def test_the_demo_is_done_offline_and_writes_under_its_folder_only(demo):
    bench, done = demo
    assert done.returncode == 0, done.stderr
    assert [path.name for path in bench.folder.iterdir()] == ["out"]
    assert {path.name for path in bench.out.iterdir()} == {"assay.db", "demo", "runs"}


def test_the_run_is_stopped_while_the_first_model_is_asked_and_continued(demo):
    _, done = demo
    stopped = int(re.search(r"stopped on purpose after (\d+) answers", done.stderr).group(1))
    assert STOPPED_AFTER <= stopped < 41
    assert f"start, {stopped}/41" in done.stderr
    assert "good.json: done, 41/41" in done.stderr


def test_models_are_compared_and_ranked_and_the_next_steps_are_named(demo):
    bench, done = demo
    (ranking,) = bench.document("leaderboard")["suites"]
    assert len(ranking["rows"]) == 3
    assert ranking["rows"][0]["model"].endswith("good.json")
    assert re.search(r"^\$ assay compare ", done.stdout, re.MULTILINE)
    assert re.search(r"^assay doctor ", done.stdout, re.MULTILINE)


def test_the_demo_says_what_assay_is_where_a_shell_would_not_find_it(bench):
    bench.environment["PATH"] = ""
    done = bench.assay("demo", "--part", "models")
    (command,) = re.findall(r"^assay here is (.+)", done.stdout, re.MULTILINE)
    words = [*shlex.split(command), "--version"]
    shown = subprocess.run(words, capture_output=True, text=True, check=True, cwd=bench.folder)
    assert "0." in shown.stdout


def test_a_demo_that_is_stopped_says_how_to_go_on(bench):
    process = bench.start("demo", "--part", "models")
    before = ""
    while "same command continues" not in before:
        before += process.stderr.readline()
    while "start, " not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate()
    assert process.returncode == 130
    assert "continue with: assay run scripted:" in stderr
