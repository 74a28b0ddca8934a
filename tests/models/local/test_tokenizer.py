"""A checkpoint's tokenizer: what it says of itself, chats as text, and files that are broken."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from assay.errors import ModelUnavailable
from assay.models.local.tokens.tokenizer import LocalTokenizer
from assay.types import Message
from tests.command_runs import run_python
from tests.models.local.checkpoints import CHAT_TEMPLATE, edit_json
from tests.models.local.families import CUT, END, WHOLE, save_family

SYSTEM, USER = Message("system", "Be brief."), Message("user", "Two plus two?")
NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}"
    "{% endif %}" + CHAT_TEMPLATE
)
DROPS_SYSTEM = CHAT_TEMPLATE.replace(
    "{% for message in messages %}", "{% for message in messages if message.role != 'system' %}"
)


def chat(folder: Path, template: str) -> LocalTokenizer:
    save_family(folder, "gpt2")
    (folder / "chat_template.jinja").write_text(template, "utf-8")
    return LocalTokenizer.load(folder)


# ------------------------------------------------------------------------------------- itself


def test_the_prefix_is_the_bos_and_without_one_the_eos(tmp_path: Path):
    names = {"both": {}, "eos": {"bos_token": None}, "bos": {"eos_token": None}}
    for name, settings in names.items():
        tokenizer = LocalTokenizer.load(save_family(tmp_path / name, "gpt2", **settings))
        assert (tokenizer.prefix_token_id, tokenizer.prefix_text) == (0, END)
    neither = save_family(tmp_path / "neither", "gpt2", bos_token=None, eos_token=None)
    assert LocalTokenizer.load(neither).prefix_token_id is None
    assert LocalTokenizer.load(neither).prefix_text is None


def test_the_bos_comes_before_the_eos(tmp_path: Path):
    folder = save_family(tmp_path, "qwen2", bos_token="<|im_start|>", eos_token="<|im_end|>")
    assert LocalTokenizer.load(folder).prefix_text == "<|im_start|>"


def test_a_text_ends_at_its_own_eos_and_at_those_of_the_generation_config(tmp_path: Path):
    tokenizer = LocalTokenizer.load(save_family(tmp_path / "a", "gpt2"))
    assert tokenizer.end_ids() == {0}
    assert tokenizer.end_ids(7) == {0, 7}
    assert tokenizer.end_ids([7, 9]) == {0, 7, 9}
    without = LocalTokenizer.load(save_family(tmp_path / "b", "gpt2", eos_token=None))
    assert without.end_ids() == frozenset()


@pytest.mark.parametrize(("name", "adds"), [("gpt2", False), ("llama3", True), ("gemma", True)])
def test_it_knows_whether_it_puts_a_bos_before_every_text(tmp_path: Path, name: str, adds: bool):
    assert LocalTokenizer.load(save_family(tmp_path, name)).added == (((0,) if adds else ()), ())


def test_the_vocabulary_reaches_to_the_highest_added_token(tmp_path: Path):
    folder = save_family(tmp_path, "qwen2")
    document = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    highest = max(each["id"] for each in document["added_tokens"])
    assert LocalTokenizer.load(folder).vocabulary_size == highest + 1


@pytest.mark.parametrize("tidies", [False, True])
@pytest.mark.parametrize("name", [*CUT, *WHOLE])
def test_it_writes_tokens_as_transformers_does(tmp_path: Path, name: str, tidies: bool):
    folder = save_family(tmp_path, name, clean_up_tokenization_spaces=tidies)
    tokenizer = LocalTokenizer.load(folder)
    whole = tokenizer.encode_batch([" It 's 12 , is n't it ?\n\nÉté 日本\n"], special=True)[0]
    for ids in ([], [0], whole, [0, *whole, 0], whole[1:], whole[-1:], whole[3:5]):
        for special in (False, True):
            theirs = tokenizer.of_transformers.decode(ids, skip_special_tokens=not special)
            assert tokenizer.as_transformers_writes(ids, special=special) == theirs


@pytest.mark.parametrize("name", CUT)
def test_tokens_become_the_text_again_without_special_ones(tmp_path: Path, name: str):
    tokenizer = LocalTokenizer.load(save_family(tmp_path, name))
    text = " It's 12 , is n't it ?\n\nÉté 日本\n"
    ids = tokenizer.encode_batch([text], special=False)[0]
    assert tokenizer.decode([0, *ids, 0]) == text
    assert tokenizer.decode([]) == ""


def test_half_a_surrogate_pair_is_replaced_not_refused(tmp_path: Path):
    tokenizer = LocalTokenizer.load(save_family(tmp_path, "gpt2"))
    coded = tokenizer.encode_batch(["fine", "a\ud800b"], special=False)
    assert tokenizer.decode(coded[0]) == "fine"
    assert tokenizer.decode(coded[1]).strip("ab") == "\ufffd" * 3


def test_a_limit_and_padding_in_its_file_change_nothing(tmp_path: Path):
    folder = save_family(tmp_path, "gpt2")
    texts = ["one", "The driver of the network card"]
    expected = LocalTokenizer.load(folder).encode_batch(texts, special=True)
    edit_json(
        folder / "tokenizer.json",
        lambda document: document.update(
            truncation={
                "direction": "Right",
                "max_length": 2,
                "strategy": "LongestFirst",
                "stride": 0,
            },
            padding={
                "strategy": {"Fixed": 9},
                "direction": "Right",
                "pad_to_multiple_of": None,
                "pad_id": 0,
                "pad_type_id": 0,
                "pad_token": END,
            },
        ),
    )
    assert LocalTokenizer.load(folder).encode_batch(texts, special=True) == expected


def test_a_tokenizer_written_in_python_works_too(tmp_path: Path):
    words = ["<unk>", "The</w>", "answer</w>", "is</w>", "a</w>", "b</w>"]
    merges = [f"{word[0]} {word[1:]}" for word in words if len(word) > 5]
    (tmp_path / "vocab.json").write_text(
        json.dumps({word: number for number, word in enumerate(words)}), "utf-8"
    )
    (tmp_path / "merges.txt").write_text("\n".join(["#version: 0.2", *merges]), "utf-8")
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "CTRLTokenizer"}), "utf-8"
    )
    tokenizer = LocalTokenizer.load(tmp_path)
    assert not tokenizer.can_be_cut
    assert [len(ids) for ids in tokenizer.encode_batch(["a b", "b"], special=True)] == [2, 1]
    assert tokenizer.vocabulary_size == len(words)


# ------------------------------------------------------------------------------------- its file


@pytest.mark.parametrize("config", [None, {"model_type": "llama"}])
def test_a_split_that_transformers_would_lose_is_kept_and_noted(tmp_path: Path, config):
    """GPT2Tokenizer of transformers 5 has a pre-tokenizer of its own and ignores the file's."""
    whole = LocalTokenizer.load(save_family(tmp_path / "whole", "smollm2"))
    assert whole.notes == []
    folder = save_family(tmp_path / "named", "smollm2")
    edit_json(
        folder / "tokenizer_config.json",
        lambda document: document.update(tokenizer_class="GPT2Tokenizer"),
    )
    if config:
        (folder / "config.json").write_text(json.dumps(config), "utf-8")
    tokenizer = LocalTokenizer.load(folder)
    texts = ["12 plus 12 is 24", "100 minus 1"]
    assert tokenizer.encode_batch(texts, special=False) == whole.encode_batch(texts, special=False)
    assert len(tokenizer.notes) == 1
    assert "tokenizer.json" in tokenizer.notes[0]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("gpt2", "GPT2Tokenizer"), ("qwen2", "Qwen2Tokenizer"), ("neox", "GPTNeoXTokenizer")],
)
def test_the_classes_transformers_has_for_a_family_are_cut_too(
    tmp_path: Path, name: str, kind: str
):
    folder = save_family(tmp_path, name)
    edit_json(
        folder / "tokenizer_config.json", lambda document: document.update(tokenizer_class=kind)
    )
    tokenizer = LocalTokenizer.load(folder)
    assert tokenizer.can_be_cut
    assert tokenizer.notes == []


