"""What the front door offers: models, checkpoints, suites and judges as lines of a list.

In: what was found. Out: Options whose titles stand in columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.api.discovery import CheckpointFound, ModelFound, SuiteFound, read_spec
from assay.interfaces.cli.front_door.questions import Option
from assay.messages import tr, trn
from assay.text.safe_text import one_line

SHOWN_CHECKPOINTS = 5
BETWEEN = "  "
NO_JUDGE = "none"
# Preselected unless tests of the user's own lie here: DESIGN's defaults, as far as they ship.
FOR_SERVED = ("coding", "data")
FOR_CHECKPOINTS = ("os", "technical", "troubleshooting", "mmlu", "hellaswag")


def offered_models(models: Sequence[ModelFound]) -> list[Option]:
    """One line a model: name, size, quantisation, parameters, and whether it fits."""
    able = [model for model in models if not model.why_not and not model.elsewhere]
    usual = next((model for model in able if model.fits == "yes"), None)
    titles = _titles([model for model in models if not model.why_not])
    return [
        _model_option(model, titles.get(model.spec, one_line(model.name)), checked=model is usual)
        for model in models
    ]


def offered_judges(candidates: Sequence[ModelFound]) -> list[Option]:
    """The best candidate first, none at all last."""
    titles = _titles(candidates)
    offered = [_model_option(each, titles[each.spec]) for each in candidates]
    return [*offered, Option(value=NO_JUDGE, title=tr("no judge: score only what checks show"))]


def _model_option(model: ModelFound, title: str, *, checked: bool = False) -> Option:
    return Option(
        value=model.spec,
        title=title,
        checked=checked,
        closed=model.why_not,
        names=(model.name, model.name.removesuffix(":latest")),
    )


def _titles(models: Sequence[ModelFound]) -> dict[str, str]:
    rows = [(one_line(model.name), *model.size_and_fit) for model in models]
    return dict(zip([model.spec for model in models], _in_columns(rows), strict=True))


def _in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines; a column is as wide as its widest cell, and a Chinese character takes two."""
    from rich.cells import cell_len, set_cell_size

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [BETWEEN.join(map(set_cell_size, row, widths)).rstrip() for row in rows]


def offered_checkpoints(checkpoints: Sequence[CheckpointFound]) -> list[Option]:
    """The first few; the others can be typed, as any folder can."""
    shown = [
        Option(
            value=str(found.path),
            title=one_line(str(found.path)),
            closed=found.why_not,
            unchecked=True,
        )
        for found in checkpoints[:SHOWN_CHECKPOINTS]
    ]
    more = len(checkpoints) - len(shown)
    if more > 0:
        title = trn("… and {count} more checkpoint", "… and {count} more checkpoints", more)
        reason = tr("likewise") if shown[0].closed else tr("type the folder of one")
        shown.append(Option(value="", title=title, closed=reason))
    return shown


def offered_suites(found: Sequence[SuiteFound], models: Sequence[str]) -> list[Option]:
    """One line a suite: name, number of tests, title. `models` are the specs that were chosen."""
    usual = _usual_suites(found, models)
    counts = [trn("{count} test", "{count} tests", suite.tests) for suite in found]
    lines = _in_columns(
        [(one_line(each.argument), n, each.title) for each, n in zip(found, counts, strict=True)]
    )
    return [
        Option(
            value=suite.argument,
            title=one_line(suite.argument) if suite.why_not else line,
            checked=suite in usual,
            closed=suite.why_not,
        )
        for suite, line in zip(found, lines, strict=True)
    ]


def _usual_suites(found: Sequence[SuiteFound], models: Sequence[str]) -> list[SuiteFound]:
    """The tests that lie here, else those meant for such models, else the first that ships."""
    kinds = {read_spec(spec).scheme for spec in models}
    meant = FOR_CHECKPOINTS if kinds == {"hf"} else FOR_SERVED
    able = [suite for suite in found if not suite.why_not]
    own = [suite for suite in able if not suite.ships]
    usual = [suite for suite in able if suite.argument in meant]
    example = [suite for suite in able if suite.argument == "example"]
    return own[:1] or usual or example or able[:1]
