"""llama.cpp's own server, from the wheel xllamacpp, as a process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PLAIN = "{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"
SERVE = """
import os
import sys
from xllamacpp import CommonParams, Server
p = CommonParams()
p.model.path = sys.argv[1]
p.n_ctx = 1024
p.n_parallel = 2
p.cpuparams.n_threads = 1
p.hostnames = ["127.0.0.1"]
p.port = 0
p.chat_template = sys.argv[2]
server = Server(p)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)
"""


@contextmanager
def llama_cpp_server(weights: Path, template: str = PLAIN) -> Iterator[int]:
    """The port of a server with two slots of 512 tokens each."""
    pytest.importorskip("xllamacpp", reason="the wheel is made for Linux only")
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(weights), template],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        address = next((line for line in process.stdout if line.startswith("http")), "")
        assert address, "llama.cpp did not start"
        yield int(address.strip().rpartition(":")[2])
        process.stdin.close()
