"""One judgement as a text in the standard evaluation format, lines and labels to the letter.

Words of judges, models and files are on one line each, always behind a label or a dash: none can
pass for a label. The labels are English in every language, because programs read them. What the
format has no line for is under DETAILED ASSESSMENT, always in the same order.
"""

import math
from collections.abc import Iterable, Iterator

from assay.messages import joined, labelled, tr
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types.judging.evaluation_format import (
    CHECKS,
    NO_ANSWER,
    NOT_CHECKED,
    UNSCORED,
    nothing_named,
)
from assay.types.judging.judgements import (
    MOST,
    MOST_UNREAD,
    FinalCriterion,
    FinalJudgement,
    Judgement,
    band_of,
    format_tenths,
    meaning_of,
    shown_tenths,
)

LONGEST_LINE = 2000
LONGEST_NAME = 200
MOST_LINES = 12  # strengths, weaknesses, notes: more are not read
MOST_FROM_EVIDENCE = 6  # of the weaknesses; the assessment has more
NOT_STATED = "not stated"


def evaluation_text(verdict: FinalJudgement, *, model: str) -> str:
    """The whole text. An unscored verdict has a line that says so in the place of its scores."""
    return "\n".join(line.rstrip() for line in _lines(verdict, model)) + "\n"


def _lines(verdict: FinalJudgement, model: str) -> Iterator[str]:
    name = _said(verdict.name, LONGEST_NAME) or _said(verdict.test_id, LONGEST_NAME)
    yield f"TEST ID: {_said(verdict.test_id, LONGEST_NAME)} ({name})"
    yield f"MODEL: {_said(model, LONGEST_NAME) or NOT_STATED}"
    yield f"TASK: {_said(verdict.task) or NOT_STATED}"
    yield ""
    yield "EVALUATION:"
    tenths = verdict.tenths
    if tenths is None:
        yield f"{UNSCORED}: {_said(verdict.unscored_reason or '') or NOT_STATED}"
    else:
        if verdict.by_checks:
            yield f"{CHECKS}: {verdict.evidence.told}"
        if verdict.no_answer:
            label = NOT_CHECKED if verdict.no_answer == "facts" else NO_ANSWER
            yield f"{label}: {_said(verdict.explanation)}"
        for one in verdict.criteria:
            reason = _reason(verdict, one)
            yield f"{_said(one.label, LONGEST_NAME)}: {one.score}/{MOST} - {reason}"
        yield ""
        if verdict.no_answer == "facts":  # what nobody checked has no score to tell
            yield f"OVERALL SCORE: {NOT_CHECKED.lower()}"
        else:
            yield f"OVERALL SCORE: {format_tenths(tenths)}/{MOST}"
        if verdict.band is not None:
            yield f"QUALITY RATING: {verdict.band}"
    yield ""
    yield "DETAILED ASSESSMENT:"
    yield from (f"- {line}" for line in _details(verdict))
    if tenths is not None:
        scored = _scored(verdict)
        praise = [said for one in scored for said in one.strengths]
        faults = [said for one in scored for said in one.weaknesses]
        held = [] if praise else verdict.strengths[:MOST_FROM_EVIDENCE]
        wrong = verdict.weaknesses[:MOST_FROM_EVIDENCE]
        yield from ("", "STRENGTHS:", *_bullets([*held, *praise]))
        yield from ("", "WEAKNESSES:", *_bullets([*wrong, *faults]))
    yield ""
    yield f"VERDICT: {_closing(verdict)}"


def _reason(verdict: FinalJudgement, one: FinalCriterion) -> str:
    """A judge's words are for what it gave; what the evidence makes of it is said before them."""
    said = _said(one.reason) or tr("no reason was written")
    if not one.bounded:
        return said
    told = verdict.evidence.told
    return tr("{told}; the judge, for {judged}/10: {said}", told=told, judged=one.judged, said=said)


