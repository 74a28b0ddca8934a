"""Documents of plain values as JSON text."""

import json

from pydantic_core import PydanticSerializationError, to_json

from assay.plugins import report_format
from assay.reports.json_documents import run_json
from assay.types.results import Report


def render_json(document: dict[str, object], *, ascii_only: bool = False) -> str:
    if not ascii_only:
        try:
            # A tenth of the time of json.dumps, whose indenting is not compiled.
            return to_json(document, indent=2, inf_nan_mode="strings").decode()
        except PydanticSerializationError:
            pass  # a lone surrogate in a model's answer; escaped it is valid JSON
    return json.dumps(document, ensure_ascii=True, indent=2, allow_nan=False)


@report_format("json")
def write_json(report: Report) -> str:
    return render_json(run_json(report))
