"""Conversations as the text a local model continues."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.models.base import as_text
from assay.models.local.tokens.encoding import continuation_joint, encode_prompts, prompt_text
from assay.models.local.tokens.tokenizer import LocalTokenizer
from assay.types import Message
from tests.models.local.checkpoints import CHAT_TEMPLATE
from tests.models.local.families import END, save_family

EXAMPLE = (Message("user", "List all PCI devices:"), Message("assistant", "lspci"))
QUESTION = Message("user", "Which driver for RTL8139?")


def chat(folder: Path, template: str) -> LocalTokenizer:
    save_family(folder, "llama3")
    (folder / "chat_template.jinja").write_text(template, "utf-8")
    return LocalTokenizer.load(folder)


def test_a_base_model_gets_the_contents_alone(tmp_path: Path):
    tokenizer = LocalTokenizer.load(save_family(tmp_path, "llama3"))
    assert prompt_text((QUESTION,), tokenizer, is_chat=False) == QUESTION.content


def test_a_chat_model_gets_its_template(tmp_path: Path):
    text = prompt_text((QUESTION,), chat(tmp_path, CHAT_TEMPLATE), is_chat=True)
    assert text == f"[user]\n{QUESTION.content}\n[assistant]\n"


@pytest.mark.parametrize(
    ("template", "begun"), [(CHAT_TEMPLATE, False), (END + CHAT_TEMPLATE, True)]
)
def test_a_chat_has_one_bos_whoever_writes_it(tmp_path: Path, template: str, begun: bool):
    tokenizer = chat(tmp_path, template)
    text = prompt_text((QUESTION,), tokenizer, is_chat=True)
    assert text.startswith(END) is begun
    (ids,) = encode_prompts(tokenizer, [text])
    assert ids.count(0) == 1
    assert ids[0] == 0


def test_a_plain_prompt_without_examples_is_continued_behind_a_space():
    assert continuation_joint((QUESTION,)) == " "
    assert continuation_joint((Message("user", "Answer:"),)) == " "


@pytest.mark.parametrize("last", [QUESTION, Message("user", "List all modules:")])
def test_behind_worked_examples_an_answer_stands_where_theirs_do(last: Message):
    messages = (*EXAMPLE, last)
    joint = continuation_joint(messages)
    assert as_text(messages) + joint + "8139too" == as_text(
        (*messages, Message("assistant", "8139too"))
    )
