"""CT-06: two clients in one process, and honest clients of ten kinds, which lose nothing."""

import pytest

from assay.checkers import fill, gather, make_files
from assay.errors import SandboxUnavailable
from assay.sandbox import open_sandbox
from assay.types.tests import SHIPPED_SUITES

FOLDER = SHIPPED_SUITES / "coding" / "ct_06_api_client"


def evidence_of(*answers):
    """Of answers with names of the truth in double braces."""
    (made,) = make_files(FOLDER, [0], None)
    try:
        sandbox = open_sandbox()
    except SandboxUnavailable as unavailable:
        pytest.skip(unavailable.message)
    return gather(FOLDER, [(fill(one, made.files, made.truth), made) for one in answers], sandbox)


def changed(*replaced):
    text = (FOLDER / "reference.md").read_text("utf-8")
    for old, new in replaced:
        assert old in text, old
        text = text.replace(old, new)
    return text


CLIENT = '''
```python
"""A client."""
import http.client, json, logging, random, time, urllib.error, urllib.parse, urllib.request, uuid
IMPORTS

class {{truth.error}}(Exception):
    """A request failed for good."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


class {{truth.client}}:
    """A client of the service."""

    def __init__(self, base_url, api_key, timeout=5.0, attempts=3, backoff=0.5):
        self.base_url, self.timeout = base_url, timeout
        self.attempts, self.backoff = attempts, backoff
        self._headers = {"{{truth.header}}": "{{truth.prefix}}" + api_key}
        BEGIN

    def {{truth.get}}(self, id):
        """Return a record."""
        return self._ask("GET", self._path(id))

    def {{truth.list}}(self, {{truth.filter}}):
        """Return records."""
        query = urllib.parse.urlencode({"{{truth.filter}}": {{truth.filter}}},
                                       quote_via=urllib.parse.quote, safe="")
        return self._ask("GET", "/{{truth.resource}}?" + query)

    def {{truth.create}}(self, record):
        """Create a record."""
        return self._ask("POST", "/{{truth.resource}}", record)

    def {{truth.update}}(self, id, changes):
        """Change a record."""
        return self._ask("{{truth.update_verb}}", self._path(id), changes)

    def {{truth.delete}}(self, id):
        """Delete a record."""
        self._ask("DELETE", self._path(id))

    def _path(self, id):
        return "/{{truth.resource}}/" + urllib.parse.quote(id, safe="")

    def _ask(self, verb, path, body=None):
        headers = dict(self._headers)
        EXTRA
        data = None
        if body is not None:
            data = json.dumps(body, ensure_ascii=False).encode()
            headers["Content-Type"] = "application/json; charset=utf-8"
RETRY

    def _once(self, verb, path, data, headers):
        try:
            status, content = self._send(verb, path, data, headers)
        except (OSError, http.client.HTTPException) as problem:
            raise {{truth.error}}("no answer: " + type(problem).__name__) from None
        if not 200 <= status <= 299:
            raise {{truth.error}}("status %d" % status, status)
        return json.loads(content) if content else None

    def _send(self, verb, path, data, headers):
SEND
```
'''
SENDING = {
    "urllib": """
        request = urllib.request.Request(self.base_url + path, data, headers, method=verb)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as reply:
                return reply.status, reply.read()
        except urllib.error.HTTPError as problem:
            with problem:
                return problem.code, b""
""",
    "a connection each": """
        url = urllib.parse.urlsplit(self.base_url)
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=self.timeout)
        try:
            connection.request(verb, url.path + path, data, headers)
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()
""",
    "an opener": """
        opener = urllib.request.build_opener(Unraised)
        request = urllib.request.Request(self.base_url + path, data, headers, method=verb)
        with opener.open(request, timeout=self.timeout) as reply:
            return reply.getcode(), reply.read()
""",
}
UNRAISED = """
class Unraised(urllib.request.HTTPErrorProcessor):
    def http_response(self, request, response):
        return response
"""
RETRYING = {
    "a loop": """
        for attempt in range(1 if verb == "POST" else self.attempts):
            if attempt:
                time.sleep(self.backoff * 2 ** (attempt - 1))
            try:
                return self._once(verb, path, data, headers)
            except {{truth.error}} as problem:
                if problem.status is None or problem.status < 500:
                    raise
                last = problem
        raise last
""",
    "jitter": """
        left, wait = (1 if verb == "POST" else self.attempts), self.backoff
        while True:
            left -= 1
            try:
                return self._once(verb, path, data, headers)
            except {{truth.error}} as problem:
                if not left or (problem.status or 0) < 500:
                    raise
            time.sleep(wait + random.uniform(0, wait / 20))
            wait *= 2
""",
    "recursion": """
        return self._try(1 if verb == "POST" else self.attempts, self.backoff,
                         (verb, path, data, headers))

    def _try(self, left, wait, request):
        try:
            return self._once(*request)
        except {{truth.error}} as problem:
            if left < 2 or problem.status is None or problem.status // 100 != 5:
                raise
        time.sleep(wait)
        return self._try(left - 1, 2 * wait, request)
""",
}
LOGS = 'logging.getLogger(__name__).info("%s %s at %s", verb, path, time.monotonic())'
IDENTIFIES = 'headers["X-Request-Id"] = str(uuid.uuid4())'
HONEST = [
    ("urllib", "a loop", "pass"),
    ("urllib", "jitter", LOGS),
    ("urllib", "recursion", IDENTIFIES),
    ("a connection each", "a loop", IDENTIFIES),
    ("a connection each", "jitter", "headers['User-Agent'] = 'client/1'"),
    ("a connection each", "recursion", LOGS),
    ("an opener", "a loop", LOGS),
    ("an opener", "jitter", IDENTIFIES),
    ("an opener", "recursion", "headers['Accept'] = 'application/json'"),
    ("a connection each", "a loop", "self.count = getattr(self, 'count', 0) + 1"),
]


