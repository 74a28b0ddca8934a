"""What people said of a run's answers, beside what the machine said."""

from collections.abc import Iterator, Mapping

from assay.messages import tr, trn
from assay.reports.judged.section import agreement_blocks
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.documents import Block, Document, Heading, Line, Note, Paragraph, Span, table
from assay.types.judging.reviews import Reviewed, ReviewedSamples, ReviewedSuite


def reviews_document(of: Reviewed) -> Document:
    _, *blocks = reviewed_blocks(of, {})
    return Document(tr("Reviewed by people"), (Heading(tr("Reviewed by people"), 1), *blocks))


def reviewed_blocks(of: Reviewed, names: Mapping[str, str]) -> Iterator[Block]:
    yield Heading(tr("Reviewed by people"))
    if of.reviewers:
        people = (tr("{name} ({count})", name=name, count=n) for name, n in of.reviewers.items())
        told = tr("Answers reviewed by each: {people}.", people=", ".join(people))
        yield Paragraph(told, "dim")
        heads = (
            tr("model"), tr("suite"), tr("reviewed"), tr("scored differently"),
            tr("machine, points"), tr("with people, points"),
        )  # fmt: skip
        rows = [_row(each, names) for each in of.suites]
        yield table(heads, rows, right=(2, 3, 4, 5), weights={3: 1})
        yield from map(Note, _one_sided(of))
        if of.open:
            yield Note(
                trn(
                    "{count} reviewed answer is open, seen by one person or with opinions that "
                    "differ: at least 1 more review settles it.",
                    "{count} reviewed answers are open, seen by one person or with opinions that "
                    "differ: at least {count} more reviews settle them.",
                    of.open,
                )
            )
        yield from agreement_blocks(of.agreements)
    if of.samples:
        yield from _samples(of.samples)
    if of.outdated:
        yield Note(
            trn(
                "{count} review no longer counts: its answer, or the score it accepted, has "
                "changed since.",
                "{count} reviews no longer count: their answers, or the scores they accepted, have "
                "changed since.",
                of.outdated,
            )
        )


def _samples(of: ReviewedSamples) -> Iterator[Block]:
    people = (tr("{name} ({count})", name=name, count=n) for name, n in of.reviewers.items())
    yield Paragraph(tr("Generated samples reviewed by each: {people}.", people=", ".join(people)))
    told = trn(
        "Of {count} reviewed sample, people call {people} broken, and the rules {rules}.",
        "Of {count} reviewed samples, people call {people} broken, and the rules {rules}.",
        of.reviewed,
        people=of.broken_by_people,
        rules=of.broken_by_rules,
    )
    yield Paragraph(told)
    yield from agreement_blocks(of.agreements)


def _row(of: ReviewedSuite, names: Mapping[str, str]) -> tuple[Line, ...]:
    answers = of.passes[1] + of.others[1]
    return (
        names.get(of.model, of.model),
        of.suite,
        tr("{reviewed} of {answers}", reviewed=of.reviewed, answers=answers),
        numbers.count(of.changed),
        _points(of.machine),
        _points(of.people),
    )


def _points(score: Estimate) -> Line:
    return numbers.value(score), Span(f" {numbers.rests_on(score)}", "basis")


def _one_sided(of: Reviewed) -> Iterator[str]:
    """Failed answers are reviewed first: until others are, corrections only raise a score."""
    seen, passed = (sum(each.passes[place] for each in of.suites) for place in (0, 1))
    checked, rest = (sum(each.others[place] for each in of.suites) for place in (0, 1))
    if passed and rest and seen * rest < checked * passed:
        yield tr(
            "{seen} of {passed} passed answers are reviewed, and {checked} of {rest} others: the "
            "corrected score is likely too high until as many of the passed ones are.",
            seen=seen,
            passed=passed,
            checked=checked,
            rest=rest,
        )
