"""docs/how-to/add-a-measure.md: both examples run end to end; and how a user's measure fails."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.workflow.commands.demo import SHIPPED
from tests.test_extend_page import Section, end

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "add-a-measure.md"
FAULTY = """
import assay

@assay.measure("divides", unit="x", better="higher")
class Divides:
    def requests(self):
        return [assay.Ask("Hi")]
    def value(self, replies):
        return 1 / 0

@assay.measure("asks_nothing", unit="x", better="higher")
class AsksNothing:
    def requests(self):
        raise RuntimeError("no requests today")
    def value(self, replies):
        return 1.0

@assay.measure("reads", unit="nats", better="lower")
class Reads:
    def requests(self):
        return [assay.Read("Hello")]
    def value(self, replies):
        return 1.0
"""


def page(title: str, folder: Path, **changes: tuple[str, str]) -> Section:
    return Section(title, folder, PAGE, **changes)


def test_the_length_of_answers_is_measured_and_gated(tmp_path):
    document = json.loads(page("Length of answers", tmp_path).run())
    (model,) = document["models"]
    found = model["measurements"]["brevity"]
    assert (found["value"], found["n"], found["unit"]) == (1.5, 2, "words")
    criterion = model["decision"]["criteria"]["brevity"]
    assert (criterion["passed"], criterion["limit"], model["accepted"]) == (True, 20, True)
    again = end(tmp_path, "assay", "report", "--plugin", "brevity.py").stdout
    assert "brevity" in again
    without = json.loads(end(tmp_path, "assay", "report", "--json").stdout)
    assert without["models"][0]["measurements"]["brevity"] == found
    assert any("brevity is shown as it was stored" in note for note in without["notes"])
    assert "brevity" in end(tmp_path, "assay", "report", "-v").stdout
    (tmp_path / "short.toml").write_text("[measure.brevity]\nmax = 1\n")
    strict = ["run", "scripted:greeter.json", "-s", "example", "--gate", "short.toml", "--json"]
    failed = json.loads(end(tmp_path, "assay", *strict, "--plugin", "brevity.py").stdout)
    assert failed["exit_code"] == 1
    assert failed["models"][0]["decision"]["advice"][0].startswith("Train on shorter answers")


def test_several_models_have_it_in_a_column(tmp_path):
    page("Length of answers", tmp_path)
    (tmp_path / "other.json").write_text('{"default": "one two three"}')
    models = ["scripted:greeter.json", "scripted:other.json"]
    shown = end(tmp_path, "assay", "run", *models, "-s", "example", "--limit", "2",
                "--plugin", "brevity.py").stdout  # fmt: skip
    head = next(line for line in shown.splitlines() if "example, points" in line)
    assert "words" in head


def test_a_gate_whose_plugin_is_not_loaded_is_refused(tmp_path):
    page("Length of answers", tmp_path)
    done = end(tmp_path, "assay", "run", "scripted:greeter.json", "-s", "example",
               "--gate", "short.toml")  # fmt: skip
    assert done.returncode == 2
    assert "brevity" in done.stderr
    assert "--plugin" in done.stderr
    schema = json.loads(end(tmp_path, "assay", "schema", "gate").stdout)
    assert schema["properties"]["measure"]["additionalProperties"]["properties"].keys() == {
        "min", "max"
    }  # fmt: skip


def test_failed_requests_leave_it_not_measured_and_end_with_3(tmp_path):
    page("Length of answers", tmp_path)
    (tmp_path / "gone.json").write_text(
        '{"fail": {"measure:brevity:0": "gone"}, "default": "Yes."}'
    )
    done = end(tmp_path, "assay", "run", "scripted:gone.json", "-s", "example", "--limit", "2",
               "--plugin", "brevity.py", "--json")  # fmt: skip
    document = json.loads(done.stdout)
    assert done.returncode == document["exit_code"] == 3
    assert "brevity" not in document["models"][0]["measurements"]


def test_a_mistake_of_the_plugin_is_told_with_its_place_and_costs_nothing_else(tmp_path):
    (tmp_path / "faulty.py").write_text(FAULTY)
    (tmp_path / "yes.json").write_text('{"default": "Yes."}')
    (tmp_path / "gate.toml").write_text("[measure.divides]\nmin = 0\n")
    asked = ["run", "scripted:yes.json", "-s", "example", "--limit", "2", "--json"]
    done = end(tmp_path, "assay", *asked, "--plugin", "faulty.py")
    assert done.returncode == 0
    notes = " ".join(json.loads(done.stdout)["notes"])
    assert "faulty.py:9: ZeroDivisionError" in notes
    assert "faulty.py:14: RuntimeError: no requests today" in notes
    assert "reads was not measured of scripted:yes.json" in notes
    gated = end(tmp_path, "assay", *asked, "--plugin", "faulty.py", "--gate", "gate.toml")
    (model,) = json.loads(gated.stdout)["models"]
    assert gated.returncode == 1
    assert model["decision"]["criteria"]["divides"]["passed"] is None


@pytest.mark.parametrize(
    "line",
    [
        '@assay.measure("two words", unit="x", better="lower")',
        '@assay.measure("a", unit="x", better="smaller")',
        '@assay.measure("perplexity", unit="x", better="lower")',
    ],
)
def test_a_measure_that_cannot_be_used_is_refused_with_its_place(tmp_path, line):
    body = "    def requests(self): return []\n    def value(self, replies): return 0.0\n"
    (tmp_path / "mine.py").write_text(f"import assay\n\n{line}\nclass Mine:\n{body}")
    done = end(tmp_path, "assay", "schema", "gate", "--plugin", "mine.py")
    assert done.returncode == 2
    assert "mine.py:" in done.stderr


def test_the_calibration_error_is_a_column_a_curve_and_a_criterion_of_checkpoints(tmp_path):
    shutil.copytree(SHIPPED, tmp_path / "tiny")
    section = page("Calibration error", tmp_path)
    run, select = (
        line.replace("CHECKPOINTS -s example", "tiny -s example --limit 2").split()[1:]
        for line in section.commands.splitlines()
    )
    shown = end(tmp_path, "assay", *run)
    assert shown.returncode == 1, shown.stderr
    assert "calibration" in shown.stdout
    assert "Fit a temperature on held-out questions" in shown.stdout
    home = tmp_path / "assay-out" / "checkpoints" / "tiny"
    assert "calibration_error_low" in (home / "curves.csv").read_text("utf-8")
    assert "calibration_error" in (home / "over_steps.svg").read_text("utf-8")
    report = json.loads((home / "step_008000" / "evaluation_report.json").read_text("utf-8"))
    assert report["details"]["calibration_error"]["n"] == 4
    chosen = end(tmp_path, "assay", *select, "--json")
    assert chosen.returncode == 1
    (tmp_path / "calibrated.toml").write_text("[measure.calibration_error]\nmax = 0.99\n")
    again = json.loads(end(tmp_path, "assay", *select, "--json").stdout)
    assert again["exit_code"] == 0


def test_another_prompt_of_the_measure_is_another_run_and_is_asked(tmp_path):
    page("Length of answers", tmp_path)
    asked = ["run", "scripted:greeter.json", "-s", "example", "--limit", "2", "--json",
             "--plugin", "brevity.py"]  # fmt: skip
    first = json.loads(end(tmp_path, "assay", *asked).stdout)
    plugin = tmp_path / "brevity.py"
    more = plugin.read_text().replace('assay.Ask("Name a colour.")', 'assay.Ask("Name one.")')
    twice = 'assay.Ask("Say hello."), assay.Ask("Say it again.")'
    plugin.write_text(more.replace('assay.Ask("Say hello.")', twice))
    again = json.loads(end(tmp_path, "assay", *asked).stdout)
    assert again["run"] != first["run"]
    assert again["models"][0]["measurements"]["brevity"]["n"] == 3


def test_the_examples_pass_a_type_checker(tmp_path, root):
    """With the settings and the cache of `make types`, which has read the package."""
    page("Length of answers", tmp_path)
    page("Calibration error", tmp_path)
    files = [str(tmp_path / name) for name in ("brevity.py", "calibration.py")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *files],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
