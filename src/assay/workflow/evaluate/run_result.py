"""A finished run as Python programs and notebooks see it: a short repr and a table."""

from __future__ import annotations

from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.messages import tr
from assay.reports.json_documents import run_json
from assay.text.number_format import figure
from assay.types.results import Report

if TYPE_CHECKING:
    import pandas

COLUMNS = ("model", "suite", "id", "category", "outcome", "score", "answer", "extracted")


class RunResult(Report):
    """A Report that shows itself."""

    __slots__ = ()

    @classmethod
    def of(cls, report: Report) -> RunResult:
        return cls(**{each.name: getattr(report, each.name) for each in fields(Report)})

    def __repr__(self) -> str:
        scores = "; ".join(f"{model}, {suite}: {score}" for model, suite, score in self._scores())
        return f"<Assay run {self.run}: {scores or 'no suites'}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._scores()
        )
        head = "".join(f"<th>{name}</th>" for name in ("model", "suite", "score (95 % interval)"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay run --json` prints."""
        return dict(run_json(self))

    def to_pandas(self) -> pandas.DataFrame:
        """One row per model and test."""
        try:
            import pandas
        except ImportError as error:
            raise UsageError(tr("to_pandas needs pandas"), hint=tr("pip install pandas")) from error
        rows = [
            {"model": model["model"], "suite": suite["suite"], **test}
            for model in self.to_dict()["models"]
            for suite in model["suites"]
            for test in suite["tests"]
        ]
        known = list(dict.fromkeys((*COLUMNS, *(key for row in rows for key in row))))
        return pandas.DataFrame(rows, columns=known)

    def _scores(self) -> list[tuple[str, str, str]]:
        return [
            (model.spec, suite.suite, figure(suite.score))
            for model in self.models
            for suite in model.suites
        ]
