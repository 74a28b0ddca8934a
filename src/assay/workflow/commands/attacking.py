"""`assay attack`: tries standing cheats against the checker of every test folder of a suite."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from assay.checkers import MAKE, Made, fill, gather, make_files
from assay.errors import UsageError
from assay.messages import tr
from assay.plugins import load_plugins
from assay.sandbox import Sandbox, open_sandbox
from assay.suites.load import find, load_all
from assay.suites.test_folder import made_for, read_reference
from assay.types import Case, JudgeFields, Observer
from assay.types.options import SandboxChoice
from assay.types.scores import SilentProgress
from assay.workflow.commands.cheats import Given, list_cheats

MAX_SHARE = 0.25
SEEDS = (1, 2, 3)
OTHER_SEED = 77  # whose answers are learnt by heart


@dataclass(frozen=True, slots=True, kw_only=True)
class CheatResult:
    """The highest share that a cheat reaches at one of the seeds; `problem`: why the checker came
    to no result, which is a hole as well.
    """

    cheat: str
    share: float
    seed: int
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackedTest:
    """One test folder; the highest first."""

    test_id: str
    description: str
    results: tuple[CheatResult, ...]

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
            if any(one.problem or one.share > self.max_share for one in each.results)
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "suite": self.suite,
            "max_share": self.max_share,
            "passed": not self.above,
            "tests": [
                {
                    "test_id": test.test_id,
                    "highest": round(test.highest.share, 4),
                    "cheats": [
                        {
                            "cheat": one.cheat,
                            "share": round(one.share, 4),
                            "data_seed": one.seed,
                            "problem": one.problem or None,
                        }
                        for one in test.results
                    ],
                }
                for test in self.tests
            ],
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
    evidence = gather(folder, [(answer, made) for _, _, answer, made in tried], sandbox)
    best: dict[str, CheatResult] = {}
    for (cheat, seed, _, _), found in zip(tried, evidence, strict=True):
        share = float(found.share or Fraction())
        problem = found.missing if found.unscored_reason else ""
        here = CheatResult(cheat=cheat, share=share, seed=seed, problem=problem)
        known = best.get(cheat)
        if known is None or (bool(problem), share) > (bool(known.problem), known.share):
            best[cheat] = here
    ordered = sorted(best.values(), key=lambda one: (not one.problem, -one.share, one.cheat))
    return AttackedTest(test_id=case.id, description=case.description, results=tuple(ordered))


def _tried(
    case: Case, check: JudgeFields, sandbox: Sandbox, seeds: Sequence[int]
) -> Iterator[tuple[str, int, str, Made]]:
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
            yield cheat, seed, answer, one
