"""What the front door offers: models, checkpoints, suites and judges as lines of a list.

In: what was found. Out: Options whose titles stand in columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.api.discovery import CheckpointFound, JudgeCandidate, ModelFound, SuiteFound, read_spec
from assay.interfaces.cli.front_door.lines import padded
from assay.interfaces.cli.front_door.questions import Option
from assay.messages import tr, trn
from assay.text.number_format import memory
from assay.text.safe_text import one_line

SHOWN_CHECKPOINTS = 5
BETWEEN = "  "
NO_JUDGE = "none"
# Preselected unless tests of the user's own lie here: DESIGN's defaults, as far as they ship.
FOR_SERVED = ("coding", "data")
FOR_CHECKPOINTS = ("os", "technical", "troubleshooting", "mmlu", "hellaswag")


def offered_models(models: Sequence[ModelFound]) -> list[Option]:
    """One line a model: name, size, quantisation, parameters, and whether it fits."""
    usual = _usual_model(models)
    can = [model for model in models if not model.why_not]
    titles = dict(zip([model.spec for model in can], _titles(can), strict=True))
    return [
        Option(
            value=model.spec,
            title=titles.get(model.spec, one_line(model.name)),
            checked=model is usual,
            closed=model.why_not,
            names=(model.name, model.name.removesuffix(":latest")),
        )
        for model in models
    ]


def offered_judges(candidates: Sequence[JudgeCandidate]) -> list[Option]:
    """The best candidate first, none at all last; kin of a tested model is labelled."""
    models = [each.model for each in candidates]
    kin = [
        tr("same family as a tested model: {family}", family=", ".join(each.kin))
        if each.kin
        else ""
        for each in candidates
    ]
    offered = [
        Option(
            value=model.spec,
            title=title,
            names=(model.name, model.name.removesuffix(":latest")),
        )
        for model, title in zip(models, _titles(models, kin), strict=True)
    ]
    return [*offered, Option(value=NO_JUDGE, title=tr("no judge: score only what checks show"))]


def _titles(models: Sequence[ModelFound], remarks: Sequence[str] = ()) -> list[str]:
    """`remarks`: one more column."""
    shown = [
        padded([one_line(model.name) for model in models]),
        padded([memory(m.size_bytes) if m.size_bytes else "" for m in models], right=True),
        padded([model.quantisation for model in models]),
        padded([model.parameters for model in models]),
        padded([_fit(model) for model in models]),
        *([list(remarks)] if remarks else []),
    ]
    rows = zip(*shown, strict=True)
    return [BETWEEN.join(filter(None, row)).rstrip() for row in rows]


def _usual_model(models: Sequence[ModelFound]) -> ModelFound | None:
    """One that is loaded, else the first that fits: never one that sends questions elsewhere."""
    able = [model for model in models if not model.why_not and not model.elsewhere]
    return next((model for model in able if model.fits == "yes"), None)


def _fit(model: ModelFound) -> str:
    if model.loaded or model.needs_bytes is None or model.fits == "unknown":
        return model.reason
    needs = memory(model.needs_bytes)
    return {
        "yes": tr("fits"),
        "tight": tr("tight: {needs} by estimate", needs=needs),
        "no": tr("too large: {needs} by estimate", needs=needs),
    }[model.fits]


def offered_checkpoints(checkpoints: Sequence[CheckpointFound]) -> list[Option]:
    """The first few; the others can be typed, as any folder can."""
    shown = [
        Option(value=str(found.path), title=one_line(str(found.path)), closed=found.why_not)
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
    names = padded([one_line(suite.argument) for suite in found])
    counts = padded(
        [trn("{count} test", "{count} tests", suite.tests) for suite in found], right=True
    )
    return [
        Option(
            value=suite.argument,
            title=one_line(suite.argument)
            if suite.why_not
            else BETWEEN.join((name, count, suite.title)).rstrip(),
            checked=suite in usual,
            closed=suite.why_not,
        )
        for suite, name, count in zip(found, names, counts, strict=True)
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
