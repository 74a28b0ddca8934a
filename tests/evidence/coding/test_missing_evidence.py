"""Evidence that could not be had is missing; it is never a failed check."""

import pytest

from assay.checks.judge import Judge
from assay.evidence import examine
from assay.sandbox import Ran
from tests.evidence.coding.references import GENERATORS, reference

RUN = [test for test in GENERATORS if test != "CT-04"]


class Stub:
    """A sandbox in which everything ends as it is told to."""

    isolation = "weak"

    def __init__(self, ended, stdout=b"", stderr=b""):
        self.ran = Ran(
            exit_code=None, stdout=stdout, stderr=stderr, ended=ended, seconds=0.0, cut=False
        )

    def run(self, program):
        return self.ran


def examined(test, sandbox, seed=0):
    check = Judge(rubric="coding", evidence=GENERATORS[test], data_seed=seed)
    return examine(check, reference(test, seed), sandbox)


@pytest.mark.parametrize("test", RUN)
def test_without_a_sandbox_evidence_is_missing_and_the_option_is_named(test):
    evidence = examined(test, None)
    assert (evidence.checks, evidence.share) == ((), None)
    assert "--allow-code-execution" in evidence.missing


@pytest.mark.parametrize("test", RUN)
@pytest.mark.parametrize(
    "stub",
    [
        Stub("not_started", stderr=b"bwrap: no permission"),
        Stub("exited", stderr=b"ModuleNotFoundError: no json"),
        Stub("time"),
    ],
)
def test_a_sandbox_that_does_not_start_leaves_evidence_missing(test, stub):
    evidence = examined(test, stub)
    assert (evidence.checks, evidence.share) == ((), None)
    assert evidence.missing


@pytest.mark.parametrize("test", RUN)
@pytest.mark.parametrize("stdout", [b"ready\n", b"ready\n0123 []\n", b"ready\n\xff\xfe passed\n"])
def test_a_run_that_began_and_left_no_report_fails_every_check(test, stdout):
    evidence = examined(test, Stub("memory", stdout=stdout))
    run = [check for check in evidence.checks if check.group not in ("interface", "text")]
    # What is read in the text of an answer does not need to be run.
    read = {"examples", "trap_stated:always_up", "trap_stated:keeps_last"}
    assert not evidence.missing
    assert {check.name for check in run if check.passed} == (read if test == "CT-05" else set())


def test_a_review_needs_no_sandbox():
    assert examined("CT-04", None).share == 1


def test_a_test_without_an_examiner_has_no_evidence():
    assert examine(Judge(rubric="coding"), "text", None).missing
    assert "nobody" in examine(Judge(rubric="coding", evidence="nobody"), "text", None).missing
