"""A stand-in for the Hugging Face hub: as much of its protocol as the library `datasets` needs to
find a data set and load Parquet files. Written down from what version 5.2 asked.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "1" * 40
Files = Mapping[str, bytes]


class Hub(ThreadingHTTPServer):
    """Data sets by name, each with its files. `asked` keeps every request."""

    daemon_threads = True

    def __init__(self, data_sets: Mapping[str, Files]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.data_sets = data_sets
        self.asked: list[tuple[str, str, dict[str, str]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def serving(data_sets: Mapping[str, Files]) -> Iterator[Hub]:
    """A hub on loopback, for as long as it is needed."""
    hub = Hub(data_sets)
    thread = threading.Thread(target=hub.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()
        thread.join()


def card(parts: Mapping[str, Mapping[str, str]]) -> bytes:
    """A README.md whose head names the files of every part and split."""
    configs = [
        {
            "config_name": part,
            "data_files": [{"split": split, "path": path} for split, path in splits.items()],
        }
        for part, splits in parts.items()
    ]
    return f"---\n{json.dumps({'configs': configs})}\n---\n".encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Hub

    def do_GET(self) -> None:
        self.server.asked.append((self.command, self.path, dict(self.headers)))
        path = unquote(urlsplit(self.path).path)
        for name, files in self.server.data_sets.items():
            if path.startswith(f"/api/datasets/{name}/revision/"):
                return self._send_json(_about(name, files))
            if path.startswith(f"/api/datasets/{name}/tree/"):
                folder = path.removeprefix(f"/api/datasets/{name}/tree/{COMMIT}").strip("/")
                return self._send_json(_listing(files, folder))
            if path.startswith(f"/datasets/{name}/resolve/"):
                file = path.removeprefix(f"/datasets/{name}/resolve/").split("/", 1)[1]
                return self._send_file(files.get(file))
        return self._send(b"", 404, {"X-Error-Code": "RepoNotFound"})

    do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _send_file(self, data: bytes | None) -> None:
        if data is None:
            return self._send(b"", 404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT})
        etag = f'"{hashlib.sha1(data, usedforsecurity=False).hexdigest()}"'
        return self._send(data, 200, {"ETag": etag, "X-Repo-Commit": COMMIT})

    def _send_json(self, value: object) -> None:
        self._send(json.dumps(value).encode(), 200, {"Content-Type": "application/json"})

    def _send(self, body: bytes, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _about(name: str, files: Files) -> dict[str, object]:
    return {
        "_id": "1",
        "id": name,
        "author": name.split("/")[0],
        "sha": COMMIT,
        "lastModified": "2024-01-01T00:00:00.000Z",
        "createdAt": "2024-01-01T00:00:00.000Z",
        "private": False,
        "gated": False,
        "disabled": False,
        "tags": [],
        "downloads": 0,
        "likes": 0,
        "siblings": [{"rfilename": file} for file in files],
    }


def _listing(files: Files, folder: str) -> list[dict[str, object]]:
    """What stands directly in a folder."""
    above = f"{folder}/" if folder else ""
    found: dict[str, dict[str, object]] = {}
    for path, data in files.items():
        if path.startswith(above):
            first, *deeper = path.removeprefix(above).split("/")
            oid = hashlib.sha1(data, usedforsecurity=False).hexdigest()
            kind = "directory" if deeper else "file"
            size = 0 if deeper else len(data)
            entry = {"type": kind, "oid": oid, "size": size, "path": f"{above}{first}"}
            found.setdefault(first, entry)
    return list(found.values())
