"""The files of a run beside the store, made from its report, and made again from it."""

from collections.abc import Sequence
from dataclasses import replace

from assay.files.writing import after_asking, explain_write_errors
from assay.reports.formats.json import render_json
from assay.reports.formats.markdown import render_markdown
from assay.reports.json_documents import run_json
from assay.reports.judged.evaluation_text import evaluation_text
from assay.reports.judged.pages import comparative_analysis, final_summary
from assay.reports.measured.quantities import performance_document
from assay.reports.measured.speed import PICTURE, picture_of
from assay.reports.run_report import run_document
from assay.store import Store
from assay.types import Answered, Suite
from assay.types.judging.judged import Judged
from assay.types.results import ModelReport, Report
from assay.workflow.running.run_folder import RunFolder, file_stem, ids_in_several


def write_run(folder: RunFolder, report: Report, suites: Sequence[Suite], store: Store) -> None:
    """Answers that are not there yet, test plans, and every report."""
    # jinja2 is loaded when the asking is done
    from assay.reports.formats.html import render_html

    with after_asking(), explain_write_errors(folder.path):
        clashing = ids_in_several(suites)
        run = store.read_run(report.run)
        written = {each.slug for each in report.models if _has_all(folder, each, clashing)}
        for model in run.models:
            for kept in store.read_trials(run, model) if model.slug not in written else ():
                if isinstance(kept.reply, Answered):
                    folder.write_answer(model.slug, kept.key, kept.reply, clashing)
        folder.write_test_plans(suites)
        document = run_document(report)
        whole = render_markdown(document)
        folder.put("reports/report.md", whole)
        folder.put("reports/report.html", render_html(document))
        folder.put("reports/report.json", render_json(run_json(report)))
        for drawn in () if suites else picture_of(report):
            folder.put(PICTURE, drawn.draw())
        for each in report.models:
            alone = replace(report, models=(each,), leads=())
            several = len(report.models) > 1
            text = render_markdown(run_document(alone)) if several else whole
            folder.put(f"reports/{each.slug}.md", text)
        page = render_markdown(performance_document(report), out="../..")
        folder.put("performance.md", page)
        if report.judged is not None:
            _write_judged(folder, report, report.judged, clashing)


def _has_all(folder: RunFolder, model: ModelReport, clashing: frozenset[str]) -> bool:
    keys = ((row.suite, row.test, row.repeat) for row in model.trials if not row.failure)
    return folder.has_answers(model.slug, keys, clashing)


def _write_judged(
    folder: RunFolder, report: Report, judged: Judged, clashing: frozenset[str]
) -> None:
    slugs = {model.spec: model.slug for model in report.models}
    for model in judged.models:
        for test in model.tests:
            stem = file_stem(test.suite, test.test_id, clashing)
            for number, final in enumerate(test.final_judgements, 1):
                repeat = "" if number == 1 else f".{number}"
                name = f"reports/evaluations/{slugs[model.model]}/{stem}{repeat}.txt"
                folder.put(name, evaluation_text(final, model=model.model))
    folder.put("reports/comparative_analysis.md", render_markdown(comparative_analysis(judged)))
    folder.put("reports/final_summary.md", render_markdown(final_summary(judged)))
