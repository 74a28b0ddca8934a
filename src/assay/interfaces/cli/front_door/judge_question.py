"""Asks who judges, and whether the code of answers may be run for evidence."""

from __future__ import annotations

from collections.abc import Sequence

from assay.api.discovery import (
    ModelFound,
    facts_of,
    find_isolation,
    judge_candidates,
    refuse_as_judge,
    what_to_judge,
)
from assay.interfaces.cli.front_door.offers import NO_JUDGE, offered_judges
from assay.interfaces.cli.front_door.questions import Questions, Typed, say
from assay.messages import tr, trn
from assay.types import ModelFacts
from assay.types.options import JudgeOptions


def ask_for_judge(
    asking: Questions, suites: Sequence[str], models: Sequence[str], found: Sequence[ModelFound]
) -> JudgeOptions:
    """Nothing is asked where no test needs a judge."""
    tests, holds_code = what_to_judge(suites)
    if not tests:
        return JudgeOptions()
    tested = [facts_of(spec) for spec in models]
    judge = _which(asking, tests, tested, found)
    judges = () if judge == NO_JUDGE else (judge,)
    allowed = holds_code and _may_code_be_run(asking)
    return JudgeOptions(judges=judges, allow_code_execution=allowed)


def _which(
    asking: Questions, tests: int, tested: Sequence[ModelFacts], found: Sequence[ModelFound]
) -> str:
    question = trn(
        "Which judge reads the answers to {count} test?",
        "Which judge reads the answers to {count} tests?",
        tests,
    )
    typed = Typed(
        offer=tr("another judge: type its name"),
        example="ollama:NAME, openai:NAME@URL, scripted:FILE.json, a checkpoint's folder",
        check=lambda spec: refuse_as_judge(spec, tested),
    )
    return asking.one(question, offered_judges(judge_candidates(found, tested)), typed)


def _may_code_be_run(asking: Questions) -> bool:
    """Only where it can be kept apart; `--sandbox weak` is nothing to choose with a key."""
    isolation = find_isolation()
    if isolation.isolation is None:
        problems = "; ".join(isolation.problems)
        say(tr("Code in answers is not run: nothing keeps it apart here ({why})", why=problems))
        return False
    how = {
        "bubblewrap": tr("bubblewrap ({tool})", tool=isolation.tool),
        "namespaces": tr("the kernel's namespaces"),
    }[isolation.isolation]
    say(
        tr(
            "Code that runs is evidence: it scores an answer, and binds a judge. It would run in "
            "{how}: without network, and without your files",
            how=how,
        ),
        "dim",
    )
    return asking.yes(tr("May the code of answers be run?"), usual=False)
