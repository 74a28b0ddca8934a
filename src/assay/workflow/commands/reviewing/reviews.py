"""Stores what people say of answers, beside the machine's scores and never over them."""

import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from assay.errors import UsageError
from assay.messages import tr
from assay.store import Store
from assay.text.safe_text import visible
from assay.types.judging.judgements import MOST, overall_tenths
from assay.types.judging.reviews import AnswerToReview, Review
from assay.types.options import DEFAULT_OUT
from assay.workflow.commands.reviewing.queue import find_answer

LONGEST_NAME, LONGEST_REASON = 80, 4_000


def store_review(
    item: str,
    *,
    author: str,
    accept: bool = False,
    value: float | None = None,
    criteria: Mapping[str, int] | None = None,
    reason: str = "",
    run: str = "latest",
    out: str | Path = DEFAULT_OUT,
) -> Review:
    """Store one person's review of an answer: `accept` the machine's score, or correct it with a
    `value` from 0 to 1, of a judged test with points of 10 for all `criteria`, and a reason.
    """
    who, why = _read_name(author), _read_reason(reason)
    if not accept and not why:
        raise UsageError(
            tr("a correction needs a reason"), hint=tr("say in a sentence what the machine missed")
        )
    state, answer = find_answer(item, run, who, Path(out))
    given = _read_points(answer, accept, value, criteria)
    review = replace(given, author=who, reason=why, machine=answer.machine, accepted=accept)
    with Store(out, must_exist=True) as store:
        store.store_review(store.find_run(answer.run), state, review)
    return review


def undo_review(
    run: str = "latest", *, author: str, out: str | Path = DEFAULT_OUT
) -> Review | None:
    """Take back the last review that `author` gave in a run; it stays in the store as withdrawn."""
    with Store(out, must_exist=True) as store:
        return store.withdraw_review(store.find_run(run), _read_name(author))


def _read_name(author: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", author).split())
    if not name or len(name) > LONGEST_NAME or visible(name) != name:
        raise UsageError(
            tr("a reviewer's name has 1 to {most} visible characters", most=LONGEST_NAME),
            hint=tr("write the name under which your reviews are to be stored"),
        )
    return name


def _read_reason(reason: str) -> str:
    told = reason.replace("\r\n", "\n").strip()
    if len(told) > LONGEST_REASON or any(unicodedata.category(each) == "Cs" for each in told):
        raise UsageError(
            tr("a reason has at most {most} characters of valid text", most=LONGEST_REASON),
            hint=tr("say it shorter"),
        )
    return told


def _read_points(
    of: AnswerToReview, accept: bool, value: float | None, criteria: Mapping[str, int] | None
) -> Review:
    given = Review(author="", value=0.0)
    if accept:
        if of.machine is None or value is not None or criteria:
            raise UsageError(
                tr("only a score that there is can be accepted, and only as it is"),
                hint=tr("give the answer a score of your own, and the reason"),
            )
        return replace(given, value=of.machine, criteria=of.machine_criteria)
    if of.item.group == "generated" and (criteria or value not in (0, 1)):
        raise UsageError(
            tr("a generated sample is sound or broken"), hint=tr("1 is sound, 0 is broken")
        )
    if not of.criteria:
        if criteria or value is None or not 0 <= value <= 1:
            raise UsageError(
                tr("a score is a number from 0 to 1"), hint=tr("0 is wrong, 1 is right")
            )
        return replace(given, value=float(value))
    points, keys = dict(criteria or {}), [each.key for each in of.criteria]
    right = all(type(each) is int and 0 <= each <= MOST for each in points.values())
    if value is not None or not right or set(points) != set(keys):
        raise UsageError(
            tr("a judged test has a whole number of points from 0 to 10 for each criterion"),
            hint=tr("the criteria are: {names}", names=", ".join(keys)),
        )
    tenths = overall_tenths([(each.weight, points[each.key]) for each in of.criteria])
    return replace(given, value=(tenths or 0) / 100, criteria=points)
