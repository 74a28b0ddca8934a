"""Which examiner looks at an answer.

In: a test's check, an answer, a sandbox or None. Out: Evidence. An examiner is the module of its
name, with examine(answer, made, sandbox) -> Evidence; the generator of the data it looks at has the
same name.
"""

from __future__ import annotations

from importlib import import_module

from assay.fixtures import GENERATORS, make
from assay.messages import tr
from assay.sandbox import Sandbox
from assay.types import JudgeFields
from assay.types.judgements import Evidence


def examine(check: JudgeFields, answer: str, sandbox: Sandbox | None) -> Evidence:
    """Look at an answer. Where nothing can be checked, the evidence is missing, and says why."""
    if check.evidence is None:
        return Evidence(missing=tr("the test has nothing that could be run or computed"))
    if check.evidence not in GENERATORS:
        return Evidence(missing=tr("there is no examiner {name}", name=repr(check.evidence)))
    made = make(check.evidence, check.data_seed)
    evidence: Evidence = import_module(f"assay.evidence.{check.evidence}").examine(
        answer, made, sandbox
    )
    return evidence
