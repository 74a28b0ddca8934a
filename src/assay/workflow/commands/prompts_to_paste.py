"""`assay judge RUN --write-prompts DIR`: one text for each answer that a judge could read."""

from collections.abc import Sequence
from pathlib import Path

from assay.errors import UsageError
from assay.files.writing import replace_file
from assay.judge.pasting import PROMPT_ENDING, alias_of, prompt_to_paste
from assay.messages import tr
from assay.store import Run
from assay.types import Observer
from assay.workflow.running.judging.panel import JudgePanel
from assay.workflow.running.judging.stage import AnswerToJudge


def write_prompts(
    folder: Path,
    run: Run,
    answers: Sequence[AnswerToJudge],
    panel: JudgePanel,
    observer: Observer,
) -> None:
    """Of the first repeat, as `--import` gives evaluations to it; trivial answers need no judge."""
    to_judge = [each for each in answers if each.key[3] == 0 and not each.trivial]
    if not to_judge:
        raise UsageError(
            tr("run {run} has no answer that a judge could read", run=run.id),
            hint=tr("choose a run of a suite with judged tests, such as coding or data"),
        )
    folder.mkdir(parents=True, exist_ok=True)
    for each in to_judge:
        alias = alias_of(each.model.position)
        text = prompt_to_paste(
            each.case,
            panel.rubric_of(each.case),
            each.shown,
            alias=alias,
            use_case=panel.options.use_case,
        )
        replace_file(folder / f"{each.case.suite}.{each.case.id}.{alias}{PROMPT_ENDING}", text)
    observer.note(
        tr(
            "{count} texts are in {folder}. Paste each into a model, save what it answers as a "
            ".txt file there, then: assay judge {run} --import {folder}",
            count=len(to_judge),
            folder=folder,
            run=run.id,
        )
    )
