"""The page of a run: its headline and scores, then tests × models, filtered and page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from assay.interfaces.web.pages import PageView, Shown, page
from assay.messages import message
from assay.types.views import SHOWS, RunRow, SampleFilter, Show

ROWS = 50
WRONG = {"f", "n"}


@page("/runs/{run}", "matrix.html.j2", label=message("Tests"), place="run")
def matrix(view: PageView) -> Shown:
    run = view.run()
    wanted = filter_of(view.query)
    number = max(1, view.number("page", 1))
    found = view.viewing.matrix(run, wanted, skip=(number - 1) * ROWS, most=ROWS)
    counts = view.viewing.counts(run)
    return {
        "run": run,
        "wanted": wanted,
        "found": found,
        "number": number,
        "last": max(1, -(-found.total // ROWS)),
        "first": (number - 1) * ROWS,
        "shows": {show: _count(counts.outcomes, show) for show in _offered(run, counts.outcomes)},
        "categories": counts.categories,
        "tallies": _tallies(counts.outcomes, len(run.models)),
        "summary": view.viewing.summary(run),
        "kept": filter_query(wanted),
    }


def _offered(run: RunRow, counts: Mapping[str, int]) -> list[Show]:
    """With one model none differ; with all asked none waits."""
    left_out = set() if len(run.models) > 1 else {"differ", "failed_all"}
    if not _count(counts, "waiting"):
        left_out.add("waiting")
    return [show for show in SHOWS if show not in left_out]


def _count(counts: Mapping[str, int], show: Show) -> int:
    """How many tests; `counts`: by the letters of their outcomes."""
    holds: Callable[[str], bool] = {
        "all": lambda letters: True,
        "failed": lambda letters: bool(set(letters) & WRONG),
        "failed_all": lambda letters: set(letters) <= WRONG,
        "differ": lambda letters: len(set(letters)) > 1,
        "unscored": lambda letters: bool(set(letters) & {"u", "x"}),
        "waiting": lambda letters: "." in letters,
    }[show]
    return sum(count for letters, count in counts.items() if holds(letters))


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
