"""How many samples end by themselves: counted over replies, gated, shown and read back."""

from __future__ import annotations

import json

import jsonschema
import pytest

from assay import api
from assay.plugins import write_report
from assay.reports.checkpoints.report_shapes import report_schema
from tests.models.local.checkpoints import make_checkpoint


@pytest.mark.parametrize(("ends", "accepted"), [(False, False), (True, True)])
def test_a_model_whose_samples_do_not_end_is_refused_with_advice(tmp_path, ends, accepted) -> None:
    folder = make_checkpoint(tmp_path / "run" / "step_100", seed=3)
    if ends:  # with any token; else a text ends by chance, one in four
        every = {"eos_token_id": list(range(384))}
        (folder / "generation_config.json").write_text(json.dumps(every))
    gate = tmp_path / "gate.toml"
    gate.write_text("[endings]\nmin = 0.5\n")
    report = api.run([str(folder)], suites=[], gate=gate, measures=["generation"], out=tmp_path)
    (model,) = report.models
    assert model.accepted is accepted
    share = model.measurements["endings"]
    assert share.n == 48
    assert share.value == 1 if ends else 0 < share.value < 0.5
    home = tmp_path / "checkpoints" / "run" / "step_100" / "evaluation_report.json"
    document = json.loads(home.read_text("utf-8"))
    jsonschema.validate(document, report_schema())
    advice = " ".join(each["advice"] for each in document["details"]["recommendations"])
    assert ("end-of-text token" in advice) is not ends
    again = api.select([str(tmp_path)], gate=gate)
    assert again.exit_code == (0 if accepted else 1)
    assert "| ended |" in write_report(report, "md")
