"""The first page: every run in the store, live while one goes on."""

from assay.interfaces.web.pages import PageView, Shown, page
from assay.messages import message


@page("/", "runs.html.j2", label=message("Runs"), rank=10)
def runs(view: PageView) -> Shown:
    runs = view.viewing.list_runs()
    return {"runs": runs, "headlines": view.viewing.headlines(runs)}
