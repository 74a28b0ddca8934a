"""Compare: two models or two runs, paired by test, and the words in which two answers differ."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

from assay import api
from assay.api.rendering import render_part
from assay.errors import AssayError
from assay.interfaces.web.pages import PageView, Shown, page
from assay.interfaces.web.words import MOST_COMPARED, cut
from assay.messages import message
from assay.text.word_diff import word_diff
from assay.types.results import Comparison, PairComparison
from assay.types.views import RunRow

OFFERED = 60  # runs


@page("/compare", "compare.html.j2", label=message("Compare"), rank=50)
def compare(view: PageView) -> Shown:
    runs = [each for each in view.viewing.list_runs() if each.suites]
    first, second = sides_to_compare(runs, view.query.get("run"))
    a, b = view.query.get("a", first), view.query.get("b", second)
    shown = {
        "runs": runs[:OFFERED],
        "a": a,
        "b": b,
        "pair": None,
        "part": None,
        "error": None,
        "command": "",
    }
    if not (a and b):
        return shown
    try:
        compared_runs = view.viewing.find_compared((a, b))
        if any(each.id in compared_runs and each.answered > view.viewing.large for each in runs):
            return {**shown, "command": shlex.join(["assay", "compare", a, b])}
        compared = api.compare((a, b), out=view.viewing.out)
    except AssayError as error:
        return {**shown, "error": error}
    assert isinstance(compared, Comparison)
    pair = compared.pairs[0]
    part = render_part(_without_flips(compared))
    return {**shown, "pair": pair, "part": part, "answers": _answers(view, pair)}


def sides_to_compare(runs: Sequence[RunRow], run: str | None = None) -> tuple[str, str]:
    """What changed: the newest run (or this one) against the one before it that has the same
    models, else a common suite; else its own first two models.
    """
    newest = next((each for each in runs if run in (None, each.id)), None)
    if newest is None:
        return "", ""
    earlier = [each for each in runs[runs.index(newest) + 1 :] if {*each.suites} & {*newest.suites}]
    same = [each for each in earlier if {*each.specs} & {*newest.specs}]
    for before in (*same, *earlier):
        both = [spec for spec in newest.specs if spec in before.specs]
        spec = both[0] if both else newest.specs[0]
        return f"{before.id}/{both[0] if both else before.specs[0]}", f"{newest.id}/{spec}"
    if len(newest.specs) > 1:
        return f"{newest.id}/{newest.specs[0]}", f"{newest.id}/{newest.specs[1]}"
    return "", ""


def _without_flips(compared: Comparison) -> Comparison:
    """The page lists them itself, each with a link to the two answers."""
    first = compared.pairs[0]
    bare = replace(first, suites=tuple(replace(each, flips=()) for each in first.suites))
    return replace(compared, pairs=(bare,))


def _answers(view: PageView, pair: PairComparison) -> Shown | None:
    """Both answers to the test that the address names, word by word."""
    suite, test = view.query.get("suite"), view.query.get("test")
    if not suite or not test:
        return None
    sides = [f"{side.run}/{side.model}" for side in (pair.a, pair.b)]
    found = api.compare_answers(sides, suite, test, out=view.viewing.out)
    if len(found) != 2:
        return None
    rows = [row for _, row in found]
    kinds = ("first", "second")
    return {
        "asked": () if any(row.sent for row in rows) else rows[0].turns,
        "sides": [
            (side.name or side.model, row, kind)
            for (side, row), kind in zip(found, kinds, strict=True)
        ],
        "parts": word_diff(*(cut(row.answer or "", MOST_COMPARED) for row in rows)),
    }
