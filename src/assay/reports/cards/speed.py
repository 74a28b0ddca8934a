"""The card of measured speed: up to which context a model fits, and how fast it is there."""

from collections.abc import Iterator

from assay.messages import labelled, tr, trn
from assay.reports.measured.speed import depth_notes
from assay.reports.sentences import short_names, speed_notes
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types.documents import Card, Line, make_card, one_sentence
from assay.types.results import ModelReport, Report


def speed_card(report: Report, next: Line = "") -> Card:
    names = short_names(report)
    measured = [model for model in report.models if model.depths]
    said = [_fits(names[model.spec], model) for model in measured]
    said = said or [tr("no speed was measured")]
    spills = any(not each.fits or each.why_not for model in measured for each in model.depths)
    return make_card(
        one_line(one_sentence(said, names.values())),
        tone="warning" if spills or not measured else "good",
        reasons=_reasons(measured, names),
        caveats=_caveats(report, names),
        next=next,
    )


def _fits(name: str, model: ModelReport) -> str:
    fitting = [each.depth for each in model.depths if each.fits and not each.why_not]
    if not fitting:
        return tr("{model} could not be measured", model=name)
    gaps = {"model": name, "depth": numbers.count(max(fitting))}
    beyond = next((each for each in model.depths if not each.fits), None)
    if beyond is None:
        return tr("{model} fits up to {depth} tokens, the longest measured", **gaps)
    return tr("{model} fits up to {depth} tokens and not at {beyond}",
              beyond=numbers.count(beyond.depth), **gaps)  # fmt: skip


def _reasons(measured: list[ModelReport], names: dict[str, str]) -> Iterator[str]:
    """At the shortest and the longest context first."""
    for longest in (False, True):
        for model in measured:
            known = [each for each in model.depths if each.decode.n]
            for each in known[-1:] if longest else known[:1]:
                gaps = {"model": names[model.spec], "depth": numbers.count(each.depth)}
                speed = f"{numbers.with_unit(each.decode)} {numbers.ends(each.decode)}"
                yield trn("{model} decodes {speed} at {depth} tokens of context, in {count} try.",
                          "{model} decodes {speed} at {depth} tokens of context, the range of "
                          "{count} tries.", each.decode.n, speed=speed, **gaps)  # fmt: skip
    for model in measured:
        sizes = [each for each in model.depths if each.memory.value is not None]
        for each in sizes[-1:]:
            size = numbers.memory(round((each.memory.value or 0.0) * 1e6))
            yield tr("{model} takes {memory} at {depth} tokens of context.",
                     model=names[model.spec], memory=size,
                     depth=numbers.count(each.depth))  # fmt: skip


def _caveats(report: Report, names: dict[str, str]) -> Iterator[str]:
    for failed in report.failed:
        yield tr("{name} could not be evaluated: {why}", name=failed.name, why=failed.why)
    for model in report.models:
        for note in depth_notes(model.depths):
            yield labelled(names[model.spec], note)
        yield from speed_notes(model)
    yield from report.notes
    yield tr("Holds for this machine, and for what else it was doing.")
