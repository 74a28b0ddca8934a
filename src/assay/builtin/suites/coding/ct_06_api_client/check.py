"""Tries a client against a service that works, is busy, slow, gone, or refuses.

The service runs in another process than the client, and only the service says which requests came
and when. What a reply holds is drawn from the seed, so that a client which sends no request cannot
know it. Waits are measured by the clock of the service alone: each is long enough, and the last one
longer than the first.
"""

import ast
import base64
import codecs
import doctest
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote

from assay.checking import (
    REFUSED,
    SECOND,
    SERVICE,
    Candidate,
    Check,
    Code,
    GroupResult,
    Named,
    ReportText,
    Step,
    choose_code,
    code_blocks,
    draw_for,
    find_obstacle,
    list_named,
    parse,
    raised_instead,
    same,
    show,
)

Request = Mapping[str, Any]
BACKOFF_S = 0.1  # where waits are measured
LEAST_GROWTH = 1.5  # from the first wait to the third, which is four times as long
# What is to be said of each kind of failure, and the form in which it is named.
FAILURES = {"busy": r"\b5(?:\d\d|xx)\b", "refused": r"\b4(?:\d\d|xx)\b", "gone": r"\bnone\b"}
LEAST_SAID = 3  # words about each
BESIDE = ("docstrings", "usage", *(f"failure_{one}" for one in FAILURES))
OTHERS = ("quiet_import", "key_in_header", *BESIDE, "key_hidden")
PLAIN = ("get", "list", "create", "update", "delete")  # tried first
LEAST_PLAIN = 3  # of these that work, for the rest to be tried: to fail well is worth little alone
WEIGHTS = {
    "get": 2, "list": 2, "create": 2, "update": 2, "delete": 2, "path_encoding": 8,
    "query_encoding": 5, "retry_when_busy": 4, "retry_changes": 4, "retry_bounded": 3,
    "create_sent_once": 6, "growing_waits": 4, "no_retry_when_refused": 4, "error_status": 4,
    "timeout": 8, "no_connection": 4, "key_in_header": 3, "key_hidden": 3, "named": 3,
    "two_clients": 4, "post_broken": 3,
    "docstrings": 5, "usage": 4, **{f"failure_{one}": 2 for one in FAILURES},
}  # fmt: skip
# A rule that is broken weighs as much more than one that is kept: a client is for those who have to
# rely on each.
BROKEN_RULE = 3
# A weight, of sending again what is to be sent once. A limit instead would take nothing more for
# other faults: a client with more faults never has more points.
REPEATING = 30
MOST_LEAKING = 0.25  # of all, for a client that gives the key away, or does what is not its task
MOST_PLANTED = 0.25  # or that is wrong only where its code says so
TIMED = ("timeout", "growing_waits")  # take time, and are not repeated with another key
OF_STATUS = "error_status"  # the only probe that looks at the status: one cause counts once
SUCCEEDED = (200, 201, 202, 203, 206, 226, 250, 299)
SHORTEST_LEAK = 8  # characters of the key in a row, in any encoding
JSON_TYPE = "application/json"
EACH_STATUS = 20  # of the statuses that begin with 4, and with 5
MOST_CALLS, LONGEST = 420, 1_000  # calls of one client; letters
MOST_ATTEMPTS = 80
MOST_LONG = 8  # lengths that the code names
LONG_BACKOFF_S = (1, 60)  # not waited for: the client is told that it has slept
MOST_DIGITS = 40  # that may differ from run to run, as times do
PIECE, MOST_PIECES = 4, 0.6  # or this share of its pieces of four
# `show` prints what others see of the client: its texts, names of attributes, names that are new.
# Shows whatever is logged, at every level, and what is passed to files, other programs and other
# addresses; only waits that are measured take time. The service has a name, as services have. In
# each run chance and durations are the same, so that what differs is the key.
PRELUDE = """\
import _socket, builtins, logging, os, random, socket, sys, threading, time
logging.basicConfig(stream=sys.stderr, level=1, force=True)
known_hosts = {{{host!r}, {host!r}.encode(), "127.0.0.1", "localhost", "", None}}
ports = [int(one.rpartition(":")[2].partition("/")[0]) for one in (base_url, second_url)]
base_url, second_url = (one.replace("127.0.0.1", {host!r}) for one in (base_url, second_url))
resolve = _socket.getaddrinfo
def getaddrinfo(host, *more, **named):
    return resolve("127.0.0.1" if host in known_hosts else host, *more, **named)
_socket.getaddrinfo = getaddrinfo
begin = threading.Timer.__init__
def begin_sooner(self, interval, *values, **named):
    begin(self, min(interval, {longest}), *values, **named)
threading.Timer.__init__ = begin_sooner
sleep = time.sleep
def shorter(seconds):
    os.write(2, ("{slept} " + repr(float(seconds)) + chr(10)).encode())
    sleep(min(seconds, {longest}))
time.sleep = shorter
home = vars(sys.modules[{client}.__module__])
home.update({{name: shorter for name, one in home.items() if one is sleep}})
random.seed(0)
drawn, ticks = random.Random(0), iter(range(1, 10**9))
os.urandom = random._urandom = drawn.randbytes
for measure in ("perf_counter", "monotonic") if {steady} else ():
    for name, unit in (measure, 1e-3), (measure + "_ns", 10**6):
        real, steady = getattr(time, name), lambda unit=unit: next(ticks) * unit
        setattr(time, name, steady)
        home.update({{name: steady for name, one in home.items() if one is real}})
def say(*words):
    os.write(2, (" ".join(map(str, words)) + chr(10)).encode("utf-8", "replace"))
def noted(event, values):
    if event in ("open", "subprocess.Popen", "os.system", "os.exec", "os.putenv", "os.mkdir",
                 "os.rename", "os.symlink"):
        say(repr(values))
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        if values[0] not in known_hosts:
            say("{elsewhere}", repr(values[0]))
    if event.startswith(("shutil.", "subprocess.", "os.fork", "os.posix_spawn", "os.remove",
                         "os.rmdir", "os.system", "os.exec", "os.rename", "os.truncate")) or (
        event == "open" and "__pycache__" not in str(values[0])
        and (set(str(values[1])) & set("wax+") or (values[2] or 0) & 3)
    ):
        say("{meddled}", event)
    elif event in ("socket.connect", "socket.sendto", "socket.bind", "socket.sendmsg"):
        if values[1] not in [("127.0.0.1", port) for port in ports]:
            say("{elsewhere}", repr(values[1]))
sys.addaudithook(noted)
def list_names():
    named = [builtins, sys.modules[{client}.__module__], {client}, {error}]
    found = [name for one in named for name in vars(one)]
    found += [*sys.modules, *map("=".join, os.environ.items()), *logging.root.manager.loggerDict]
    return {{*found, *(one.name for one in threading.enumerate())}}
known = list_names()
client = {client}(base_url, {key!r}, timeout={timeout}, attempts={attempts}, backoff={backoff})
def show():
    print(repr(client), str(client), format(client), ascii(client), client.__doc__,
          sorted(map(str, dir(client))), sorted(map(str, list_names() - known)))
show()
"""
# Calls that may fail; what can be read of an exception and of those behind it is printed.
CALLING = """\
import traceback
result = []
for call in [{calls}]:
    try:
        result.append(call())
    except Exception as problem:
        print("".join(traceback.format_exception(problem)), repr(problem), problem.args,
              getattr(problem, "__dict__", ""))
        kind = {error!r} if isinstance(problem, {error}) else type(problem).__name__
        result.append([kind, getattr(problem, "status", "none")])
    if len(result) % 20 == 1:
        show()
show()
client = call = None  # what it says when it is freed counts as well
"""
ELSEWHERE, SLEPT, MEDDLED = "a connection elsewhere:", "slept", "beside its task:"
HOSTS = (("api", "data", "records", "service"), ("harbour", "meadow", "station", "market"),
         ("net", "org", "com", "example"))  # fmt: skip
