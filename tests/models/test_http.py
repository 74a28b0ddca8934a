"""The layer below the models: deadlines, TLS, retries, threads, and words without secrets."""

from __future__ import annotations

import http.server
import shutil
import socket
import ssl
import subprocess
import threading
import time

import httpcore
import pytest

from assay.errors import ServerGone, UsageError
from assay.models.http.connection import Connection, is_this_machine
from assay.models.http.deadlines import DeadlineNetwork, within
from assay.models.http.faults import (
    ATTEMPTS,
    LONGEST_ASKED_S,
    Fault,
    Patience,
    message_in,
    readable,
    retry_after,
)
from assay.models.http.served import in_parallel
from assay.types.options import ServerOptions
from tests.conftest import no_hang

# ------------------------------------------------------------------------------------- the wire


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self._say(b'{"path": "%s"}' % self.path.encode())

    def do_POST(self):
        """A body that never ends, one space at a time."""
        self.send_response(200)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"1\r\n \r\n")
                time.sleep(0.05)
        except OSError:
            self.close_connection = True

    def _say(self, body):
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def serve():
    """A server of the standard library, with TLS where a certificate is given."""
    started = []

    def start(certificate=None):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        server.daemon_threads = False  # so that server_close waits for their sockets
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        return server.server_port

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


@pytest.fixture
def certificate(tmp_path):
    if not shutil.which("openssl"):
        pytest.skip("needs openssl to make a certificate")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
               "-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=localhost",
               "-addext", "subjectAltName=DNS:localhost"]  # fmt: skip
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


@pytest.fixture
def silent():
    """A port that takes connections and says nothing."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


@pytest.fixture
def connected():
    """Connections that are closed again."""
    opened = []

    def connect(url, **how):
        opened.append(Connection(url, **how))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.close()


def fault_of(ask):
    with no_hang(), pytest.raises(Fault) as caught:
        ask()
    return caught.value


def test_a_certificate_nobody_vouches_for_is_refused(serve, certificate, connected):
    connection = connected(f"https://localhost:{serve(certificate)}", timeout_s=10)
    fault = fault_of(lambda: connection.document("GET", "/x"))
    assert fault.cause == "unreachable"
    assert "certificate" in fault.sentence


def test_a_certificate_of_the_users_own_is_trusted_and_deadlines_hold_inside_tls(
    serve, certificate, monkeypatch, connected
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    connection = connected(f"https://localhost:{serve(certificate)}/v1", timeout_s=10)
    assert connection.document("GET", "/x") == {"path": "/v1/x"}
    fault = fault_of(lambda: connection.document("POST", "/x", {}, timeout_s=0.5))
    assert fault.cause == "timeout"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_port_that_says_nothing_is_left(silent, scheme, connected):
    connection = connected(f"{scheme}://127.0.0.1:{silent}", timeout_s=0.5)
    assert fault_of(lambda: connection.document("GET", "/")).cause in ("timeout", "unreachable")


def test_a_deadline_between_connecting_and_tls_leaves_no_socket_open(silent):
    with within(10):
        stream = DeadlineNetwork().connect_tcp("127.0.0.1", silent)
    peer = stream.get_extra_info("socket")
    with within(-1), pytest.raises(httpcore.ReadTimeout):
        stream.start_tls(ssl.create_default_context(), "localhost")
    assert peer.fileno() == -1


def test_a_server_that_does_not_read_is_left(silent, connected):
    connection = connected(f"http://127.0.0.1:{silent}", timeout_s=0.5)
    body = {"text": "x" * 20_000_000}
    assert fault_of(lambda: connection.document("POST", "/", body)).cause == "timeout"


def test_calling_off_ends_what_is_under_way(silent, connected):
    connection = connected(f"http://127.0.0.1:{silent}", timeout_s=600)
    threading.Timer(0.2, connection.call_off).start()
    assert "cancelled" in fault_of(lambda: connection.document("GET", "/")).sentence


def test_the_environments_proxy_is_for_servers_elsewhere(serve, monkeypatch, connected):
    port = serve()
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    elsewhere = connected("http://models.invalid", timeout_s=10)
    assert elsewhere.document("GET", "/x") == {"path": "http://models.invalid/x"}
    here = connected(f"http://127.0.0.1:{port}", timeout_s=10)
    assert here.document("GET", "/x") == {"path": "/x"}


def test_a_proxy_behind_tls_is_refused(monkeypatch):
    """The server's own TLS would have been written past: its key would leave the proxy in clear."""
    monkeypatch.setenv("https_proxy", "https://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(UsageError, match="proxy"):
        Connection("https://models.invalid", timeout_s=1)


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("a.localhost", True),
     ("127.8.9.1", True), ("10.0.0.1", False), ("box", False), ("localhost.example", False)],
)  # fmt: skip
def test_this_machine_is_known_by_its_names(host, here):
    assert is_this_machine(host) is here


