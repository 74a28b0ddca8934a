"""A stand-in for the Hugging Face hub: as much of its protocol as the library `datasets` needs to
find a data set and load Parquet files, and `huggingface_hub` to find a model and load its files.
Written down from what versions 5.2 and 2.4 asked.
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
    """Data sets and models by name, each with its files. `asked` keeps every request. The line goes
    dead after `cut_after` bytes of a file of weights, and stays so.
    """

    daemon_threads = True

    def __init__(
        self,
        data_sets: Mapping[str, Files],
        models: Mapping[str, Files] | None = None,
        gated: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.data_sets = data_sets
        self.models = models or {}
        self.gated = gated
        self.cut_after: int | None = None
        self.is_cut = False
        self.asked: list[tuple[str, str, dict[str, str]]] = []

    def loaded(self) -> list[str]:
        """The files of models that were sent, each time it was."""
        gets = [path for verb, path, _ in self.asked if verb == "GET"]
        sent = [path for path in gets if "/resolve/" in path or path.startswith("/stored/")]
        sent = [path for path in sent if path[-12:] != ".safetensors" or "/resolve/" not in path]
        return [path.split("/")[-1] for path in sent]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def serving(
    data_sets: Mapping[str, Files],
    models: Mapping[str, Files] | None = None,
    gated: frozenset[str] = frozenset(),
) -> Iterator[Hub]:
    """A hub on loopback, for as long as it is needed."""
    hub = Hub(data_sets, models, gated)
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
        if self.server.is_cut:
            self.close_connection = True
            return None
        for name, files in self.server.models.items():
            if path == f"/api/models/{name}" or path.startswith(f"/api/models/{name}/revision/"):
                return self._send_model(name, files, path.rpartition("/revision/")[2])
            if path.startswith(f"/{name}/resolve/"):
                return self._send_file_of_model(name, files, path.split("/", 5)[5])
            if path.startswith(f"/stored/{name}/"):
                return self._send_file(files[path.split("/", 4)[4]])
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
        digest = hashlib.sha256 if len(data) > 10_000 else hashlib.sha1  # as of LFS, as of git
        headers = {"ETag": f'"{digest(data).hexdigest()}"', "X-Repo-Commit": COMMIT}
        asked = self.headers.get("Range")
        if asked is None:
            return self._send(data, 200, headers)
        first = int(asked.removeprefix("bytes=").rstrip("-"))
        headers["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
        return self._send(data[first:], 206, headers)

    def _send_file_of_model(self, name: str, files: Files, file: str) -> None:
        """Large files lie on another host, as those of the hub do."""
        if not file.endswith(".safetensors"):
            return self._send_file(files.get(file))
        headers = {
            "Location": f"http://localhost:{self.server.server_port}/stored/{name}/{file}",
            "X-Linked-ETag": f'"{hashlib.sha256(files[file]).hexdigest()}"',
            "X-Linked-Size": str(len(files[file])),
            "X-Repo-Commit": COMMIT,
        }
        return self._send(b"", 302, headers)

    def _send_model(self, name: str, files: Files, revision: str) -> None:
        if name in self.server.gated:
            return self._send(b"", 403, {"X-Error-Code": "GatedRepo"})
        if revision.startswith("/api/") or revision in ("main", "v1", COMMIT):
            sizes = [{"rfilename": file, "size": len(data)} for file, data in files.items()]
            return self._send_json({**_about(name, files), "siblings": sizes})
        return self._send(b"", 404, {"X-Error-Code": "RevisionNotFound"})

    def _send_json(self, value: object) -> None:
        self._send(json.dumps(value).encode(), 200, {"Content-Type": "application/json"})

    def _send(self, body: bytes, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        cut = self.server.cut_after
        if cut is not None and self.path.startswith("/stored/"):
            body, self.server.is_cut, self.close_connection = body[:cut], True, True
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
