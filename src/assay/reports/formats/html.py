"""Documents as one HTML file: every value escaped, no network, no script by its policy."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from assay.messages import tr
from assay.plugins import report_format
from assay.reports.run_report import run_document
from assay.text import number_format as numbers
from assay.text.safe_text import visible
from assay.types import Estimate
from assay.types.documents import Document, Picture, spans
from assay.types.results import Report

CHART_WIDTH = 200  # units of the view box in the template
EDGE = 6  # room for the dot at 0 and at 1
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'  # an SVG inside a page needs none


def render_html(document: Document, *, language: str = "en") -> str:
    return _template().render(document=document, language=language, numbers=numbers, tr=tr)


def render_blocks(document: Document) -> str:
    """Its blocks alone, for a page that has a head and a style of its own."""
    empty = Document(document.title, (), out=document.out)
    nothing = {"headline": None, "rest": (), "contents": (), "matrices": (), "language": "en"}
    named = {"document": empty, "numbers": numbers, "tr": tr, "anchor": lambda _: None, **nothing}
    return str(_template().make_module(named).blocks(document))  # type: ignore[attr-defined]


@report_format("html")
def write_html(report: Report) -> str:
    return render_html(run_document(report))


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "shown": visible, "spans": spans, "drawn": _drawn, "chart": _chart,
        "kind": lambda block: type(block).__name__,
    }  # fmt: skip
    return environment.get_template("page.html.j2")


def _drawn(picture: Picture) -> Markup:
    """SVG of our own, whose texts are escaped already."""
    return Markup(picture.draw().replace(NAMESPACE, "", 1))


def _chart(estimate: Estimate) -> dict[str, str] | None:
    if estimate.unit not in ("share", "points"):
        return None
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    whole = 100.0 if estimate.unit == "points" else 1.0
    places = {"low": estimate.low, "at": estimate.value, "high": estimate.high}
    scale = (CHART_WIDTH - 2 * EDGE) / whole
    return {name: f"{EDGE + place * scale:.1f}" for name, place in places.items()}
