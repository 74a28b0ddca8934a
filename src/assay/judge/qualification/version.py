"""The version of the check: a digest of the gold set, the injections, and the prompts.

A card is valid as long as a new check would ask the same. Prompts are rendered for one answer in
every form and layout, so that a changed word anywhere in them makes another digest.
"""

from __future__ import annotations

import hashlib
from functools import cache

from assay.judge.likelihood.layouts import LAYOUTS
from assay.judge.opening import open_questionnaire
from assay.judge.qualification.gold import GOLD_RUBRICS, gold_bytes, gold_set
from assay.judge.qualification.injections import injection_bytes
from assay.judge.questionnaire import Assignment
from assay.types import ModelFacts, ToAnswer, ToChoose

_NOBODY = ModelFacts(spec="", name="", fingerprint="", capabilities=frozenset({"generate"}))


@cache
def gold_digest() -> str:
    whole = hashlib.sha256(injection_bytes())
    for name in GOLD_RUBRICS:
        whole.update(gold_bytes(name))
        gold = gold_set(name)
        example = gold.rubric.examples[0]
        for layout in (*LAYOUTS, None):
            questionnaire = open_questionnaire(
                Assignment(
                    judge=_NOBODY,
                    case=gold.cases[example.test_id],
                    rubric=gold.rubric,
                    answer=example.answer,
                    layout=layout,
                )
            )
            for request in questionnaire.pending():
                assert isinstance(request.work, ToAnswer | ToChoose)
                for message in request.work.messages:
                    whole.update(message.content.encode())
    return whole.hexdigest()[:16]