TOO_LITTLE = "not counted, since less than half of the client works"
BROKEN = ("", "{", "[1, 2", "null", "<html><body>Sorry</body></html>", "\udcff\udcfe", "NaN no",
          '{"id": ', '"text"')  # fmt: skip


class Sent(NamedTuple):
    """A request: its path as segments behind /v1, decoded."""

    verb: str
    path: list[str]
    query: dict[str, list[str]] = {}  # noqa: RUF012 - never changed
    body: object = None
    base: tuple[str, ...] = ("", "v1")  # of the path


class Probe(NamedTuple):
    """Calls, the replies to them, and what is expected: results and requests."""

    name: str
    about: str
    calls: list[str]
    replies: list[dict[str, Any]]
    results: list[Any]
    requests: list[Sent]
    options: dict[str, float] = {}  # noqa: RUF012
    service: object = SERVICE
    before: str = ""  # code before the calls


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    """One check for each behaviour, and two for the key."""
    random = draw_for(answer)
    truth = {**truth, **draw_hidden(random)}
    probes = list(probes_of(truth))
    code = choose_code(answer, [truth["client"], truth["error"]])
    obstacle = find_obstacle(answer, code)
    if code is None or obstacle:
        for name in [*(one.name for one in probes), *OTHERS]:
            yield weighed(name, False, obstacle)
        return
    candidate = Candidate(code.sources)
    results: dict[str, GroupResult] = {}
    checks: list[Check] = []
    for probe in probes:
        working = sum(bool(one.passed) for one in checks[: len(PLAIN)])
        if len(checks) < len(PLAIN) or working >= LEAST_PLAIN:
            results[probe.name] = run(probe, candidate, truth)
            checks.append(try_out(probe, results[probe.name]))
        else:
            why = f"not tried, since fewer than three of the five methods work: {probe.about}"
            checks.append(weighed(probe.name, False, why))
    requests = [one for result in results.values() for one in result.requests]
    checks += [check_import(candidate, requests), check_header(truth, requests)]
    yield from checks
    works = 2 * sum(bool(one.passed) for one in checks) > len(checks)
    yield check_docstrings(code, truth, works=works)
    yield check_usage(answer, truth, works=works)
    yield from check_failures(answer, works=works)
    if works:
        wrong_too = any(one.passed is False for one in checks)
        repeats = any(one.weight == REPEATING for one in checks)  # one cause costs once
        for probe in company_probes(truth):
            results[probe.name] = run(probe, candidate, truth)
            found = try_in_company(probe, results[probe.name], truth, wrong_too=wrong_too)
            if found.passed is False and not (found.weight == REPEATING and repeats):
                yield found
    named = list_named(code.tree, random)
    quiet = [*listened_to(Script(truth), named.numbers, random)] if works else []
    results |= {probe.name: run(probe, candidate, truth) for probe in quiet}
    probes += quiet
    if works:
        found = try_named([*named_probes(Script(truth), named, random)], candidate, truth, results)
        wrong_too = any(one.passed is False for one in checks[: len(probes) - len(quiet)])
        yield replace(found, at_most=1, weight=WEIGHTS["named"]) if wrong_too else found
    meddled = sorted({one for result in results.values()
                      for one in re.findall(rf"(?m)^{MEDDLED} (.+)$", result.output)})  # fmt: skip
    if meddled:
        why = f"a client needs to change no file and to start no program: {', '.join(meddled)}"
        yield Check("only_its_task", False, why, at_most=MOST_LEAKING)
    differing = list_differing(probes, candidate, truth, results) if works else []
    yield check_secret(truth, results, differing, works=works)


