"""What a user may choose at the front door: models that can be asked, and who could judge them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from assay.errors import ModelUnavailable, UsageError
from assay.judge.family import same_model, shares_family
from assay.messages import tr
from assay.models.opening import open_model, read_spec
from assay.suites.catalogue import find
from assay.suites.load import load_suite
from assay.types import ModelFacts
from assay.workflow.discover.discovery import ModelFound, find_judges
from assay.workflow.judging.panel import judged_cases


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCandidate:
    """One that could judge. `kin`: the families it shares with a model that is tested."""

    model: ModelFound
    kin: tuple[str, ...] = ()


def facts_of(spec: str) -> ModelFacts:
    """Of a model that is there and can write answers; raises what is wrong with another."""
    names_a_kind = read_spec(spec).scheme != "hf" or spec.startswith("hf:")
    if not names_a_kind and not os.path.lexists(spec):
        raise UsageError(
            tr("{spec!r} names no kind of model and no file", spec=spec),
            hint=tr(
                "for Ollama write ollama:{name}, for written answers scripted:FILE.json", name=spec
            ),
        )
    model = open_model(spec)
    model.close()
    if "generate" not in model.facts.capabilities:
        raise UsageError(
            tr("{model} cannot write answers", model=spec),
            hint=tr("choose a model that generates text"),
        )
    return model.facts


def refuse_as_judge(spec: str, tested: Sequence[ModelFacts]) -> None:
    """Raise why a model cannot judge these; nothing: it can."""
    judge = facts_of(spec)
    if any(same_model(judge, each) for each in tested):
        raise UsageError(
            tr("{model} would judge its own answers", model=spec),
            hint=tr("name another model, or choose none"),
        )


def what_to_judge(suites: Sequence[str]) -> tuple[int, bool]:
    """The number of tests that need a judge, and whether a checker has to be allowed."""
    cases = judged_cases([load_suite(find(suite)) for suite in suites])
    checks = [judged for case in cases if (judged := case.check.judged)]
    return len(cases), any(each.needs_permission for each in checks)


def judge_candidates(
    found: Sequence[ModelFound], tested: Sequence[ModelFacts], most: int = 3
) -> tuple[JudgeCandidate, ...]:
    """The largest that fit and are not tested themselves, be it under another name."""
    candidates: list[JudgeCandidate] = []
    for model in find_judges(found, most=len(found)):
        if len(candidates) == most:
            break
        with suppress(ModelUnavailable):  # it was removed a moment ago
            opened = open_model(model.spec)
            opened.close()
            if not any(same_model(opened.facts, each) for each in tested):
                kin = {name for each in tested for name in shares_family(opened.facts, each)}
                candidates.append(JudgeCandidate(model=model, kin=tuple(sorted(kin))))
    return tuple(candidates)
