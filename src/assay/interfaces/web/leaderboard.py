"""Leaderboard: every model in the store, suite by suite, best first, above what guessing scores."""

from __future__ import annotations

import shlex

from assay import api
from assay.api.rendering import render_part
from assay.errors import AssayError
from assay.interfaces.web.pages import PageView, Shown, page
from assay.messages import message


@page("/leaderboard", "leaderboard.html.j2", label=message("Leaderboard"), rank=70)
def leaderboard(view: PageView) -> Shown:
    runs = view.viewing.list_runs()
    names = sorted({name for each in runs for name in each.suites})
    suite = view.query.get("suite")
    shown = {"names": names, "suite": suite, "part": None, "error": None, "command": ""}
    if (
        sum(each.answered for each in runs if not suite or suite in each.suites)
        > 2 * view.viewing.large
    ):
        words = ["assay", "leaderboard", *(["-s", suite] if suite else [])]
        return {**shown, "command": shlex.join(words)}
    try:
        found = api.leaderboard(
            suite=suite or None,
            max_memory=view.query.get("max_memory") or None,
            min_speed=view.number("min_speed") or None,
            out=view.viewing.out,
        )
    except AssayError as error:
        return {**shown, "error": error}
    return {**shown, "part": render_part(found)}
