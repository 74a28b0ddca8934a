"""Runs the command lines of an entry in a folder and returns the transcript.

A line is one of:

    assay …          the command, in a fork of this process, which has loaded the package
    python …, sh …   any other program, as a process
    interrupt assay …  the command, which gets a Ctrl-C as soon as its store has a reply
    cat GLOB         files
    ls FOLDER        the files of a folder
    sql QUERY        rows of ./assay-out/assay.db
    get PATH         a page of `assay view`, as text
    sent [PATH]      the bodies that the scene's server received
    call NAME ARGS   a function of python_functions.py, in a fork; what it returns

`{server}` is the address of the scene's server, `REPOSITORY` the checkout. After ` | ` stand
filters: `keys` (kinds instead of values), `pick a.b` (a part of a JSON document), `lines FROM TO`,
`grep TEXT`, `drop TEXT`, `csv` (a table whose columns of times are masked). With ` 2>&1` stderr is
shown too; it is always shown where the exit code is 2 or 130. Progress is never shown.
"""

from __future__ import annotations

import dataclasses
import gc
import http.client
import json
import os
import pkgutil
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import closing
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

import assay
from tests.oracle.masks import lay_out, mask_table, mask_text, page_text, shape_of
from tests.oracle.registry import Entry, Scene
from tests.servers.fixtures import Server

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
PATIENCE_S = 300
# What is told while a command works, more or less often on a slow machine.
PROGRESS = re.compile(
    r"^(preparing|opening|writing|loading)|\d/\d+ \(|how long that takes|: loading"
)
# A path of this length, wherever temporary files lie: lines must not wrap elsewhere.
FOLDER_LENGTH = 60
# Files of suites that ship, what begins the command, and what needs packages of other tools.
NOT_IMPORTED = (
    "assay.builtin",
    "assay.__main__",
    "assay.engine.kernels",
    "assay.harness",
    "assay.interfaces.lm_eval",
    "assay.lm_eval",
)


