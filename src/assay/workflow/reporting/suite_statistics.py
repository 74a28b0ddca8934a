"""What a suite's maker should look at: difficulty and discrimination of its tests over the store,
tests that ask the same, baselines, languages.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from assay.messages import tr
from assay.reports.formats.notebook import SuiteStatisticsResult
from assay.sandbox import open_sandbox
from assay.stats.estimates import proportion
from assay.stats.items import discriminations
from assay.store import Store
from assay.store.verbs import FILE_NAME
from assay.suites.load import find, load_suite
from assay.summary.baselines import sample_cases
from assay.summary.duplicates import find_alike
from assay.types import Estimate, Suite
from assay.types.measured.suite_statistics import FEWEST_TO_DISCRIMINATE, SolvedTest
from assay.types.options import DEFAULT_OUT
from assay.workflow.reporting.comparison import same_tests
from assay.workflow.running.baselines import baselines_of, guesses_of

PROMPTS_READ = 1000  # for their language
_Scores = dict[str, dict[str, float | None]]  # by model and test; None: failed or unscored


def suite_statistics(
    suite: str, *, benchmarks: str | Path | None = None, out: str | Path = DEFAULT_OUT
) -> SuiteStatisticsResult:
    """Which tests of a suite to look at, by its name or path: those that nobody or everybody
    solves, that better models fail, or that ask what another asks.

    Each model in the store counts once, by its newest score of each test that has not changed.
    Example: `assay.suite_statistics("my-tests").to_pandas()[["id", "right", "discrimination"]]`.
    """
    folder = None if benchmarks is None else Path(benchmarks)
    loaded = load_suite(find(suite, folder), get_sandbox=open_sandbox)
    names: dict[str, str] = {}
    scores: _Scores = {}
    notes = []
    if (Path(out) / FILE_NAME).is_file():
        with Store(out, read_only=True) as store:
            names, scores = _read_scores(store, loaded)
    if not scores:
        notes.append(tr("no model in {out} has answered these tests: `assay run MODEL -s {suite}`",
                        out=out, suite=suite))  # fmt: skip
    elif len(scores) < FEWEST_TO_DISCRIMINATE:
        notes.append(tr("too few models ({count}) to say which tests separate good models from "
                        "weak ones: {least} are needed",
                        count=len(scores), least=FEWEST_TO_DISCRIMINATE))  # fmt: skip
    languages, read = _languages(loaded)
    return SuiteStatisticsResult(
        suite=loaded.name,
        tests=_tests(loaded, scores),
        models=tuple(names[each] for each in scores),
        alike=tuple(find_alike(loaded)),
        baselines=baselines_of(loaded),
        guesses=guesses_of(loaded),
        languages=languages,
        read=read,
        notes=tuple(notes),
    )


def _read_scores(store: Store, suite: Suite) -> tuple[dict[str, str], _Scores]:
    """The name of each model, and its scores of the tests that are as they were."""
    same: dict[str, frozenset[str]] = {}
    names: dict[str, str] = {}
    scores: _Scores = {}
    for row in store.read_test_scores(suite.name):
        if row.digest not in same:
            same[row.digest] = same_tests(store.read_suite(row.digest), suite)
        if row.test_id in same[row.digest]:
            names[row.fingerprint] = row.model
            of_model = scores.setdefault(row.fingerprint, {})
            of_model[row.test_id] = of_model.get(row.test_id) if row.value is None else row.value
    return names, scores


def _tests(suite: Suite, scores: _Scores) -> tuple[SolvedTest, ...]:
    cases = [*suite.cases]
    by_test = [[of.get(case.id) for of in scores.values()] for case in cases]
    asked = [sum(case.id in of for of in scores.values()) for case in cases]
    return tuple(
        SolvedTest(
            id=case.id,
            category=case.category,
            right=_share_right(values, count, suite.pass_mark),
            discrimination=discrimination,
        )
        for case, values, count, discrimination in zip(
            cases, by_test, asked, discriminations(by_test), strict=True
        )
    )


def _share_right(values: list[float | None], asked: int, pass_mark: float) -> Estimate:
    known = [value for value in values if value is not None]
    passed = sum(value >= pass_mark - 1e-9 for value in known)
    return proportion(passed, len(known), unscored=asked - len(known))


def _languages(suite: Suite) -> tuple[Mapping[str, Mapping[str, int]], int]:
    from assay.checks.ewe.language import identify

    cases = sample_cases(suite, PROMPTS_READ)
    found: dict[str, Counter[str]] = {}
    for case in cases:
        found.setdefault(case.category, Counter())[identify(case.prompt).code or ""] += 1
    return {name: dict(counts.most_common()) for name, counts in found.items()}, len(cases)
