"""`http://HOST:PORT`: a server is named, and its only model is meant."""

from __future__ import annotations

import pytest

from assay.errors import ModelUnavailable, UsageError
from assay.models.opening import open_model
from tests.models.asking import QUICK
from tests.servers.fixtures import FIRST_MODEL


def opened_spec(url):
    model = open_model(url, QUICK)
    try:
        return model.facts.spec
    finally:
        model.close()


@pytest.fixture
def lonely(start_ollama):
    return start_ollama(only=FIRST_MODEL["ollama"])


def test_ollama_is_asked_through_its_own_interface(lonely):
    assert opened_spec(lonely.url) == lonely.spec()
    assert opened_spec(f"{lonely.url}/v1") == lonely.spec()  # the native one, whatever the path


def test_another_server_is_asked_at_v1_whether_or_not_it_is_written(start_openai):
    server = start_openai(model=["test-model"])
    assert opened_spec(server.url) == server.spec()
    assert opened_spec(server.url.removesuffix("/v1")) == server.spec()


def test_several_models_are_refused_by_name(start_openai):
    server = start_openai(model=["one", "two"])
    with pytest.raises(UsageError) as refused:
        open_model(server.url, QUICK)
    assert refused.value.message == f"the server at {server.url} has 2 models"
    assert refused.value.hint == f"name one: openai:one@{server.url}, openai:two@{server.url}"


def test_an_address_where_nothing_answers_is_told_with_what_to_do():
    with pytest.raises(ModelUnavailable) as refused:
        open_model("http://127.0.0.1:1", QUICK)
    assert refused.value.message.startswith("no server answers at http://127.0.0.1:1: ")
    assert "assay doctor" in refused.value.hint


def test_what_is_no_address_is_refused_without_its_password():
    with pytest.raises(UsageError) as refused:
        open_model("http://me:secret@", QUICK)
    assert "secret" not in f"{refused.value.message} {refused.value.hint}"


def test_a_run_shows_and_stores_the_model_that_was_meant(lonely, bench):
    done = bench.assay("run", lonely.url, "-s", "example", "--limit", "1")
    assert done.returncode == 0
    assert "smollm2:135m-instruct-q4_1" in done.stdout
