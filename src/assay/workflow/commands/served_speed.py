"""How fast a GGUF file is as its users have it: by a server that has it open already, else by
llama.cpp's, started for the purpose on the loopback address, from the programs installed here.
"""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from json import loads
from pathlib import Path

from assay.errors import AssayError
from assay.messages import tr
from assay.stats import estimates
from assay.types.measured.quants import QuantFile, QuantSpeed
from assay.types.options import SpeedOptions
from assay.workflow.commands.speed import measure_depths

USUAL_SERVER = "http://127.0.0.1:8080"  # llama.cpp's
CONTEXT = 2048
REPEATS = 3
SOON_S, START_S = 1.0, 120.0
# The server of the wheel ends with its standard input, so that it cannot outlive the command.
SERVE = """
import os, sys
from xllamacpp import CommonParams, Server
p = CommonParams()
p.model.path = sys.argv[1]
p.n_ctx = int(sys.argv[2])
p.n_parallel = 1
p.hostnames = ["127.0.0.1"]
p.port = 0
server = Server(p)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)
"""


def measure_served(file: QuantFile, servers: Sequence[str], timeout: float) -> QuantSpeed:
    if file.served_as:
        found = _timed(file.served_as, "Ollama", timeout)
        if not found.why_not:
            return found
    for url in (*servers, os.environ.get("OPENAI_BASE_URL", ""), USUAL_SERVER):
        address = url.rstrip("/").removesuffix("/v1")
        if address and _serves(address, file.path):
            return _first_timed(f"{address}/v1", address, timeout)
    try:
        with _llama_cpp(file.path) as (address, program):
            if address:
                return _first_timed(f"{address}/v1", program, timeout)
    except OSError as error:
        return _not_measured(str(error))
    return _not_measured(
        tr("no server has it open, and neither llama-server nor xllamacpp is installed")
    )


def _not_measured(why: str) -> QuantSpeed:
    nothing = estimates.nothing(unit="tokens/s")
    memory = estimates.nothing(unit="MB")
    return QuantSpeed(decode=nothing, prefill=nothing, memory=memory, why_not=why)


def _serves(address: str, path: str) -> bool:
    """Whether llama.cpp answers there, with this very file."""
    try:
        with urllib.request.urlopen(f"{address}/props", timeout=SOON_S) as answer:
            said = loads(answer.read(4_000_000))
        return Path(said["model_path"]).resolve() == Path(path).resolve()
    except (OSError, ValueError, KeyError, TypeError):
        return False


@contextmanager
def _llama_cpp(path: str) -> Iterator[tuple[str, str]]:
    """Its address and its name; "" where it is not installed or does not start."""
    program = shutil.which("llama-server")
    if program:
        port = _free_port()
        command = [program, "-m", path, "--host", "127.0.0.1", "--port", str(port),
                   "-c", str(CONTEXT), "-np", "1"]  # fmt: skip
        with _running(command) as process:
            address = f"http://127.0.0.1:{port}"
            yield (address if _is_ready(address, process) else "", "llama-server")
    elif importlib.util.find_spec("xllamacpp"):
        with _running([sys.executable, "-c", SERVE, path, str(CONTEXT)]) as process:
            assert process.stdout
            address = process.stdout.readline().decode().strip()
            ready = address and _is_ready(address, process)
            yield (address if ready else "", "llama.cpp (xllamacpp)")
    else:
        yield "", ""


@contextmanager
def _running(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _is_ready(address: str, process: subprocess.Popen[bytes]) -> bool:
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=SOON_S):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    return False


def _first_timed(url: str, by: str, timeout: float) -> QuantSpeed:
    """The first model of a server's list."""
    try:
        with urllib.request.urlopen(f"{url}/models", timeout=SOON_S * 5) as answer:
            name = loads(answer.read(4_000_000))["data"][0]["id"]
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        return _not_measured(str(error))
    return _timed(f"openai:{name}@{url}", by, timeout)


def _timed(spec: str, by: str, timeout: float) -> QuantSpeed:
    """At the beginning of its context. The measurement is no run of the user's store."""
    try:
        with tempfile.TemporaryDirectory(prefix="assay-speed-") as folder:
            asked = SpeedOptions(
                [spec], context="0", repeats=REPEATS, out=Path(folder), timeout=timeout
            )
            (model,) = measure_depths(asked).models
    except AssayError as error:
        return _not_measured(str(error))
    if not model.depths or model.depths[0].why_not:
        return _not_measured(model.depths[0].why_not if model.depths else tr("no answer"))
    found = model.depths[0]
    decode = found.decode if found.decode.n else found.client_decode
    return QuantSpeed(decode=decode, prefill=found.prefill, memory=found.memory, by=by)
