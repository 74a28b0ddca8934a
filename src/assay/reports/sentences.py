"""Sentences that several reports share: of a run, a machine, what is known of a model."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from assay.messages import (
    Message,
    fill,
    joined,
    labelled,
    message,
    message_n,
    tr,
    trn,
    written,
)
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Estimate, Machine, Observed, OutcomeKind
from assay.types import Message as Turn
from assay.types.measured.performance import MemoryPart
from assay.types.models import NATIVE
from assay.types.results import (
    Baselines,
    Cause,
    CauseKind,
    ModelReport,
    Report,
    Standing,
    SuiteSummary,
    TrialRow,
)

SHOWN_IN_A_LINE = 6  # facts of a model that fit a short line
SHOWN_SUITES = 3  # in a headline
SHOWN_REASONS, LONGEST_REASON = 8, 120  # of tests without a score
SHOWN_CONSTANT = 40  # characters of a constant answer that are shown
CAUSES: Mapping[CauseKind, Message] = {
    "loops": message_n(
        "{count} answer of {n} repeats itself: the same words over and over.",
        "{count} answers of {n} repeat themselves: the same words over and over.",
    ),
    "cut": message_n(
        "{count} answer of {n} was cut at its maximum of tokens.",
        "{count} answers of {n} were cut at their maximum of tokens.",
    ),
    "declined": message_n(
        "{count} answer of {n} only declines.", "{count} answers of {n} only decline."
    ),
    "echoed": message_n(
        "{count} answer of {n} only repeats the task.",
        "{count} answers of {n} only repeat the task.",
    ),
    "empty": message_n("{count} answer of {n} is empty.", "{count} answers of {n} are empty."),
    "calls_as_text": message_n(
        "{count} answer of {n} has the tool call as plain text, {right} of them right: template "
        "or parser, not the model.",
        "{count} answers of {n} have the tool call as plain text, {right} of them right: template "
        "or parser, not the model.",
    ),
    "one_letter": message(
        "The answer was {letter} to {count} of {n} multiple-choice questions, whatever was asked: "
        "the score says little about what the model knows."
    ),
}
COUNTED = {  # outcomes behind a number; one form in English, not so in other languages
    OutcomeKind.PASS: message_n("{number} pass", "{number} pass"),
    OutcomeKind.FAIL: message_n("{number} fail", "{number} fail"),
    OutcomeKind.NO_ANSWER: message_n("{number} no answer", "{number} no answer"),
    OutcomeKind.UNSCORED: message_n("{number} unscored", "{number} unscored"),
    OutcomeKind.FAILED: message_n("{number} request failed", "{number} request failed"),
}
COUNTED_UNCHECKED = message_n("{number} not checked", "{number} not checked")
ABOUT: Mapping[str, Message] = {  # what is known of a model, by the key that is stored
    "architecture": message("architecture"),
    "size": message("size"),
    "weights on disk": message("weights on disk"),
    "computed on": message("computed on"),
    "prompts": message("prompts"),
    "commit": message("commit"),
    "adapter": message("adapter"),
    "server": message("server"),
    "parameters": message("parameters"),
    "quantisation": message("quantisation"),
    "family": message("family"),
    "runs at": message("runs at"),
    NATIVE: message("native interface"),
    "address": message("address"),
    "plugin": message("plugin"),
    "slots": message("answers at once"),
}
AMOUNTS: Mapping[str, Message] = {
    "GB": message("{value} GB"),
    "MB": message("{value} MB"),
    "B": message("{value} B"),
    "M": message("{value} M"),
    "k": message("{value} k"),
}
_AMOUNT = re.compile(r"\b(\d+(?:\.\d+)?) (GB|MB|B|M|k)\b")


def outcome(which: OutcomeKind, *, unread: bool = False) -> str:
    return (
        tr("not checked")
        if unread
        else {
            OutcomeKind.PASS: tr("pass"),
            OutcomeKind.FAIL: tr("fail"),
            OutcomeKind.NO_ANSWER: tr("no answer"),
            OutcomeKind.UNSCORED: tr("unscored"),
            OutcomeKind.FAILED: tr("request failed"),
        }[which]
    )


def outcome_of(row: TrialRow) -> str:
    """Its outcome in words; a report that only lacks its block was answered, and not checked."""
    return outcome(row.outcome, unread=row.unread)


def role(turn: Turn) -> str:
    roles = {"system": tr("system"), "user": tr("user"), "assistant": tr("assistant")}
    return roles[turn.role]


def spoken(turn: Turn) -> str:
    return labelled(role(turn), turn.content)


def first_few(said: Sequence[str]) -> str:
    """What is found of each suite, as one headline without its full stop."""
    if len(said) > SHOWN_SUITES:
        rest = trn(
            "{count} more suite below", "{count} more suites below", len(said) - SHOWN_SUITES
        )
        said = [*said[:SHOWN_SUITES], rest]
    return one_line(joined(said))


def short_names(report: Report) -> dict[str, str]:
    counted = Counter(model.name for model in report.models)
    return {
        model.spec: model.name if model.name and counted[model.name] == 1 else model.spec
        for model in report.models
    }


def not_compared(scores: Iterable[tuple[str, SuiteSummary | Standing]]) -> Iterator[str]:
    """The models that may be better or worse, but have answered too few of the tests to say so."""
    for model, found in scores:
        score = found.score
        total = numbers.count(score.n + score.unscored)
        if score.value is None:
            yield tr("{model} is not compared: none of {total} tests has a score",
                     model=model, total=total)  # fmt: skip
        elif score.incomplete:
            yield tr("{model} is not compared: {score} points on {n} of {total} tests",
                     model=model, score=numbers.value(score), n=numbers.count(score.n),
                     total=total)  # fmt: skip


def outcomes(summary: SuiteSummary) -> str:
    unchecked = sum(row.unread for row in summary.tests)
    counts = [(said, summary.outcomes.get(which, 0)) for which, said in COUNTED.items()]
    lacking = list(COUNTED).index(OutcomeKind.NO_ANSWER)
    said, silent = counts[lacking]
    counts[lacking : lacking + 1] = [(said, silent - unchecked), (COUNTED_UNCHECKED, unchecked)]
    counted = (
        fill(said, {"count": count, "number": numbers.count(count)})
        for said, count in counts
        if count
    )
    return trn(
        "{count} test: {outcomes}",
        "{count} tests: {outcomes}",
        len(summary.tests),
        outcomes=" · ".join(counted),
    )


def pass_mark(summary: SuiteSummary) -> str:
    """From which score on a test passes; "" where every score is 0 or 1."""
    if all(each.score in (None, 0, 1) for each in summary.tests):
        return ""
    mark = numbers.exact(summary.pass_mark)
    return tr("A test passes with a score of {mark} or more.", mark=mark)


def why_this_score(summary: SuiteSummary) -> Iterator[str]:
    """What its answers have in common, and what the right ones took, each in one sentence."""
    yield from map(cause, () if summary.own else summary.causes)
    yield from letters(summary)
    cost = summary.cost
    if cost is None or summary.own:
        return
    spent = tr(
        "Right answers: {right} of {n}, which took {tokens} tokens and {time}",
        right=numbers.count(cost.right),
        n=numbers.count(cost.answers),
        tokens=numbers.count(cost.total_tokens),
        time=numbers.duration(cost.total_s),
    )
    each = "; ".join(numbers.figure(part) for part in (cost.tokens, cost.seconds) if part.n)
    yield tr("{spent}. Per right answer: {each}.", spent=spent, each=each) if each else f"{spent}."


def letters(summary: SuiteSummary) -> Iterator[str]:
    """Whether it follows the form, and whether it knows the answer."""
    if not summary.letters:
        return
    written, likely = summary.letters.values()
    yield tr(
        "The letter written is right in {written}, the most likely letter in {likely}: the first "
        "says whether the model follows the form, the second whether it knows the answer.",
        written=_right_share(written),
        likely=_right_share(likely),
    )


def _right_share(of: Estimate) -> str:
    return f"{numbers.value(of)} {numbers.rests_on(of)}"


WRONG_CALLS = message_n(
    "{count} answer of {n} has the tool call as plain text, and it is wrong.",
    "{count} answers of {n} have the tool call as plain text, and none is right.",
)

CUT_WHILE_THINKING = message_n(
    "{count} answer of {n} was cut at its maximum of tokens while the model was thinking.",
    "{count} answers of {n} were cut at their maximum of tokens, {thinking} of them while the "
    "model was thinking.",
)


def cause(shown: Cause) -> str:
    """Return the sentence about a cause."""
    sentence = CAUSES[shown.kind]
    if shown.kind == "calls_as_text" and not shown.right:
        sentence = WRONG_CALLS
    if shown.thinking:
        sentence = CUT_WHILE_THINKING
    figures = {
        "count": shown.count,
        "n": shown.n,
        "letter": shown.letter,
        "right": shown.right,
        "thinking": shown.thinking,
    }
    return fill(sentence, figures)


def reviewed_tests(reviewed: int, total: int) -> str:
    """Return how many of the tests a person has reviewed: "none yet", "3 of 40"."""
    if not reviewed:
        return tr("none yet")
    return tr("{count} of {total}", count=numbers.count(reviewed), total=numbers.count(total))


def baselines(known: Baselines) -> Iterator[tuple[str, Estimate]]:
    yield tr("an empty answer"), known.empty
    yield tr("the prompt echoed"), known.echoed
    constant = one_line(known.constant_answer, longest=SHOWN_CONSTANT)
    yield tr("always “{constant}”", constant=constant), known.constant


def guesses_and_oracle(known: Baselines) -> Iterator[tuple[str, Estimate]]:
    yield from baselines(known)
    if known.oracle is not None:
        yield oracle_name(), known.oracle


def oracle_name() -> str:
    return tr("an oracle, all keywords in one line")


def state(report: Report) -> str:
    if report.finished is None:
        return tr("started {created}, unfinished", created=numbers.moment(report.created))
    gaps = {"created": numbers.moment(report.created), "finished": numbers.moment(report.finished)}
    return tr("{created} to {finished}", **gaps)


def model_notes(model: ModelReport) -> Iterator[str]:
    yield from speed_notes(model)
    yield from own_notes(model)
    yield from unscored_notes(model)


def own_notes(model: ModelReport) -> Iterator[str]:
    if native := model.about.get(NATIVE):
        yield tr(
            "{model} is behind an Ollama, asked through /v1: its repeat_penalty may stay on there, "
            "its context is the server's, and times are the client's; {native} may give other "
            "scores",
            model=model.name,
            native=native,
        )
    for summary in model.suites:
        if summary.own:
            yield tr(
                "{suite}: own prompts; their answers are kept and not scored", suite=summary.suite
            )


def unscored_notes(model: ModelReport) -> Iterator[str]:
    for summary in model.suites:
        if summary.score.unscored and not summary.own:
            yield _without_score(summary)


def _without_score(summary: SuiteSummary) -> str:
    """How many tests have no score, and every reason with its count."""
    missing = (OutcomeKind.FAILED, OutcomeKind.UNSCORED)
    reasons = Counter(row.explanation for row in summary.tests if row.outcome in missing)
    ranked = [
        f"{one_line(reason, longest=LONGEST_REASON) or outcome(OutcomeKind.UNSCORED)} ({count})"
        for reason, count in reasons.most_common()
    ]
    if len(ranked) > SHOWN_REASONS:
        rest = len(ranked) - SHOWN_REASONS
        ranked[SHOWN_REASONS:] = [tr("{count} other reasons", count=rest)]
    said = tr(
        "{suite}: {count} of {total} tests have no score: {reasons}.",
        suite=summary.suite,
        count=numbers.count(summary.score.unscored),
        total=numbers.count(summary.score.n + summary.score.unscored),
        reasons=", ".join(ranked),
    )
    if not summary.score.incomplete:
        return said
    return f"{said} " + tr("So the score is incomplete, and no gate passes on it.")


def speed_notes(model: ModelReport) -> Iterator[str]:
    if model.fingerprint_is_weak:
        yield tr(
            "The weights of {model} cannot be verified: a change behind the name goes unnoticed.",
            model=model.spec,
        )
    yield from model.notes
    if model.observed is not None:
        yield from model.observed.notes


def acceptance(model: ModelReport) -> str | None:
    if model.accepted is None:
        return None
    return tr("accepted") if model.accepted else tr("not accepted")


def machine_line(of: Machine, *, versions: bool = False) -> str:
    cores = trn("{count} core", "{count} cores", of.cores)
    gpus = ", ".join(of.gpus) if of.gpus else tr("no GPU found")
    packages = (f"{name} {version}" for name, version in of.versions.items() if versions)
    parts = (of.system, of.processor, cores, numbers.memory(of.memory_bytes), gpus, *packages)
    return tr("Machine: {facts}", facts=" · ".join(part for part in parts if part))


def about_model(about: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Names and amounts in the language; the keys of a plugin as they are."""
    for key, text in about.items():
        name = fill(ABOUT[key], {}) if key in ABOUT else key
        yield name, amounts(text) if key in ("size", "weights on disk") else text


