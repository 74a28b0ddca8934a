"""Marks answers that are commands, or names of kernel modules.

In: a test, its check, and what the model answered. Out: a Score with what was read, what matched
and what is missing. Pure; nothing is ever executed. Refuses to know: models, stores, reports.
The rules, with examples that are tested, stand in `docs/shell.md`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from assay.messages import tr, trn
from assay.scorers.normalise import fold_for_matching
from assay.scorers.shell.meaning import actions_of, fulfils, module_name
from assay.scorers.shell.modules import modules_in
from assay.scorers.shell.programs import KNOWN_PROGRAMS, names
from assay.scorers.shell.reading import READ_AT_MOST, announces, first_lines, snippets_in
from assay.scorers.shell.sequence import Found, pipelines_of, programs_of
from assay.scorers.shell.syntax import Command
from assay.scorers.text import occurs
from assay.types import Answered, Case, CommandSequence, Score, ScorePart, TopK

TOP_K = "top_k"
TOP_K_VERSION = 1
COMMAND_SEQUENCE = "command_sequence"
COMMAND_SEQUENCE_VERSION = 1

SHOWN_AT_MOST = 8  # commands named in an explanation; `extracted` holds all
ANNOUNCED_AT_MOST = 3  # "Sure!", a heading and a comment before the line that answers
# After a pipe these show what came before and leave nothing out.
VIEWERS = names("less more most cat sort nl column")


# -------------------------------------------------------------------------------- top_k


def top_k(case: Case, check: TopK, reply: Answered) -> Score:
    """1 if an accepted answer is among the k best, read from the first line of each."""
    answers = () if reply.reasoning_unclosed else reply.predictions or (reply.text,)
    programs = _programs(check.expected_any) if check.match == "command" else frozenset()
    lines = [_answering_line(answer, check, programs) for answer in answers[: check.k]]
    readable = [line for line in lines if line]
    if check.match == "command":
        readable = [line for line in lines if _first_snippet(line, programs)]
    for rank, line in enumerate(lines, start=1):
        accepted = _accepted_by(line, check, programs)
        if accepted is not None:
            explanation = tr(
                "{accepted} stands at rank {rank} of {count} ({method}).",
                accepted=accepted, rank=rank, count=len(lines), method=_method(reply),
            )  # fmt: skip
            return _top_k_score(1.0, lines, explanation)
    if not readable:
        explanation = (
            tr("No command could be read from the first lines ({method}).", method=_method(reply))
            if check.match == "command"
            else tr("The answer is empty ({method}).", method=_method(reply))
        )
        return _top_k_score(0.0, lines, explanation, no_answer=True)
    return _top_k_score(0.0, lines, _none_accepted(check, reply, lines))


def _answering_line(answer: str, check: TopK, programs: frozenset[str]) -> str:
    """The first line; the next one where the first only announces it ("You can use:")."""
    lines = first_lines(answer)
    first = next(lines, "")
    for _ in range(ANNOUNCED_AT_MOST):
        says_something = check.match == "command" and _first_snippet(first, programs)
        if not announces(first) or says_something or _accepted_by(first, check, programs):
            break
        following = next(lines, "")
        if not following:
            break
        first = following
    return first


def _top_k_score(
    value: float, lines: list[str], explanation: str, *, no_answer: bool = False
) -> Score:
    return Score(
        scorer=TOP_K,
        version=TOP_K_VERSION,
        value=value,
        no_answer=no_answer,
        extracted=None if no_answer else "\n".join(lines) or None,
        explanation=explanation,
    )


def _none_accepted(check: TopK, reply: Answered, lines: list[str]) -> str:
    accepted = _shown(check.expected_any)
    if not reply.predictions:
        return tr(
            "Read {read}, which is no accepted answer. Accepted: {accepted}.",
            read=_shown(lines), accepted=accepted,
        )  # fmt: skip
    return tr(
        "None of the {count} best ({method}) is an accepted answer. Read: {read}. "
        "Accepted: {accepted}.",
        count=len(lines), method=_method(reply), read=_shown(lines), accepted=accepted,
    )  # fmt: skip


def _method(reply: Answered) -> str:
    return {
        "given": tr("predictions as given"),
        "beam": tr("beam search"),
        "sampled": tr("sampled"),
    }.get(reply.prediction_method or "", tr("the answer itself"))


def _accepted_by(line: str, check: TopK, programs: frozenset[str]) -> str | None:
    """The accepted answer that a line gives."""
    if not line:
        return None
    if check.match == "module":
        wanted = {module_name(text.strip()): text for text in check.expected_any}
        given = modules_in(line, frozenset(wanted))
        return next((text for name, text in wanted.items() if name in given), None)
    if check.match == "command":
        return next(
            (text for text in check.expected_any if _is_command(line, text, programs)), None
        )
    folded = fold_for_matching(line)
    return next((text for text in check.expected_any if occurs(text, folded, "word")), None)


def _first_snippet(line: str, programs: frozenset[str]) -> tuple[Command, ...]:
    snippets = snippets_in(line, programs)
    return snippets[0].commands if snippets else ()


def _is_command(line: str, accepted: str, programs: frozenset[str]) -> bool:
    """The line's first command line does all that is accepted, and nothing besides."""
    if " ".join(line.split()) == " ".join(accepted.split()):
        return True
    commands = _first_snippet(line, programs)
    if not commands or not Found(commands).match([(accepted,)]):
        return False
    wanted = [a for pipeline in pipelines_of(accepted) for stage in pipeline for a in stage]
    for command in commands:
        actions = actions_of(command)
        is_part = any(fulfils(done, one) for done in actions for one in wanted)
        only_shows = command.piped and command.program in VIEWERS
        if not (is_part or only_shows or all(action.is_refresh for action in actions)):
            return False
    return True


