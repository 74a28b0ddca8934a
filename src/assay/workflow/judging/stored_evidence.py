"""Stored evidence: code may show another thing each time it is run, so the outcome is stored.

In: the store, a run, a test, an answer, the sandbox. Out: Evidence; from the store, where the same
code was run for the same test before.

A judge reads what the code did. If that changed between two starts of one judging (an address in
a message, a set in another order, a limit that was reached by a hair), the judge would be asked
everything again; and code that hangs would be waited for again.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from assay.checkers import code_not_allowed, gather, make_digest
from assay.errors import SandboxUnavailable
from assay.messages import tr
from assay.request_identity import make_evidence_request
from assay.sandbox import Sandbox, open_sandbox
from assay.store import Run, RunModel, Store
from assay.store.bodies import read_back, to_json
from assay.suites.test_folder import made_for
from assay.types import Answered, Case
from assay.types.judgements import Evidence


def has_checker(case: Case) -> bool:
    """Whether the test brings evidence with it."""
    return case.check.judged is not None and bool(case.check.judged.checker)


def evidence_of(
    store: Store, run: Run, model: RunModel, case: Case, answer: str, sandbox: Sandbox | None
) -> Evidence:
    """What the test's own checker finds about an answer; no sandbox: code is not allowed."""
    check = case.check.judged
    assert check
    folder = check.checker_folder
    assert folder
    if sandbox is None and not check.needs_permission:
        sandbox = _open_any_sandbox()
    if sandbox is None:
        return code_not_allowed()
    content = [make_digest(folder), check.data_seed, sandbox.isolation, answer]
    request = make_evidence_request(case.id, content)
    if (number := store.find_answer(run, request.id)) is not None:
        stored = store.read_reply(number)
        assert isinstance(stored, Answered)
        evidence: Evidence = read_back(Evidence, stored.text)
        return evidence
    made = made_for(check, sandbox)
    if made.problem:
        why = tr("make.py failed: {reason}", reason=made.problem)
        return Evidence(missing=why, unscored_reason="checker_failed")
    (evidence,) = gather(folder, [(answer, made)], sandbox)
    if evidence.checks:
        text = to_json(evidence, Evidence)
        reply = Answered(request_id=request.id, text=text)
        store.store_reply(run, model.facts.fingerprint, request, reply)
    return evidence


@cache
def _open_any_sandbox() -> Sandbox | None:
    """For checkers of ours that run no code of an answer: the strongest there is."""
    kinds: tuple[Literal["auto", "weak"], ...] = ("auto", "weak")
    for kind in kinds:
        try:
            return open_sandbox(kind)
        except SandboxUnavailable:
            continue
    return None