class Stage:
    """A folder, the scenes that were built, the servers that were started."""

    def __init__(self, scenes: Mapping[str, Scene]) -> None:
        self.scenes = scenes
        self.top = Path(tempfile.mkdtemp(prefix="o"))
        length = max(FOLDER_LENGTH - len(str(self.top)) - 1, 1)
        self.work = self.top / ("w" * length)
        self.built: set[str] = set()
        self.servers: dict[str, Server] = {}
        self.viewer: tuple[int, int] | None = None
        import_everything()

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for server in self.servers.values():
            server.stop()
        shutil.rmtree(self.top, ignore_errors=True)

    # --------------------------------------------------------------------------------- an entry

    def reason_to_skip(self, entry: Entry) -> str:
        """Return why an entry cannot be run on this machine; empty if it can."""
        if self.scenes[entry.scene].needs_shared and not (SHARED / "DESIGN.md").is_file():
            return "needs ../shared, which only developers and CI have"
        return ""

    def perform(self, entry: Entry) -> str:
        """Run an entry over a fresh copy of its scene and return its text."""
        scene = self.scenes[entry.scene]
        self.set_scene(entry.scene)
        server = self.start_server(scene, entry.flags)
        for fault in entry.faults:
            assert server
            server.fault(**dict(fault))
        shown = [f"# {entry.guards}"]
        for line in entry.lines:
            shown.append(f"\n$ {line}")
            shown.append(self.run_line(line, server, entry.environment))
        self.close_viewer()
        return "\n".join(shown).rstrip() + "\n"

    def set_scene(self, name: str) -> None:
        """Put a copy of the scene's folder in place; build the scene first if nobody has."""
        scene = self.scenes[name]
        kept = self.top / name
        if name not in self.built:
            self.clear()
            scene.build(self.work)
            server = self.start_server(scene, {})
            for line in scene.lines:
                self.run_line(line, server, {})
            self.work.rename(kept)
            self.built.add(name)
        self.clear()
        shutil.copytree(kept, self.work, symlinks=True, dirs_exist_ok=True)

    def clear(self) -> None:
        """Leave an empty folder, home and data folder."""
        for folder in (self.work, self.top / "home", self.top / "tmp"):
            if folder.exists():
                shutil.rmtree(folder)
            folder.mkdir()

    def start_server(self, scene: Scene, flags: Mapping[str, Any]) -> Server | None:
        """Return the scene's server as after its start; the same port through a whole session."""
        if not scene.server:
            return None
        if scene.server not in self.servers:
            # Beside the recorded model one that can be given tools.
            more = {"also": ["llama3.2:3b=2019393189"]} if scene.server == "ollama" else {}
            self.servers[scene.server] = Server(scene.server, **more)
        server = self.servers[scene.server]
        server.reset()
        server.answers(scene.answers)
        if flags:
            server.settings(**flags)
        return server

    # ---------------------------------------------------------------------------------- a line

    def run_line(self, line: str, server: Server | None, more: Mapping[str, str]) -> str:
        """Run one command line and return what the transcript shows of it."""
        command, *filters = line.split(" | ")
        with_errors = command.endswith(" 2>&1")
        command = command.removesuffix(" 2>&1").replace("REPOSITORY", str(ROOT))
        if server:
            command = command.replace("{server}", server.url)
        verb, _, rest = command.partition(" ")
        environment = self.environment(more)
        if verb == "cat":
            return self.show(self.files(rest), filters)
        if verb == "ls":
            return self.show(self.listing(rest), filters)
        if verb == "sql":
            return self.show(self.rows(rest), filters)
        if verb == "get":
            return self.show(self.page(rest, environment), filters)
        if verb == "sent":
            assert server
            return self.show(bodies(server, rest), filters)

        words = shlex.split(command)
        if verb == "assay":
            code, out, errors = self.fork(run_assay, words[1:], environment)
        elif verb == "call":
            code, out, errors = self.fork(call_function, words[1:], environment)
        elif verb == "interrupt":
            code, out, errors = self.interrupt(words[2:], environment)
        else:
            code, out, errors = self.process(words, environment)
        parts = [self.show(out, filters)] if out.strip() else []
        if errors.strip() and (with_errors or code in (2, 70, 130)):
            kept = [line for line in errors.splitlines() if not PROGRESS.search(line)]
            marked = "\n".join(f"! {line}" for line in kept)
            parts.append(self.show(marked, []))
        return "\n".join([*parts, f"exit {code}"])

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of a user with an empty home, no server and no key."""
        home = str(self.top / "home")
        return {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "error",
            "HOME": home,
            "XDG_DATA_HOME": f"{home}/data",
            "XDG_CACHE_HOME": f"{home}/cache",
            "TMPDIR": str(self.top / "tmp"),
            "COLUMNS": "100",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1",
            # Nobody listens at port 1, and no usual port is looked at.
            "OLLAMA_HOST": "127.0.0.1:1",
            "ASSAY_PORTS": "",
            "OLLAMA_MODELS": f"{home}/no-models",
            "LMSTUDIO_MODELS": f"{home}/no-models",
            **more,
        }

    def show(self, text: str, filters: list[str]) -> str:
        """Return a text as the transcript has it: filtered, JSON laid out, HTML read, masked."""
        stripped = text.strip()
        if stripped.lower().startswith(("<!doctype html", "<html")):
            text = page_text(text)
        if stripped.startswith(("{", "[")):
            text = show_json(stripped, filters)
        if "csv" in filters:
            text = mask_table(text)
        masked = mask_text(text, self.names())
        lines = masked.splitlines()
        for each in filters:
            name, _, rest = each.partition(" ")
            if name == "lines":
                first, last = rest.split()
                lines = lines[int(first) - 1 : int(last)]
            elif name == "grep":
                lines = [line for line in lines if re.search(rest, line)]
            elif name == "drop":
                lines = [line for line in lines if not re.search(rest, line)]
        return "\n".join(lines)

    def names(self) -> dict[str, str]:
        """Return the paths of this machine and what stands for each, the longest first."""
        names = {
            str(self.work): "WORK",
            str(self.top / "home"): "HOME",
            str(self.top / "tmp"): "TMP",
            str(ROOT): "REPOSITORY",
            str(SHARED): "SHARED",
            sys.prefix: "VENV",
        }
        return dict(sorted(names.items(), key=lambda pair: -len(pair[0])))

    # ------------------------------------------------------------------------------- processes

    def fork(
        self, run: Callable[[list[str]], int], words: list[str], environment: Mapping[str, str]
    ) -> tuple[int, str, str]:
        """Run a function in a fork of this process; return exit code, stdout and stderr."""
        pid, out, errors = self.begin(run, words, environment)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status), read_back(out), read_back(errors)

    def begin(
        self, run: Callable[[list[str]], int], words: list[str], environment: Mapping[str, str]
    ) -> tuple[int, Path, Path]:
        """Start such a fork; return its process id and the files of its two streams."""
        out, errors = self.top / "stdout", self.top / "stderr"
        sys.stdout.flush()
        pid = os.fork()
        if pid:
            return pid, out, errors
        # From here on this is the child, and it must not return to the runner.
        code = 70
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            redirect(out, errors)
            os.chdir(self.work)
            os.environ.clear()
            os.environ.update(environment)
            tempfile.tempdir = None
            code = run(words)
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
        finally:
            os._exit(code)

    def interrupt(self, words: list[str], environment: Mapping[str, str]) -> tuple[int, str, str]:
        """Run `assay` and press Ctrl-C as soon as its store has a reply."""
        pid, out, errors = self.begin(run_assay, words, environment)
        store = self.work / "assay-out" / "assay.db"
        ended, status = 0, 0
        while not ended and not has_reply(store):
            time.sleep(0.05)
            ended, status = os.waitpid(pid, os.WNOHANG)
        if not ended:
            os.kill(pid, signal.SIGINT)
            _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status), read_back(out), read_back(errors)

    def process(self, words: list[str], environment: Mapping[str, str]) -> tuple[int, str, str]:
        """Run another program."""
        program = sys.executable if words[0] == "python" else words[0]
        done = subprocess.run(
            [program, *words[1:]],
            cwd=self.work,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    # ------------------------------------------------------------------------ files and pages

    def files(self, pattern: str) -> str:
        """Return the texts of the files that a pattern names; of several with their names."""
        found = sorted(self.work.glob(pattern))
        if not found:
            return "(no such file)"
        texts = [file.read_text("utf-8") for file in found]
        if len(found) == 1:
            return texts[0]
        heads = [f"--- {file.relative_to(self.work)}" for file in found]
        return "\n".join(f"{head}\n{text}" for head, text in zip(heads, texts, strict=True))

    def listing(self, folder: str) -> str:
        """Return the files below a folder, one a line."""
        found = sorted((self.work / folder).rglob("*"))
        return "\n".join(str(file.relative_to(self.work)) for file in found if file.is_file())

    def rows(self, query: str) -> str:
        """Return the rows of a query to the store, one a line."""
        file = self.work / "assay-out" / "assay.db"
        if not file.is_file():
            return "(no store)"
        with closing(sqlite3.connect(file)) as store:
            try:
                rows = store.execute(query).fetchall()
            except sqlite3.Error as error:
                return f"({error})"
        return "\n".join(" | ".join(show_cell(cell) for cell in row) for row in rows)

    def page(self, path: str, environment: Mapping[str, str]) -> str:
        """Return a page of the viewer, which is started for the first one."""
        if self.viewer is None:
            words = ["view", "--no-open", "--port", "0"]
            pid, out, _ = self.begin(run_assay, words, environment)
            until = time.monotonic() + PATIENCE_S
            found = None
            while found is None and time.monotonic() < until:
                time.sleep(0.05)
                found = re.search(r"http://127\.0\.0\.1:(\d+)", read_back(out))
            assert found, "assay view did not start"
            self.viewer = pid, int(found[1])
        latest = self.rows("SELECT id FROM runs ORDER BY rowid DESC LIMIT 1")
        connection = http.client.HTTPConnection("127.0.0.1", self.viewer[1], timeout=PATIENCE_S)
        with closing(connection):
            connection.request("GET", path.replace("{run}", latest))
            answer = connection.getresponse()
            body = answer.read().decode("utf-8")
        status = f"{answer.status} {answer.getheader('Content-Type')}"
        policy = answer.getheader("Content-Security-Policy")
        head = f"{status}\npolicy: {policy}" if policy else status
        return head + "\n" + (page_text(body) if "<html" in body else body)

    def close_viewer(self) -> None:
        """End the viewer of this entry, if it has one."""
        if self.viewer is not None:
            os.kill(self.viewer[0], signal.SIGINT)
            os.waitpid(self.viewer[0], 0)
            self.viewer = None


# ------------------------------------------------------------------------------ inside the forks


def run_assay(words: list[str]) -> int:
    """Do what `assay WORDS` does; return its exit code."""
    from assay.__main__ import main

    sys.argv = ["assay", *words]
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def call_function(words: list[str]) -> int:
    """Print what a function of python_functions.py returns."""
    module = import_module("tests.oracle.python_functions")
    result = getattr(module, words[0])(*words[1:])
    print(result if isinstance(result, str) else json.dumps(result, default=plain))
    return 0


def plain(value: object) -> object:
    """Return what JSON does not know as something that it does."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return str(value)