def _programs(expected: Iterable[str]) -> frozenset[str]:
    return KNOWN_PROGRAMS.union(*map(programs_of, expected))


# ---------------------------------------------------------------------- command_sequence


def command_sequence(case: Case, check: CommandSequence, reply: Answered) -> Score:
    """Share of the steps found in order among the commands of the answer."""
    steps = check.expected_commands
    text = "" if reply.reasoning_unclosed else reply.text
    snippets = snippets_in(text, _programs(chain.from_iterable(steps)))
    found = Found([command for snippet in snippets for command in snippet.commands])
    sources = [command.source for command in found.commands]
    met = found.match(steps)
    parts = tuple(_part(step, at, met, found) for at, step in enumerate(steps))
    return Score(
        scorer=COMMAND_SEQUENCE,
        version=COMMAND_SEQUENCE_VERSION,
        value=len(met) / len(steps) if steps else 0.0,
        no_answer=not sources,
        extracted="\n".join(sources) or None,
        explanation=_sequence_explained(parts, sources, cut=len(text) > READ_AT_MOST),
        parts=parts,
    )


def _part(step: tuple[str, ...], at: int, met: dict[int, int], found: Found) -> ScorePart:
    name = tr(" or ").join(step)
    if at in met:
        by = found.commands[met[at]].source
        return ScorePart(name=name, value=1.0, explanation=tr("Met by {command}.", command=by))
    if found.match([step]):
        return ScorePart(name=name, value=0.0, explanation=tr("There, but out of order."))
    return ScorePart(name=name, value=0.0, explanation=tr("Not found."))


def _sequence_explained(parts: tuple[ScorePart, ...], sources: list[str], *, cut: bool) -> str:
    if not sources:
        sentences = [tr("No command was found in the answer.")]
    else:
        missing = [part.name for part in parts if not part.value]
        sentences = [
            trn(
                "{met} of {count} step was found in order.",
                "{met} of {count} steps were found in order.",
                len(parts),
                met=len(parts) - len(missing),
            )
        ]
        if missing:
            sentences.append(tr("Missing or out of order: {steps}.", steps=_shown(missing)))
        sentences.append(tr("Commands read: {commands}.", commands=_shown(sources)))
    if cut:
        sentences.append(tr("Only the first {limit} characters were read.", limit=READ_AT_MOST))
    return " ".join(sentences)


def _shown(texts: Iterable[str]) -> str:
    listed = [" ".join(text.split())[:200] for text in texts]
    more = len(listed) - SHOWN_AT_MOST
    shown = "; ".join(listed[:SHOWN_AT_MOST])
    return (
        trn("{shown}; and {count} more", "{shown}; and {count} more", more, shown=shown)
        if more > 0
        else shown
    )
