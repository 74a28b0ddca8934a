"""A GGUF file as a Checkpoint, and its tokenizer, as the tokenizer.json that the rest of the house
reads.

Splits are llama.cpp's: the vocabulary alone does not say where a text is split, so the file names a
pre-tokenizer (`tokenizer.ggml.pre`), and one that is not known is refused. A test compares the
token ids with llama.cpp's.
"""

import atexit
import json
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.folder import Checkpoint, chat_template_of, find_tokenizer
from assay.models.local.gguf.families import config_in, family_of
from assay.models.local.gguf.header import GgufHeader, damaged, read_gguf
from assay.models.local.tokens.cuts import LLAMA_WORDS
from assay.text.safe_text import one_line

_CONTROL, _USER_DEFINED = 3, 4
_SPACE = "▁"
# How words are split off: by the pattern of GPT-2, digit by digit before that, or Llama 3's.
_GPT2 = ({"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False,
          "use_regex": True},)  # fmt: skip
_DIGITS = ({"type": "Digits", "individual_digits": True}, *_GPT2)


def _split(digits: str) -> tuple[dict[str, Any], ...]:
    pattern = {"Regex": LLAMA_WORDS.format(digits=digits)}
    split = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    return split, {**_GPT2[0], "use_regex": False}


_LLAMA3, _QWEN2 = _split(r"\p{N}{1,3}"), _split(r"\p{N}")
SPLITS = {
    **dict.fromkeys(("gpt-2", "phi-2", "olmo", "mpt"), _GPT2),
    **dict.fromkeys(("smollm", "starcoder", "refact", "command-r", "codeshell"), _DIGITS),
    **dict.fromkeys(("llama-bpe", "llama3", "llama-v3", "falcon3", "dbrx", "smaug-bpe"), _LLAMA3),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen", "stablelm2"), _QWEN2),
}
# These take a word that is a token as it is, and begin texts with BOS unless told otherwise.
_WHOLE_WORDS = ("llama-bpe", "llama3", "llama-v3", "falcon3")
# Chat models end an answer with one of these, whatever their `eos_token_id` is.
_ENDS = ("<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|eom_id|>",
         "<|end_of_text|>", "<eos>", "</s>")  # fmt: skip
_NOT_STRIPPED = ("<unk>", "<s>", "<|endoftext|>")


def special_ids(header: GgufHeader) -> dict[str, Any]:
    """Of config.json: where a text begins and ends."""
    told = _Vocabulary(header)
    ids = told.ids
    named = [told.special(name) for name in ("eos", "eot", "eom")]
    usual = (ids[each] for each in _ENDS if told.is_control(ids.get(each)))
    ends = {each for each in (*named, *usual) if each is not None}
    return {"bos_token_id": told.special("bos"), "eos_token_id": sorted(ends)}


def unpack_tokenizer(header: GgufHeader) -> Path:
    """A folder with tokenizer.json and tokenizer_config.json, once for each state of a file."""
    about = header.path.stat()
    return _unpacked(header.path.absolute(), about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=64)
def _unpacked(path: Path, size: int, changed_ns: int) -> Path:
    header = read_gguf(path)
    told = _Vocabulary(header)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        **{f"{name}_token": told.tokens[found] for name in ("bos", "eos", "unk", "pad")
           if (found := told.special(name)) is not None},
        "chat_template": header.fields.get("tokenizer.chat_template"),
    }  # fmt: skip
    documents = {"tokenizer.json": told.document(), "tokenizer_config.json": settings}
    kept = tempfile.TemporaryDirectory(prefix="assay-gguf-")
    atexit.register(kept.cleanup)  # it goes with the program, also where that refuses to run
    folder = Path(kept.name)
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document), "utf-8")
    return folder


