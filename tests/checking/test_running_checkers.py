"""Checkers and candidates in the sandbox: whatever they do is evidence, or the lack of it."""

import ast
import datetime
import json
import os
import shutil
import subprocess
from random import Random

import pytest

from assay.checkers import Made, gather, make_files
from assay.checking import json_block, list_named
from assay.errors import SandboxUnavailable
from assay.sandbox import open_sandbox
from assay.sandbox.surroundings import base_python
from assay.types.tests import SHIPPED_SUITES

CHECK = """
from assay.checking import Candidate, Check, choose_code, compare

def check(answer, truth, files):
    code = choose_code(answer, ["double"])
    yield Check("code", code is not None, "there is a function double")
    if code is not None:
        candidate = Candidate(code.sources)
        for number in (3, truth["secret"]):
            result = candidate.run(f"result = double({number})", wall_s=truth.get("wall_s", 12))
            reason = compare(result, 2 * number)
            yield Check(f"double_{len(str(number))}", not reason, reason or "right")
"""
SECRET = 7_340_912_881
RIGHT = "```python\ndef double(number):\n    return 2 * number\n```\n"


@pytest.fixture(scope="module")
def sandbox():
    try:
        return open_sandbox()
    except SandboxUnavailable as error:
        pytest.skip(error.message)


@pytest.fixture
def gathered(tmp_path, sandbox):
    def run(check, *answers, truth=None, **limits):
        (tmp_path / "check.py").write_text(check)
        made = Made(truth={"secret": SECRET} if truth is None else truth)
        found = gather(tmp_path, [(answer, made) for answer in answers], sandbox, **limits)
        return found[0] if len(found) == 1 else found

    return run


def passed(evidence):
    assert not evidence.missing, evidence.missing
    return {check.name: check.passed for check in evidence.checks}


def answer_with(body):
    return f"```python\n{body}\n```\n"


def test_a_candidate_is_run_and_compared(gathered):
    assert passed(gathered(CHECK, RIGHT)) == {"code": True, "double_1": True, "double_10": True}
    wrong = gathered(CHECK, answer_with("def double(number):\n    return 6"))
    assert passed(wrong) == {"code": True, "double_1": True, "double_10": False}
    assert "6 came back instead of 14681825762" in wrong.checks[2].explanation


