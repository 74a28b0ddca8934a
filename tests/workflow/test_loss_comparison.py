"""`assay compare A B --loss` on two checkpoints with tokenizers of their own."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import assay
from assay import api
from assay.errors import UsageError
from tests.conftest import Bench, word_tests
from tests.models.local.checkpoints import make_checkpoint


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("loss")
    make_checkpoint(home / "one" / "step_1", seed=1)
    make_checkpoint(home / "two" / "step_1", seed=2, vocabulary=420)
    rows = [
        {"text": f"The driver number {n} of the card, é {n * 7}.\n" * 6, "kind": "ab"[n % 2]}
        for n in range(14)
    ]
    (home / "text.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (home / "tests").mkdir()
    (home / "tests" / "word.json").write_text(json.dumps(word_tests(2)))
    for name in ("one", "two"):
        evaluate(home, name)
    return home


def evaluate(home: Path, name: str, **more):
    given = {"suites": [str(home / "tests")], "text": home / "text.jsonl"}
    given |= {"measures": ("perplexity",), "out": home / "out", "write_back": False}
    return api.run([str(home / name / "step_1")], **{**given, **more})


def sides(home: Path) -> list[str]:
    return [str(home / name / "step_1") for name in ("one", "two")]


def test_the_bits_of_all_parts_are_those_of_the_runs(home):
    found = assay.compare(sides(home), loss=True, out=home / "out")
    reports = [
        each.decision.measured[0].text.bits_per_byte.value
        for each in (evaluate(home, "one"), evaluate(home, "two"))
    ]
    assert (found.whole.first, found.whole.second) == pytest.approx(reports, abs=2e-3)
    assert found.whole.change.n == len(found.documents) == 14
    assert set(found.slices) == {"kind"}
    assert [each.bytes for each in found.slices["kind"]]
    assert sum(each.bytes for each in found.classes) == found.whole.bytes
    document = found.to_dict()
    assert document["whole"]["change"]["low"] < document["whole"]["change"]["high"]
    shown = api.render(found, "html")
    assert "<polyline" in shown
    assert "By kind of byte" in api.render(found, "text")


def test_a_text_with_a_name_is_compared_by_its_file(home):
    domain = home / "domain.jsonl"
    rows = [{"text": f"Cable {n} goes into socket {n * 3}."} for n in range(13)]
    domain.write_text("\n".join(map(json.dumps, rows)))
    texts = [f"general={home / 'text.jsonl'}", f"domain={domain}"]
    for name in ("one", "two"):
        evaluate(home, name, text=texts, out=home / "named")
    found = assay.compare(sides(home), loss=True, text=domain, out=home / "named")
    assert len(found.documents) == 13
    assert found.text.endswith("domain.jsonl")
    assert len(assay.compare(sides(home), loss=True, out=home / "named").documents) == 14


def test_the_command_prints_it(home):
    bench = Bench(home)
    shown = bench.assay("compare", *sides(home), "--loss", "--format", "md").stdout
    assert "bits per byte" in shown
    assert "## By kind" in shown
    assert bench.document("compare", *sides(home), "--loss")["classes"]


def test_a_text_that_is_gone_or_changed_is_named_with_what_to_do(home, tmp_path):
    moved = tmp_path / "moved.jsonl"
    (home / "text.jsonl").rename(moved)
    try:
        with pytest.raises(UsageError, match="is not there any more or was changed") as caught:
            assay.compare(sides(home), loss=True, out=home / "out")
        assert "--loss --text FILE" in caught.value.hint
        found = assay.compare(sides(home), loss=True, text=moved, out=home / "out")
        assert len(found.documents) == 14
        other = tmp_path / "other.jsonl"
        other.write_text('{"text": "another"}')
        with pytest.raises(UsageError, match="is not a text that both runs read"):
            assay.compare(sides(home), loss=True, text=other, out=home / "out")
    finally:
        moved.rename(home / "text.jsonl")


def test_a_run_without_losses_says_how_to_get_them(home, tmp_path):
    """As a store of before has them."""
    out = tmp_path / "out"
    for name in ("one", "two"):
        evaluate(home, name, out=out)
    with sqlite3.connect(out / "assay.db") as store:
        store.execute("UPDATE replies SET body = json_set(body, '$.losses', '')")
    with pytest.raises(UsageError, match="did not keep the loss of every token") as caught:
        assay.compare(sides(home), loss=True, out=out)
    assert "--fresh" in caught.value.hint
    with pytest.raises(UsageError, match="--loss compares two sides"):
        assay.compare(sides(home)[:1], loss=True, out=out)
