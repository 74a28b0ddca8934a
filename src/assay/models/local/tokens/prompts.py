"""A conversation as the text a local model continues or is scored behind.

In: messages, a LocalTokenizer, whether the model converses. Out: the text, and what stands between
it and a continuation.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.models.local.tokens.tokenizer import LocalTokenizer
from assay.models.plain_text import as_text, joint
from assay.types import Message


def prompt_text(messages: Sequence[Message], tokenizer: LocalTokenizer, is_chat: bool) -> str:
    """Chat models get their template, base models the contents alone."""
    return tokenizer.render_chat(messages) if is_chat else as_text(messages)


def continuation_joint(messages: Sequence[Message], is_chat: bool) -> str:
    """What stands between a prompt and a continuation to be scored: nothing behind a template,
    which ends where the answer begins; a space in plain text, as in lm-eval. Behind worked examples
    it is what stands before their answers, so that the scored form is the one that was shown.
    """
    if is_chat:
        return ""
    if any(each.role == "assistant" for each in messages):
        return joint(as_text(messages), Message("assistant", ""))
    return " "
