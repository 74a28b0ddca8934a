"""The viewer over a store of its own, asked without a browser: wrong addresses, large runs, endless
texts, a store in use, a full disk, and its end.
"""

from __future__ import annotations

import html
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import assay
from assay import api
from assay.api.viewing import Viewing
from assay.errors import StoreVersionError
from assay.interfaces.web import security
from assay.interfaces.web.app import make_app
from assay.interfaces.web.words import MOST_SHOWN
from assay.workflow.reporting.viewing import LARGE

ENDLESS = "line\n" * MOST_SHOWN


def asking(out: Path, large: int = LARGE, **access: object) -> TestClient:
    known = security.Access("127.0.0.1", 80, **access)
    app = make_app(Viewing(out, large=large), known)
    return TestClient(app, base_url="http://127.0.0.1", headers={"Sec-Fetch-Site": "same-origin"})


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    tests = [{"id": f"sum_{n}", "prompt": f"{n} + 1?", "eval_method": "exact_match",
              "expected": str(n + 1)} for n in range(3)]  # fmt: skip
    (folder / "sum.json").write_text(json.dumps(tests))
    script = {"default": "1", "answers": {"sum_2": ENDLESS}}
    (folder / "m.json").write_text(json.dumps(script))
    for _ in range(2):
        assay.run([f"scripted:{folder}/m.json"], suites=[f"{folder}/sum.json"],
                  out=folder / "out", fresh=True)  # fmt: skip
    return folder / "out"


def run_of(out: Path) -> str:
    return max(each.name for each in (out / "runs").iterdir())


@pytest.mark.parametrize("query", ["suite=%00", "suite=nope", "suite=%ff", "max_memory=%00"])
def test_a_wrong_address_of_the_leaderboard_is_the_readers_mistake(out: Path, query: str) -> None:
    assert asking(out).get(f"/leaderboard?{query}").status_code == 400


@pytest.mark.parametrize("a", ["latest", "RUN", "latest/MODEL", "MODEL"])
def test_a_large_run_is_not_compared_while_a_page_waits(out: Path, a: str) -> None:
    model = f"scripted:{out.parent}/m.json"
    named = a.replace("RUN", run_of(out)[:-1]).replace("MODEL", model)
    shown = asking(out, large=2).get("/compare", params={"a": named, "b": "latest"})
    assert "too many answers" in shown.text


def test_of_a_large_run_the_page_has_the_headline_and_names_the_report(out: Path) -> None:
    shown = asking(out, large=0).get(f"/runs/{run_of(out)}").text
    assert f"assay report {run_of(out)}" in shown
    headline = json.loads((out / "runs" / run_of(out) / "reports/report.json").read_text())
    assert html.escape(headline["headline"], quote=False) in html.unescape(shown)
    assert '<table class="scores">' not in shown


def test_the_report_of_a_run_is_a_page_and_of_a_large_one_a_command(out: Path) -> None:
    page = f"/runs/{run_of(out)}/report"
    shown = asking(out).get(page).text
    headline = json.loads((out / "runs" / run_of(out) / "reports/report.json").read_text())
    assert f"<h1>{html.escape(headline['headline'], quote=False)}" in shown
    assert "95 % interval" in html.unescape(shown)
    assert f'href="{page}" aria-current="page"' in shown
    large = asking(out, large=0).get(page).text
    assert f"assay report {run_of(out)}" in large
    assert "too many answers" in large


def test_an_endless_text_is_cut_and_the_page_says_so(out: Path) -> None:
    shown = asking(out).get(f"/runs/{run_of(out)}/tests/sum_2?in=sum").text
    assert len(shown) < 5 * MOST_SHOWN
    assert f"… {len(ENDLESS) - MOST_SHOWN} characters more; `assay export` has all" in shown