# ------------------------------------------------------------------------------------- its words


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"error": "no model"}', "no model"),
        ('{"error": {"message": "bad key", "type": "auth"}}', "bad key"),
        ('{"detail": [{"loc": ["body", "top_k"], "msg": "extra"}]}', "extra (top_k)"),
        ('{"message": "sorry"}', "sorry"),
        ("<html><b>Bad</b> gateway", "<html><b>Bad</b> gateway"),
        ("", ""),
        ("[" * 5000, "[" * 5000),
    ],
)
def test_a_servers_words_are_found_wherever_it_put_them(body, message):
    assert message_in(body) == message


def test_words_are_one_line_of_a_length_one_reads_without_control_characters():
    assert readable("a\x1b[31m\r\nb\x00c") == "a [31m b c"
    assert readable("[" * 5000) == "[" * 300 + "…"


def test_a_secret_is_removed_however_json_spells_it(ollama_server, connected):
    secret = 's/e+c\\r"et'
    connection = connected(ollama_server.url, timeout_s=10, secrets=[secret])
    spelt = "".join(f"\\u{ord(c):04x}" for c in secret)
    body = '{"error": "your key is ' + spelt + '"}'
    ollama_server.fault("garbage", path="/api/chat", body=body, status=400, times=None)
    fault = fault_of(lambda: connection.document("POST", "/api/chat", {"model": "x"}))
    assert secret not in fault.sentence + fault.message
    assert "[removed]" in fault.message


@pytest.mark.parametrize(("value", "seconds"), [("3", 3), ("0", 0), ("-5", 0)])
def test_retry_after_is_seconds(value, seconds):
    assert retry_after(value) == seconds


@pytest.mark.parametrize(
    "value",
    [None, "", "soon", "nan", "Wed, 21 Oct 2026 07:28:00 GMT"],
)
def test_a_retry_after_that_says_nothing_is_as_if_it_were_not_there(value):
    assert retry_after(value) is None


# ----------------------------------------------------------------------------------- trying again


def patience(timeout_s=30.0):
    return Patience(threading.Event(), first_pause_s=0.001, timeout_s=timeout_s)


def failing(*faults):
    """Raises these, one a call, then answers."""
    left = list(faults)

    def attempt():
        if left:
            raise left.pop(0)
        return "fine"

    return attempt


def passing(cause="server_error", **more):
    return Fault(cause, "busy", retry=True, **more)


def test_tries_are_counted_and_end():
    assert patience().tried(failing()) == ("fine", 1)
    assert patience().tried(failing(passing(), passing())) == ("fine", 3)
    fault = fault_of(lambda: patience().tried(failing(*(passing() for _ in range(9)))))
    assert fault.attempts == ATTEMPTS


def test_a_lasting_fault_is_not_tried_again():
    fault = fault_of(lambda: patience().tried(failing(Fault("refused", "no"), passing())))
    assert (fault.cause, fault.attempts) == ("refused", 1)


def test_a_server_that_is_away_is_waited_for_and_that_is_no_attempt():
    shared = patience()
    away = [passing("unreachable", away=True) for _ in range(3 * ATTEMPTS)]
    loading = [passing(status=503) for _ in range(3 * ATTEMPTS)]
    assert shared.tried(failing(*away, *loading)) == ("fine", 1)
    assert shared.away is None
    assert fault_of(lambda: shared.tried(failing(*loading))).attempts == ATTEMPTS, "it was not away"