def test_a_bare_tokenizer_file_is_enough(tmp_path: Path):
    save_family(tmp_path, "gpt2")
    (tmp_path / "tokenizer_config.json").unlink()
    tokenizer = LocalTokenizer.load(tmp_path)
    assert tokenizer.decode(tokenizer.encode_batch(["The dog"], special=True)[0]) == "The dog"


# ------------------------------------------------------------------------------------- chats


def test_a_chat_is_written_by_the_template_up_to_the_answer(tmp_path: Path):
    tokenizer = chat(tmp_path, CHAT_TEMPLATE)
    assert tokenizer.render_chat((SYSTEM, USER)) == (
        "[system]\nBe brief.\n[user]\nTwo plus two?\n[assistant]\n"
    )


@pytest.mark.parametrize("template", [NO_SYSTEM, DROPS_SYSTEM], ids=["refused", "dropped"])
def test_a_system_prompt_the_template_does_not_take_goes_to_the_first_question(
    tmp_path: Path, template: str
):
    tokenizer = chat(tmp_path, template)
    more = (USER, Message("assistant", "4"), Message("user", "Sure?"))
    assert tokenizer.render_chat((SYSTEM, *more)) == (
        "[user]\nBe brief.\n\nTwo plus two?\n[assistant]\n4\n[user]\nSure?\n[assistant]\n"
    )
    assert tokenizer.render_chat((SYSTEM,)) == "[user]\nBe brief.\n[assistant]\n"


