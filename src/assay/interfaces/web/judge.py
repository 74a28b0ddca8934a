"""Judge: can it be trusted? Its card, how far it agrees, and the answers it was not sure of."""

from __future__ import annotations

from assay import api
from assay.api.rendering import render_part
from assay.interfaces.web.pages import PageView, Shown, page
from assay.interfaces.web.review import GROUPS
from assay.messages import message

SHOWN_ITEMS = 12


@page("/judge", "judge.html.j2", label=message("Judge"), rank=80)
def judge(view: PageView) -> Shown:
    runs = [each for each in view.viewing.list_runs() if each.judged]
    run = view.query.get("run") or (runs[0].id if runs else None)
    shown = {"runs": runs, "chosen": run, "html": "", "people": "", "command": ""}
    if run is None:
        return shown
    out = view.viewing.out
    queue = api.review_queue(run, groups=("unscored", "doubtful"), most=SHOWN_ITEMS, out=out)
    found = {**shown, "items": queue.items, "groups": GROUPS}
    if view.viewing.find_run(run).answered > view.viewing.large:
        return {**found, "command": f"assay report {run}"}
    return {
        **found,
        "html": render_part(api.report(run, out=out), "judging").html,
        "people": render_part(api.review_summary(run, out=out)).html.strip(),
    }
