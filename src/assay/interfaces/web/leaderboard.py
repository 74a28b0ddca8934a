"""Leaderboard: every model in the store, suite by suite, best first, above what guessing scores."""

from __future__ import annotations

from assay import api
from assay.api.rendering import render_part
from assay.errors import UsageError
from assay.interfaces.web.pages import PageView, Shown, page
from assay.messages import message


@page("/leaderboard", "leaderboard.html.j2", label=message("Leaderboard"))
def leaderboard(view: PageView) -> Shown:
    names = sorted({name for each in view.viewing.list_runs() for name in each.suites})
    suite = view.query.get("suite")
    try:
        found = api.leaderboard(
            suite=suite or None,
            max_memory=view.query.get("max_memory") or None,
            min_speed=view.number("min_speed") or None,
            out=view.viewing.out,
        )
    except UsageError as error:
        return {"names": names, "suite": suite, "html": "", "error": error}
    return {"names": names, "suite": suite, "html": render_part(found).html, "error": None}
