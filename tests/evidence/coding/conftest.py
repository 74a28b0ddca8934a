"""A sandbox for all tests of this folder: opening one takes a tenth of a second."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.checks.judge import Judge
from assay.errors import SandboxUnavailable
from assay.evidence import examine
from assay.sandbox import Sandbox, open_sandbox
from assay.types.judgements import Evidence
from tests.evidence.coding.references import GENERATORS

Examine = Callable[..., Evidence]


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    """The strongest there is; answers of these tests are ours, so that a weak one will do."""
    try:
        return open_sandbox()
    except SandboxUnavailable:
        return open_sandbox("weak")


@pytest.fixture(scope="session")
def examined(sandbox: Sandbox) -> Examine:
    """Examine an answer to a test, given its id."""

    def examined(test: str, answer: str, seed: int = 0) -> Evidence:
        check = Judge(rubric="coding", evidence=GENERATORS[test], data_seed=seed)
        return examine(check, answer, sandbox)

    return examined
