"""Options of judging, shared by `run` and `judge`; the names are those of `api.Judge`.

In: a command's function. Out: the same with how answers are judged filled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from assay.messages import tr
from assay.types.judgements import JudgeFormChoice, Layout

Command = TypeVar("Command", bound=Callable[..., Any])


def judging(function: Command) -> Command:
    """--judge and how it is asked, and whether code is run for evidence."""
    for option in reversed(_JUDGING):
        function = option(function)
    return function


def data_seed(function: Command) -> Command:
    """--data-seed."""
    return click.option(
        "--data-seed",
        type=click.IntRange(0, 999_999_999),
        default=0,
        show_default=True,
        metavar="N",
        help=tr("For the files that tests show: another number gives other values."),
    )(function)


_JUDGING = (
    click.option(
        "--judge",
        "judges",
        multiple=True,
        metavar="MODEL",
        help=tr("Who marks open answers; several make a panel, whose median counts."),
    ),
    click.option(
        "--judge-form",
        type=click.Choice(get_args(JudgeFormChoice)),
        default="auto",
        show_default=True,
        help=tr(
            "likelihood reads yes and no from log-probabilities, reasoned has reasons and scores "
            "written; auto takes the first where the judge gives log-probabilities."
        ),
    ),
    click.option(
        "--judge-layout",
        type=click.Choice(get_args(Layout)),
        help=tr(
            "Of likelihood questions: the answer in a fence, the question around it, or the answer "
            "again after it."
        ),
    ),
    click.option(
        "--judge-repeats",
        type=click.IntRange(1, 100),
        default=1,
        show_default=True,
        metavar="N",
        help=tr("Judge each answer so often; the median counts, the spread is shown."),
    ),
    click.option(
        "--use-case",
        default="",
        metavar="TEXT",
        help=tr("What the model is for; the judge is told."),
    ),
    click.option(
        "--allow-code-execution",
        is_flag=True,
        help=tr("Run the code of answers for evidence, kept apart from this machine."),
    ),
    click.option(
        "--sandbox",
        type=click.Choice(("auto", "weak")),
        default="auto",
        show_default=True,
        help=tr("weak runs code even where this machine cannot keep it apart."),
    ),
    click.option(
        "--allow-self-judging",
        is_flag=True,
        help=tr("Let a model judge its own answers; the report says so."),
    ),
)