def draw_hidden(random: Random) -> dict[str, Any]:
    """What no answer can know: the key, the statuses of failures, and the name of the service."""
    length = 2 * random.randrange(12, 21)
    return {
        "key": f"{random.randrange(16 ** (length - 1), 16**length):x}",
        "refusals": random.sample(range(400, 500), 3),
        "busy": random.sample(range(500, 600), 4),
        "host": ".".join(map(random.choice, HOSTS)),
        "slow": random.sample(PLAIN, 2),
    }


def check_docstrings(code: Code, truth: dict[str, Any], *, works: bool) -> Check:
    """Of the class and of its five methods."""
    found = [one for one in code.tree.body if isinstance(one, ast.ClassDef)]
    client = next((one for one in reversed(found) if one.name == truth["client"]), None)
    body = client.body if client is not None else []
    texts = {one.name: ast.get_docstring(one) for one in body if isinstance(one, ast.FunctionDef)}
    lacking = [truth[name] for name in PLAIN if not texts.get(truth[name])]
    if client is None or not ast.get_docstring(client):
        lacking.append(truth["client"])
    why = f"without a docstring: {', '.join(lacking)}"
    why = why if lacking else "the class and its methods have docstrings"
    return weighed("docstrings", works and not lacking, why if works else TOO_LITTLE)


def check_usage(answer: str, truth: dict[str, Any], *, works: bool) -> Check:
    """A block beside the client that makes one, and calls it where its exception is caught."""
    why = "no block beside the client makes one, calls it and catches its exception"
    is_shown = any(shows_usage(text, truth) for text in code_blocks(answer))
    why = "a block of its own shows how the client is used" if is_shown else why
    return weighed("usage", works and is_shown, why if works else TOO_LITTLE)


def shows_usage(text: str, truth: dict[str, Any]) -> bool:
    if ">>>" in text:
        try:
            text = "".join(one.source for one in doctest.DocTestParser().get_examples(text))
        except ValueError:
            return False
    tree = parse(text)
    if tree is None or any(getattr(one, "name", "") == truth["client"] for one in tree.body):
        return False
    methods = {truth[name] for name in PLAIN}
    return truth["client"] in called_in(tree) and any(
        methods & called_in(*one.body)
        and any(handler.type and truth["error"] in named_in(handler.type)
                for handler in one.handlers)
        for one in ast.walk(tree) if isinstance(one, ast.Try)
    )  # fmt: skip


def called_in(*trees: ast.AST) -> set[str]:
    """Names of what is called, without those of what they belong to."""
    calls = [one.func for tree in trees for one in ast.walk(tree) if isinstance(one, ast.Call)]
    return {name for one in calls for name in named_in(one)}


def named_in(tree: ast.AST) -> set[str]:
    nodes = [*ast.walk(tree)]
    names = {one.id for one in nodes if isinstance(one, ast.Name)}
    return names | {one.attr for one in nodes if isinstance(one, ast.Attribute)}


def check_failures(answer: str, *, works: bool) -> Iterator[Check]:
    """Whether a line or sentence says what happens on each kind of failure, with words for each of
    those that it names.
    """
    told = set[str]()
    for part in re.split(r"[.;](?=\s)|\n", ReportText(answer).text.casefold()):
        kinds = {kind for kind, form in FAILURES.items() if re.search(form, part)}
        if len(re.findall(r"[^\W\d_]{2,}", part)) >= LEAST_SAID * len(kinds):
            told |= kinds
    for kind, about in zip(FAILURES, ("500 to 599", "400 to 499", "no answer (None)"), strict=True):
        why = f"no line with {LEAST_SAID} words or more says what happens on {about}"
        why = f"the text says what happens on {about}" if kind in told else why
        yield weighed(f"failure_{kind}", works and kind in told, why if works else TOO_LITTLE)


