"""The final judgement of one answer, from its evidence and all its judgements; and its Score.

    judges' scores -> lower median per criterion -> bounds by evidence -> overall -> band
    no usable judgement -> 10 times the share of checks that passed

All arithmetic is on integers. Confidence is computed from what can be seen, never asked for.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from assay.judge.trivial import NOTHING_SAID, Trivial, explain
from assay.messages import joined, tr, trn
from assay.text.safe_text import one_line
from assay.types import Case, Score, ScorePart
from assay.types.judging.judgements import (
    BANDS,
    BOUND_CLOSELY,
    MOST,
    NEAR_AN_EDGE,
    Confidence,
    Evidence,
    EvidenceCheck,
    FinalCriterion,
    FinalJudgement,
    Judgement,
    NoAnswer,
    Rubric,
    RubricCriterion,
    band_of,
    lower_median,
    overall_tenths,
    shown_tenths,
)

NO_JUDGE = "no_judge"
SCORER, BY_CHECKS = "judge", "checks"
SCORER_VERSION = 2
SPREAD_OF_HIGH = 1  # points between judgements of one criterion
SPREAD_OF_LOW = 4
VERIFIED_OF_HIGH = 0.9  # share of quotes that are in the answer
VERIFIED_OF_LOW = 0.7
APART_OF_LOW = 4  # points between the judge and what the evidence allows
_LONGEST_TASK = 300  # characters of what was asked, and of each requirement


def make_final_judgement(
    case: Case,
    rubric: Rubric,
    evidence: Evidence,
    judgements: Sequence[Judgement],
    *,
    trivial: Trivial | None = None,
    doubts: Sequence[str] = (),
    use_case: str = "",
) -> FinalJudgement:
    """`trivial`: why no judge was asked; `doubts`: why its judges are little trusted."""
    scored = _scored(judgements)
    evidence = with_facts(evidence, judgements)
    trusted = not doubts
    criteria = tuple(
        _criterion(each, evidence, scored, trusted=trusted) for each in rubric.criteria if scored
    )
    confidence, reasons = confidence_in(evidence, judgements, doubts) if scored else (None, ())
    no_answer, why = _why_no_answer(evidence, judgements, None if scored else trivial)
    unscored, why = (None, why) if scored or no_answer else _unscored(evidence, judgements)
    return FinalJudgement(
        test_id=case.id,
        suite=case.suite,
        rubric=rubric.name,
        rubric_version=rubric.version,
        evidence=evidence,
        judgements=tuple(judgements),
        criteria=criteria,
        unscored_reason=unscored,
        explanation=why,
        borderline=borderline(criteria),
        confidence=confidence,
        confidence_reasons=reasons,
        use_case=use_case,
        name=case.description or case.id,
        task=_task(case),
        notes=_notes(criteria, evidence, judgements),
        # What running and computing found, no judge needs to see.
        # Of an answer that is scored 0 for want of a block, what passed earned nothing.
        strengths=() if no_answer else tuple(each.told for each in evidence.checks if each.passed),
        weaknesses=tuple(
            each.told for each in evidence.checks if each.passed is False and each.is_counted
        ),
        no_answer=no_answer,
        doubts=tuple(doubts),
    )


def score_of(final: FinalJudgement) -> Score:
    scored = partial(Score, version=SCORER_VERSION)
    if final.tenths is None:
        reason = final.unscored_reason or NO_JUDGE
        return scored(scorer=SCORER, unscored_reason=reason, explanation=final.explanation)
    overall = {"overall": shown_tenths(final.tenths), "band": band_of(final.tenths)}
    share = final.evidence.share
    if final.by_checks and share is not None:
        told = tr("{overall} of 10, {band}: {why}", **overall, why=final.evidence.told)
        return scored(scorer=BY_CHECKS, value=float(share), explanation=told)
    if final.no_answer:
        why = final.explanation
        unread = final.no_answer == "facts"
        return scored(scorer=BY_CHECKS, value=0.0, no_answer=True, unread=unread, explanation=why)
    trivial = [each for each in final.judgements if each.trivial]
    told = tr("{overall} of 10, {band}", **overall)
    if trivial and final.tenths == 0:
        told = tr("{overall} of 10, {band}: {why}", **overall, why=trivial[0].scores[0].reason)
    return scored(
        scorer=SCORER,
        value=final.tenths / 100,
        no_answer=final.tenths == 0 and any(each.trivial in NOTHING_SAID for each in trivial),
        explanation=told,
        parts=tuple(
            ScorePart(name=each.criterion, value=each.score / MOST, explanation=each.reason)
            for each in final.criteria
        ),
    )


def borderline(criteria: Sequence[FinalCriterion]) -> str:
    """Where the overall is within 0.3 of a band's edge: the other band, and what would decide."""
    tenths = overall_tenths([(each.weight, each.score) for each in criteria])
    edges = [least for least, _ in BANDS if least > 0]
    edge = next((e for e in edges if tenths is not None and abs(tenths - e) <= NEAR_AN_EDGE), None)
    if tenths is None or edge is None:
        return ""
    above = tenths >= edge
    here, there = band_of(tenths), band_of(edge - 1 if above else edge)
    step = -1 if above else 1
    deciding = [each.label for each in criteria if band_of(_overall(criteria, step, each)) == there]
    how = tr("one point less in {labels}") if above else tr("one point more in {labels}")
    if not deciding:
        how = tr("more than one point in a single criterion")
    return tr(
        "Borderline: {overall} is close to {edge}, between {band} and {other}; {how} would make it "
        "{other}.",
        overall=shown_tenths(tenths),
        edge=shown_tenths(edge),
        band=here,
        other=there,
        how=how.format(labels=tr(" or ").join(deciding)),
    )