def written(send, retry, extra):
    parts = {"IMPORTS": UNRAISED, "BEGIN": "self.count = 0", "EXTRA": extra,
             "RETRY": RETRYING[retry].strip("\n"), "SEND": SENDING[send].strip("\n")}  # fmt: skip
    text = CLIENT
    for name, part in parts.items():
        text = text.replace(name, part, 1)
    _, used, rest = (FOLDER / "reference.md").read_text("utf-8").partition("How it is used")
    return f"{text}\n{used}{rest}"


def test_honest_clients_of_ten_kinds_lose_nothing():
    found = evidence_of(*(written(*one) for one in HONEST))
    lost = {
        kind: one.missing or [each.explanation for each in one.checks if each.passed is False]
        for kind, one in zip(HONEST, found, strict=True)
    }
    assert {kind: why for kind, why in lost.items() if why} == {}


# Natural faults, each in the reference.
SHARED_KEY = [("self._api_key = api_key", "type(self)._api_key = api_key")]
SHARED_URL = [("self.base_url = base_url", "type(self).base_url = base_url")]
SHARED_HEADERS = [
    ("    def __init__(self, base_url", "    headers = {}\n\n    def __init__(self, base_url"),
    ("headers = {\"{{truth.header}}\": \"{{truth.prefix}}\" + self._api_key}",
     "headers = self.headers\n        "
     "headers.setdefault(\"{{truth.header}}\", \"{{truth.prefix}}\" + self._api_key)"),
]  # fmt: skip
ONE_ROOT = [
    ("self.base_url = base_url", "self.base_url = base_url.rpartition('/')[0] + '/v1'"),
]
ONE_PORT = [
    ("self.base_url = base_url",
     "self.base_url = base_url\n"
     "        self.base_url = ports.setdefault(0, base_url.rsplit(':')[-1][:5]).join(\n"
     "            (base_url[: base_url.rindex(':') + 1], base_url[base_url.rindex(':') + 6 :]))"),
    ("import json\n", "import json\n\nports = {}\n"),
]  # fmt: skip
BROKEN = [
    ("        except OSError as problem:", "        except urllib.error.URLError as problem:")
]
AGAIN = [
    ("        except OSError as problem:\n",
     "        except ConnectionResetError:\n            return self._send(verb, path, body)\n"
     "        except OSError as problem:\n"),
]  # fmt: skip
FAULTS = {
    "a key that clients share": (SHARED_KEY, 0.25),
    "an address that clients share": (SHARED_URL, 0.25),
    "headers that clients share": (SHARED_HEADERS, 0.25),
    "only under one path": (ONE_ROOT, 0.25),
    "only at one port": (ONE_PORT, 0.25),
    "a POST that is sent again where the connection ends": (AGAIN, 0.75),
    "a connection that ends is no error of its own": (BROKEN, 0.97),
}


def test_what_only_a_second_client_or_an_ended_connection_shows_is_counted():
    found = evidence_of(*(changed(*case) for case, _ in FAULTS.values()))
    high = {
        kind: one.missing or float(one.share)
        for (kind, (_, most)), one in zip(FAULTS.items(), found, strict=True)
        if one.share is None or one.share > most
    }
    assert high == {}