def about_line(about: Mapping[str, str]) -> str | None:
    facts = [labelled(name, text) for name, text in about_model(about) if text]
    return " · ".join(facts[:SHOWN_IN_A_LINE]) or None


def amounts(text: str) -> str:
    """7.1 MB in a stored text as the language writes it."""
    return _AMOUNT.sub(lambda each: fill(AMOUNTS[each[2]], {"value": written(each[1])}), text)


def observed(seen: Observed) -> Iterator[tuple[str, str]]:
    if seen.memory_bytes:
        parts = memory_parts({"weights": seen.weights_bytes or 0, "cache": seen.cache_bytes or 0})
        yield tr("memory"), numbers.memory(seen.memory_bytes) + (f" ({parts})" if parts else "")
    if seen.resident_bytes and seen.resident_bytes != seen.memory_bytes:
        yield tr("resident"), numbers.memory(seen.resident_bytes)
    offload = _offload(seen)
    if offload is not None:
        yield tr("on the GPU"), offload
    if seen.context_length is not None:
        length = numbers.count(seen.context_length)
        yield tr("context length"), tr("{value} tokens", value=length)


def memory_parts(sizes: Mapping[MemoryPart, float]) -> str:
    """In bytes: weights, cache and what is resident, as far as they are there."""
    names: dict[MemoryPart, str] = {
        "weights": tr("weights"), "cache": tr("cache"), "resident": tr("resident")
    }  # fmt: skip
    known = ((name, sizes.get(part)) for part, name in names.items())
    return ", ".join(f"{name} {numbers.memory(round(size))}" for name, size in known if size)


def observed_line(seen: Observed | None) -> str | None:
    if seen is None:
        return None
    return " · ".join(labelled(name, text) for name, text in observed(seen)) or None


def _offload(seen: Observed) -> str | None:
    if not seen.memory_bytes or seen.gpu_bytes is None:
        return None
    on_gpu = max(0, min(seen.gpu_bytes, seen.memory_bytes))
    if on_gpu == 0:
        return tr("nothing, all on the CPU")
    if on_gpu == seen.memory_bytes:
        return tr("all")
    return tr("{share}, the rest on the CPU", share=numbers.share(on_gpu, seen.memory_bytes))