@pytest.mark.parametrize("turns", [(USER,), (SYSTEM, USER)])
@pytest.mark.parametrize(
    "template", ["{{ messages[0].nothing.at_all }}", "{% for %}", "{{ 1 + 'a' }}"]
)
def test_a_template_that_fails_is_refused_with_its_folder(tmp_path: Path, template: str, turns):
    tokenizer = chat(tmp_path, template)
    with pytest.raises(ModelUnavailable, match="chat template") as refusal:
        tokenizer.render_chat(turns)
    assert str(tmp_path) in refusal.value.message
    assert "chat_template" in refusal.value.hint


# ------------------------------------------------------------------------------------- broken files


def test_a_folder_without_tokenizer_is_refused(tmp_path: Path):
    with pytest.raises(ModelUnavailable, match="no tokenizer"):
        LocalTokenizer.load(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"model": 1}', '{"version": "1.0", "model": {"type": "BPE", "vocab": 3}}'],
)
def test_a_broken_tokenizer_file_is_named(tmp_path: Path, text: str):
    folder = save_family(tmp_path, "gpt2")
    (folder / "tokenizer.json").write_text(text, "utf-8")
    with pytest.raises(ModelUnavailable) as refusal:
        LocalTokenizer.load(folder)
    assert str(folder / "tokenizer.json") in refusal.value.message
    assert "again" in refusal.value.hint


def test_broken_settings_are_named(tmp_path: Path):
    folder = save_family(tmp_path, "gpt2")
    (folder / "tokenizer_config.json").write_text('{"bos_token": ', "utf-8")
    with pytest.raises(ModelUnavailable) as refusal:
        LocalTokenizer.load(folder)
    assert str(folder / "tokenizer_config.json") in refusal.value.message


def test_a_tokenizer_that_knows_no_word_is_refused(tmp_path: Path):
    folder = save_family(tmp_path, "gpt2")
    edit_json(
        folder / "tokenizer.json",
        lambda document: document["model"].update(vocab={END: 0}, merges=[]),
    )
    with pytest.raises(ModelUnavailable, match="makes no tokens"):
        LocalTokenizer.load(folder)


def test_a_tokenizer_with_its_own_program_is_refused_and_nothing_runs(tmp_path: Path):
    folder = save_family(tmp_path, "gpt2")
    (folder / "own.py").write_text("raise SystemExit('it ran')", "utf-8")
    edit_json(
        folder / "tokenizer_config.json",
        lambda document: document.update(
            tokenizer_class="OwnTokenizer", auto_map={"AutoTokenizer": ["own.OwnTokenizer", None]}
        ),
    )
    with pytest.raises(ModelUnavailable, match="program of its own") as refusal:
        LocalTokenizer.load(folder)
    assert "trust" in refusal.value.hint


def test_nothing_reaches_the_terminal(tmp_path: Path, root: Path):
    """transformers warns of texts longer than model_max_length, the Rust library of forks."""
    folder = save_family(tmp_path, "smollm2", model_max_length=4)
    edit_json(
        folder / "tokenizer_config.json",
        lambda document: document.update(tokenizer_class="GPT2Tokenizer"),
    )
    program = (
        "import subprocess, sys\n"
        "from pathlib import Path\n"
        "from assay.models.local.tokens.encoding import encode_prompts, encode_texts\n"
        "from assay.models.local.tokens.tokenizer import LocalTokenizer\n"
        "tokenizer = LocalTokenizer.load(Path(sys.argv[1]))\n"
        "encode_prompts(tokenizer, [f'The driver number {n}' for n in range(50)])\n"
        "list(encode_texts(tokenizer, ['The driver of the network card. ' * 200]))\n"
        "tokenizer.decode([1, 2, 3])\n"
        "subprocess.run([sys.executable, '-c', ''], check=True, preexec_fn=lambda: None)\n"
    )
    file = tmp_path / "program.py"
    file.write_text(program, "utf-8")
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    environment.pop("PYTHONUNBUFFERED", None)
    done = run_python([str(file), str(folder)], root, environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
