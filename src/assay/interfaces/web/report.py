"""Report: the whole report of a run, as `assay report` writes it."""

from __future__ import annotations

from assay import api
from assay.api.rendering import render_part
from assay.interfaces.web.pages import PageView, Shown, page
from assay.messages import message


@page("/runs/{run}/report", "report.html.j2", label=message("Report"), place="run", rank=25)
def report(view: PageView) -> Shown:
    run = view.run()
    if run.answered > view.viewing.large:
        return {"run": run, "part": None, "command": f"assay report {run.id}"}
    return {
        "run": run,
        "part": render_part(api.report(run.id, out=view.viewing.out)),
        "command": "",
    }
