"""What a page is made of: its function, its template, and what the function sees of a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal
from urllib.parse import quote, urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from assay.api.viewing import Viewing
from assay.messages import Message
from assay.types.views import MatrixRow, RunRow, TestKey

Shown = Mapping[str, Any] | Response  # what a template shows; or another answer, a redirect say
Place = Literal["site", "run"]


@dataclass(frozen=True, slots=True)
class Page:
    path: str
    template: str
    function: Callable[[PageView], Shown]
    label: Message | None
    place: Place
    changes: bool
    rank: int


PAGES: list[Page] = []  # in the order of the navigation


def page(
    path: str,
    template: str,
    *,
    label: Message | None = None,
    place: Place = "site",
    changes: bool = False,
    rank: int = 100,
) -> Callable[[Callable[[PageView], Shown]], Callable[[PageView], Shown]]:
    """Make a function a page of the viewer; `rank`: its place in the navigation."""

    def register(function: Callable[[PageView], Shown]) -> Callable[[PageView], Shown]:
        PAGES.append(Page(path, template, function, label, place, changes, rank))
        PAGES.sort(key=lambda each: each.rank)
        return function

    return register


@dataclass(frozen=True)
class PageView:
    """One request, as a page sees it. `form`: the fields of a POST."""

    request: Request
    viewing: Viewing
    csrf: str
    form: FormData = field(default_factory=FormData)

    def run(self) -> RunRow:
        """The run that the address names."""
        return self.viewing.find_run(self.request.path_params["run"])

    @cached_property
    def query(self) -> dict[str, str]:
        return dict(self.request.query_params)

    def number(self, name: str, default: int = 0) -> int:
        """A number of the address; what is none counts as the default."""
        text = self.query.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default

    def here(self, **changes: object) -> str:
        """This address with other parameters; None or "" leaves one out."""
        return address(self.request.url.path, **{**self.query, **changes})


def address(*path: object, **query: object) -> str:
    """A path on this server: `address("/runs", id, q="a b")` is /runs/ID?q=a+b."""
    first, *rest = map(str, path)
    parts = [quote(first), *(quote(part, safe="") for part in rest)]
    asked = {name: str(value) for name, value in query.items() if value not in (None, "")}
    return "/".join(parts) + (f"?{urlencode(asked)}" if asked else "")


def sample_address(
    run: RunRow, key: TestKey | MatrixRow, model: int, kept: Mapping[str, str], repeat: int = 0
) -> str:
    """`kept`: the filter that the next and the previous sample are found with."""
    own = {"in": key.suite, "model": model or "", "try": repeat or ""}
    return address("/runs", run.id, "tests", key.test_id, **own, **kept)
