"""Tokenizers built as those of well-known families are, trained on a few sentences.

In: a family's name. Out: a Tokenizer, or the folder a trainer would leave. What matters is how they
cut text before merging: patterns, normalizers, digits, added tokens, what they put before a text.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizerFast

from tests.models.local.checkpoints import TEXT

END = "<|endoftext|>"
_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|DIGITS"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# What merges across lines: without it no ".\n" or "\n\n" would become a token.
_LINES = "One.\n\nTwo?\nA. one\nB. two\nAnswer: A\n\nIt's 'so', she'll say:\n\n  - yes!\n\n\n" * 8
_TRAINED_ON = (TEXT.replace(". ", ".\n") + _LINES).split("§")


def _bytes() -> Any:
    return pre_tokenizers.ByteLevel(add_prefix_space=False)


def _split(digits: str) -> Any:
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_SPLIT.replace("DIGITS", digits)), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


def _begins_with(token: str, number: int) -> Any:
    return processors.TemplateProcessing(
        single=f"{token} $A", pair=f"{token} $A {token} $B", special_tokens=[(token, number)]
    )


def _gpt2() -> Tokenizer:
    return _trained(_bytes())


def _neox() -> Tokenizer:
    made = _trained(_bytes(), normalizer=normalizers.NFC())
    made.add_tokens([AddedToken(" " * n, normalized=True) for n in range(24, 1, -1)])
    return made


def _phi() -> Tokenizer:
    made = _trained(_bytes())
    made.add_tokens([AddedToken(" " * n, normalized=True) for n in range(31, 1, -1)])
    made.add_tokens([AddedToken("\t" * n, normalized=True) for n in range(9, 1, -1)])
    return made


def _opt() -> Tokenizer:
    made = _trained(_bytes())
    made.post_processor = _begins_with(END, 0)
    return made


def _smollm2() -> Tokenizer:
    digits = pre_tokenizers.Digits(individual_digits=True)
    return _trained(pre_tokenizers.Sequence([digits, _bytes()]))


def _llama3() -> Tokenizer:
    made = _trained(_split(r"\p{N}{1,3}"), ignore_merges=True)
    made.post_processor = _begins_with(END, 0)
    return made


def _qwen2() -> Tokenizer:
    made = _trained(_split(r"\p{N}"), normalizer=normalizers.NFC())
    made.add_special_tokens([AddedToken(name) for name in ("<|im_start|>", "<|im_end|>")])
    return made


def _gemma() -> Tokenizer:
    """As SentencePiece: spaces are letters, and no pre-token ends at them."""
    made = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    made.normalizer = normalizers.Replace(" ", "▁")
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback()])
    names = [END, "<unk>", *(f"<0x{n:02X}>" for n in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=names, show_progress=False)
    made.train_from_iterator(TEXT.splitlines(), trainer)
    made.post_processor = _begins_with(END, 0)
    return made


def _trained(pre_tokenizer: Any, *, normalizer: Any = None, **model: Any) -> Tokenizer:
    made = Tokenizer(models.BPE(**model))
    made.pre_tokenizer = pre_tokenizer
    if normalizer is not None:
        made.normalizer = normalizer
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(_TRAINED_ON, trainer)
    return made


_MAKERS = {
    "gpt2": _gpt2,
    "neox": _neox,
    "phi": _phi,
    "opt": _opt,
    "smollm2": _smollm2,
    "llama3": _llama3,
    "qwen2": _qwen2,
    "gemma": _gemma,
}
CUT = ("gpt2", "neox", "phi", "opt", "smollm2", "llama3", "qwen2")
WHOLE = ("gemma",)


def make_family(name: str) -> Tokenizer:
    """A fresh tokenizer of a family, to be changed at will."""
    return Tokenizer.from_str(_written(name))


@cache
def _written(name: str) -> str:
    text: str = _MAKERS[name]().to_str()
    return text


def save_family(folder: Path, made: Tokenizer | str, **settings: Any) -> Path:
    """The files of a tokenizer, as transformers saves them."""
    made = make_family(made) if isinstance(made, str) else made
    names = {"bos_token": END, "eos_token": END, **settings}
    PreTrainedTokenizerFast(tokenizer_object=made, **names).save_pretrained(folder)
    return folder