def test_a_server_that_stays_away_ends_the_asking():
    def nobody_there():
        raise passing("unreachable", away=True)

    with pytest.raises(ServerGone, match="were not sent") as gone:
        patience(timeout_s=0.05).tried(nobody_there)
    assert gone.value.exit_code == 3


def test_a_success_ends_a_row_of_time_outs():
    shared = patience()
    for _ in range(3):
        for _ in range(3):
            fault_of(lambda: shared.tried(failing(Fault("timeout", "slow"))))
        assert shared.tried(failing()) == ("fine", 1)


def test_five_time_outs_in_a_row_end_the_asking():
    shared = patience()
    for _ in range(5):
        assert fault_of(lambda: shared.tried(failing(Fault("timeout", "slow")))).cause == "timeout"
    with pytest.raises(ServerGone, match="5 requests in a row timed out"):
        shared.tried(failing())


def test_a_time_out_that_a_server_reports_is_an_answer_of_a_server():
    shared = patience()
    for _ in range(9):
        fault_of(lambda: shared.tried(failing(Fault("timeout", "504", status=504))))
    assert shared.tried(failing()) == ("fine", 1)


def test_a_wait_that_is_too_long_is_not_begun():
    asked = passing("rate_limited", retry_after_s=LONGEST_ASKED_S + 1)
    fault = fault_of(lambda: patience().tried(failing(asked)))
    assert "121" in fault.sentence


class Clock(threading.Event):
    """Waiting moves its hands; `meanwhile` happens during the first wait."""

    def __init__(self, meanwhile):
        super().__init__()
        self.now, self.meanwhile = 1000.0, meanwhile

    def wait(self, timeout=None):
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            meanwhile()
        self.now += timeout
        return False


def test_a_server_that_asks_to_wait_is_left_alone_by_every_connection(monkeypatch):
    asked_at = []

    def asking(*faults):
        attempt = failing(*faults)
        return lambda: asked_at.append(clock.now - 1000) or attempt()

    clock = Clock(meanwhile=lambda: shared.tried(asking()))
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    shared = Patience(clock, first_pause_s=0.001, timeout_s=30.0)
    assert shared.tried(asking(passing("rate_limited", retry_after_s=30))) == ("fine", 2)
    first, *later = asked_at
    assert first == 0
    assert len(later) == 2
    assert min(later) >= 30


def test_calling_off_ends_a_pause():
    off = threading.Event()
    shared = Patience(off, first_pause_s=600, timeout_s=30.0)
    threading.Timer(0.1, off.set).start()
    assert "cancelled" in fault_of(lambda: shared.tried(failing(passing(), passing()))).sentence


# ---------------------------------------------------------------------------------- side by side


def nothing():
    pass


def test_every_item_is_answered_once_whatever_the_width():
    for width in (1, 3, 50):
        found = sorted(in_parallel(lambda n: n * n, range(20), width, call_off=nothing))
        assert found == [n * n for n in range(20)]


def test_no_item_needs_no_worker():
    assert list(in_parallel(str, [], 4, call_off=nothing)) == []


def test_a_mistake_of_ours_is_raised_where_it_is_seen():
    def work(number):
        if number == 3:
            raise ZeroDivisionError
        return number

    with no_hang(), pytest.raises(ZeroDivisionError):
        list(in_parallel(work, range(100), 2, call_off=nothing))


def test_leaving_early_calls_off_and_waits_for_the_workers():
    off = threading.Event()
    coming = in_parallel(lambda n: off.wait(60) if n else n, range(8), 4, call_off=off.set)
    assert next(coming) == 0
    with no_hang():
        coming.close()
    assert off.is_set()
    assert not [t for t in threading.enumerate() if t.name.startswith("asking")]


def test_answers_do_not_pile_up_before_a_slow_reader():
    made = []
    coming = in_parallel(lambda n: made.append(n) or n, range(10_000), 2, call_off=nothing)
    next(coming)
    time.sleep(0.3)
    assert len(made) < 100
    coming.close()


def test_the_defaults_are_those_of_the_contract():
    from assay.interfaces.cli import load_command

    options = {option.name: option.default for option in load_command("run").params}
    assert options["timeout"] == ServerOptions().timeout == 120
    assert (options["sampling"], options["seed"], options["repeats"]) == ("fixed", 0, 1)