def weighed(name: str, passed: bool | None, why: str) -> Check:
    weight = WEIGHTS.get(name, 1)
    return Check(name, passed, why, weight=BROKEN_RULE * weight if passed is False else weight)


class Script:
    """The calls, replies and requests that probes are made of, from the names of the service."""

    def __init__(self, truth: dict[str, Any]) -> None:
        self.truth = truth
        self.root, self.records, self.busy = truth["resource"], truth["records"], truth["busy"]
        self.filtered, (value, *self.odd_values) = truth["filter"], truth["values"]
        self.first, self.second = first, second = self.records[:2]
        one, other, changes = first["id"], second["id"], {"note": f"{second['id']} ü"}
        self.get, self.fetched = self.call("get", one), Sent("GET", [self.root, one])
        self.update = self.call("update", one, changes)
        self.updated = Sent(truth["update_verb"], [self.root, one], {}, changes)
        self.delete, self.deleted = self.call("delete", other), Sent("DELETE", [self.root, other])
        self.found = self.call("list", value)
        self.searched = Sent("GET", [self.root], {self.filtered: [value]})
        self.gone = reply(None, 204)
        created = Sent("POST", [self.root], {}, first)
        self.ways = {
            "get": (self.get, self.fetched), "list": (self.found, self.searched),
            "create": (self.call("create", first), created),
            "update": (self.update, self.updated), "delete": (self.delete, self.deleted),
        }  # fmt: skip

    def call(self, method: str, *arguments: object) -> str:
        return f"lambda: client.{self.truth[method]}({', '.join(map(repr, arguments))})"

    def failed(self, *statuses: int | None) -> list[Any]:
        return [[self.truth["error"], status] for status in statuses]


def reply(body: object, status: int = 200, **more: object) -> dict[str, Any]:
    return {"status": status, "body": body, **more}


def is_busy(*statuses: int) -> list[dict[str, Any]]:
    return [reply({"error": "busy"}, status) for status in statuses]


def probes_of(truth: dict[str, Any]) -> Iterator[Probe]:
    script = Script(truth)
    yield from plain_probes(script)
    yield from repeating_probes(script)
    yield from failing_probes(script)


# fmt: off
def plain_probes(of: Script) -> Iterator[Probe]:
    """The five methods, and texts with any characters."""
    first, second, odd_id = of.first, of.second, of.truth["odd_id"]
    yield Probe("get", "fetching a record", [of.get], [reply(first)], [first], [of.fetched])
    yield Probe("list", "listing records", [of.found], [reply(of.records)], [of.records],
                [of.searched])
    yield Probe("create", "creating a record", [of.call("create", first)], [reply(second, 201)],
                [second], [Sent("POST", [of.root], {}, first)])
    yield Probe("update", "changing a record", [of.update], [reply(second)], [second], [of.updated])
    yield Probe("delete", "deleting a record", [of.delete], [of.gone], [None], [of.deleted])
    yield Probe("path_encoding", "an ID with a slash in the path", [of.call("get", odd_id)],
                [reply(second)], [second], [Sent("GET", [of.root, odd_id])])
    yield Probe("query_encoding", "filter values with signs and blanks",
                [of.call("list", odd) for odd in of.odd_values], [reply([first]), reply([])],
                [[first], []],
                [Sent("GET", [of.root], {of.filtered: [odd]}) for odd in of.odd_values])


def repeating_probes(of: Script) -> Iterator[Probe]:
    """A service that is busy."""
    first, second, busy, most = of.first, of.second, of.busy, of.truth["attempts"]
    yield Probe("retry_when_busy", "a service that is busy twice", [of.get],
                [*is_busy(*busy[:2]), reply(second)], [second], [of.fetched] * 3)
    yield Probe("retry_changes", "changing and deleting at a busy service", [of.update, of.delete],
                [*is_busy(busy[0]), reply(first), *is_busy(busy[1]), of.gone], [first, None],
                [of.updated, of.updated, of.deleted, of.deleted])
    yield Probe("retry_bounded", "a service that stays busy", [of.update], is_busy(*busy * 5),
                of.failed((busy * 2)[most - 1]), [of.updated] * most, {"attempts": most})
    yield Probe("create_sent_once", "creating a record at a busy service",
                [of.call("create", second)],
                [*is_busy(busy[2]), reply(second), reply(second)], of.failed(busy[2]),
                [Sent("POST", [of.root], {}, second)])
    yield Probe("growing_waits", "the waits between attempts", [of.found], is_busy(*busy * 5),
                of.failed(busy[3]), [of.searched] * 4, {"attempts": 4, "backoff": BACKOFF_S})


