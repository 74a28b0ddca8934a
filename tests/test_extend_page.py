"""docs/how-to/extend.md: every example is complete and runs from a folder outside the package."""

import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from assay.interfaces.cli import load_command
from tests.command_runs import run_assay, run_python

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "extend.md"


class Section:
    """A part of the page: its files, written into a folder, and its commands."""

    def __init__(self, title, folder, page=PAGE, **changes):
        text = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page.read_text("utf-8"), re.M | re.S)[1]
        for old, new in changes.values():
            assert old in text
            text = text.replace(old, new)
        files = re.findall(r"^`(\S+)`:\n\n(`{3,})\w+\n(.*?)^\2$", text, re.M | re.S)
        for name, _, body in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(body, "utf-8")
        (self.commands,) = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
        self.folder = folder

    def run(self):
        """All commands; returns what the last one printed."""
        for line in self.commands.splitlines():
            done = run(self.folder, *line.split())
        return done.stdout


def run(folder, program, *arguments):
    """What ends well."""
    done = end(folder, program, *arguments)
    assert done.returncode == 0, done.stderr
    return done


def end(folder, program, *arguments):
    """What ends, however it ends."""
    assert program in ("assay", "python")
    if program == "assay":
        return run_assay(arguments, folder, os.environ)
    return run_python(arguments, folder, {**os.environ, "PYTHONWARNINGS": "error"})


def test_the_check_scores_answers(tmp_path):
    shown = Section("A check", tmp_path).run()
    assert "50" in shown
    done = run(tmp_path, "assay", "report", "--json", "--plugin", "regex_check.py")
    tests = json.loads(done.stdout)["models"][0]["suites"][0]["tests"]
    assert [row["outcome"] for row in tests] == ["pass", "fail"]


class Yes(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Yes.")

    def log_message(self, *_):
        pass


def test_the_served_model_answers(tmp_path):
    server = HTTPServer(("127.0.0.1", 0), Yes)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        port = ("9000", str(server.server_port))
        Section("A served model", tmp_path, port=port).run()
    finally:
        server.shutdown()
        server.server_close()
    document = json.loads(run(tmp_path, "assay", "report", "--json").stdout)
    assert document["models"][0]["model"] == f"plain:http://127.0.0.1:{server.server_port}/"
    rows = [row for suite in document["models"][0]["suites"] for row in suite["tests"]]
    assert {row["answer"] for row in rows} == {"Yes."}


def test_the_home_made_model_is_measured_and_the_better_step_selected(tmp_path):
    pytest.importorskip("torch")
    Section("A home-made PyTorch model", tmp_path).run()
    home = tmp_path / "assay-out" / "checkpoints" / "mine"
    figures = {
        step: json.loads((home / step / "evaluation_report.json").read_text())
        for step in ("step_10", "step_150")
    }
    assert figures["step_150"]["perplexity"] < figures["step_10"]["perplexity"] < 300
    assert figures["step_10"]["inference_speed"] is None
    selection = json.loads((home / "best_checkpoint_selection.json").read_text())
    assert selection["selected"] == "mine/step_150"


def test_the_format_is_written(tmp_path):
    (tmp_path / "answers.json").write_text('{"default": "Yes."}')
    run(tmp_path, "assay", "run", "scripted:answers.json", "-s", "example")
    shown = Section("A format", tmp_path).run()
    assert re.fullmatch(r"scripted:answers.json\texample\t[\d.]+\n?", shown)


# -------------------------------------------------------------------------- what the page promises


def test_a_mistake_in_a_plugin_ends_a_command_with_its_place(tmp_path):
    (tmp_path / "wrong.py").write_text("import assay\n\nassay.no_such_name\n")
    done = end(tmp_path, "assay", "schema", "--plugin", "wrong.py")
    assert done.returncode == 2
    assert f"{tmp_path}/wrong.py:3: AttributeError" in done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "run",
        "ask",
        "watch",
        "judge",
        "rescore",
        "report",
        "validate",
        "schema",
        "suites",
        "select",
        "compare",
        "loop",
    ],
)
def test_every_command_that_loads_tests_or_models_takes_plugins(name):
    assert any("--plugin" in parameter.opts for parameter in load_command(name).params)


def test_plugins_are_part_of_the_command_that_repeats_a_run(tmp_path):
    section = Section("A served model", tmp_path)
    (tmp_path / "plain_server.py").write_text(
        (tmp_path / "plain_server.py").read_text().replace("urllib.request.urlopen", "_gone")
    )
    done = end(tmp_path, *section.commands.split(), "--json")
    assert done.returncode == 3  # every request failed, and the run ended all the same
    rows = json.loads(done.stdout)["models"][0]["suites"][0]["tests"]
    assert {row["outcome"] for row in rows} == {"failed"}
    assert "NameError" in rows[0]["explanation"]
    text = run(tmp_path, "assay", "report").stdout
    assert "--plugin plain_server.py" in text
