"""Stored evidence: code may show another thing each time it is run, so the outcome is stored.

In: the store, a run, a test, an answer, the sandbox. Out: Evidence; from the store, where the same
code was run for the same test before.

A judge reads what the code did. If that changed between two starts of one judging (an address in
a message, a set in another order, a limit that was reached by a hair), the judge would be asked
everything again; and code that hangs would be waited for again.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Literal

import assay.evidence
from assay.checkers import code_not_allowed, gather, make_digest
from assay.errors import SandboxUnavailable
from assay.evidence.examine import examine
from assay.messages import tr
from assay.request_identity import make_evidence_request
from assay.sandbox import Sandbox, open_sandbox
from assay.store import Run, RunModel, Store
from assay.store.bodies import read_back, to_json
from assay.suites.test_folder import made_for
from assay.types import Answered, Case, JudgeFields
from assay.types.judgements import Evidence


def has_checker(case: Case) -> bool:
    """Whether the test brings evidence with it."""
    check = case.check.judged
    return check is not None and bool(check.evidence or check.checker)


def evidence_of(
    store: Store, run: Run, model: RunModel, case: Case, answer: str, sandbox: Sandbox | None
) -> Evidence:
    """What is known of an answer. Only what code did is stored: the rest is computed again."""
    check = case.check.judged
    assert check
    if sandbox is None and check.checker and not check.needs_permission:
        sandbox = _open_any_sandbox()
    if sandbox is None:
        return code_not_allowed() if check.checker_folder else examine(check, answer, None)
    folder = check.checker_folder
    digest = make_digest(folder) if folder else _evidence_digest()
    content = [digest, check.evidence, check.data_seed, sandbox.isolation, answer]
    request = make_evidence_request(case.id, content)
    if (number := store.find_answer(run, request.id)) is not None:
        stored = store.read_reply(number)
        assert isinstance(stored, Answered)
        evidence: Evidence = read_back(Evidence, stored.text)
        return evidence
    evidence = _gather(check, answer, sandbox) if folder else examine(check, answer, sandbox)
    if evidence.checks and evidence.isolation:
        text = to_json(evidence, Evidence)
        reply = Answered(request_id=request.id, text=text)
        store.store_reply(run, model.facts.fingerprint, request, reply)
    return evidence


def _gather(check: JudgeFields, answer: str, sandbox: Sandbox) -> Evidence:
    folder = check.checker_folder
    assert folder
    made = made_for(check, sandbox)
    if made.problem:
        why = tr("make.py failed: {reason}", reason=made.problem)
        return Evidence(missing=why, unscored_reason="checker_failed")
    (evidence,) = gather(folder, [(answer, made)], sandbox)
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


@cache
def _evidence_digest() -> str:
    """A digest of the code that checks: after a fix it checks again."""
    home = Path(assay.evidence.__file__).parent
    files = sorted(home.rglob("*.py"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
