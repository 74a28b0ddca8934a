"""`assay select` and the schemas of what it reads and writes, as a user meets them."""

from __future__ import annotations

import json

import jsonschema
import pytest
from click.testing import CliRunner

from assay.interfaces.cli import load_command
from tests.workflow.test_selecting import REPORT, SELECTION, checkpoint, perplexity


@pytest.fixture
def tiny(bench):
    """One that fails the default gate, one that passes, one that was not evaluated."""
    folder = bench.folder / "tiny"
    checkpoint(folder / "step_1", perplexity(60.0))
    checkpoint(folder / "step_2", perplexity(40.0))
    checkpoint(folder / "step_3")
    return folder


def test_what_to_ship_is_shown_with_the_gate_and_who_is_missing(bench, tiny):
    done = bench.assay("select", "tiny", COLUMNS="300")
    assert done.returncode == 0, done.stderr
    assert "Ship tiny/step_2." in done.stdout
    assert "perplexity" in done.stdout
    assert "Not evaluated: tiny/step_3." in done.stdout
    plain = " ".join(done.stdout.replace("\\\n", "").split())
    assert f"evaluate tiny/step_3: assay run tiny/step_3 --out {bench.out}" in plain
    assert json.loads((tiny / SELECTION).read_text())["selected"] == "tiny/step_2"


def test_with_json_it_is_one_document_that_begins_as_the_file_does(bench, tiny):
    found = bench.document("select", "tiny")
    assert found["exit_code"] == 0
    assert found["selected"] == "tiny/step_2"
    kept = json.loads((bench.out / "checkpoints" / "tiny" / SELECTION).read_text())
    assert {key: found[key] for key in kept} == kept
    assert found["folders"] == {"tiny": kept}
    at_gate = {each["checkpoint"]: each for each in found["checkpoints"]}
    assert at_gate["tiny/step_1"]["accepted"] is False
    assert at_gate["tiny/step_1"]["criteria"]["perplexity"]["limit"] == 50
    assert at_gate["tiny/step_2"]["path"] == "tiny/step_2"
    assert [each["checkpoint"] for each in found["not_evaluated"]] == ["tiny/step_3"]


def test_where_none_passes_it_ends_with_1(bench, tiny):
    (bench.folder / "gate.toml").write_text("[perplexity]\nmax = 10\n")
    done = bench.assay("select", "tiny", "--gate", "gate.toml", "--no-write-back")
    assert done.returncode == 1
    assert "Ship none: tiny/step_2 comes closest and misses perplexity." in done.stdout
    assert not (tiny / SELECTION).exists()


def test_a_broken_report_ends_with_2_and_is_named(bench, tiny):
    (tiny / "step_1" / REPORT).write_text("{}")
    done = bench.assay("select", "tiny")
    assert done.returncode == 2
    assert f"tiny/step_1/{REPORT}:1:1: -: error: " in done.stderr
    document = bench.document("select", "tiny")
    assert document["exit_code"] == 2
    assert "checkpoint" in document["error"]["message"]


def test_nothing_of_torch_is_loaded(bench, tiny):
    done = bench.assay("select", "tiny", PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "assay.workflow.reporting.decision" in loaded
    assert not {name for name in loaded if name.partition(".")[0] in ("torch", "transformers")}


@pytest.mark.parametrize(
    ("kind", "key"), [("report", "accuracy_top5"), ("selection", "best_so_far")]
)
def test_the_schemas_of_what_is_written_are_printed(kind, key):
    done = CliRunner().invoke(load_command("schema"), [kind], standalone_mode=False)
    schema = json.loads(done.output)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert key in schema["required"]


def test_a_report_meets_the_schema_that_is_printed(bench, tiny):
    schema = json.loads(bench.assay("schema", "report").stdout)
    report = json.loads((tiny / "step_1" / REPORT).read_text())
    jsonschema.validate(report, schema)
    del report["checkpoint"]
    with pytest.raises(jsonschema.ValidationError, match="checkpoint"):
        jsonschema.validate(report, schema)
