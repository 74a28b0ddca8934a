"""The card of a comparison of stored runs: who leads whom on which suite, and what flipped."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.messages import labelled, tr, trn
from assay.reports.cards.scores import lead_clause
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types.documents import Card, Line, Span, Tone, make_card, one_sentence
from assay.types.early import EarlyDecision
from assay.types.results import Comparison, PairComparison, Side, SuiteComparison

SHOWN_SUITES = 2  # in a decision
Compared = tuple[PairComparison, SuiteComparison]


def comparison_card(comparison: Comparison) -> Card:
    compared = [(pair, each) for pair in comparison.pairs for each in pair.suites]
    found = [_clause(pair, each) for pair, each in compared]
    said = [clause for clause, _ in found] or [tr("there is nothing to compare")]
    if len(said) > SHOWN_SUITES:
        left = len(said) - SHOWN_SUITES
        rest = trn("{count} more difference below", "{count} more differences below", left)
        said = [*said[:SHOWN_SUITES], rest]
    names = [name for pair in comparison.pairs for name in names_of_sides(pair)]
    return make_card(
        one_line(one_sentence(said, names)),
        tone=_tone([tone for _, tone in found], comparison.exit_code),
        reasons=_reasons(comparison, compared),
        caveats=_caveats(comparison, compared),
        next=_next(comparison, compared),
    )


def names_of_sides(pair: PairComparison) -> tuple[str, str]:
    return shortest_names(pair.a, pair.b)


def shortest_names(a: Side, b: Side) -> tuple[str, str]:
    """The shortest that are not the same."""
    names = ((a.name or a.model, b.name or b.model), (a.model, b.model), (a.run, b.run))
    return next((each for each in names if each[0] != each[1]), names[-1])


def _clause(pair: PairComparison, found: SuiteComparison) -> tuple[str, Tone]:
    first, second = names_of_sides(pair)
    if found.verdict == "nothing_in_common":
        return tr("{first} and {second} share no scored test of {suite}", first=first,
                  second=second, suite=found.suite), "warning"  # fmt: skip
    if found.early is not None:
        return drop_clause(found, found.early, first, second)
    if (found.difference.value or 0.0) >= 0:
        return lead_clause(found, first, second)
    return lead_clause(turned_round(found), second, first)


def drop_clause(
    found: SuiteComparison, early: EarlyDecision, first: str, second: str
) -> tuple[str, Tone]:
    """With --max-drop and --decide: what is decided of a suite."""
    gaps = {"suite": found.suite, "first": first, "second": second,
            "most": numbers.readable(-early.limit * 100)}  # fmt: skip
    if early.passed is None:
        return trn("undecided on {suite}: about {count} more test",
                   "undecided on {suite}: about {count} more tests", early.needed,
                   suite=found.suite), "warning"  # fmt: skip
    if early.passed:
        return tr("{second} does not fall more than {most} points below {first} on {suite}",
                  **gaps), "good"  # fmt: skip
    return tr("{second} falls more than {most} points below {first} on {suite}", **gaps), "bad"


def turned_round(found: SuiteComparison) -> SuiteComparison:
    """The same with its sides changed, so that the second is the better one."""
    return replace(
        found,
        a=found.b,
        b=found.a,
        difference=found.difference.mapped(lambda value: -value, falling=True),
        verdict="better" if found.verdict == "worse" else found.verdict,
    )


def _tone(tones: Sequence[Tone], exit_code: int) -> Tone:
    if exit_code:
        return "bad"
    return "warning" if "warning" in tones or not tones else "plain"


def _reasons(comparison: Comparison, compared: Sequence[Compared]) -> Iterator[str]:
    """What --max-drop does not allow, then every difference, by how sure it is."""
    yield from comparison.fell
    for pair, each in sorted(compared, key=lambda found: _p(found[1])):
        first, second = names_of_sides(pair)
        if each.early is not None and each.early.is_partial:
            yield after_part_sentence(each, each.early, first, second)
            continue
        yield tr("{suite}: {second} {b} against {first} {a}, difference {difference}, {pairs}, "
                 "p {p}; significance level 0.05.",
                 suite=each.suite, first=first, second=second, a=numbers.value(each.a),
                 b=numbers.value(each.b), difference=numbers.difference(each.difference),
                 pairs=trn("{count} pair", "{count} pairs", each.difference.n),
                 p=_beside(each))  # fmt: skip


def after_part_sentence(
    found: SuiteComparison, early: EarlyDecision, first: str, second: str
) -> str:
    """The figures, over how many tests, and what they say of the full suite."""
    gaps = {
        "suite": found.suite,
        "first": first,
        "second": second,
        "a": numbers.value(found.a),
        "b": numbers.value(found.b),
        "difference": numbers.difference(found.difference),
        "asked": numbers.count(early.asked),
        "tests": numbers.count(early.tests),
    }
    if early.passed:
        return tr("{suite}: {second} {b} against {first} {a}, difference {difference}. {asked} of "
                  "{tests} tests were asked; the full suite would say the same, error at most 5 %.",
                  **gaps)  # fmt: skip
    return tr("{suite}: {second} {b} against {first} {a}, difference {difference}, over {asked} of "
              "{tests} tests.", **gaps)  # fmt: skip


def _p(found: SuiteComparison) -> float:
    return 1.0 if found.adjusted_p is None else found.adjusted_p


def _beside(found: SuiteComparison) -> str:
    p = numbers.p_value(found.adjusted_p)
    return p if p.startswith("<") else f"= {p}"


def _caveats(comparison: Comparison, compared: Sequence[Compared]) -> Iterator[str]:
    yield from (note for note in comparison.notes if note not in comparison.fell)
    for pair, each in compared:
        yield from _of_suite(each)
        yield from pair.notes


def _of_suite(found: SuiteComparison) -> Iterator[str]:
    unscored = sum(each.reason == "unscored" for each in found.left_out)
    changed = len(found.left_out) - unscored
    if unscored:
        yield trn("{suite}: {count} test is left out, without a score on one side.",
                  "{suite}: {count} tests are left out, without a score on one side.",
                  unscored, suite=found.suite)  # fmt: skip
    if changed:
        yield trn("{suite}: {count} test is left out, because only one side has it.",
                  "{suite}: {count} tests are left out, because only one side has them.",
                  changed, suite=found.suite)  # fmt: skip
    if found.verdict == "undecided" and found.detectable is not None:
        yield tr("{suite}: with {n} pairs only a true difference of about {points} points is found "
                 "four times in five.", suite=found.suite, n=numbers.count(found.difference.n),
                 points=numbers.fixed(found.detectable, 0))  # fmt: skip
    lost = sum(not flip.gained for flip in found.flips)
    if found.verdict == "better" and lost:
        yield trn("{suite}: {count} test passed before and fails now.",
                  "{suite}: {count} tests passed before and fail now.", lost,
                  suite=found.suite)  # fmt: skip


def _next(comparison: Comparison, compared: Sequence[Compared]) -> Line:
    flips = sum(len(each.flips) for _, each in compared)
    sides = [f"{side.run}/{side.name or side.model}" for pair in comparison.pairs[:1] for side in
             (pair.a, pair.b)]  # fmt: skip
    if flips and sides:
        said = trn("see the test that flipped", "see the {count} tests that flipped", flips)
        command = shlex.join(["assay", "compare", *sides, "-v"])
        return labelled(said, ""), Span(command, "code")
    return ""
