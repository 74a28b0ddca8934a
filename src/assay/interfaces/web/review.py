"""Review: a queue of answers, one at a time, blind to the model, and what people said so far."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from assay import api
from assay.api.rendering import render_part
from assay.errors import AssayError
from assay.interfaces.web.pages import PageView, Shown, address, page
from assay.interfaces.web.sample import shown_sample
from assay.messages import message, message_n
from assay.types.judging.reviews import ReviewQueue
from assay.types.views import RunRow

SHOWN_ITEMS = 20
GROUPS = {
    "unscored": message("unscored"),
    "failed": message_n("failed", "failed"),
    "doubtful": message("judge not sure"),
    "generated": message("generated sample"),
    "sample": message("sample of the rest"),
}


@page(
    "/runs/{run}/review",
    "review.html.j2",
    label=message("Review"),
    place="run",
    changes=True,
    rank=40,
)
def show_queue(view: PageView) -> Shown:
    run, error = view.run(), None
    if view.request.method == "POST":  # undo
        try:
            api.undo_review(run.id, author=_author(view), out=view.viewing.out)
            return _to(view, run)
        except AssayError as refused:
            error = refused
    queue = _queue(view, run)
    reviewed = ""
    if run.answered <= view.viewing.large:
        reviewed = render_part(api.review_summary(run.id, out=view.viewing.out)).html.strip()
    return {
        "run": run,
        "queue": queue,
        "groups": GROUPS,
        "reviewed": reviewed,
        "large": run.answered > view.viewing.large,
        "error": error,
    }


@page("/runs/{run}/review/{item}", "review_item.html.j2", place="run", changes=True, rank=40)
def show_answer(view: PageView) -> Shown:
    run, error = view.run(), None
    item = view.request.path_params["item"]
    if view.request.method == "POST":
        try:
            _store(view, run, item)
            left = (_queue(view, run, after=item).items or _queue(view, run).items)[:1]
            return _to(view, run, *(each.id for each in left))
        except AssayError as refused:  # a full disk too: what was typed stays on the page
            error = refused
    answer = api.answer_to_review(item, run=run.id, author=_author(view), out=view.viewing.out)
    queue = _queue(view, run, after=item)
    given = {name: str(value) for name, value in view.form.items()}
    return {
        **shown_sample(answer.sample),
        "run": run,
        "queue": queue,
        "review": answer,
        "groups": GROUPS,
        "next_item": queue.items[0].id if queue.items else None,
        "error": error,
        "given": given,
    }


def _store(view: PageView, run: RunRow, item: str) -> None:
    form = {name: str(value) for name, value in view.form.items()}
    accept = form.get("do") == "accept"
    points = {name[7:]: text for name, text in form.items() if name.startswith("points-")}
    api.store_review(
        item,
        author=_author(view),
        accept=accept,
        value=None if accept or points else _number(form.get("value", "")),
        criteria=None if accept else {key: _whole(text) for key, text in points.items()},
        reason=form.get("reason", ""),
        run=run.id,
        out=view.viewing.out,
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 3 else -1


def _author(view: PageView) -> str:
    return str(view.form.get("author", "") or view.query.get("author", ""))


def _queue(view: PageView, run: RunRow, *, after: str = "") -> ReviewQueue:
    return api.review_queue(
        run.id,
        author=_author(view),
        reviewers=max(1, view.number("reviewers", 2)),
        seed=view.number("seed"),
        after=after,
        most=SHOWN_ITEMS,
        out=view.viewing.out,
    )


def _to(view: PageView, run: RunRow, *item: str) -> Response:
    asked = {**view.query, "author": _author(view)}
    return RedirectResponse(address("/runs", run.id, "review", *item, **asked), 303)
