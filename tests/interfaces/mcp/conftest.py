"""A folder with a checkpoint, a suite and a text, and the official client for both transports."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

mcp = pytest.importorskip("mcp")
from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from mcp.shared._httpx_utils import create_mcp_http_client  # noqa: E402

from tests.conftest import word_tests  # noqa: E402
from tests.models.local.checkpoints import make_checkpoint  # noqa: E402

SERVER = (sys.executable, "-m", "assay", "mcp")


@pytest.fixture(scope="session")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("agent").resolve()
    make_checkpoint(home / "runs" / "step_100")
    (home / "text.txt").write_text("The driver of the network card. " * 400)
    (home / "suite").mkdir()
    (home / "suite" / "word.json").write_text(json.dumps(word_tests(3)))
    return home


def scripted(folder: Path, word: str, **more: object) -> str:
    """A model that answers everything with one word."""
    path = folder / f"says_{word}.json"
    path.write_text(json.dumps({"answers": {}, "default": word, **more}))
    return f"scripted:{path}"


def stdio_server(folder: Path, *more: str) -> StdioServerParameters:
    arguments = [*SERVER[1:], "--out", str(folder / "out"), "--allow", str(folder), *more]
    # The client passes little of the environment on; the server under test is this checkout's.
    surroundings = dict(os.environ)
    return StdioServerParameters(command=SERVER[0], args=arguments, cwd=folder, env=surroundings)


@asynccontextmanager
async def over_stdio(folder: Path, *more: str):
    async with Client(stdio_client(stdio_server(folder, *more))) as client:
        yield client


@contextmanager
def http_server(folder: Path):
    """The address and the token of a server on loopback."""
    command = [*SERVER, "--out", str(folder / "out"), "--allow", str(folder), "--http", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            address = re.search(r"http://\S+", process.stderr.readline())[0]
            token = re.search(r"Bearer (\S+)", process.stderr.readline())[1]
            yield address, token
        finally:
            process.kill()


@asynccontextmanager
async def over_http(address: str, token: str):
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
    async with http, Client(streamable_http_client(address, http_client=http)) as client:
        yield client