def failing_probes(of: Script) -> Iterator[Probe]:
    """A service that refuses, does not answer, or is not there."""
    first, busy, refusals = of.first, of.busy, of.truth["refusals"]
    yield Probe("no_retry_when_refused", "requests that are refused",
                [of.get, of.found, of.update],
                [reply({"error": "no"}, status) for status in refusals], of.failed(*refusals),
                [of.fetched, of.searched, of.updated])
    yield Probe("error_status", "the status of the exception", [of.get, of.found],
                is_busy(busy[1], busy[2], busy[3], busy[0]), of.failed(busy[2], busy[0]),
                [of.fetched, of.fetched, of.searched, of.searched], {"attempts": 2})
    slow = [of.ways[name] for name in of.truth["slow"]]
    yield Probe("timeout", "a service that does not answer", [call for call, _ in slow],
                [reply(first, hold=True)] * len(slow) + [reply(first)] * 2,
                of.failed(*[None] * len(slow)), [sent for _, sent in slow], {"timeout": 0.4})
    yield Probe("no_connection", "a service that cannot be reached",
                [call for call, _ in of.ways.values()], [], of.failed(*[None] * len(of.ways)), [],
                service=REFUSED)
# fmt: on


def company_probes(truth: dict[str, Any]) -> Iterator[Probe]:
    """Two clients in one process, with a key and an address each, used in turn: all methods in a
    drawn order, statuses of each kind that the description names. And a POST whose connection ends.
    """
    random = Random(truth["host"] + "".join(map(str, truth["busy"])))
    other_key = f"{random.randrange(16**23, 16**24):x}"
    needs = {truth["header"]: truth["prefix"] + other_key}
    of = Script(truth)
    calls, replies, results, requests = (
        list[str](),
        list[dict[str, Any]](),
        list[Any](),
        list[Sent](),
    )
    methods = [*of.ways, *of.ways]
    random.shuffle(methods)
    for at, method in enumerate(methods):
        call, sent = of.ways[method]
        more: dict[str, Any] = {}
        if at % 2:
            more = {"needs": needs}
            call = call.replace("client.", "other.", 1)
            sent = sent._replace(base=("", "branch", "v2"))
        record = of.records[at % len(of.records)]
        body = [record] if method == "list" else record
        done = of.gone if method == "delete" else reply(body, random.choice(SUCCEEDED))
        given: object = None if method == "delete" else body
        fails = at % 5 == 2
        if fails:
            done = reply({"error": "no"}, random.randrange(400, 500))
            (given,) = of.failed(done["status"])
        busy = is_busy(random.randrange(500, 600)) if method != "create" and not fails else []
        calls.append(call)
        replies += [{**one, **more} for one in (*busy, done)]
        requests += [sent] * (len(busy) + 1)
        results.append(given)
    options = "timeout=5.0, attempts=2, backoff=0"
    before = f"other = {truth['client']}(second_url, {other_key!r}, {options})\n"
    yield Probe("two_clients", "two clients that are used in turn", calls, replies, results,
                requests, before=before)  # fmt: skip
    create, sent = of.ways["create"]
    yield Probe("post_broken", "a connection that ends without an answer to a POST", [create],
                [reply(of.first, broken=True), reply(of.first), reply(of.first)],
                of.failed(None), [sent])  # fmt: skip


def try_in_company(
    probe: Probe, result: GroupResult, truth: dict[str, Any], *, wrong_too: bool
) -> Check:
    """A client that is right alone and wrong beside another, or that sends one's key for another,
    is worth little; a POST that is sent again is as bad wherever it happens.
    """
    found = try_out(probe, result)
    doors = {(one["port"], one["path"].startswith("/branch/")) for one in result.requests}
    if len({port for port, _ in doors}) < len(doors):
        found = replace(
            found, passed=False, why=f"{probe.about}: the path of one, the port of another"
        )
    if found.passed:
        return found
    if probe.name == "post_broken":
        repeats = len(result.requests) > len(probe.requests)
        return replace(found, weight=REPEATING) if repeats else found
    key = truth["prefix"] + truth["key"]
    mixed = any(
        (header_of(one, truth["header"]) == key) == one["path"].startswith("/branch/")
        for one in result.requests
    )
    return replace(found, at_most=1 if wrong_too and not mixed else MOST_LEAKING)


def listened_to(of: Script, named: Sequence[int], random: Random) -> Iterator[Probe]:
    """Where only the key is looked for: statuses of failures, those that the code names among them,
    and bodies that are no JSON.
    """
    refused, failed = (
        sorted({*random.sample(some, EACH_STATUS), *(one for one in named if one in some)})
        for some in (range(400, 500), range(500, 600))
    )
    replies = [reply({"error": "no"}, status) for status in (*refused, *failed)]
    methods = (of.get, of.found, of.update, of.delete)
    calls = [methods[at % len(methods)] for at in range(len(refused))]
    calls += [of.call("create", of.first)] * len(failed)  # sent only once
    yield Probe("statuses", "many statuses", calls, replies, [], [])
    ways = ((200, False), (200, True), (404, False))
    bodies = [
        {"status": status, "raw": body, "cut": cut} for body in BROKEN for status, cut in ways
    ]
    calls = [methods[at % len(methods)] for at in range(len(bodies))]
    yield Probe("broken_replies", "broken replies", calls, bodies, [], [], {"attempts": 1})


