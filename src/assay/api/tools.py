"""Functions that answer with one JSON document, its headline first: for programs and agents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.errors import UsageError
from assay.files.wording import did_you_mean
from assay.messages import tr, trn
from assay.reports.cards.run import headline
from assay.reports.checkpoints.decision import name_of
from assay.reports.checkpoints.facts import advice_texts, sentence
from assay.reports.checkpoints.json_documents import acceptance_document
from assay.reports.json_documents import test_json
from assay.reports.json_values import JsonObject, pick, plain_value
from assay.reports.progress import observer_for
from assay.reports.sentences import outcome_of, short_names
from assay.reports.suites.card import suites_json
from assay.store import Store
from assay.text.safe_text import one_line
from assay.types import Case, Observer, OutcomeKind
from assay.types.conversations import conversation_text
from assay.types.options import DEFAULT_OUT, StoredAnswerOptions
from assay.types.results import Report, TestRow
from assay.types.rounds import REVIEW_SCHEMA
from assay.types.scores import SilentProgress
from assay.workflow.commands.authoring import validate
from assay.workflow.commands.discover.catalogue import known_suites
from assay.workflow.commands.existing_answers import judge_existing
from assay.workflow.commands.loop.review import failed_tests
from assay.workflow.commands.selection import select
from assay.workflow.reporting.results import report_of


def select_checkpoint(
    folder: str | Path, gate: str | Path | None = None, *, out: str | Path = DEFAULT_OUT
) -> JsonObject:
    """Gate and pick among the evaluated checkpoints of a folder, as `assay select` does.

    Nothing is evaluated, and nothing is written beside the weights. Example:
    `assay.select_checkpoint("runs/my-model")["selected"]`.
    """
    return select([str(folder)], gate=gate, write_back=False, out=out).to_dict()


def explain_result(run: str, test_id: str, *, out: str | Path = DEFAULT_OUT) -> JsonObject:
    """Why each model of a run has the score it has on one test: question, answer, checks, judge.

    `test_id` may be SUITE/TEST-ID. Example: `assay.explain_result("latest", "q_001")["headline"]`.
    """
    with Store(out, read_only=True) as store:
        found = store.find_run(run)
        report = report_of(store, found)
        cases = {
            (suite.name, case.id): case
            for suite in store.read_suites(found)
            for case in suite.cases
        }
    answers = [
        (model.spec, of.suite, row)
        for model in report.models
        for of in model.suites
        for row in of.tests
        if test_id in (row.id, f"{of.suite}/{row.id}")
    ]
    if not answers:
        ids = [test for _, test in cases]
        problem = tr("run {run} has no answer to a test '{test}'", run=found.id, test=test_id)
        raise UsageError(
            did_you_mean(problem, test_id, ids),
            hint=tr("its tests are in `assay report {run} -v`", run=found.id),
        )
    names = short_names(report)
    said = [
        tr("{model}: {outcome}, {why}", model=names[model], outcome=outcome_of(row),
           why=row.explanation or "-")
        for model, _, row in answers
    ]  # fmt: skip
    return {
        "headline": one_line("; ".join(said)),
        "run": found.id,
        "tests": [_test(cases[key]) for key in dict.fromkeys((s, r.id) for _, s, r in answers)],
        "answers": [
            {
                "model": model,
                "suite": suite,
                **test_json(row),
                "judged": _judged(report, model, suite, row),
            }
            for model, suite, row in answers
        ],
    }


def _test(case: Case) -> JsonObject:
    return {
        **pick(case, "id suite category"),
        "eval_method": case.method,
        "asked": conversation_text(case.turns(None)),
        "expected": plain_value(case.check.stored()),
        **pick(case, "description reviewed tags"),
    }


def _judged(report: Report, model: str, suite: str, row: TestRow) -> object:
    """Every final judgement of the answer, one a trial; None where nobody judged it."""
    models = report.judged.models if report.judged else ()
    tests = (test for each in models if each.model == model for test in each.tests)
    found = [
        test.final_judgements for test in tests if (test.suite, test.test_id) == (suite, row.id)
    ]
    return plain_value(found[0]) if found else None


def review_failures(run: str, *, out: str | Path = DEFAULT_OUT) -> JsonObject:
    """What a reviewer reads of a run: by model the criteria, the advice, what no criterion covers,
    tests that failed and samples that fail, each with its text; and the schema of a review.

    Example: `assay.review_failures("latest")["models"][0]["failures"]`.
    """
    with Store(out, read_only=True) as store:
        found = store.find_run(run)
        report = report_of(store, found)
    decision = report.decision
    models: list[JsonObject] = []
    counted = 0
    for model in report.models:
        name = name_of(report, model)
        decided = decision if decision and name in decision.acceptances else None
        measured = decided and next(each for each in decided.measured if each.name == name)
        failures = [*failed_tests(model)]
        failed = sum(row.outcome is OutcomeKind.FAIL for of in model.suites for row in of.tests)
        counted += failed
        models.append(
            {
                "model": model.spec,
                **(acceptance_document(decided.acceptances[name]) if decided else {}),
                "advice": [
                    dict(zip(("advice", "figures"), advice_texts(each), strict=True))
                    for each in (decided.advice.get(name, ()) if decided else ())
                ],
                "not_covered": [
                    sentence(each) for each in (decided.not_covered[name] if decided else ())
                ],
                "failures": failures,
                "failures_left_out": failed - len(failures),
                "samples": [
                    {**pick(each, "id prompt text"), "failures": list(each.failures)}
                    for each in (measured.samples or () if measured else ())
                    if each.failures
                ],
            }
        )
    return {
        "headline": one_line(
            tr("{headline} Tests that failed: {count}.", headline=headline(report), count=counted)
        ),
        "run": found.id,
        "models": models,
        "changes_schema": REVIEW_SCHEMA,
    }


def judge_run(
    run: str,
    judge: str,
    *,
    allow_code_execution: bool = False,
    out: str | Path = DEFAULT_OUT,
    observer: Observer | None = None,
) -> JsonObject:
    """Judge the open answers of a run, and give every score: the tested model is asked nothing.

    Example: `assay.judge_run("latest", "ollama:qwen3:14b")["models"][0]["domains"]`.
    """
    options = StoredAnswerOptions(
        run, judges=(judge,), out=Path(out), allow_code_execution=allow_code_execution
    )
    report = judge_existing(options, observer_for(observer or SilentProgress()))
    judged = report.judged
    return {
        "headline": one_line(headline(report)),
        "run": report.run,
        "judges": [each.spec for each in judged.judged_by] if judged else [],
        "models": [
            {
                "model": model.model,
                "overall": model.overall.to_dict(),
                "domains": {
                    each.domain: {"mean": each.mean.to_dict(), "band": each.band}
                    for each in model.domains
                },
                "tests": [
                    {
                        **pick(test, "suite test_id domain band"),
                        "score": None if test.tenths is None else test.tenths / 10,
                        "unscored": list(test.unscored),
                    }
                    for test in model.tests
                ],
            }
            for model in (judged.models if judged else ())
        ],
    }


def list_suites(*, benchmarks: str | Path | None = None) -> JsonObject:
    """The shipped and fetched suites with their categories, and what is wrong with any.

    Example: `[each["suite"] for each in assay.list_suites()["suites"]]`.
    """
    found = known_suites(None if benchmarks is None else Path(benchmarks))
    tests = sum(1 for suite in found.suites for _ in suite.cases)
    counted = trn("{count} suite", "{count} suites", len(found.suites))
    return {
        "headline": tr("{suites}, {tests} tests.", suites=counted, tests=tests),
        "suites": suites_json(found.suites)["suites"],
        "notes": list(found.about_benchmarks),
        "mistakes": [pick(each, "message hint") for each in found.mistakes],
    }


def validate_tests(path: str | Path, *, plugins: Sequence[str] = ()) -> JsonObject:
    """Every mistake and warning in a test file, a suite or a gate; no checker is run.

    Example: `assay.validate_tests("my-tests")["valid"]`.
    """
    findings = validate([Path(path)], plugins=plugins)
    errors = sum(each.severity == "error" for each in findings)
    counted = trn("{count} error", "{count} errors", errors)
    others = trn("{count} warning", "{count} warnings", len(findings) - errors)
    return {
        "headline": tr("{path}: {errors}, {warnings}.", path=path, errors=counted, warnings=others),
        "valid": not errors,
        "findings": [pick(each, "file line column test_id severity message") for each in findings],
    }
