"""The recordings of a real Ollama, as a table from request to answer.

In: tests/recordings/ollama/VERSION/CASE.json. Out: Recording objects; an index by request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "recordings" / "ollama"
# Their answers hang on what someone did to the server meanwhile, not on the request.
DISTURBED = frozenset(
    {"client-cuts-stream", "fault-runner-killed", "fault-runner-killed-stream",
     "fault-server-killed-stream"}
)  # fmt: skip


@dataclass(frozen=True)
class Recording:
    """One request and what came back."""

    case: str
    version: str
    method: str
    path: str
    body: Any
    raw_body: str | None
    status: int
    headers: dict[str, str]
    frames: tuple[tuple[float, str], ...]
    ended: str

    @property
    def sent(self) -> bytes:
        """The body as it went over the wire."""
        if self.raw_body is not None:
            return self.raw_body.encode()
        return b"" if self.body is None else json.dumps(self.body).encode()

    @property
    def text(self) -> str:
        return "".join(frame for _, frame in self.frames)

    @property
    def key(self) -> str:
        return key_of(self.method, self.path, self.body)


def key_of(method: str, path: str, body: Any) -> str:
    """The same for requests that differ only in the order of their keys.

    Inside a schema the order stays: it is the order in which the model writes the properties.
    """
    if isinstance(body, dict) and path.startswith("/api/") and body.get("stream") is True:
        body = {name: value for name, value in body.items() if name != "stream"}  # the default
    if isinstance(body, dict) and isinstance(body.get("format"), dict):
        body = {**body, "format": json.dumps(body["format"])}
    return f"{method} {path} {json.dumps(body, sort_keys=True)}"


@cache
def load(version: str) -> dict[str, Recording]:
    """The cases of a version that are one request and one answer, by name."""
    cases = {}
    for file in sorted((FOLDER / version).glob("*.json")):
        document = json.loads(file.read_text("utf-8"))
        if "request" in document:
            cases[document["case"]] = _recording(document, version)
    return cases


def _recording(document: dict[str, Any], version: str) -> Recording:
    request, response = document["request"], document["response"]
    return Recording(
        case=document["case"],
        version=version,
        method=request["method"],
        path=request["path"],
        body=request.get("body"),
        raw_body=request.get("raw_body"),
        status=int(response["status_line"].split()[1]),
        headers={name.lower(): value for name, value in response["headers"]},
        frames=tuple((at, text) for at, text in response["frames"]),
        ended=response["ended"],
    )


def answered(version: str) -> Iterator[Recording]:
    """Those whose answer hangs on the request alone."""
    return (r for r in load(version).values() if r.case not in DISTURBED)


def body_of(version: str, case: str) -> Any:
    """The JSON of an answer that was not streamed."""
    return json.loads(load(version)[case].text)