def _details(verdict: FinalJudgement) -> Iterator[str]:
    if verdict.tenths is None and verdict.explanation:
        yield tr("Why there is no score: {why}", why=_said(verdict.explanation))
    if verdict.band is not None:
        yield tr("{band}: {meaning}.", band=verdict.band, meaning=meaning_of(verdict.band))
    if verdict.by_checks:
        why = _said(verdict.explanation) or tr("no judge given")
        yield tr("Scored by its checks alone: {why}", why=why)
    yield from _evidence(verdict)
    alone = verdict.judge_only_tenths
    if alone is not None and (alone != verdict.tenths or verdict.evidence.share is not None):
        shown, band = shown_tenths(alone), band_of(alone)
        yield tr("Judge-only overall: {overall}/10 ({band}).", overall=shown, band=band)
    for one in verdict.judgements:
        if _said(one.assessment):
            yield tr("{judge} writes: {words}", judge=_named(one), words=_said(one.assessment))
    yield from _quotes(verdict)
    if verdict.borderline:
        yield tr("Near a band's edge: {why}", why=_said(verdict.borderline))
    if verdict.confidence is not None:
        reasons = joined(_each_once(verdict.confidence_reasons))
        level = confidence_name(verdict.confidence)
        level = labelled(level, reasons) if reasons else level
        yield tr("Confidence: {level}", level=level)
    assumed = _each_once(said for one in verdict.judgements for said in one.assumptions)
    yield from (tr("Assumed: {what}", what=each) for each in assumed)
    unusual = _each_once(said for one in verdict.judgements for said in one.unusual)
    yield from (tr("Unusual: {what}", what=each) for each in unusual)
    yield from (tr("Note: {note}", note=note) for note in _each_once(verdict.notes))
    if verdict.rubric_version is not None:
        gaps = {"rubric": _said(verdict.rubric, LONGEST_NAME), "version": verdict.rubric_version}
        yield tr("Rubric: {rubric}, version {version}", **gaps)
    if verdict.use_case:
        yield tr("Meant for: {use_case}", use_case=_said(verdict.use_case))
    yield from (_judge_line(one) for one in verdict.judgements)


def _evidence(verdict: FinalJudgement) -> Iterator[str]:
    evidence = verdict.evidence
    if evidence.checks:
        told = tr("Evidence: {told}", told=evidence.told)
        alone = evidence.tenths
        by_itself = tr(", by itself {overall}/10", overall=shown_tenths(alone or 0))
        if evidence.total:
            yield f"{told}{'' if alone is None else by_itself}."
        silent = sum(check.by_judge and check.passed is None for check in evidence.checks)
        if facts := len(evidence.unread_facts):
            yield tr(
                "Facts that could not be read from a block, for a judge to read: {count}.",
                count=facts,
            )
        if unknown := len(evidence.checks) - evidence.total - silent - facts:
            yield tr("Checks that could not be made: {count}.", count=unknown)
        if silent:
            yield tr("Facts of which the judge says nothing, which do not count: {count}.",
                     count=silent)  # fmt: skip
        if read := sum(check.by_judge for check in evidence.checks) - silent:
            told = tr("Checks read by the judge, as no block could be read: {count}.")
            yield told.format(count=read)
        failed = [check for check in evidence.checks if check.passed is False]
        for check in failed[:MOST_LINES]:
            gaps = {"name": _said(check.name)}
            gaps["what"] = _said(check.explanation) or gaps["name"]
            if check.is_counted:
                yield tr("Check failed: {name}: {what}", **gaps)
            else:
                yield tr("Check without a point: {name}: {what}", **gaps)
        if len(failed) > MOST_LINES:
            yield tr("Further checks that did not pass: {count}.", count=len(failed) - MOST_LINES)
    elif evidence.missing:
        yield tr("Evidence: none: {why}", why=_said(evidence.missing))
    yield from (tr("Seen: {note}", note=note) for note in _each_once(evidence.notes))
    if evidence.isolation and evidence.total:
        yield isolation_sentence(_said(evidence.isolation))


def _quotes(verdict: FinalJudgement) -> Iterator[str]:
    quotes = [quote for one in verdict.judgements for quote in one.quotes]
    if not quotes:
        return
    counted = {"count": len(quotes), "lost": sum(one.fabricated for one in verdict.judgements)}
    yield tr("Quotes: {count}, of which {lost} not found in the answer.", **counted)
    shown = [quote for quote in quotes if quote.status in ("exact", "approximate")]
    found = _each_once(quote.text for quote in shown)
    yield from (tr("Quoted: “{words}”", words=words) for words in found)
    invented = [quote.text for quote in quotes if quote.status in ("fabricated", "from_task")]
    yield from (tr("Not in the answer: “{words}”", words=each) for each in _each_once(invented))


def confidence_name(level: str) -> str:
    return {"high": tr("high"), "medium": tr("medium"), "low": tr("low")}.get(level, level)