def named_probes(of: Script, named: Named, random: Random) -> Iterator[Probe]:
    """Calls, attempts, lengths and texts that the code names, and some that it does not: a client
    that is right only up to them says so in its code.
    """
    numbers = sorted({one + 1 for one in named.numbers if one > 1} | {random.randrange(30, 90)})
    calls = max(one for one in numbers if one <= MOST_CALLS)
    yield Probe(
        "many_calls",
        f"{calls} calls of one client",
        [of.get] * calls,
        [reply(of.first)] * calls,
        [of.first] * calls,
        [of.fetched] * calls,
    )
    attempts = max(one for one in numbers if one <= max(MOST_ATTEMPTS, numbers[0]))
    busy = (of.busy * attempts)[:attempts]
    yield Probe(
        "many_attempts",
        f"{attempts} attempts",
        [of.get],
        [*is_busy(*busy[1:]), reply(of.second)],
        [of.second],
        [of.fetched] * attempts,
        {"attempts": attempts},
    )
    lengths = [one for one in numbers if one <= LONGEST]
    texts = [random.choice("abcxyz0789") * one for one in
             random.sample(lengths, min(MOST_LONG, len(lengths)))]  # fmt: skip
    texts += [*named.texts[:MOST_LONG], str(random.randrange(10**6)), "abc", "a-b", "A1.b_2"]
    asked: list[tuple[str, Sent, dict[str, Any], object]] = []
    for text in filter(None, texts):
        record = {"id": text, "note": text, "count": len(text), "parts": [text, None, 1.5, True]}
        records = [record] * (len(text) % 40 + 11)
        body = {"id": text, "note": text, "count": len(text), "parts": {"of": [text, None]}}
        asked += [
            (of.call("get", text), Sent("GET", [of.root, text]), reply(record), record),
            (
                of.call("list", text),
                Sent("GET", [of.root], {of.filtered: [text]}),
                reply(records),
                records,
            ),
            (of.call("create", body), Sent("POST", [of.root], {}, body), reply(record), record),
            (
                of.call("update", text, body),
                Sent(of.truth["update_verb"], [of.root, text], {}, body),
                reply(record),
                record,
            ),
        ]
    of_each = zip(*asked, strict=True)
    given, sent, replies, results = (list(one) for one in of_each)
    yield Probe("other_values", "other values", given, replies, results, sent)


def try_named(
    probes: list[Probe],
    candidate: Candidate,
    truth: dict[str, Any],
    results: dict[str, GroupResult],
) -> Check:
    """Whether the client is right at numbers and texts that its code names, too, and at waits that
    are longer than anybody has time for.
    """
    reasons = []
    for probe in probes:
        results[probe.name] = result = run(probe, candidate, truth)
        if result.ended not in ("time", "skipped"):
            why = result.why or wrong_results(probe, result) or wrong_requests(probe, result)
            reasons += [f"{probe.about}: {why}"] if why else []
    if SLEPT in results["growing_waits"].output:
        of, backoff = Script(truth), LONG_BACKOFF_S[len(truth["key"]) % 2]
        options: dict[str, float] = {"attempts": 4, "backoff": backoff}
        about = f"a backoff of {backoff} s"
        probe = Probe("long_waits", about, [of.get], is_busy(*of.busy), [], [], options)
        results[probe.name] = run(probe, candidate, truth)
        slept = [
            float(one) for one in re.findall(rf"(?m)^{SLEPT} (.+)$", results[probe.name].output)
        ]
        if any(one < 0.9 * backoff * 2**at for at, one in enumerate(slept)) or len(slept) != 3:
            right = ", ".join(show(backoff * 2**at) for at in range(3))
            waits = ", ".join(map(show, slept)) or "not at all"
            reasons.append(f"{probe.about}: it slept {waits}, and {right} seconds are right")
    about = "calls, attempts, lengths, texts and waits that the code itself names"
    why = f"{about}: {reasons[0]}" if reasons else about
    return replace(weighed("named", not reasons, why), at_most=MOST_PLANTED if reasons else 1)


def run(probe: Probe, candidate: Candidate, truth: dict[str, Any]) -> GroupResult:
    options = {"timeout": 5.0, "attempts": 3, "backoff": 0.01, **probe.options}
    longest = 4.5 * BACKOFF_S if options["backoff"] == BACKOFF_S else 0
    names = {"client": truth["client"], "error": truth["error"], "host": truth["host"]}
    code = PRELUDE.format(
        key=truth["key"],
        longest=longest,
        steady=probe.name not in TIMED,
        elsewhere=ELSEWHERE,
        slept=SLEPT,
        meddled=MEDDLED,
        **names,
        **options,
    )
    code += probe.before + CALLING.format(calls=", ".join(probe.calls), error=truth["error"])
    step = Step(code=code, names={"base_url": probe.service, "second_url": SECOND})
    many = len(probe.calls) > len(PLAIN)
    needs = {truth["header"]: truth["prefix"] + truth["key"]}
    replies = [{"needs": needs, **one} for one in probe.replies]
    return candidate.run(step, cpu_s=2 + 2 * many, wall_s=6 + 6 * many, replies=replies)


