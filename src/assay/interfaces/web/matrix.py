"""The page of a run: its headline and scores, then tests × models, filtered and page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assay.interfaces.web.pages import PageView, Shown, page
from assay.messages import message
from assay.types.views import SHOWS, SampleFilter, Show

ROWS = 50


@page("/runs/{run}", "matrix.html.j2", label=message("Tests"), place="run", rank=20)
def matrix(view: PageView) -> Shown:
    run = view.run()
    wanted = filter_of(view.query)
    number = max(1, view.number("page", 1))
    with view.viewing.open() as store:
        found = store.read_matrix(run.id, wanted, skip=(number - 1) * ROWS, most=ROWS)
    counts = view.viewing.counts(run)
    # With one model none differ; with all asked none waits.
    needless = set() if len(run.models) > 1 else {"differ", "failed_all"}
    needless |= set() if counts.shown["waiting"] else {"waiting"}
    return {
        "run": run,
        "wanted": wanted,
        "found": found,
        "number": number,
        "last": max(1, -(-found.total // ROWS)),
        "first": (number - 1) * ROWS,
        "shows": {show: n for show, n in counts.shown.items() if show not in needless},
        "categories": counts.categories,
        "tallies": _tallies(counts.outcomes, len(run.models)),
        "summary": view.viewing.summary(run),
        "command": f"assay report {run.id}" if run.answered > view.viewing.large else "",
        "kept": filter_query(wanted),
    }


def _tallies(counts: Mapping[str, int], models: int) -> list[Counter[str]]:
    """For each model, how many tests have which outcome."""
    found: list[Counter[str]] = [Counter() for _ in range(models)]
    for letters, count in counts.items():
        for tally, letter in zip(found, letters, strict=True):
            tally[letter] += count
    return found


def filter_of(query: Mapping[str, str]) -> SampleFilter:
    """From an address; what is no filter counts as none."""
    shows: dict[str, Show] = {show: show for show in SHOWS}
    return SampleFilter(
        show=shows.get(query.get("show", ""), "all"),
        suite=query.get("suite", ""),
        category=query.get("category", ""),
        text=query.get("q", "").strip(),
    )


def filter_query(wanted: SampleFilter) -> dict[str, str]:
    """The parameters of an address with this filter."""
    show = "" if wanted.show == "all" else wanted.show
    return {
        "show": show,
        "suite": wanted.suite,
        "category": wanted.category,
        "q": wanted.text,
    }