def _overall(criteria: Sequence[FinalCriterion], step: int, of: FinalCriterion) -> int:
    """With one criterion changed by a point; of a score beyond 0 to 10, what it is without."""
    step = step if 0 <= of.score + step <= MOST else 0
    moved = [(each.weight, each.score + (step if each is of else 0)) for each in criteria]
    return overall_tenths(moved) or 0


def _criterion(
    criterion: RubricCriterion, evidence: Evidence, scored: Sequence[Judgement], *, trusted: bool
) -> FinalCriterion:
    given = [score for each in scored if (score := each.score_of(criterion.key)) is not None]
    judged = lower_median(given)
    least, most = evidence.bounds_of(criterion.key, trusted=trusted)
    return FinalCriterion(
        criterion=criterion.key,
        label=criterion.label,
        weight=criterion.weight,
        score=min(most, max(least, judged)),
        judged=judged,
        low=min(given),
        high=max(given),
        # The words of the first judgement that gave the score.
        reason=next(
            (
                one.reason
                for each in scored
                for one in each.scores
                if (one.criterion, one.score) == (criterion.key, judged) and one.reason
            ),
            "",
        ),
    )


def with_facts(evidence: Evidence, judgements: Sequence[Judgement]) -> Evidence:
    """With the facts that most judgements found in the answer, of those that speak of them."""
    asked = [one for each in _scored(judgements) for one in each.facts]
    votes: dict[str, list[int]] = {}
    for one in asked:
        if one.is_answered:
            votes.setdefault(one.question, []).append(one.is_yes)
    found = {fact: bool(lower_median(said)) for fact, said in votes.items()}
    if not asked:
        return evidence
    read = evidence.with_facts(found)
    return replace(read, checks=tuple(_told(each) for each in read.checks))


def _told(check: EvidenceCheck) -> EvidenceCheck:
    """Whose reading it is, in the words of the check."""
    told = tr("the judge does not say whether the answer states that {fact}", fact=check.fact)
    if check.passed is not None:
        told = tr("the judge does not find in the answer that {fact}", fact=check.fact)
    if check.passed:
        told = tr("the judge reads in the answer that {fact}", fact=check.fact)
    return replace(check, explanation=told) if check.by_judge else check


def _notes(
    criteria: Sequence[FinalCriterion], evidence: Evidence, judgements: Sequence[Judgement]
) -> tuple[str, ...]:
    """What moved a score; how sure it is says the rest."""
    notes = [
        tr(
            "{label} is {score} instead of {judged}: {why}.",
            label=each.label,
            score=each.score,
            judged=each.judged,
            why=evidence.told,
        )
        for each in criteria
        if each.bounded
    ]
    unscored = sum(each.unscored_reason is not None for each in judgements)
    if criteria and unscored:
        notes.append(tr("Judgements that cannot be used are left out: {count}.", count=unscored))
    return tuple(notes)


def _why_no_answer(
    evidence: Evidence, judgements: Sequence[Judgement], trivial: Trivial | None
) -> tuple[NoAnswer, str]:
    if trivial is not None and trivial in NOTHING_SAID:
        return "empty", explain(trivial)
    if evidence.unread_facts and not judgements:
        return "facts", joined(
            [evidence.unread_told, tr("a judge can read it: assay judge latest --judge MODEL")]
        )
    return "", ""


