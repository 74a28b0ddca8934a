"""Which lines of a sample's tick list hold.

In: a sample, an answer, and what the coherence check found. Out: a HealthCheck per tick, named
`tick:NAME`, and `accuracy` for all of them: notes. Nothing is ever executed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from assay.checks.health.finding import place_of_any
from assay.checks.health.reading import QUOTED_AT_MOST, READ_AT_MOST, quote
from assay.checks.shell.programs import KNOWN_PROGRAMS
from assay.checks.shell.reading import Snippet, snippets_in
from assay.checks.shell.sequence import CommandsFound, programs_of
from assay.checks.shell.syntax import parse
from assay.messages import tr, trn
from assay.types.samples import HealthCheck, SampleCheck, SamplePrompt

NAME = "accuracy"
TICK = "tick:"


def accuracy(sample: SamplePrompt, text: str, coherence: HealthCheck) -> tuple[HealthCheck, ...]:
    """Every tick, then all of them together."""
    text = text[:READ_AT_MOST]
    ticks = tuple(_tick(tick, text, coherence) for tick in sample.ticks)
    held = [check for check in ticks if check.passed]
    missing = [check.name.removeprefix(TICK) for check in ticks if check.passed is False]
    explanation = trn(
        "{held} of {count} tick holds.", "{held} of {count} ticks hold.", len(ticks), held=len(held)
    )
    if missing:
        explanation += " " + tr("Missing: {ticks}.", ticks=", ".join(missing))
    together = HealthCheck(
        name=NAME,
        passed=not missing if ticks else None,
        passage=next((check.passage for check in held if check.passage), ""),
        explanation=explanation,
    )
    return (*ticks, together)


def _tick(tick: SampleCheck, text: str, coherence: HealthCheck) -> HealthCheck:
    match tick.kind:
        case "words":
            return _words(tick, text)
        case "coherent":
            return HealthCheck(
                name=TICK + tick.name,
                passed=coherence.passed,
                passage=coherence.passage,
                explanation=coherence.explanation,
            )
        case "syntax":
            return _syntax(tick, text)
        case _:
            return _commands(tick, text)


def _words(tick: SampleCheck, text: str) -> HealthCheck:
    places = [place_of_any(item, text) for item in tick.words]
    missing = [
        " / ".join(item) for item, place in zip(tick.words, places, strict=True) if place is None
    ]
    found = [place for place in places if place is not None]
    passage = quote(text, *min(found)) if found else ""
    explanation = (
        tr("Missing: {words}.", words="; ".join(missing)) if missing else tr("All of it is named.")
    )
    return HealthCheck(
        name=TICK + tick.name, passed=not missing, passage=passage, explanation=explanation
    )


def _snippets(text: str, steps: Sequence[Sequence[str]] = ()) -> tuple[Snippet, ...]:
    programs = KNOWN_PROGRAMS.union(*map(programs_of, chain.from_iterable(steps)))
    return snippets_in(text, programs)


def _commands(tick: SampleCheck, text: str) -> HealthCheck:
    found = CommandsFound(
        [command for snippet in _snippets(text, tick.commands) for command in snippet.commands]
    )
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
    if not missing:
        explanation = tr("Every command is there.")
    elif tick.kind == "sequence":
        explanation = tr("Missing or out of order: {steps}.", steps="; ".join(missing))
    else:
        explanation = tr("Missing: {steps}.", steps="; ".join(missing))
    return HealthCheck(
        name=TICK + tick.name,
        passed=not missing,
        passage=source[:QUOTED_AT_MOST] if source in text else "",
        explanation=explanation,
    )


def _syntax(tick: SampleCheck, text: str) -> HealthCheck:
    snippets = _snippets(text)
    if not snippets:
        return HealthCheck(
            name=TICK + tick.name,
            passed=False,
            passage="",
            explanation=tr("There is no command in it."),
        )
    wrong = next((each for each in snippets if not parse(each.source).clean), None)
    shown = wrong or snippets[0]
    return HealthCheck(
        name=TICK + tick.name,
        passed=wrong is None,
        passage=shown.source[:QUOTED_AT_MOST] if shown.source in text else "",
        explanation=tr("Every command parses as shell.")
        if wrong is None
        else tr("This does not parse as shell."),
    )
