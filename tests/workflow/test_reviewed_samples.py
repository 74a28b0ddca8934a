"""People review the samples that a checkpoint wrote, and reports say how far the rules agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from assay import api
from assay.errors import UsageError
from tests.conftest import Bench, word_tests
from tests.interfaces.web.conftest import view
from tests.models.local.checkpoints import make_checkpoint

LAW = [
    {"id": "lease", "prompt": "A lease is", "subject": ["lease"]},
    {"id": "appeal", "prompt": "An appeal begins when", "subject": ["appeal"]},
]
GATE = '[generation]\nmax_failures = 2\nsamples = "samples.json"\n'


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A checkpoint without training, whose samples are nonsense."""
    (tmp_path / "samples.json").write_text(json.dumps(LAW))
    (tmp_path / "gate.toml").write_text(GATE)
    (tmp_path / "word.json").write_text(json.dumps(word_tests(2)))
    bench = Bench(tmp_path)
    checkpoint = make_checkpoint(tmp_path / "run" / "step_1", seed=1)
    gate, suite = str(tmp_path / "gate.toml"), str(tmp_path / "word.json")
    bench.document("run", str(checkpoint), "-s", suite, "--gate", gate)
    return bench


@pytest.fixture
def out(bench: Bench) -> Path:
    return bench.out


def generated(out: Path, author: str) -> list[Any]:
    queue = api.review_queue(author=author, groups=["generated"], out=out)
    return list(queue.items)


def test_samples_stand_in_the_queue_beside_tests(out: Path) -> None:
    queue = api.review_queue(author="Ama", out=out)
    groups = [each.group for each in queue.items]
    assert queue.left == len(groups) == 2 + queue.progress["generated"].answers
    names = {each.test_id.partition("@")[0] for each in generated(out, "Ama")}
    assert names == {"lease", "appeal"}
    item = generated(out, "Ama")[0]
    assert item.suite == "generation"
    answer = api.answer_to_review(item.id, author="Ama", out=out)
    assert answer.sample.reply is not None
    assert "step_1" not in repr(answer)
    assert {"loop", "repetition", "nonsense"} <= {each.name for each in answer.sample.score.parts}
    assert answer.machine in (0, 1)
    after = api.review_queue(author="Ama", after=item.id, out=out)
    assert item.id not in {each.id for each in after.items}
    with pytest.raises(UsageError, match="sound or broken"):
        api.store_review(item.id, author="Ama", value=0.5, reason="half", out=out)


def test_the_report_shows_how_far_people_agree_with_the_rules(out: Path) -> None:
    items = generated(out, "Ama")
    by_rules = [api.answer_to_review(each.id, out=out).machine for each in items]
    for place, item in enumerate(items):
        api.store_review(item.id, author="Ama", accept=True, out=out)
        value = by_rules[place] if place else 1 - by_rules[place]
        api.store_review(item.id, author="Esi", value=value, reason="read", out=out)
    assert generated(out, "Ama") == []
    assert api.review_queue(author="Kofi", out=out).progress["generated"].done == len(items)
    reviewed = api.review_summary(out=out)
    assert reviewed.suites == ()
    samples = reviewed.samples
    assert samples is not None
    assert samples.reviewed == len(items)
    assert samples.reviewers == {"Ama": len(items), "Esi": len(items)}
    assert samples.broken_by_rules == by_rules.count(0)
    rules = {each.raters: each for each in samples.agreements if each.kind == "machine"}
    assert rules["Ama",].figures["exact"].value == 1
    share = rules["Esi",].figures["exact"]
    assert share.n == len(items)
    assert share.value == pytest.approx(1 - 1 / len(items))
    assert share.low is not None
    assert share.low < share.value
    assert "kappa" in rules["Esi",].figures
    told = " ".join(api.render(api.report(out=out), "text", verbose=True).split())
    assert f"Of {len(items)} reviewed samples" in told
    document = json.loads(api.render(api.report(out=out), "json"))
    assert document["reviews"]["samples"]["reviewed"] == len(items)
    api.undo_review(author="Esi", out=out)
    again = api.review_summary(out=out).samples
    assert again is not None
    assert again.reviewers["Esi"] == len(items) - 1


def test_a_sample_is_called_broken_on_the_review_page(bench: Bench) -> None:
    item = generated(bench.out, "Ama")[0]
    with view(bench) as viewer:
        listed = viewer.ask("/runs/latest/review?author=Ama").text
        assert "generated sample" in listed
        path = f"/runs/latest/review/{item.id}"
        page = viewer.ask(path).text
        assert "Sound" in page
        assert "Broken" in page
        assert "step_1" not in page.partition("What the machine says")[2]
        token = page.partition('name="csrf" value="')[2].partition('"')[0]
        form = {"author": "Ama", "do": "correct", "value": "0", "reason": "salad", "csrf": token}
        assert viewer.ask(path, "POST", urlencode(form)).status == 303
        assert "Of 1 reviewed sample," in viewer.ask("/runs/latest/review?author=Ama").text
    samples = api.review_summary(out=bench.out).samples
    assert samples is not None
    assert samples.broken_by_people == 1
