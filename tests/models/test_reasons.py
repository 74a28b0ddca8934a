"""A server that cannot be reached, told by what is wrong: certificate, https, proxy."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.models.opening import open_model
from tests.models.asking import QUICK

LISTING = b'{"object":"list","data":[{"id":"m"}]}'


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    """A self-signed one of this machine, and its key beside it."""
    if not shutil.which("openssl"):
        pytest.skip("needs openssl to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", names,
             "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]  # fmt: skip
    subprocess.run(words, check=True, capture_output=True)
    return folder / "cert.pem"


def answering(context: ssl.SSLContext | None) -> Iterator[int]:
    """The port of a server that lists one model, by https where there is a context."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(peer: socket.socket) -> None:
        try:
            with context.wrap_socket(peer, server_side=True) if context else peer as spoken:
                path = spoken.recv(9999).split(b" ")[1]
                status, body = (b"200 OK", LISTING) if path == b"/v1/models" else (b"404 No", b"")
                head = b"HTTP/1.1 %s\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
                spoken.sendall(head % (status, len(body)) + body)
        except (OSError, IndexError):
            peer.close()

    def accept() -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(peer,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield listener.getsockname()[1]
    listener.close()


@pytest.fixture(scope="module")
def secure(certificate) -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    yield from answering(context)


@pytest.fixture(scope="module")
def plain() -> Iterator[int]:
    yield from answering(None)


def refused(spec: str) -> tuple[str, str]:
    with pytest.raises(AssayError) as error:
        open_model(spec, QUICK)
    return error.value.message, error.value.hint


SPECS = ["openai:m@{}/v1", "ollama:m@{}", "{}"]


@pytest.mark.parametrize("spec", SPECS)
def test_a_self_signed_certificate_is_named_with_the_way_to_trust_it(secure, spec):
    message, hint = refused(spec.format(f"https://127.0.0.1:{secure}"))
    assert "nothing here trusts the certificate of https://127.0.0.1" in message
    assert message.endswith("self-signed certificate")
    assert "SSL_CERT_FILE=CERTIFICATE.pem" in hint


def test_that_way_works(secure, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    model = open_model(f"openai:m@https://localhost:{secure}/v1", QUICK)
    model.close()
    assert model.facts.name == "m"


@pytest.mark.parametrize("spec", SPECS)
def test_http_where_https_is_spoken_is_said_for_what_it_is(secure, spec):
    message, hint = refused(spec.format(f"http://127.0.0.1:{secure}"))
    assert "speaks https, not plain http" in message
    assert hint.endswith(spec.format(f"https://127.0.0.1:{secure}"))


@pytest.mark.parametrize("spec", SPECS)
def test_https_where_http_is_spoken_is_said_for_what_it_is(plain, spec):
    message, hint = refused(spec.format(f"https://127.0.0.1:{plain}"))
    assert "speaks plain http, not https" in message
    assert hint.endswith(spec.format(f"http://127.0.0.1:{plain}"))


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "https_proxy"])
def test_a_dead_proxy_is_named_with_its_variable_and_without_its_password(variable, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "http://me:hunter2@127.0.0.1:1")
    scheme = variable.lower().removesuffix("_proxy")
    message, hint = refused(f"openai:m@{scheme}://model.example/v1")
    assert f"the proxy http://127.0.0.1:1 ({variable}) lets nothing through" in message
    assert f"unset {variable}" in hint
    assert "hunter2" not in message + hint
