"""evaluation_report.json read back: what was measured, to be judged and ranked again.

In: a document as a JSON reader gives it. Out: the Measured it was made from.

Nothing in it is trusted: whatever is missing, of another kind, out of bounds or at odds with
another figure is refused with the key that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

from assay.errors import InvalidFiles
from assay.messages import tr
from assay.reports.evaluation_report import REPORT_FILE, headline
from assay.types import Estimate, Finding, Health, HealthCheck
from assay.types.decisions import (
    SIZE_CLASSES,
    Measured,
    Sample,
    SizeClass,
    SpeedFigures,
    SuiteFigures,
    TextFigures,
)

T = TypeVar("T")
LARGEST = 1e301  # perplexities are cut at 1e300


class _Place:
    """A value in the document and the keys that lead to it."""

    def __init__(self, value: object, path: str, source: str) -> None:
        self.value, self.path, self.source = value, path, source

    def __getitem__(self, key: str) -> _Place:
        found = self.mapping()
        path = f"{self.path}.{key}" if self.path else key
        if key not in found:
            refuse(self.source, tr("{key} is missing.", key=path))
        return _Place(found[key], path, self.source)

    def wrong(self, wanted: str) -> NoReturn:
        refuse(
            self.source, tr("{key} is not {wanted}.", key=self.path or REPORT_FILE, wanted=wanted)
        )

    def mapping(self) -> Mapping[str, object]:
        if not isinstance(self.value, Mapping):
            self.wrong(tr("an object"))
        return self.value

    def each(self, read: Callable[[_Place], T]) -> dict[str, T]:
        return {name: read(self[name]) for name in self.mapping()}

    def items(self, read: Callable[[_Place], T]) -> tuple[T, ...]:
        if not isinstance(self.value, list):
            self.wrong(tr("a list"))
        places = (
            _Place(item, f"{self.path}[{number}]", self.source)
            for number, item in enumerate(self.value)
        )
        return tuple(read(place) for place in places)

    def maybe(self, read: Callable[[_Place], T]) -> T | None:
        return None if self.value is None else read(self)

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.wrong(tr("a text"))
        return self.value

    def text_or_none(self) -> str:
        return self.maybe(_Place.text) or ""

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            self.wrong(tr("true or false"))
        return self.value

    def number(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.wrong(tr("a number"))
        if not -LARGEST < self.value < LARGEST:  # neither does NaN lie between
            self.wrong(tr("a number of ordinary size"))
        return self.value

    def share(self) -> float:
        number = self.number()
        if not 0 <= number <= 1:
            self.wrong(tr("a number from 0 to 1"))
        return number

    def positive(self) -> float:
        number = self.number()
        if number <= 0:
            self.wrong(tr("a number above 0"))
        return number

    def whole(self, least: int = 0) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < least:
            self.wrong(tr("a whole number from {least}", least=least))
        return self.value


def measured_from(document: object, *, source: str = REPORT_FILE) -> Measured:
    """What was measured. `source` names the file in what is refused."""
    top = _Place(document, "", source)
    details = top["details"]
    model = details["model"]
    measured = Measured(
        name=top["checkpoint"].text(),
        path=model["path"].text(),
        step=model["step"].maybe(_Place.number),
        parameters=model["parameters"].maybe(_Place.whole),
        size_class=model["size_class"].maybe(_size_class),
        fingerprint=model["fingerprint"].text(),
        text=details["text"].maybe(lambda text: _text(text, details)),
        suites=details["suites"].each(_suite),
        mmlu_cs=details["mmlu_cs"].maybe(_share),
        hellaswag=details["hellaswag"].maybe(_share),
        speed=details["speed"].maybe(lambda speed: _speed(speed, details["inference_speed"])),
        memory_mb=details["memory_usage_mb"].maybe(_estimate),
        memory=details["memory"].maybe(_Place.mapping) or {},
        samples=details["generation"].maybe(lambda of: of["samples"].items(_sample)),
        not_measured=details["not_measured"].each(_Place.text),
        training_loss=dict(details["training_loss"].items(_step_and_loss)),
        timestamp=top["timestamp"].text(),
        provenance=details["provenance"].mapping(),
        failed=model["failed"].text_or_none(),
    )
    _same_figures(measured, top)
    return measured


def refuse(source: str, sentence: str) -> NoReturn:
    """Say what is wrong with which file, and what to do."""
    raise InvalidFiles(
        tr("{file} cannot be used: {why}", file=source, why=sentence),
        [Finding(file=source, line=1, column=1, message=sentence)],
        hint=tr("Evaluate the checkpoint again with: assay run"),
    )


def _same_figures(measured: Measured, top: _Place) -> None:
    """A number above that is not the number of its details was changed by hand."""
    for key, value in headline(measured).items():
        if top[key].value != value:
            refuse(top.source, tr("{key} is at odds with details.{key}.", key=key))


# ---------------------------------------------------------------------------------------- the parts


def _text(text: _Place, details: _Place) -> TextFigures:
    return TextFigures(
        perplexity=_perplexity(details["perplexity"]),
        per_word=details["perplexity_per_word"].maybe(_perplexity),
        per_byte=details["perplexity_per_byte"].maybe(_perplexity),
        bits_per_byte=details["bits_per_byte"].maybe(_estimate),
        top1=_share(details["accuracy_top1"]),
        top5=_share(details["accuracy_top5"]),
        blocks=text["blocks"].items(_block),
        text=text["text"].text(),
        tokenizer=text["tokenizer"].text(),
        window=text["window"].maybe(_Place.whole),
        stride=text["stride"].maybe(_Place.whole),
    )


def _block(place: _Place) -> tuple[float, int]:
    pair = place.items(lambda item: item)
    if len(pair) != 2:
        place.wrong(tr("a log-likelihood and a number of tokens"))
    likelihood = pair[0].number()
    if likelihood > 0:
        pair[0].wrong(tr("a log-likelihood, which is at most 0"))
    return likelihood, pair[1].whole(1)


def _suite(place: _Place) -> SuiteFigures:
    return SuiteFigures(
        score=_estimate(place["score"]),
        categories=place["categories"].each(_share),
        scores=place["scores"].each(lambda category: category.each(_Place.share)),
        digest=place["digest"].text(),
    )


def _speed(speed: _Place, estimate: _Place) -> SpeedFigures:
    return SpeedFigures(
        tokens_per_s=_estimate(estimate, _Place.positive),
        runs_per_s=speed["runs_per_s"].items(_Place.positive),
        details={name: of for name, of in speed.mapping().items() if name != "runs_per_s"},
    )


def _sample(place: _Place) -> Sample:
    checks = place["checks"].maybe(lambda of: of.items(_check))
    return Sample(
        id=place["id"].text(),
        prompt=place["prompt"].text(),
        text=place["text"].text(),
        health=None if checks is None else Health(checks=checks),
        failed=place["failed"].text_or_none(),
    )


def _check(place: _Place) -> HealthCheck:
    passed = place["passed"].maybe(_Place.flag)
    failure = place["failure"].flag()
    if failure and passed is not False:
        place["failure"].wrong(tr("possible: only what did not pass can be a failure"))
    return HealthCheck(
        name=place["name"].text(),
        passed=passed,
        passage=place["passage"].text(),
        explanation=place["explanation"].text(),
        failure=failure,
    )


def _step_and_loss(place: _Place) -> tuple[float, float]:
    pair = place.items(_Place.number)
    if len(pair) != 2:
        place.wrong(tr("a step and a loss"))
    return pair[0], pair[1]


def _size_class(place: _Place) -> SizeClass:
    found = next((name for name in SIZE_CLASSES if name == place.value), None)
    return found or place.wrong(tr("one of {names}", names=", ".join(SIZE_CLASSES)))


# ---------------------------------------------------------------------------------------- estimates


def _estimate(place: _Place, read: Callable[[_Place], float] = _Place.number) -> Estimate:
    n, value = place["n"].whole(), place["value"].maybe(read)
    if (n == 0) != (value is None):
        place.wrong(tr("an estimate: it has a value if and only if n is above 0"))
    fields: dict[str, Any] = {"low": place["low"].maybe(read), "high": place["high"].maybe(read)}
    return Estimate(
        value=value,
        n=n,
        unscored=place["unscored"].whole(),
        unit=place["unit"].text(),
        method=place["method"].text(),
        **fields,
    )


def _share(place: _Place) -> Estimate:
    return _estimate(place, _Place.share)


def _perplexity(place: _Place) -> Estimate:
    found = _estimate(place, _Place.positive)
    if found.value is not None and found.value < 1:
        place.wrong(tr("a perplexity, which is at least 1"))
    return found
