"""A checkpoint's own programs run within limits, and normal ones as before."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.errors import ModelUnavailable
from assay.models.local.folder import LONGEST_NAME
from assay.models.local.tokens import limits
from assay.models.local.tokens.limits import panics_as_errors
from assay.models.local.tokens.tokenizer import LocalTokenizer
from assay.types import Message
from tests.models.local.checkpoints import CHAT_TEMPLATE, make_checkpoint
from tests.models.local.hostile import HOSTILE, said_of

CHAT = [Message("system", "Be brief."), Message("user", "Wéll?"), Message("assistant", "<é>")]


LOOPING = "template with two nested loops of 99,999"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_checkpoint_is_refused_with_a_sentence(name: str, tmp_path: Path) -> None:
    spoil, sentence = HOSTILE[name]
    folder = make_checkpoint(tmp_path / "step_100")
    spoil(folder)
    said = said_at_once(folder) if name == LOOPING else said_of(folder)
    assert re.search(sentence, said), said
    assert said.isprintable()
    assert len(said) < 2 * len(str(folder)) + 4 * LONGEST_NAME + 200


def said_at_once(folder: Path) -> str:
    """What is said of a template, by a tokenizer that does not wait for ten seconds."""
    loaded = LocalTokenizer.load(folder)
    loaded.template_seconds = 1.0
    with pytest.raises(ModelUnavailable) as refused:
        loaded.render_chat([Message("user", "Hello")])
    loaded.close()
    return refused.value.message


@pytest.mark.parametrize(
    "template",
    [
        CHAT_TEMPLATE,
        "{%- for m in messages %}\n  {%- if loop.first %}{% continue %}{% endif %}\n"
        "{{ bos_token + m['role'] | upper }}: {{ m.content | tojson }}\n{%- endfor %}",
        "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}\n"
        "{{ tools is none }} {{ documents }} {{ {'é': [1, none]} | tojson(indent=2) }} {{ x }}",
        "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + m.content|length"
        " %}{% endfor %}{{ ns.n }}{{ dict(a=1) }}{{ strftime_now('%Y') | length }}{{ eos_token }}",
    ],
)
def test_a_template_writes_what_transformers_writes(tmp_path: Path, template: str) -> None:
    loaded = LocalTokenizer.load(make_checkpoint(tmp_path, chat_template=template))
    turns = [{"role": each.role, "content": each.content} for each in CHAT]
    wrapped: Any = loaded._wrapped
    expected = wrapped.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    assert loaded._render(CHAT) == expected
    loaded.close()


def test_a_template_that_went_beyond_a_limit_is_not_tried_again(tmp_path: Path) -> None:
    loaded = LocalTokenizer.load(make_checkpoint(tmp_path, chat_template=CHAT_TEMPLATE))
    loaded._render(CHAT)
    assert loaded._guest is not None
    loaded._guest._process.kill()
    loaded._guest._process.wait()
    for _ in range(2):
        with pytest.raises(limits.OutOfBounds, match="memory or ends"):
            loaded._render(CHAT)
    assert not loaded._guest.is_alive


def test_replacements_of_tokenizers_in_use_are_within_the_limit() -> None:
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    runs = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}
    quotes = {"type": "Replace", "pattern": {"String": "``"}, "content": '"'}
    several = {"type": "Sequence", "normalizers": [{"type": "NFKC"}, quotes, runs, spaces]}
    assert limits._growth({"normalizer": several, "decoder": spaces}) == 2
    assert limits._growth({"normalizer": None}) == 1


def test_only_a_panic_becomes_an_error() -> None:
    panic = type("PanicException", (BaseException,), {})
    with pytest.raises(RuntimeError, match="index out of range"), panics_as_errors():
        raise panic("index out of range")
    with pytest.raises(KeyboardInterrupt), panics_as_errors():
        raise KeyboardInterrupt


@pytest.mark.parametrize("keeper", ["sys.modules['__main__']", "sys.modules['json']"])
def test_a_script_may_end_without_closing_what_renders_templates(keeper: str) -> None:
    """A module that was loaded early is among the last that Python takes apart."""
    work = (
        "import sys\n"
        "from assay.models.local.tokens import limits\n"
        f"{keeper}.kept = limits.Guest(limits.TEMPLATE_BYTES)\n"
        f"print({keeper}.kept.is_alive)\n"
    )
    done = subprocess.run([sys.executable, "-c", work], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")
