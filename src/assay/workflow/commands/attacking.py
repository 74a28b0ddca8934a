"""`assay attack`: tries standing cheats against the checker of every test folder of a suite."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from assay.checkers import MAKE, Made, fill, gather, make_files
from assay.errors import UsageError
from assay.messages import tr
from assay.plugins import load_plugins
from assay.sandbox import Sandbox, open_sandbox
from assay.suites.load import find, load_all
from assay.suites.test_folder import made_for, read_reference
from assay.types import Case, JudgeFields, Observer
from assay.types.judging.judgements import BOUND_CLOSELY, Evidence, overall_tenths
from assay.types.options import SandboxChoice
from assay.types.scores import SilentProgress
from assay.workflow.commands.cheats import Given, list_cheats, list_denials

MAX_SHARE = 0.25
SEEDS = (1, 2, 3)
OTHER_SEED = 77  # whose answers are learnt by heart


@dataclass(frozen=True, slots=True, kw_only=True)
class CheatResult:
    """The highest share that a cheat reaches at one of the seeds; `problem`: why the checker came
    to no result, which is a hole as well. `lifted`: the overall that a judge of no card can give it
    by saying 10 of everything; `passed`: the checks that it passes; `allowed`: the share that it
    may have above the limit of the others, since its block is right.
    """

    cheat: str
    share: float
    seed: int
    lifted: float
    problem: str = ""
    passed: tuple[str, ...] = ()
    allowed: float = 0

    def is_above(self, limit: float) -> bool:
        return self.share > max(limit, self.allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackedTest:
    """One test folder; the highest first. `denials`: around a right block; `judged`: those of them
    that deny it in sentences, which only a judge reads.
    """

    test_id: str
    description: str
    results: tuple[CheatResult, ...]
    denials: tuple[CheatResult, ...] = ()
    judged: tuple[CheatResult, ...] = ()

    @property
    def highest(self) -> CheatResult:
        return self.results[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackReport:
    suite: str
    max_share: float
    tests: tuple[AttackedTest, ...]

    @property
    def above(self) -> tuple[AttackedTest, ...]:
        """Tests that a cheat gets too much of, or whose checker it breaks."""
        return tuple(
            each
            for each in self.tests
            if any(
                one.problem or one.is_above(self.max_share)
                for one in (*each.results, *each.denials, *each.judged)
            )
        )

    @property
    def lifted(self) -> float:
        """The highest overall with a judge that says 10 of everything."""
        return max(one.lifted for test in self.tests for one in (*test.results, *test.denials))

    def to_dict(self) -> dict[str, Any]:
        return {
            "suite": self.suite,
            "max_share": self.max_share,
            "passed": not self.above,
            "overall_if_judged_10": self.lifted,
            "tests": [
                {
                    "test_id": test.test_id,
                    "highest": round(test.highest.share, 4),
                    "cheats": [_as_dict(one) for one in test.results],
                    "around_a_right_block": [_as_dict(one) for one in test.denials],
                    "left_to_a_judge": [_as_dict(one) for one in test.judged],
                }
                for test in self.tests
            ],
        }


def _as_dict(one: CheatResult) -> dict[str, Any]:
    return {
        "cheat": one.cheat,
        "share": round(one.share, 4),
        "data_seed": one.seed,
        "overall_if_judged_10": one.lifted,
        "problem": one.problem or None,
        "passed": list(one.passed),
    }


def attack(
    suite: str | Path,
    *,
    max_share: float = MAX_SHARE,
    allow_code_execution: bool = False,
    sandbox: SandboxChoice = "auto",
    plugins: Sequence[str] = (),
    observer: Observer | None = None,
) -> AttackReport:
    """Standing cheats against every test folder of a suite, with the highest share of each.

    Example: `assay.attack("my-tests", allow_code_execution=True).above`.
    """
    if not allow_code_execution:
        raise UsageError(
            tr("attack runs the checkers of a suite"),
            hint=tr("add --allow-code-execution; code runs in the sandbox"),
        )
    load_plugins(plugins)
    opened = open_sandbox(sandbox)
    observer = observer or SilentProgress()
    (loaded,) = load_all([find(str(suite), None)], get_sandbox=lambda: opened)
    tests = []
    for case in loaded.cases:
        check = case.check.judged
        if check is not None and check.checker_folder is not None:
            observer.note(tr("attacking {test}", test=case.id))
            tests.append(attack_test(case, check, opened))
    if not tests:
        raise UsageError(
            tr("{suite} has no test folder, and only those bring a checker", suite=suite),
            hint=tr("`assay new-test --judged NAME` writes one"),
        )
    return AttackReport(suite=loaded.name, max_share=max_share, tests=tuple(tests))


def attack_test(
    case: Case, check: JudgeFields, sandbox: Sandbox, seeds: Sequence[int] = SEEDS
) -> AttackedTest:
    tried = list(_tried(case, check, sandbox, seeds))
    folder = check.checker_folder
    assert folder is not None
    evidence = gather(folder, [(one.answer, one.made) for one in tried], sandbox)
    found: dict[str, list[CheatResult]] = {}
    for trial, one in zip(tried, evidence, strict=True):
        problem = one.missing if one.unscored_reason else ""
        share = float(one.share or Fraction())
        passed = tuple(check.name for check in one.checks if check.passed)
        here = CheatResult(
            cheat=trial.cheat,
            share=share,
            seed=trial.seed,
            lifted=lift(one),
            problem=problem,
            passed=passed,
            allowed=trial.allowed,
        )
        found.setdefault(trial.cheat, []).append(here)
    best = [
        replace(max(some, key=lambda one: (bool(one.problem), one.share)),
                lifted=max(one.lifted for one in some))
        for some in found.values()
    ]  # fmt: skip
    ordered = sorted(best, key=lambda one: (not one.problem, -one.share, one.cheat))
    return AttackedTest(
        test_id=case.id,
        description=case.description,
        results=tuple(one for one in ordered if not one.allowed),
        denials=tuple(one for one in ordered if 0 < one.allowed < 1),
        judged=tuple(one for one in ordered if one.allowed == 1),
    )


def lift(evidence: Evidence) -> float:
    """What evidence leaves of 10 for every criterion, by the weights of the shipped rubrics."""
    weights = {BOUND_CLOSELY: 4, "completeness": 3, "quality": 3}  # the last by any name
    most = [
        (weight, evidence.bounds_of(name, trusted=False)[1]) for name, weight in weights.items()
    ]
    return (overall_tenths(most) or 0) / 10


class _Trial(NamedTuple):
    cheat: str
    seed: int
    answer: str
    made: Made
    allowed: float = 0


def _tried(
    case: Case, check: JudgeFields, sandbox: Sandbox, seeds: Sequence[int]
) -> Iterator[_Trial]:
    folder = check.checker_folder
    assert folder is not None
    reference = read_reference(folder)
    first = made_for(check, sandbox)
    if (folder / MAKE).exists():
        inside = None if check.checker_ships else sandbox
        *made, other = make_files(folder, [*seeds, OTHER_SEED], inside)
        learnt = fill(reference, {**first.files, **other.files}, other.truth)
        made = [replace(one, files={**first.files, **one.files}) for one in made]
    else:
        seeds, made, learnt = (0,), [first], ""
    prompt = "\n".join(turn.content for turn in case.messages)
    statements = (*check.requirements, *check.checklist)
    for seed, one in zip(seeds, made, strict=True):
        right = fill(reference, one.files, one.truth)
        given = Given(
            prompt=prompt,
            files=dict(one.files),
            reference=right,
            other=learnt if learnt != right else "",
            statements=statements,
        )
        for cheat, answer in list_cheats(given).items():
            yield _Trial(cheat, seed, answer, one)
        for cheat, (answer, allowed) in list_denials(given).items():
            yield _Trial(cheat, seed, answer, one, allowed)