class _Vocabulary:
    def __init__(self, header: GgufHeader) -> None:
        self._path = header.path
        self._fields = header.fields
        self._is_phi3 = header.fields.get("general.architecture") == "phi3"
        self.tokens: list[str] = self._list("tokens", str)
        rows = header.tensors.get("token_embd.weight")
        if not self.tokens or (rows is not None and len(self.tokens) > rows.shape[0]):
            raise damaged(
                self._path,
                tr("it has {count} tokens and {rows} rows of embeddings",
                   count=len(self.tokens), rows=rows.shape[0] if rows else 0),
            )  # fmt: skip
        self.ids = {token: number for number, token in enumerate(self.tokens)}
        self._types: list[int] = self._list("token_type", int, len(self.tokens))

    def _list(self, name: str, kind: type, length: int | None = None) -> list[Any]:
        """One entry for each token, or nothing where the file has no such list."""
        found = self._told(name)
        right = isinstance(found, list) and all(isinstance(each, kind) for each in found)
        if found is not None and not (right and length in (None, len(found))):
            raise damaged(self._path, tr("tokenizer.ggml.{name} is no list of as many entries as "
                                         "there are tokens", name=name))  # fmt: skip
        return found or []

    def _told(self, name: str, otherwise: Any = None) -> Any:
        return self._fields.get(f"tokenizer.ggml.{name}", otherwise)

    def special(self, name: str) -> int | None:
        long = {"unk": "unknown", "pad": "padding"}.get(name, name)
        found = self._told(f"{long}_token_id")
        if found is None or (isinstance(found, int) and 0 <= found < len(self.tokens)):
            return found
        raise damaged(self._path, tr("its {name} token is {found}, and it has {count} tokens",
                                     name=name, found=one_line(str(found), longest=40),
                                     count=len(self.tokens)))  # fmt: skip

    def is_control(self, token: int | None) -> bool:
        return token is not None and bool(self._types) and self._types[token] == _CONTROL

    def document(self) -> dict[str, Any]:
        model = self._told("model")
        if model not in ("gpt2", "llama"):
            raise self._unknown("model", model)
        pre = self._told("pre") if model == "gpt2" else "sentencepiece"
        if model == "gpt2" and pre not in SPLITS:
            raise self._unknown("pre", pre)
        parts = self._byte_level(pre) if model == "gpt2" else self._sentence_pieces()
        begins = self._told("add_bos_token", model == "llama" or pre in _WHOLE_WORDS)
        return {
            "version": "1.0",
            "added_tokens": self._added(),
            "post_processor": self._around(begins is True, self._told("add_eos_token") is True),
            **parts,
        }

    def _unknown(self, key: str, name: object) -> ModelUnavailable:
        known = ("gpt2", "llama") if key == "model" else SPLITS
        return ModelUnavailable(
            tr("the tokenizer of {path} is {name!r} (tokenizer.ggml.{key}), which Assay does not "
               "know", path=self._path, name=one_line(str(name), longest=40), key=key),
            hint=tr("name the folder of the original model's tokenizer with --tokenizer DIR; "
                    "expected one of {names}", names=", ".join(known)),
        )  # fmt: skip

    def _byte_level(self, pre: str) -> dict[str, Any]:
        return {
            "normalizer": None,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": list(SPLITS[pre])},
            "decoder": _GPT2[0],
            "model": {
                "type": "BPE",
                "vocab": self.ids,
                "merges": self._list("merges", str),
                "ignore_merges": pre in _WHOLE_WORDS,
            },
        }

    def _sentence_pieces(self) -> dict[str, Any]:
        """A space is put before the text, and before what follows a special token."""
        spaced = self._told("add_space_prefix", True) is True
        replaced = {"type": "Replace", "pattern": {"String": " "}, "content": _SPACE}
        back = {"type": "Replace", "pattern": {"String": _SPACE}, "content": " "}
        unknown = self.special("unk")
        return {
            "normalizer": {
                "type": "Sequence",
                "normalizers": [*[{"type": "Prepend", "prepend": _SPACE}] * spaced, replaced],
            },
            "pre_tokenizer": None,
            "decoder": {
                "type": "Sequence",
                "decoders": [
                    back,
                    {"type": "ByteFallback"},
                    {"type": "Fuse"},
                    *[{"type": "Strip", "content": " ", "start": 1, "stop": 0}] * spaced,
                ],
            },
            "model": {
                "type": "BPE",
                "vocab": self.ids,
                "merges": self._merges(),
                "unk_token": None if unknown is None else self.tokens[unknown],
                "fuse_unk": True,
                "byte_fallback": True,
            },
        }

    def _merges(self) -> list[tuple[str, str]]:
        """Two pieces become one where that is a token, the token with the highest score first."""
        scores: list[float] = self._list("scores", float, len(self.tokens))
        order: Sequence[int] = range(len(self.tokens))
        if scores:
            order = sorted(order, key=lambda number: -scores[number])
        # No sentence piece is longer: a token of 10 MB would be cut 10 M times.
        tokens = (token for number in order if len(token := self.tokens[number]) <= 256)
        cuts = ((each[:at], each[at:]) for each in tokens for at in range(1, len(each)))
        return [cut for cut in cuts if cut[0] in self.ids and cut[1] in self.ids]

    def _added(self) -> list[dict[str, Any]]:
        """Tokens that a text is split at first. Those of Phi-3 take the white space behind them."""
        control = {self.special("bos"), self.special("eos")} if not self._types else set()
        return [
            {
                "id": number,
                "content": token,
                "single_word": False,
                "lstrip": False,
                "rstrip": self._is_phi3 and kind == _CONTROL and token not in _NOT_STRIPPED,
                "normalized": False,
                "special": kind == _CONTROL or number in control,
            }
            for number, (token, kind) in enumerate(
                zip(self.tokens, self._types or [0] * len(self.tokens), strict=True)
            )
            if token and (kind in (_CONTROL, _USER_DEFINED) or number in control)
        ]

    def _around(self, begins: bool, ends: bool) -> dict[str, Any] | None:
        marks = {}
        single: list[dict[str, Any]] = [{"Sequence": {"id": "A", "type_id": 0}}]
        for name, wanted in (("bos", begins), ("eos", ends)):
            number = self.special(name)
            if wanted and number is not None:
                text = self.tokens[number]
                marks[text] = {"id": text, "ids": [number], "tokens": [text]}
                mark = {"SpecialToken": {"id": text, "type_id": 0}}
                single = [mark, *single] if name == "bos" else [*single, mark]
        if not marks:
            return None
        pair = [*single, {"Sequence": {"id": "B", "type_id": 1}}]
        return {"type": "TemplateProcessing", "single": single, "pair": pair,
                "special_tokens": marks}  # fmt: skip


def checkpoint_in(path: Path, tokenizer: Path | None = None) -> Checkpoint:
    header = read_gguf(path)
    family_of(header)
    folder = find_tokenizer(path, tokenizer) if tokenizer else unpack_tokenizer(header)
    ids = special_ids(header)
    return Checkpoint(
        path=path,
        config=config_in(header, ids),
        weight_files=(path,),
        tokenizer_folder=folder,
        chat_template=chat_template_of(folder),
        generation=ids,
        is_gguf=True,
    )