def list_differing(
    probes: Sequence[Probe],
    candidate: Candidate,
    truth: dict[str, Any],
    results: dict[str, GroupResult],
) -> list[str]:
    """The probes that show something else with another key, and the same again with the same; or
    never the same, so that nobody can say what of it is the key.
    """
    key = truth["key"]
    otherwise = {**truth, "key": "".join(f"{15 - int(letter, 16):x}" for letter in key)}
    found = []
    for probe in probes:
        if probe.name not in TIMED:
            before = bare(results[probe.name], truth)
            changed = bare(run(probe, candidate, otherwise), otherwise)
            if changed != before:
                again = bare(run(probe, candidate, truth), truth)
                if again == before or differs_in_more_than_numbers(before, again):
                    found.append(probe.name)
    return found


def differs_in_more_than_numbers(one: str, other: str) -> bool:
    """Whether two runs differ in words, or in enough digits to hold a key."""
    if re.sub(r"\d+", "", one) != re.sub(r"\d+", "", other):
        return True
    pairs = zip(re.findall(r"\d+", one), re.findall(r"\d+", other), strict=False)
    return sum(len(number) for number, same in pairs if number != same) > MOST_DIGITS


def try_out(probe: Probe, result: GroupResult) -> Check:
    why = result.why or wrong_results(probe, result) or wrong_requests(probe, result)
    if not why and probe.name == "growing_waits":
        why = wrong_waits(result)
    found = weighed(probe.name, not why, f"{probe.about}: {why}" if why else probe.about)
    repeats = probe.name == "create_sent_once" and len(result.requests) > len(probe.requests)
    return replace(found, weight=REPEATING) if repeats else found


def wrong_results(probe: Probe, result: GroupResult) -> str:
    """What is wrong with what came back; "" where nothing is."""
    (step,) = result.steps
    if step.raised is not None:
        return raised_instead(step, result)
    found: object = step.value
    expected: object = probe.results
    if probe.name != OF_STATUS:
        found = without_status(found, probe.results)
        expected = without_status(expected, probe.results)
    if same(found, expected):
        return ""
    # The first call whose result is wrong, in the words of a reader.
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        at = next(at for at, one in enumerate(found) if not same(one, expected[at]))
        given = step.value[at] if isinstance(step.value, list) else None
        before = too_many(probe, result)
        return f"{before}{told(given, given=True)}, and {wanted(probe.results[at])}"
    return f"{show(step.value)} came back, and {show(probe.results)} was to come back"


def too_many(probe: Probe, result: GroupResult) -> str:
    """That requests went on after the last reply: what follows is the service's 503 for these."""
    sent, right = len(result.requests), len(probe.requests)
    if sent <= right:
        return ""
    replies = ", ".join(str(one["status"]) for one in probe.replies[:right])
    return f"{sent} requests were sent instead of {right} (replies: {replies}), then "


def told(value: object, *, given: bool = False) -> str:
    """A result, or an exception with its status, as a sentence holds it."""
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
        status = "without a status" if value[1] == "none" else f"with status {show(value[1])}"
        return f"{value[0]} {status}" + (" was raised" if given else "")
    return show(value) + (" came back" if given else "")


def wanted(value: object) -> str:
    """What was to happen instead."""
    if is_failure(value):
        return f"{told(value)} was to be raised"
    return (
        "the call was to return without a result"
        if value is None
        else f"{show(value)} was to come back"
    )


def without_status(values: object, expected: list[Any]) -> object:
    """The same, with only the names of exceptions where those are expected."""
    if not isinstance(values, list) or len(values) != len(expected):
        return values
    return [
        one[0] if isinstance(one, list) and one and is_failure(wanted) else one
        for one, wanted in zip(values, expected, strict=True)
    ]


def is_failure(expected: object) -> bool:
    return isinstance(expected, list) and len(expected) == 2 and isinstance(expected[0], str)


def wrong_requests(probe: Probe, result: GroupResult) -> str:
    """What is wrong with what was sent; "" where nothing is."""
    if len(result.requests) != len(probe.requests):
        return f"{len(result.requests)} requests were sent instead of {len(probe.requests)}"
    for request, sent in zip(result.requests, probe.requests, strict=True):
        path, _, query = request["path"].partition("?")
        segments = [unquote(segment) for segment in path.split("/")]
        queried = parse_qs(query, keep_blank_values=True)
        if (request["verb"], segments, queried) != (
            sent.verb,
            [*sent.base, *sent.path],
            sent.query,
        ):
            return f"the request was {show(request['verb'] + ' ' + request['path'])}"
        if "+" in query and probe.name == "query_encoding":  # the service wants a blank as %20
            return f"a blank became + in {show(request['path'])}"
        if sent.body is not None and not is_json(request["body"], sent.body):
            return f"its body was {show(request['body'])}, and {show(sent.body)} was to be sent"
        kind = header_of(request, "Content-Type")
        if sent.body is not None and kind.partition(";")[0].strip().lower() != JSON_TYPE:
            return f"its Content-Type was {show(kind)}, and {JSON_TYPE} is right"
    return ""


def is_json(body: str, expected: object) -> bool:
    try:
        return same(json.loads(body), expected)
    except (ValueError, RecursionError):
        return False


