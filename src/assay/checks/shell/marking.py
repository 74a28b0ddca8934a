"""Marks answers that are commands, or names of kernel modules.

In: a test, its check, and what the model answered. Out: a Score with what was read, what matched
and what is missing. Pure; nothing is ever executed. The rules, with examples that are tested, stand
in `docs/shell.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice

from assay.checks.shell.meaning import actions_of, fulfils, module_name
from assay.checks.shell.modules import modules_in
from assay.checks.shell.options import ALIASES
from assay.checks.shell.programs import KNOWN_PROGRAMS, names
from assay.checks.shell.reading import (
    READ_AT_MOST,
    Line,
    announces,
    answer_lines,
    snippets_in,
    snippets_of_line,
)
from assay.checks.shell.sequence import Found, pipelines_of, programs_of
from assay.checks.shell.syntax import Command
from assay.checks.text import occurs
from assay.messages import tr, trn
from assay.text.folding import fold_for_matching
from assay.types import Answered, Case, CommandSequence, Score, ScorePart, TopK

TOP_K = "top_k"
TOP_K_VERSION = 2
COMMAND_SEQUENCE = "command_sequence"
COMMAND_SEQUENCE_VERSION = 2

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
    readable = [line for line in lines if line.text]
    if check.match == "command":
        readable = [line for line in lines if _first_snippet(line, programs)]
    texts = [line.text for line in lines]
    for rank, line in enumerate(lines, start=1):
        accepted = _accepted_by(line, check, programs)
        if accepted is not None:
            explanation = tr(
                "{accepted} stands at rank {rank} of {count} ({method}).",
                accepted=accepted, rank=rank, count=len(lines), method=_method(reply),
            )  # fmt: skip
            return _top_k_score(1.0, texts, explanation)
    if not readable:
        explanation = (
            tr("No command could be read from the first lines ({method}).", method=_method(reply))
            if check.match == "command"
            else tr("The answer is empty ({method}).", method=_method(reply))
        )
        return _top_k_score(0.0, texts, explanation, no_answer=True)
    return _top_k_score(0.0, texts, _none_accepted(check, reply, texts))


def _answering_line(answer: str, check: TopK, programs: frozenset[str]) -> Line:
    """The first line; a later one where those before it only lead to it ("You can use:")."""
    lines = list(islice(answer_lines(answer), ANNOUNCED_AT_MOST + 1))
    for at, line in enumerate(lines[:-1]):
        following = lines[at + 1 :]
        if _accepted_by(line, check, programs) or not _leads_on(line, following, check, programs):
            return line
    return lines[-1] if lines else Line("", in_code=False)


def _leads_on(line: Line, following: Sequence[Line], check: TopK, programs: frozenset[str]) -> bool:
    """Whether a line announces what follows, itself no answer."""
    if check.match != "command":
        return announces(line.text)
    snippets = snippets_of_line(line, programs)
    if not snippets:
        before_code = not line.in_code and any(later.in_code for later in following)
        return announces(line.text) or before_code
    answering = next(filter(None, (_first_snippet(later, programs) for later in following)), ())
    words_of_shell = sum(len(snippet.source.split()) for snippet in snippets)
    is_sentence = announces(line.text) or len(line.text.split()) > words_of_shell
    named = [command for snippet in snippets for command in snippet.commands]
    return is_sentence and bool(answering) and _names_only(named, answering[0])


def _names_only(named: Sequence[Command], answering: Command) -> bool:
    """What is named ("the `lsof` command", "`systemctl status`") comes again, with arguments."""
    others = [command for command in named if not _comes_again(command, answering)]
    return len(others) < len(named) and all(len(_operands(command)) == 1 for command in others)


def _comes_again(command: Command, answering: Command) -> bool:
    one, other = (ALIASES.get(c.program, c.program) for c in (command, answering))
    return one == other and set(_operands(command)[1:]) <= set(answering.words)


def _operands(command: Command) -> list[str]:
    return [word for word in command.words if not word.startswith("-")]


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


def _accepted_by(line: Line, check: TopK, programs: frozenset[str]) -> str | None:
    """The accepted answer that a line gives."""
    if not line.text:
        return None
    if check.match == "module":
        wanted = {module_name(text.strip()): text for text in check.expected_any}
        given = modules_in(line.text, frozenset(wanted))
        return next((text for name, text in wanted.items() if name in given), None)
    if check.match == "command":
        return next(
            (text for text in check.expected_any if _is_command(line, text, programs)), None
        )
    folded = fold_for_matching(line.text)
    return next((text for text in check.expected_any if occurs(text, folded, "word")), None)


def _first_snippet(line: Line, programs: frozenset[str]) -> tuple[Command, ...]:
    snippets = snippets_of_line(line, programs)
    return snippets[0].commands if snippets else ()


def _is_command(line: Line, accepted: str, programs: frozenset[str]) -> bool:
    """The line's first command line does all that is accepted, and nothing besides."""
    if " ".join(line.text.split()) == " ".join(accepted.split()):
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
