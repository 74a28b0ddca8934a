"""Whether an answer takes up its subject, and which lines of its sample's tick list hold.

In: a sample, an answer, and what the coherence check found. Out: HealthChecks, all notes:
`relevance`, one per tick (`tick:NAME`), and `accuracy` for all ticks. Nothing is ever executed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from assay.checks.health.reading import QUOTED_AT_MOST, READ_AT_MOST, quote
from assay.checks.keywords import states
from assay.checks.shell.programs import KNOWN_PROGRAMS
from assay.checks.shell.reading import snippets_in
from assay.checks.shell.sequence import CommandsFound, harm_in, known_programs
from assay.checks.shell.syntax import parse
from assay.messages import tr, trn
from assay.text.folding import fold_for_matching
from assay.types.measured.samples import HealthCheck, SampleCheck, SamplePrompt

TICK = "tick:"


def relevance(sample: SamplePrompt, text: str) -> HealthCheck:
    """Passes where one of the words of every item of the sample's subject is used."""
    if sample.subject:
        return _named("relevance", sample.subject, text[:READ_AT_MOST])
    why = tr("The sample names no subject.")
    return HealthCheck(name="relevance", passed=None, explanation=why)


def accuracy(sample: SamplePrompt, text: str, coherence: HealthCheck) -> tuple[HealthCheck, ...]:
    """Every tick, then all of them together."""
    ticks = tuple(_tick(tick, text[:READ_AT_MOST], coherence) for tick in sample.ticks)
    held = [check for check in ticks if check.passed]
    missing = [check.name.removeprefix(TICK) for check in ticks if check.passed is False]
    explanation = trn(
        "{held} of {count} check passes.",
        "{held} of {count} checks pass.",
        len(ticks),
        held=len(held),
    )
    if missing:
        explanation += " " + _missing(", ".join(missing))
    together = HealthCheck(
        name="accuracy",
        passed=not missing if ticks else None,
        passage=next((check.passage for check in held if check.passage), ""),
        explanation=explanation,
    )
    return (*ticks, together)


def _tick(tick: SampleCheck, text: str, coherence: HealthCheck) -> HealthCheck:
    name = TICK + tick.name
    match tick.kind:
        case "words":
            return _named(name, tick.words, text)
        case "coherent":
            return replace(coherence, name=name)
        case "syntax":
            return _syntax(name, text)
        case _:
            return _commands(name, tick, text)


def _missing(what: str) -> str:
    return tr("Missing: {what}.", what=what)


def _named(name: str, items: Sequence[Sequence[str]], text: str) -> HealthCheck:
    """Passes where each item is named in one of its alternatives."""
    folded = fold_for_matching(text)
    missing: list[str] = []
    places: list[tuple[int, int]] = []
    for item in items:
        used = next((phrase for phrase in item if states(phrase, folded)), None)
        if used is None:
            missing.append(" / ".join(item))
        else:
            places.extend(_places(used, text))
    return HealthCheck(
        name=name,
        passed=not missing,
        passage=quote(text, *min(places)) if places else "",
        explanation=_missing("; ".join(missing)) if missing else tr("All of it is named."),
    )


def _places(phrase: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a phrase is; nowhere where it is only found in the folded text."""
    body = r"\s+".join(map(re.escape, phrase.split()))
    for match in re.finditer(rf"(?<!\w){body}(?!\w)", text, re.IGNORECASE):
        yield match.span()


def _commands(name: str, tick: SampleCheck, text: str) -> HealthCheck:
    snippets = snippets_in(text, known_programs(chain.from_iterable(tick.commands)))
    found = CommandsFound([command for snippet in snippets for command in snippet.commands])
    if tick.kind == "sequence":
        met = found.match(tick.commands)
    else:
        met = {
            at: place
            for at, step in enumerate(tick.commands)
            for place in found.match([step]).values()
        }
    missing = [step[0] for at, step in enumerate(tick.commands) if at not in met]
    source = found.commands[min(met.values())].source if met else ""
    harm = harm_in(found, tick.commands)
    if harm:
        explanation = harm
    elif not missing:
        explanation = tr("Every command is there.")
    elif tick.kind == "sequence":
        explanation = tr("Missing or out of order: {steps}.", steps="; ".join(missing))
    else:
        explanation = _missing("; ".join(missing))
    return _of_source(name, not missing and not harm, source, text, explanation)


def _syntax(name: str, text: str) -> HealthCheck:
    snippets = snippets_in(text, KNOWN_PROGRAMS)
    if not snippets:
        return HealthCheck(name=name, passed=False, explanation=tr("There is no command in it."))
    wrong = next((each for each in snippets if not parse(each.source).clean), None)
    if wrong is not None:
        return _of_source(name, False, wrong.source, text, tr("This does not parse as shell."))
    said = tr("Every command parses as shell.")
    return _of_source(name, True, snippets[0].source, text, said)


def _of_source(name: str, passed: bool, source: str, text: str, explanation: str) -> HealthCheck:
    passage = source[:QUOTED_AT_MOST] if source in text else ""
    return HealthCheck(name=name, passed=passed, passage=passage, explanation=explanation)