HOSTILE = {
    "huge": "def double(number):\n    return 10**400",
    "raises": "def double(number):\n    raise SystemExit(0)",
    "ends": "import os\ndef double(number):\n    os._exit(0)",
    "hangs": "def double(number):\n    while True: pass",
    "sleeps": "import time\ndef double(number):\n    time.sleep(60)",
    "kills the nursery": "import os\ndef double(number):\n    os.kill(os.getppid(), 9)",
    "kills all": "import os\ndef double(number):\n    os.kill(-1, 9)",
    "kills all later": (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(.2)\n"
        "    os.kill(-1, 9)\ndef double(number):\n    time.sleep(.5)\n    return 2"
    ),
    "stops the nursery": "import os\ndef double(number):\n    os.kill(os.getppid(), 19)",
    "signals all": (
        "import os, signal\ndef double(number):\n"
        "    for name in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):\n"
        "        signal.signal(name, signal.SIG_IGN)\n        os.kill(-1, name)"
    ),
    "fills the disk": (
        "import itertools\nfor at in itertools.count():\n    try:\n"
        "        open(f'file{at}', 'wb').write(bytes(10**7))\n    except OSError:\n"
        "        break\ndef double(number):\n    return 1"
    ),
    "forks": "import os\ndef double(number):\n    while True: os.fork()",
    "fills memory": "def double(number):\n    return bytearray(10**9)",
    "always equal": (
        "class Yes:\n    def __eq__(self, other): return True\n"
        "    __class__ = int\n"
        "def double(number):\n    return Yes()"
    ),
    "speaks for itself": (
        "import gc, json, socket, os\ndef double(number):\n"
        "    for one in gc.get_objects():\n        if isinstance(one, socket.socket):\n"
        "            for value in (10**5000, {'list': 7}, {'a': 1, 'b': 2}, [[[[]]]]):\n"
        "                text = json.dumps({'value': value}) if value != 10**5000 else "
        "'{\"value\": 1' + '0' * 5000 + '}'\n"
        "                data = text.encode()\n"
        "                one.sendall(len(data).to_bytes(4, 'big') + data)\n"
        "    os._exit(0)"
    ),
    "prints reports": (
        "import os\nfor at in range(64):\n    try:\n"
        "        os.write(at, b'\\n' + b'0' * 32 + b' {\"checks\": "
        '[["a", true, "", 1.0, ""]]}\\n\')\n'
        "    except OSError:\n        pass\n"
        "def double(number):\n    return 1"
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_that_a_candidate_does_scores_or_breaks(gathered, kind):
    truth = {"secret": SECRET, "wall_s": 0.5 if kind == "sleeps" else 12}
    found = passed(gathered(CHECK, answer_with(HOSTILE[kind]), truth=truth))
    assert found == {"code": True, "double_1": False, "double_10": False}


def test_a_candidate_cannot_see_the_truth_or_the_checker(gathered):
    spy = """
import gc, os, sys
def seen():
    places = list(map(str, os.environ.items()))
    for name in os.listdir("/proc"):
        for leaf in ("mem", "environ", "cmdline", "fd/0", "fd/1", "fd/2"):
            try:
                with open(f"/proc/{name}/{leaf}", "rb") as file:
                    if leaf != "mem":
                        places.append(repr(file.read(100_000)))
                    elif name.isdigit() and int(name) != os.getpid():
                        for line in open(f"/proc/{name}/maps"):
                            span, rights = line.split()[:2]
                            start, end = (int(part, 16) for part in span.split("-"))
                            if "r" in rights and end - start < 1 << 26:
                                file.seek(start)
                                places.append(repr(file.read(end - start)))
            except (OSError, ValueError):
                continue
    for folder, _, names in os.walk("."):
        for name in names:
            with open(os.path.join(folder, name), errors="replace") as file:
                places.append(file.read())
    frame = sys._getframe()
    while frame is not None:
        places.append(repr(frame.f_locals))
        frame = frame.f_back
    places += [repr(one) for one in gc.get_objects() if isinstance(one, (str, dict, list))][:50_000]
    return "".join(places)
def double(number):
    text = seen()
    return [word in text for word in ("73409" + "12881", "there is a function " + "double")]
"""
    check = CHECK.replace('(3, truth["secret"])', "(3,)")
    found = gathered(check, answer_with(spy))
    assert "[False, False] came back" in found.checks[1].explanation


BROKEN = {
    "def check(answer, truth, files):\n    raise KeyError('x')": "KeyError: 'x' (line 2)",
    "def check(answer, truth, files:": "SyntaxError",
    "import os\ndef check(answer, truth, files):\n    os._exit(3)": "ended without a report",
    "def check(answer, truth, files):\n    yield 7": "int instead of Check",
    "def check(answer, truth, files):\n    return None": "returned nothing",
    "def check(answer, truth, files):\n    return []": "no checks",
    "checks = 1": "no function check",
    "import numpy": "ModuleNotFoundError",
    "from assay.checking import Check\ndef check(a, t, f):\n    yield Check('a', 1, 'b')": "passed",
    "from assay.checking import Check\ndef check(a, t, f):\n"
    "    yield Check('a', True, 'b', weight=float('nan'))": "weight",
    "from assay.checking import Check\ndef check(a, t, f):\n"
    "    yield Check('a', True, 'b', weight=0)": "weight",
    "from assay.checking import Check\ndef check(a, t, f):\n"
    "    yield Check('a', True, 'b', at_most=0)": "at_most",
    "from assay.checking import Check\ndef check(a, t, f):\n"
    "    for at in range(10**6): yield Check(str(at), True, 'b')": "more than 500",
    "from assay.checking import Check\ndef check(a, t, f):\n"
    "    yield Check('a', True, 'b')\n    yield Check('a', True, 'b')": "two checks",
}  # fmt: skip


@pytest.mark.parametrize("check", BROKEN)
def test_a_broken_checker_is_said_to_be_so(gathered, check):
    evidence = gathered(check, "any")
    assert evidence.unscored_reason == "checker_failed"
    assert BROKEN[check] in evidence.missing
    assert evidence.share is None


def test_a_broken_requirement_holds_the_share_down(gathered):
    check = (
        "from assay.checking import Check\n"
        "def check(answer, truth, files):\n"
        "    yield Check('work', True, 'done', weight=7)\n"
        "    yield Check('kept', answer == 'kept', 'a promise', at_most=0.25)\n"
        "    yield Check('extra', answer != 'bare', 'more', weight=3)\n"
    )
    kept, broken, bare = gathered(check, "kept", "broken", "bare")
    assert kept.share == 1
    assert [round(float(one.share), 3) for one in (broken, bare)] == [0.25, 0.25]
    assert broken.checks[1].explanation == (
        "a promise; with this an answer gets at most 2.5 of 10 points"
    )


def test_a_checker_without_an_end_is_stopped(gathered):
    found = gathered("def check(answer, truth, files):\n    while True: pass", "any", cpu_s=1)
    assert found.unscored_reason == "checker_timeout"


def test_a_lost_process_costs_only_its_own_item(gathered):
    check = CHECK.replace("yield Check(\"code\"", "if answer == 'end': import os; os._exit(1)\n"
                          "    yield Check(\"code\"")  # fmt: skip
    killing = answer_with(HOSTILE["kills all"])
    found = gathered(check, RIGHT, "end", RIGHT, killing, RIGHT)
    assert [one.share for one in found] == [1, 0, 1, pytest.approx(1 / 3), 1]


@pytest.mark.parametrize(
    "fault", ["raise RecursionError", "while True: pass", "import os; os._exit(1)"]
)
def test_an_answer_that_keeps_a_checker_from_a_result_gets_nothing(gathered, fault):
    check = (
        "from assay.checking import Check\n"
        "def check(answer, truth, files):\n"
        "    yield Check('words', 'word' in answer, 'it has words', weight=3)\n"
        f"    if 'trap' in answer:\n        {fault}\n"
        "    yield Check('rest', True, 'the rest')\n"
    )
    right, trapped = gathered(check, "word", "word trap", cpu_s=1)
    assert right.share == 1
    assert trapped.share == 0
    assert not trapped.unscored_reason
    assert [check.name for check in trapped.checks] == ["words", "rest"]
    assert trapped.checks[0].explanation.startswith("the checker comes to no result with this")


def test_numbers_that_code_names_are_found_at_any_depth():
    deep = ast.parse("x = 900")
    for _ in range(20_000):  # deeper than any source that is parsed
        deep.body[0].value = ast.UnaryOp(ast.USub(), deep.body[0].value)
    assert set(list_named(deep, Random(0)).numbers) == {900, -900}
    found = list_named(ast.parse("y = -(2**12) * 3 + 1\nz = x % 97 == 5"), Random(0)).numbers
    assert {4096, -12288 + 1, 97, 5} <= set(found)
    assert sum(one % 97 == 5 for one in found) >= 2


def test_a_block_is_read_in_time_that_grows_with_its_length():
    """This took the square of it: minutes for a text of this length."""
    assert json_block("```json\n{" + '\\"' * 150_000 + "}\n```") is None


def test_files_are_made_here_only_by_code_of_ours(tmp_path, sandbox):
    ours = SHIPPED_SUITES / "data" / "dt_01_sales_table"
    here = make_files(ours, [0, 1], None)
    assert here == make_files(ours, [0, 1], sandbox)
    assert here[0] != here[1]
    shutil.copytree(ours, tmp_path, dirs_exist_ok=True)
    assert "--allow-code-execution" in make_files(tmp_path, [0], None)[0].problem
    assert make_files(tmp_path, [0, 1], sandbox) == here
    (tmp_path / "make.py").write_text("def make(seed):\n    return {'truth': {'a': (seed, 1)}}\n")
    assert make_files(tmp_path, [7], sandbox)[0].truth == {"a": [7, 1]}
    (tmp_path / "make.py").write_text("def make(seed):\n    return {'truth': {'a': {1}}}\n")
    assert "not JSON serializable" in make_files(tmp_path, [0], sandbox)[0].problem
    assert gather(tmp_path, [("a", Made())], None)[0].unscored_reason == "code_not_allowed"


def test_operations_are_counted_and_services_are_there(gathered):
    check = """
from assay.checking import *

def check(answer, truth, files):
    candidate = Candidate("import urllib.request\\n"
        "def find(items, item):\\n    return items.index(item)\\n"
        "def fetch(url):\\n    return urllib.request.urlopen(url + '/a').read().decode()\\n")
    result = candidate.run(
        Step(code="result = find(items, 40)", names={"items": Items(range(0, 2000, 2))}),
        Step(code="result = len(set(items))", names={"items": Values(["a", "b", "a"])}),
        most_asked=100,
    )
    yield Check("counted", not compare(result, 20, 2), compare(result, 20, 2))
    yield Check("asked", [one.asked for one in result.steps] == [21, 4], str(result))
    step = Step(code="result = fetch(url)", names={"url": SERVICE})
    result = candidate.run(step, replies=[{"status": 200, "body": [1]}])
    yield Check("body", not compare(result, "[1]"), str(result))
    yield Check("request", [one["path"] for one in result.requests] == ["/v1/a"], str(result))
"""
    found = gathered(check, "")
    assert passed(found) == dict.fromkeys(("counted", "asked", "body", "request"), True), found


NEEDS_PACKAGES = """
from assay.checking import *

def check(answer, truth, files):
    code = choose_code(answer, ["total", "other"])
    candidate = Candidate(code.sources)
    for name, call in (("total", "result = float(total([1, 2]))"), ("other", "result = other()")):
        reason = find_obstacle(answer, code) or compare(candidate.run(call), 3.0)
        yield Check(name, not reason, reason)
"""
WITH_NUMPY = "```python\nimport numpy as np\ndef total(x):\n    return np.sum(x)\n"
LATER = "def other():\n    import yaml\n    return 3.0\n```"


ALONE = """
from assay.checking import Candidate, Check, choose_code

def check(answer, truth, files):
    sources = choose_code(answer, ["double"]).sources
    for alone in (True, False):
        result = Candidate(sources, alone=alone).run("result = double(21)")
        yield Check(str(alone), result.steps[0].value == 42, "")
"""


@pytest.mark.parametrize(
    "way",
    [
        "import subprocess, sys; subprocess.run([sys.executable, '-c', '']); return 42",
        "import ctypes; ctypes.CDLL(None); return 42",
        "import os; pid = os.fork()\n    if not pid: os._exit(0)\n    os.wait(); return 42",
        "import os; os.symlink('/etc', f'link-{os.getpid()}'); return 42",
        "open(f'kept-{id(number)}', 'w').close(); return 42",
        "import socket; socket.create_server(('127.0.0.1', 0)); return 42",
    ],
    ids=["program", "library", "fork", "link", "file", "socket"],
)
def test_code_that_works_alone_has_no_help(gathered, way):
    found = passed(gathered(ALONE, answer_with(f"def double(number):\n    {way}")))
    assert found == {"True": False, "False": True, "works_alone": False}


SWALLOWED = {
    "a file is read": "open('/etc/passwd').read()",
    "a file is written": "open(f'kept-{id(number)}', 'w')",
    "a file goes": "os.remove('nothing.txt')",
    "a folder goes": "import shutil; shutil.rmtree('nothing', ignore_errors=True)",
    "a program": "import subprocess; subprocess.run(['rm', '-rf', 'nothing'])",
    "a program, deeper": "import _posixsubprocess; _posixsubprocess.fork_exec()",
    "a library": "import ctypes; ctypes.CDLL(None)",
    "a connection": "from urllib import request; request.urlopen('http://127.0.0.1:9')",
    "a name": "import socket; socket.getaddrinfo('example.org', 80)",
    "a module anew": "sys.modules.pop('ctypes'); import ctypes",
    "with other built-ins": (
        "import builtins; builtins.isinstance = builtins.str = lambda *_: ''; "
        "builtins.bool = builtins.set = lambda *_: set; open('/etc/passwd')"
    ),
    "with a text of its own": (
        "name = type('T', (str,), {'startswith': lambda *_: True, '__contains__': lambda *_: False,"
        " '__eq__': lambda *_: True, '__hash__': lambda one: 0})('/etc/passwd'); open(name)"
    ),
    "beside Python's own folder": "open(os.path.dirname(os.__file__) + '/../../../etc/passwd')",
    "and then at rest": "open('/etc/passwd')\n    finally:\n        return 42",
}


@pytest.mark.parametrize("way", SWALLOWED)
def test_a_refusal_that_code_swallows_is_a_verdict_all_the_same(gathered, way):
    code = (
        f"def double(number):\n    import os, sys\n    try:\n        {SWALLOWED[way]}\n"
        "    except BaseException: pass\n    return 42"
    )
    code = code.partition("    except")[0] if "finally" in code else code
    found = gathered(ALONE, answer_with(code))
    assert passed(found)["works_alone"] is False
    assert float(found.share) <= 0.25
    assert "is refused here: " in found.checks[-1].explanation


def test_what_imports_and_the_standard_library_do_by_themselves_is_no_refusal(gathered):
    code = """
import asyncio, ctypes, decimal, doctest, locale, logging, random, statistics, subprocess, typing
import tempfile, traceback, unittest.mock, uuid, warnings, zoneinfo
from multiprocessing import pool
def double(number):
    import encodings.cp1252, email.message, json.tool, xml.dom.minidom
    warnings.warn("look")
    logging.getLogger("double").warning("%s", "a line")
    try:
        zoneinfo.ZoneInfo("Europe/Paris")
        raise ValueError
    except Exception:
        traceback.print_exc()
        warnings.warn_explicit("again", UserWarning, __file__, 3)
    os = __import__("os")
    with open(os.devnull, "w") as nowhere:
        print("é".encode("cp1252"), round(decimal.Decimal("2.5")), file=nowhere)
    return random.choice([42]) + statistics.mean([0]) * uuid.uuid4().int
"""
    assert passed(gathered(ALONE, answer_with(code))) == {"True": True, "False": True}


# Where a function that is right here would be wrong: at somebody's, on another day, by chance.
DEPENDS = {
    "the environment": "os.environ.get('USER') or os.getenv('HOME') != os.getcwd()",
    "the user": "os.getuid() == 0 or os.getppid() > 400",
    "the machine": "os.cpu_count() > 64",
    "a terminal": "sys.stdin is not None and sys.stdin.isatty()",
    "the program": "sys.argv[0] != __file__",
    "a file": "os.path.exists('/etc/hostname') or pathlib.Path(__file__).exists()",
    "a day of the week": "datetime.date.today().weekday() == WEEKDAY",
    "a year": "time.time() > 2_000_000_000 or datetime.datetime.now().year > 2033",
    "chance": "random.random() < 1e-9 or random.randrange(10**9) == 0",
    "a module that is there": "'pytest' in sys.modules",
    "assertions": "not __debug__ or sys.flags.optimize",
    "a thread": "threading.current_thread() is not threading.main_thread()",
    "no input": "sys.stdin is None",
    "limits": "-1 in resource.getrlimit(resource.RLIMIT_CPU)",
    "the system": "platform.machine() == 'arm64' and platform.system() == 'Darwin'",
    "the order of sets": "hash('harbour') != HASH",
}
FINDS = """
from assay.checking import Candidate, Check, choose_code, compare

def check(answer, truth, files):
    candidate = Candidate(choose_code(answer, ["ordered"]).sources, alone=True)
    lists = [[5, 3, 9, 1], [*range(300)], [2] * 40, []]
    for at, one in enumerate(lists):
        found = candidate.run(*[f"result = ordered({one})"] * 20)
        why = compare(found, *[sorted(one)] * 20)
        yield Check(str(at), not why, why)
"""


@pytest.mark.parametrize("on", DEPENDS)
def test_code_that_is_right_only_here_and_now_gets_a_quarter(gathered, on):
    tomorrow = (datetime.datetime.now(datetime.UTC).weekday() + 2) % 7  # not met by the clock here
    words = [base_python(), "-c", "print(hash('harbour'))"]
    around = {**os.environ, "PYTHONHASHSEED": "1"}
    of_text = subprocess.run(words, env=around, capture_output=True, text=True, check=True).stdout
    condition = DEPENDS[on].replace("WEEKDAY", str(tomorrow)).replace("HASH", of_text.strip())
    found = gathered(FINDS, answer_with(
        "import datetime, os, pathlib, platform, random, resource, sys, threading, time\n"
        "def ordered(items):\n"
        f"    if {condition}:\n        return [0]\n"
        "    return sorted(items)"
    ))  # fmt: skip
    assert passed(found) == {"0": True, "1": True, "2": True, "3": True, "same_elsewhere": False}
    assert float(found.share) == 0.25
    assert "elsewhere, or at another time" in found.checks[-1].explanation


def test_clock_and_chance_may_be_used_where_the_result_does_not_depend_on_them(gathered):
    code = """
import datetime, logging, os, random, sys, time
sys.setrecursionlimit(5000)
began = time.perf_counter()
dice = random.Random(7)
first = dice.random()
def ordered(items):
    logging.getLogger("ordered").warning("%s %s", datetime.datetime.now(), os.getpid())
    assert random.Random(7).random() == first
    if len(items) < 2:
        return list(items)
    pivot = random.choice(items)
    parts = ([], [], [])
    for one in items:
        parts[(one > pivot) - (one < pivot) + 1].append(one)
    return ordered(parts[0]) + parts[1] + ordered(parts[2])
if __name__ == "__main__":
    print(ordered([2, 1]), time.perf_counter() - began, time.strftime("%H:%M"))
"""
    assert passed(gathered(FINDS, answer_with(code))) == dict.fromkeys("0123", True)


def test_answers_import_only_what_a_test_lists(tmp_path, sandbox):
    (tmp_path / "check.py").write_text(NEEDS_PACKAGES)
    plain = "```python\ndef total(x):\n    return float(sum(x))\n" + LATER
    for listed, shares in ((None, [0, 0.5]), (["numpy"], [0.5, 0.5])):
        (tmp_path / "test.json").write_text(json.dumps({"packages": listed} if listed else {}))
        found = gather(tmp_path, [(WITH_NUMPY + LATER, Made()), (plain, Made())], sandbox)
        assert [one.share for one in found] == shares, found
        assert all(check.passed is not None for one in found for check in one.checks)
    assert "this test does not allow the package 'yaml'" in found[0].checks[1].explanation


@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0", "\n", " \n"])
def test_a_flood_of_white_space_costs_a_checker_no_time(gathered, blank):
    check = (
        "import re\nfrom assay.checking import Check\n"
        "def check(answer, truth, files):\n"
        "    yield Check('slow', re.search(r'\\s+x', answer) is None, 'it backtracks')\n"
        "    yield Check('code', '    return 1' in answer, 'code stays as it is')\n"
    )
    flood = gathered(check, "def f():\n    return 1\n" + blank * 150_000 + "y")
    assert passed(flood) == {"slow": True, "code": True}
