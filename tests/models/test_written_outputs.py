"""Answers in files, as a model: read by test, suite and repeat; never more than what is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.errors import ModelUnavailable
from assay.models.scripted import MAX_BYTES, WrittenOutputs
from assay.types import Answered, Failed, Message, Observed, Request, Sampling, ToAnswer


def written(folder: Path, **texts: str | bytes) -> WrittenOutputs:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        raw = text if isinstance(text, bytes) else text.encode()
        (folder / f"{name}.txt").write_bytes(raw)
    return WrittenOutputs(folder)


def ask(model: WrittenOutputs, test: str, *, suite: str = "s", repeat: int = 0):
    sampling = Sampling(temperature=0.3, seed=0, max_tokens=10)
    work = ToAnswer(messages=(Message("user", "?"),), sampling=sampling)
    request = Request(id="r", suite=suite, test_id=test, turn=0, repeat=repeat, work=work)
    (reply,) = model.answer([request])
    assert reply.request_id == "r"
    return reply


def test_a_test_is_answered_by_the_file_of_its_name(tmp_path):
    model = written(tmp_path / "m", **{"CT-01": "one\n", "CT-01.2": "two", "data.CT-01": "of data"})
    assert ask(model, "CT-01").text.strip() == "one"
    assert ask(model, "CT-01", repeat=1).text == "two"
    assert ask(model, "CT-01", suite="data").text == "of data"


def test_a_file_that_is_not_there_is_a_failure_with_its_name(tmp_path):
    model = written(tmp_path / "m", **{"CT-01": "one"})
    for reply in (ask(model, "CT-02"), ask(model, "CT-01", repeat=2)):
        assert isinstance(reply, Failed)
    assert "CT-01.3.txt" in ask(model, "CT-01", repeat=2).reason


def test_reasoning_is_split_off_and_an_unclosed_thought_is_no_answer(tmp_path):
    model = written(tmp_path / "m", a="<think>Well.</think>Yes.", b="<think>Well")
    first, second = ask(model, "a"), ask(model, "b")
    assert (first.text, first.reasoning) == ("Yes.", "Well.")
    assert second.reasoning_unclosed


def test_an_answer_that_was_caught_from_a_terminal_is_read_without_its_codes(tmp_path):
    caught = (
        "\x1b[?25l\x1b[?25h\x1b]0;ollama\x07Use the \x1b[1mfollowing\x1b[0m func"
        "\x1b[4D\x1b[K\nfunction:\r\n\x1b[32mdef f(x): return x[0]\x1b[39;49m\n"
    )
    model = written(tmp_path / "m", a=caught)
    said = ask(model, "a").text.split("\n")
    assert [line.rstrip() for line in said[:3]] == [
        "Use the following", "function:", "def f(x): return x[0]",
    ]  # fmt: skip


def test_a_broken_character_and_an_empty_file_are_answers(tmp_path):
    model = written(tmp_path / "m", a="five €".encode()[:-1], b=b"")
    assert ask(model, "a").text == "five \ufffd"
    assert isinstance(ask(model, "b"), Answered)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marks_of_an_encoding_are_read_and_no_part_of_the_answer(tmp_path, encoding):
    model = written(tmp_path / "m", a="def find():\n    return '€'".encode(encoding))
    assert ask(model, "a").text == "def find():\n    return '€'"


def test_what_is_no_text_is_refused_by_its_name(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"a\.txt is not text.*c\.txt is not text"):
        written(
            tmp_path / "m",
            a=bytes(range(256)) * 9,
            b="fine",
            c="né à Lomé, éduqué".encode("latin-1"),
        )


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    (tmp_path / "secret").write_text("key", "utf-8")
    written(tmp_path / "m", a="one")
    (tmp_path / "m" / "b.txt").symlink_to(tmp_path / "m" / "a.txt")
    assert ask(WrittenOutputs(tmp_path / "m"), "b").text == "one"
    (tmp_path / "m" / "c.txt").symlink_to(tmp_path / "secret")
    with pytest.raises(ModelUnavailable, match=r"c\.txt leads out"):
        WrittenOutputs(tmp_path / "m")


def test_the_files_stand_for_the_model(tmp_path):
    first = written(tmp_path / "m", a="one").facts
    assert (first.spec, first.name) == ("outputs:m", "m")
    again = written(tmp_path / "n", a="one").facts
    assert again.fingerprint == first.fingerprint, "moved, they are the same"
    assert written(tmp_path / "n", a="two").facts.fingerprint != first.fingerprint
    renamed = written(tmp_path / "o", b="one").facts
    assert renamed.fingerprint != first.fingerprint


def test_only_text_files_count(tmp_path):
    model = written(tmp_path / "m", a="one")
    (tmp_path / "m" / "b.md").write_text("x", "utf-8")
    (tmp_path / "m" / "c.txt").mkdir()
    assert WrittenOutputs(tmp_path / "m").test_ids == model.test_ids == {"a"}
    assert model.observed() == Observed()


def test_what_cannot_be_answers_is_refused(tmp_path):
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        WrittenOutputs(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelUnavailable, match="no answer"):
        WrittenOutputs(tmp_path / "empty")
    written(tmp_path / "large", a="four")
    os.truncate(tmp_path / "large" / "a.txt", MAX_BYTES + 1)  # which takes no room
    with pytest.raises(ModelUnavailable, match=r"a\.txt"):
        WrittenOutputs(tmp_path / "large")
