"""The application: routes of all pages, templates, static files, and errors as pages."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Coroutine
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

import assay
from assay.api.rendering import role
from assay.api.viewing import Viewing
from assay.errors import AssayError, RunNotFound, UsageError
from assay.interfaces.web.pages import PAGES, Page, PageView, address, sample_address
from assay.interfaces.web.security import Access, Guard, equal
from assay.interfaces.web.words import OUTCOMES, SHOWS, cut, outcome, state
from assay.messages import fill, language, tr, trn
from assay.text import number_format
from assay.text.safe_text import one_line, visible

HERE = Path(__file__).parent
LARGEST_FORM = 1_000_000  # bytes


def make_app(viewing: Viewing, access: Access) -> ASGIApp:
    for module in pkgutil.iter_modules([str(HERE)]):
        importlib.import_module(f"{__package__}.{module.name}")
    routes = [
        Mount("/static", StaticFiles(directory=HERE / "static")),
        *(
            Route(each.path, _endpoint(each, viewing, access), methods=_methods(each))
            for each in PAGES
        ),
    ]

    def show_error(request: Request, error: Exception) -> Response:
        status, message, hint = 500, tr("The viewer made a mistake."), ""
        if isinstance(error, AssayError):
            status = 404 if isinstance(error, RunNotFound) else 500
            status = 400 if isinstance(error, UsageError) else status
            message, hint = error.message, error.hint
        elif isinstance(error, HTTPException):
            status, message = error.status_code, error.detail
            if message == HTTPStatus(status).phrase:  # not ours: of the router
                message = tr("There is no such page.")
        shown = {"title": message, "hint": hint, "status": status}
        return _rendered("error.html.j2", PageView(request, viewing, access.csrf), shown, status)

    handlers = dict.fromkeys((AssayError, HTTPException, Exception), show_error)
    return Guard(Starlette(routes=routes, exception_handlers=handlers), access)


def _methods(each: Page) -> list[str]:
    return ["GET", "POST"] if each.changes else ["GET"]


def _endpoint(
    each: Page, viewing: Viewing, access: Access
) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    def answer(view: PageView) -> Response:
        shown = each.function(view)
        if isinstance(shown, Response):
            return shown
        status = 400 if shown.get("error") else 200
        return _rendered(each.template, view, {"page": each, **shown}, status)

    async def endpoint(request: Request) -> Response:
        view = PageView(request, viewing, access.csrf)
        if request.method == "POST":
            view = PageView(request, viewing, access.csrf, await _checked_form(request, access))
        return await run_in_threadpool(answer, view)

    return endpoint


async def _checked_form(request: Request, access: Access) -> Any:
    """The fields of a change that one of our own pages sent."""
    size = request.headers.get("content-length", "")
    if not size.isdigit() or int(size) > LARGEST_FORM:
        raise HTTPException(413, tr("The form is too large, or does not say how large it is."))
    form = await request.form(max_files=0, max_fields=200)
    if not equal(str(form.get("csrf", "")), access.csrf):
        raise HTTPException(403, tr("The page is too old: load it again, then send the change."))
    return form


def _rendered(template: str, view: PageView, shown: Any, status: int = 200) -> Response:
    context = {"view": view, "run": None, "page": None, **shown}
    return HTMLResponse(_environment().get_template(template).render(context), status)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("assay.interfaces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "sample_address": sample_address,
        "address": address, "tr": tr, "trn": trn, "numbers": number_format, "pages": PAGES,
        "version": assay.__version__, "state": state, "words": OUTCOMES,
        "filters": SHOWS, "language": language, "role": role,
    }  # fmt: skip
    environment.filters |= {
        "shown": lambda text: visible(cut(str(text))),
        "one_line": one_line, "label": lambda message: fill(message, {"count": 2}),
        "outcome": outcome,
    }  # fmt: skip
    return environment