def test_names_of_the_machine_are_asked_for_once(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = security.machine_names("0.0.0.0") | {"this.example"}  # the first may be localhost
    assert security.machine_names("127.0.0.1") == frozenset()
    monkeypatch.delattr(security.socket, "getfqdn")
    asked = asking(out, names=names)
    assert asked.get("/", headers={"Host": "this.example"}).status_code == 400, "loopback"
    elsewhere = security.Access("0.0.0.0", 80, "secret", names)
    assert all(map(elsewhere.knows, names))
    assert not elsewhere.knows("evil.example")


@contextmanager
def full_disk(out: Path) -> Iterator[None]:
    """No file may become longer than the store's log is now, which another process holds open."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with closing(sqlite3.connect(out / "assay.db", isolation_level=None)) as held:
        held.execute("CREATE TABLE filling AS SELECT randomblob(100000)")
        size = (out / "assay.db-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)
            held.execute("DROP TABLE filling")


def test_a_full_disk_keeps_what_was_typed_and_the_reviews_before(out: Path) -> None:
    asked = asking(out)
    queue = f"/runs/{run_of(out)}/review"
    item = re.search(rf"{queue}/(\w+)", asked.get(f"{queue}?author=ada").text)[0]
    page = asked.get(item)
    sent = {"csrf": re.search(r'name="csrf" value="(\w+)"', page.text)[1], "author": "ada",
            "value": "0.5", "reason": "half of it is right", "do": "correct"}  # fmt: skip
    with full_disk(out):
        refused = asked.post(item, data={**sent, "reason": "half " * 790})
    assert refused.status_code == 400
    assert "make room on the disk" in refused.text
    assert "half half" in refused.text, "nobody types it again"
    assert asked.post(item, data=sent, follow_redirects=False).status_code == 303


def test_a_review_given_in_the_viewer_is_stored_with_name_and_day(out: Path) -> None:
    asked = asking(out)
    queue = f"/runs/{run_of(out)}/review"
    item = re.search(rf"{queue}/(\w+)", asked.get(f"{queue}?author=Ama+Mensah").text)[0]
    token = re.search(r'name="csrf" value="(\w+)"', asked.get(item).text)[1]
    sent = {"csrf": token, "author": "Ama Mensah", "do": "correct", "value": "0.5",
            "reason": "half of it is right"}  # fmt: skip
    assert asked.post(item, data=sent, follow_redirects=False).status_code == 303
    records = [json.loads(line) for line in api.export(run_of(out), out=out)]
    stored = [review for record in records for review in record["reviews"]]
    (review,) = [review for review in stored if review["author"] == "Ama Mensah"]
    given = datetime.fromisoformat(review["created"])
    assert abs(datetime.now(UTC) - given) < timedelta(minutes=5)


def test_a_store_is_shown_while_a_run_writes_and_one_of_another_version_is_refused(
    out: Path, tmp_path: Path
) -> None:
    shutil.copyfile(out / "assay.db", tmp_path / "assay.db")
    asked = asking(tmp_path)
    run = re.search(r"/runs/([\w-]+)", asked.get("/").text)[1]
    assert asked.get(f"/runs/{run}").status_code == 200
    writing = sqlite3.connect(tmp_path / "assay.db", isolation_level=None)
    writing.execute("BEGIN IMMEDIATE")  # as a run that stores an answer
    for path in ("/", f"/runs/{run}", "/compare", "/leaderboard", f"/runs/{run}/review"):
        assert asked.get(path).status_code == 200, path
    writing.execute("ROLLBACK")
    writing.execute("PRAGMA user_version = 9")
    writing.close()
    with pytest.raises(StoreVersionError, match="another version of Assay"):
        asking(tmp_path)


@pytest.fixture
def started(out: Path) -> Iterator[subprocess.Popen[str]]:
    words = ["view", "--no-open", "--port", "0", "--out", str(out)]
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    yield process
    process.kill()
    process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to a group of processes")
def test_a_ctrl_c_ends_it_without_a_word(out: Path, started: subprocess.Popen[str]) -> None:
    address = re.search(r"http://\S+", started.stdout.readline())[0]
    with urllib.request.urlopen(f"{address}runs/{run_of(out)}") as page:
        assert page.status == 200
    os.killpg(started.pid, signal.SIGINT)
    assert started.communicate() == ("", "")
    assert started.returncode == 0