def redirect(out: Path, errors: Path) -> None:
    """Give this process no input, and two files for its streams."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, file in ((1, out), (2, errors)):
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115


def import_everything() -> None:
    """Import once, before the forks, what each of them would import anew: seconds a command."""
    for module in pkgutil.walk_packages(assay.__path__, "assay."):
        # Files of suites that ship, and what needs a package that is not everywhere.
        if not module.name.startswith(NOT_IMPORTED):
            import_module(module.name)
    gc.collect()
    gc.freeze()


# ------------------------------------------------------------------------------------- showing


def read_back(file: Path) -> str:
    """Return what a process wrote."""
    return file.read_text("utf-8", errors="backslashreplace") if file.is_file() else ""


def has_reply(store: Path) -> bool:
    """Return whether a store has a reply; False while it is being made."""
    if not store.is_file():
        return False
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as file:
            return bool(file.execute("SELECT count(*) FROM replies").fetchone()[0])
    except sqlite3.Error:
        return False


def show_json(text: str, filters: list[str]) -> str:
    """Lay out one JSON document, or one a line; a text that is neither comes back as it is."""
    try:
        documents = [json.loads(text)]
    except ValueError:
        try:
            documents = [json.loads(line) for line in text.splitlines()]
        except ValueError:
            return text
    for each in filters:
        name, _, rest = each.partition(" ")
        if name == "keys":
            documents = [shape_of(document) for document in documents]
        elif name == "pick":
            documents = [pick(document, rest) for document in documents]
    return "\n".join(lay_out(document) for document in documents)


def pick(document: Any, path: str) -> Any:
    """Return the part of a document at a path such as models.0.suites."""
    part = document
    for step in path.split("."):
        try:
            part = part[int(step)] if isinstance(part, list) else part[step]
        except (KeyError, IndexError, TypeError):
            return {"nothing there": path, **(document if isinstance(document, dict) else {})}
    return part


def show_cell(cell: object) -> str:
    """Return a value of the store on one line."""
    if cell is None:
        return "NULL"
    return str(cell).replace("\n", "\\n")


def bodies(server: Server, path: str) -> str:
    """Return what a server was sent: method, path and body of each request, as one list."""
    sent: list[dict[str, Any]] = []
    for request in server.log():
        if path and request.path != path:
            continue
        line: dict[str, Any] = {"request": f"{request.method} {request.path}"}
        if request.body is not None:
            line["body"] = request.body
        authorization = request.headers.get("authorization")
        if authorization:
            line["authorization"] = authorization
        line["status"] = request.status
        sent.append(line)
    return json.dumps(sent)
