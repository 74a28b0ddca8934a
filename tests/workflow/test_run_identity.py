"""Which options make another run of a command, and which continue the one that was begun."""

import json
from dataclasses import replace
from typing import get_args

import pytest

from assay.types.option_fields import options_of
from assay.types.options import RunOptions
from assay.workflow.running.beginning import key_of
from assay.workflow.running.job import Job
from assay.workflow.running.preparation import prepare

OPTIONS = options_of(RunOptions)
# By their content, not by their names: models, suites, gates, texts and judges have fingerprints.
BY_CONTENT = {
    "suites", "benchmarks", "gate", "apply_gate", "text", "train_text", "judges",
    "device", "dtype", "tokenizer", "base", "trust_remote_code", "plugins",
    "include_path",
}  # fmt: skip
# They change how long a run takes, where it is written and what is said of it, not what is asked.
WITHOUT_EFFECT = {
    "fresh", "timeout", "connections", "api_key_env", "budget", "allow_self_judging", "write_back",
    "log", "out", "threads",
}  # fmt: skip


def another(option):
    """A value that is not the default."""
    if choices := get_args(option.type):
        return next(each for each in choices if each != option.default)
    if option.many:
        return ("else",)
    if option.type is bool:
        return not option.default
    return {int: 7, str: "else", float: 7.0}[option.type]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("identity")
    tests = [{"id": "a_001", "prompt": "?", "eval_method": "exact_match", "expected": "x"}]
    (folder / "own").mkdir()
    (folder / "own" / "a.json").write_text(json.dumps(tests))
    (folder / "model.json").write_text('{"default": "x"}')
    job = Job(models=(f"scripted:{folder / 'model.json'}",), suites=(str(folder / "own"),))
    return job, prepare(job)


@pytest.mark.parametrize("name", [name for name, each in OPTIONS.items() if each.about.identity])
def test_another_value_of_an_identity_option_is_another_run(prepared, name):
    job, work = prepared
    assert key_of(replace(job, **{name: another(OPTIONS[name])}), work) != key_of(job, work)


def test_every_option_is_part_of_the_identity_or_known_not_to_be():
    others = {name for name, each in OPTIONS.items() if not each.about.identity}
    assert others == BY_CONTENT | WITHOUT_EFFECT


def test_the_order_of_categories_makes_no_other_run(prepared):
    job, work = prepared
    one, other = (replace(job, categories=names) for names in (("a", "b"), ("b", "a")))
    assert key_of(one, work) == key_of(other, work)