def _unscored(evidence: Evidence, judgements: Sequence[Judgement]) -> tuple[str | None, str]:
    """None where the evidence scores the answer; else the commonest code, and why."""
    whys = dict.fromkeys(each.explanation or str(each.unscored_reason) for each in judgements)
    if evidence.share is not None:
        return None, "; ".join(whys)
    if judgements:
        codes = Counter(each.unscored_reason or "unreadable" for each in judgements)
        return codes.most_common(1)[0][0], "; ".join(whys)
    unchecked = (each.explanation for each in evidence.checks if each.passed is None)
    why = evidence.missing or next(unchecked, "") or tr("no judge was asked")
    return evidence.unscored_reason or NO_JUDGE, tr(
        "{why}; a judge can score it: assay judge latest --judge MODEL", why=why
    )


def _task(case: Case) -> str:
    """What was asked for: the first paragraph of the prompt, and the requirements."""
    paragraphs = (" ".join(part.split()) for part in case.prompt.split("\n\n"))
    asked = one_line(next(filter(None, paragraphs), ""), longest=_LONGEST_TASK)
    requirements = case.check.judged.requirements if case.check.judged else ()
    required = [
        one_line(" ".join(text.rstrip(".; ").split()), longest=_LONGEST_TASK)
        for text in requirements
    ]
    if not required:
        return asked
    return tr("{asked} Required: {required}.", asked=asked, required="; ".join(required))


def confidence_in(
    evidence: Evidence, judgements: Sequence[Judgement], doubts: Sequence[str] = ()
) -> tuple[Confidence, tuple[str, ...]]:
    """High unless something speaks against it. `judgements`: unscored ones as well. Nobody checked
    who wrote imported ones, so they lift nothing.
    """
    imported = [each for each in judgements if each.is_imported]
    judgements = [each for each in judgements if not each.is_imported]
    if not _scored(judgements):
        judgements = imported
        files = sorted({each.judge for each in _scored(imported)})
        doubts = [*doubts, *(tr("{judge} is not qualified", judge=each) for each in files)]
    found = [
        *((True, doubt) for doubt in doubts),  # whether it makes the confidence low, and why
        *_about_judgements(judgements),
        *_about_evidence(evidence, _scored(judgements)),
    ]
    is_low = any(low for low, _ in found)
    worst: Confidence = "low" if is_low else "medium" if found else "high"
    return worst, tuple(reason for _, reason in found)


def _scored(judgements: Sequence[Judgement]) -> list[Judgement]:
    return [each for each in judgements if each.unscored_reason is None and each.scores]


def _about_judgements(judgements: Sequence[Judgement]) -> Iterator[tuple[bool, str]]:
    scored = _scored(judgements)
    if len(scored) == 1:
        yield False, tr("it was judged once")
    if lost := len(judgements) - len(scored):
        told = trn("{count} judgement is unscored", "{count} judgements are unscored", lost)
        yield False, told
    given: dict[str, list[int]] = {}
    for one in (one for each in scored for one in each.scores):
        given.setdefault(one.criterion, []).append(one.score)
    spread = max((max(scores) - min(scores) for scores in given.values()), default=0)
    if spread > SPREAD_OF_HIGH:
        told = tr("the judgements lie up to {points} points apart", points=spread)
        yield spread >= SPREAD_OF_LOW, told
    quotes = [quote.status for each in scored for quote in each.quotes]
    checked = len(quotes) - quotes.count("too_short")
    found = quotes.count("exact") + quotes.count("approximate")
    if found < VERIFIED_OF_HIGH * checked:
        told = tr("{found} of {checked} quotes are in the answer", found=found, checked=checked)
        yield found < VERIFIED_OF_LOW * checked, told
    elif not checked and any(each.form == "reasoned" and each.attempts for each in scored):
        yield False, tr("the judge quoted nothing that can be checked")


def _about_evidence(evidence: Evidence, scored: Sequence[Judgement]) -> Iterator[tuple[bool, str]]:
    if evidence.share is None:
        yield False, evidence.missing or tr("nothing was run or computed")
        return
    given = [score for each in scored if (score := each.score_of(BOUND_CLOSELY)) is not None]
    least, most = evidence.bounds_of(BOUND_CLOSELY)
    judged = lower_median(given) if given else least
    apart = max(least - judged, judged - most)
    if apart > SPREAD_OF_HIGH:
        told = tr("the judge gives correctness {judged}, and the checks allow {least} to {most}")
        yield apart >= APART_OF_LOW, told.format(judged=judged, least=least, most=most)
