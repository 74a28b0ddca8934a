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

import assay.evidence
from assay.evidence.examine import examine
from assay.request_identity import make_evidence_request
from assay.sandbox import Sandbox
from assay.store import Run, RunModel, Store
from assay.store.bodies import read_back, to_json
from assay.types import Answered, Case
from assay.types.judgements import Evidence


def has_checker(case: Case) -> bool:
    """Whether the test brings evidence with it."""
    return case.check.judged is not None and case.check.judged.evidence is not None


def evidence_of(
    store: Store, run: Run, model: RunModel, case: Case, answer: str, sandbox: Sandbox | None
) -> Evidence:
    """What is known of an answer. Only what code did is stored: the rest is computed again."""
    check = case.check.judged
    assert check
    if sandbox is None:
        return examine(check, answer, None)
    content = [_evidence_digest(), check.evidence, check.data_seed, sandbox.isolation, answer]
    request = make_evidence_request(case.id, content)
    if (number := store.find_answer(run, request.id)) is not None:
        stored = store.read_reply(number)
        assert isinstance(stored, Answered)
        evidence: Evidence = read_back(Evidence, stored.text)
        return evidence
    evidence = examine(check, answer, sandbox)
    if evidence.isolation:
        text = to_json(evidence, Evidence)
        reply = Answered(request_id=request.id, text=text)
        store.store_reply(run, model.facts.fingerprint, request, reply)
    return evidence


@cache
def _evidence_digest() -> str:
    """A digest of the code that checks: after a fix it checks again."""
    home = Path(assay.evidence.__file__).parent
    files = sorted(home.rglob("*.py"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