def _judge_line(one: Judgement) -> str:
    line = tr("Judge: {judge}, {form}", judge=_named(one), form=form_name(one.form))
    why = _said(one.explanation)
    if one.unscored_reason is not None:
        return tr("{line}, unscored: {why}", line=line, why=why or _said(one.unscored_reason))
    return f"{line}. {why}" if why else line


def isolation_sentence(how: str) -> str:
    where = {
        "bubblewrap": tr("inside bubblewrap, without a network"),
        "namespaces": tr("in namespaces of their own, with limits and without a network"),
        "weak": tr("with limits only (weak): they could use the network and read any file here"),
    }
    return tr("Checks, and any code of the answer that they tried out, ran {how}.",
              how=where.get(how, how))  # fmt: skip


def form_name(form: str) -> str:
    return {
        "likelihood": tr("yes-or-no questions by likelihood"),
        "reasoned": tr("reasons, then scores"),
    }.get(form, form)


def _named(one: Judgement) -> str:
    name = _said(one.judge, LONGEST_NAME)
    if one.repeat == 0:
        return name
    return tr("{judge}, repeat {number}", judge=name, number=one.repeat + 1)


def _closing(verdict: FinalJudgement) -> str:
    """Return a judge's own sentence, the first there is; if evidence changed the scores, what came
    of them as well, each figure with whose it is.
    """
    if verdict.tenths is None:
        return tr("This answer has no score.")
    if verdict.no_answer:
        return f"{_said(verdict.explanation)}."
    if any(one.bounded for one in verdict.criteria):
        return _closing_of_bounded(verdict)
    speaker = _speaker(verdict)
    if speaker is not None:
        return _said(speaker.verdict)
    band, overall = band_of(verdict.tenths), shown_tenths(verdict.tenths)
    exact = verdict.evidence.share
    if verdict.by_checks and exact is not None and band != band_of(math.floor(100 * exact)):
        points = numbers.fixed(float(10 * exact), 2)
        return tr("{band} with {overall} of 10, rounded from {points}.", band=band,
                  overall=overall, points=points)  # fmt: skip
    return tr("{band} with {overall} of 10.", band=band, overall=overall)


def _closing_of_bounded(verdict: FinalJudgement) -> str:
    """Return what the evidence made of the judge's scores, and then the judge as it spoke."""
    tenths, judged = verdict.tenths or 0, verdict.judge_only_tenths or 0
    evidence = verdict.evidence
    if evidence.share is None and evidence.is_unread:
        why = tr("nobody read most of the facts, so that no criterion is above {most}",
                 most=MOST_UNREAD)  # fmt: skip
    elif any(check.by_judge for check in evidence.checks):
        why = tr("the facts that the judge read disagree with its scores")
    else:
        why = tr("the checks changed the judge's scores")
    result = tr("{band} with {overall} of 10, because {why}.", band=band_of(tenths),
                overall=shown_tenths(tenths), why=why)  # fmt: skip

    speaker = _speaker(verdict)
    gaps: dict[str, object] = {"band": band_of(judged), "overall": shown_tenths(judged)}
    # Of several judgements the figure is what their medians come to, and the words are one's own.
    is_one = len(_scored(verdict)) == 1
    if speaker is None:
        if is_one:
            own = tr("The judge gave {overall}, {band}.", **gaps)
        else:
            own = tr("The judgements alone come to {overall}, {band}.", **gaps)
        return f"{result} {own}"
    gaps |= {"words": _said(speaker.verdict), "judge": _named(speaker)}
    if is_one:
        own = tr("The judge gave {overall}, {band}, and says: {words}", **gaps)
    else:
        own = tr("The judgements alone come to {overall}, {band}; {judge} says: {words}", **gaps)
    return f"{result} {own}"


def _speaker(verdict: FinalJudgement) -> Judgement | None:
    """Return the first scored judgement that ends in a sentence of its own."""
    return next((one for one in _scored(verdict) if _said(one.verdict)), None)


def _scored(verdict: FinalJudgement) -> list[Judgement]:
    return [one for one in verdict.judgements if one.unscored_reason is None]


def _bullets(texts: Iterable[str]) -> list[str]:
    return [f"- {text}" for text in _each_once(texts) or [nothing_named()]]


def _each_once(texts: Iterable[str]) -> list[str]:
    """The first few different ones, each on its line."""
    said = (_said(text) for text in texts)
    return list(dict.fromkeys(text for text in said if text))[:MOST_LINES]


def _said(text: str, longest: int = LONGEST_LINE) -> str:
    return one_line(text.strip()[: 2 * longest], longest=longest)