def header_of(request: Request, name: str) -> str:
    """The first header of that name; "" where there is none."""
    return next((text for one, text in request["headers"] if one.lower() == name.lower()), "")


def wrong_waits(result: GroupResult) -> str:
    """Why they do not double, by the service's clock. A busy machine makes each longer."""
    waits = [two - one for one, two in pairwise(float(each["at"]) for each in result.requests)]
    for at, wait in enumerate(waits):
        # A sleep is never shorter than asked for; a tenth is for the clocks.
        if wait < 0.9 * BACKOFF_S * 2**at:
            return f"the wait before request {at + 2} was too short"
    if waits[-1] < LEAST_GROWTH * waits[0]:
        return "the waits do not grow"
    return ""


def check_import(candidate: Candidate, requests: Sequence[Request]) -> Check:
    result = candidate.run("result = 1", cpu_s=2, replies=[])
    if result.problem is not None:
        why = f"the code cannot be loaded, {show(result.problem.text)}"
    elif result.why:
        why = result.why
    elif result.output.strip() or result.requests:
        why = "something is printed or sent on import"
    else:
        why = "" if requests else "no request was ever sent"
    return weighed("quiet_import", not why, why or "nothing happens on import")


def check_header(truth: dict[str, Any], requests: Sequence[Request]) -> Check:
    """Whether the key was in its header, in all requests."""
    expected = truth["prefix"] + truth["key"]
    right = sum(header_of(request, truth["header"]) == expected for request in requests)
    why = f"the key was in the right header in {right} of {len(requests)} requests"
    return weighed("key_in_header", bool(requests) and right == len(requests), why)


def check_secret(
    truth: dict[str, Any],
    results: dict[str, GroupResult],
    differing: Sequence[str],
    *,
    works: bool,
) -> Check:
    """Looks for the key in all that was printed, logged, raised, written or passed on, or sent
    outside of its header: whole and in pieces, in common encodings. In any other form it shows in
    what differs with another key.
    """
    places = [
        name for name, result in results.items()
        if any(gives_away(text, truth["key"]) for text in emitted(result, truth))
    ]  # fmt: skip
    talking = [name for name, result in results.items() if not result.is_whole]
    elsewhere = [name for name, result in results.items() if ELSEWHERE in result.output]
    why = "the key was never printed, logged, raised, written to a file or passed on"
    if places:
        why = f"the key could be read in the probes {', '.join(places)}"
    elif differing:
        why = f"what the client shows depends on the key, in the probes {', '.join(differing)}"
    elif talking:
        why = f"it went on after the last call, or printed without end, in {', '.join(talking)}"
    elif elsewhere:
        why = f"it looked up or connected to another address, in {', '.join(elsewhere)}"
    elif not works:
        why = "not looked for, since less than half of the client works"
    leaks = bool(places or differing or talking or elsewhere)
    found = weighed("key_hidden", works and not leaks, why)
    return replace(found, at_most=MOST_LEAKING) if leaks else found


def emitted(result: GroupResult, truth: dict[str, Any]) -> list[str]:
    """All that came out of the client but its header."""
    texts = [result.output, *(step.raised.text for step in result.steps if step.raised)]
    texts += [f"{path} {text}" for path, text in result.files.items()]
    for request in result.requests:
        texts += [request["path"], request["body"]]
        right = truth["header"].lower(), truth["prefix"] + truth["key"]
        texts += [f"{one}: {text}" for one, text in request["headers"]
                  if (one.lower(), text) != right]  # fmt: skip
    return texts


def bare(result: GroupResult, truth: dict[str, Any]) -> str:
    """The same without addresses in memory, ports and times, which differ from run to run."""
    whole = "\n".join(emitted(result, truth))
    return re.sub(r"0x[0-9a-f]{8,16}\b|:\d{4,5}\b|\b1\d{9}\.\d+", "", whole)


def gives_away(text: str, key: str) -> bool:
    """Whether a text holds a good part of the key."""
    folded = re.sub(r"[^0-9a-z+/=]", "", text.casefold())
    for form in encodings_of(key):
        parts = (form[at : at + SHORTEST_LEAK] for at in range(len(form) - SHORTEST_LEAK + 1))
        if any(part in folded for part in parts):
            return True
    pieces = [key[at : at + PIECE] for at in range(len(key) - PIECE + 1)]
    found = sum(piece in folded or piece[::-1] in folded for piece in pieces)
    if found >= MOST_PIECES * len(pieces):
        return True
    codes = ",".join(str(ord(letter)) for letter in key[:SHORTEST_LEAK])
    return codes in re.sub(r"\D+", ",", text)


def encodings_of(key: str) -> Iterator[str]:
    """The key as it may be written, without case."""
    yield from (key, key[::-1], codecs.encode(key, "rot13"), key.encode().hex())
    yield from (base64.b32encode(key.encode()).decode().casefold().strip("="), f"{int(key, 16)}")
    for shift in range(3):  # where in a longer text it begins
        whole = base64.b64encode(b" " * shift + key.encode()).decode().casefold()
        yield whole[4:-4]
    yield base64.b64encode(bytes.fromhex(key)).decode().casefold().strip("=")
