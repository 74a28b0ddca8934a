"""A checkpoint's tokenizer. transformers 5 rebuilds some from their class
(allenai/open-instruct#1896, generative-computing/mellea#947); `follow_file` puts back what the file
says.
"""

import json
import os
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rapidfuzz import fuzz

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.folder import (
    TOKENIZER_BYTES,
    TOKENIZER_FILES,
    TOKENIZERS,
    find_tokenizer,
    read_object,
)
from assay.models.local.loading.skeleton import quiet, reason, require_extra
from assay.models.local.tokens.cuts import can_be_cut, describe_part
from assay.models.local.tokens.limits import (
    TEMPLATE_BYTES,
    Guest,
    OutOfBounds,
    panics_as_errors,
    try_tokenizer,
)
from assay.types import Message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Encodings of one call stay in memory together, about 150 bytes a token beside its id.
CHARACTERS_PER_CALL = 4_000_000
SENTENCE = "The answer is 42."
ALIKE = 50.0  # of 100: case, accents and white space may be lost on the way
# Everyday words and the signs of a keyboard: whatever was trained on prose can write them. A
# twentieth may be lost, as a few unknown signs (quotes and brackets, digits) are less than that.
PROSE = """\
"Where is the little dog?" she asked. "It's in the house: don't look for it!"
He did not go; he said (it was 9 in the morning) that the old man's well-known cat was there, too.
What a day! Could they find her? Yes - and then they all went home, and had a good time together.
"""
MOST_LOST = 0.05
FEWEST_MERGES = 100
LEAST_RISING = 0.8  # at random, half of them


class Lost(NamedTuple):
    lost: int
    read: int
    signs: str


class LocalTokenizer:
    longest_whole = 4_000_000  # characters that are encoded in one piece where no cut is clean
    template_seconds = 10.0  # for one chat; it takes a millisecond

    def __init__(self, wrapped: Any, folder: Path, written: Mapping[str, Any]) -> None:
        self._wrapped = wrapped
        self.folder = folder
        self._rust = _rust_part(wrapped)
        self._guest: Guest | None = None
        self._template_fault = ""
        self._adds = True
        self._prefix: int | None = None
        self.notes: list[str] = []
        if self._rust is not None and follow_file(self._rust, written):
            note = tr(
                "the tokenizer in {folder} splits text as its tokenizer.json says; transformers "
                "alone would split it otherwise, and tools that rely on it get other scores",
                folder=folder,
            )
            self.notes.append(note)

    @classmethod
    def load(
        cls, folder: Path, *, trust_remote_code: bool = False, add_bos: bool | None = None
    ) -> "LocalTokenizer":
        """`add_bos`: what transformers is told, which may then add a BOS that the file does not."""
        require_extra()
        folder = find_tokenizer(folder, folder)
        # Set, as a child process of a program that used threads here is warned about on its
        # terminal otherwise; on, as a batch then uses every core.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
        file = folder / "tokenizer.json"
        written = read_object(file, TOKENIZER_BYTES) if file.is_file() else {}
        try:
            if written:
                try_tokenizer(file, written)
            with quiet(), panics_as_errors():
                wrapped = _wrapped(folder, trust_remote_code, add_bos)
                tokenizer = cls(wrapped, folder, written)
                tried = tokenizer.encode_batch([SENTENCE], special=False)
        except Exception as error:  # the Rust library raises bare Exceptions
            raise _unusable(folder, error, trust_remote_code) from error
        if not tried[0]:
            raise _unusable(folder, None, trust_remote_code)
        return tokenizer

    def with_rules(self, *, adds: bool = True, prefix: int | None = None) -> "LocalTokenizer":
        """The same tokenizer, whose user says that it adds no special tokens, or what stands before
        a text that has nothing before it.
        """
        other = copy(self)
        other._adds, other._prefix = adds, prefix
        for name in ("added", "begins_texts_with", "prefix_text", "prefix_token_id"):
            other.__dict__.pop(name, None)
        return other

    def encode_batch(self, texts: Sequence[str], *, special: bool) -> list[list[int]]:
        special = special and self._adds
        ids: list[list[int]] = []
        from assay.engine.layout.batches import by_tokens

        for some in by_tokens(texts, len, CHARACTERS_PER_CALL):
            try:
                ids += self._encode(some, special)
            except (TypeError, UnicodeError):  # half of a surrogate pair is no text
                raw = (text.encode("utf-8", "surrogatepass") for text in some)
                ids += self._encode([each.decode("utf-8", "replace") for each in raw], special)
            except RuntimeError as error:
                raise _unusable(self.folder, error, trusted=True) from error
        return ids

    def _encode(self, texts: list[str], special: bool) -> list[list[int]]:
        if self._rust is not None:
            with panics_as_errors():
                found = self._rust.encode_batch_fast(texts, add_special_tokens=special)
            return [encoding.ids for encoding in found]
        with quiet():
            coded = self._wrapped(texts, add_special_tokens=special, verbose=False)
        return [list(ids) for ids in coded["input_ids"]]

    def decode(self, ids: Sequence[int]) -> str:
        if self._rust is not None:
            with panics_as_errors():
                return str(self._rust.decode(list(ids), skip_special_tokens=True))
        with quiet():
            return str(
                self._wrapped.decode(
                    list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False
                )
            )

    def as_transformers_writes(self, ids: Sequence[int], *, special: bool) -> str:
        """Decoded with its own settings; with or without the special tokens."""
        if self._writes_as_rust:
            with panics_as_errors():
                return str(self._rust.decode(list(ids), skip_special_tokens=not special))
        with quiet():
            return str(self._wrapped.decode(list(ids), skip_special_tokens=not special))

    @cached_property
    def _writes_as_rust(self) -> bool:
        """Whether transformers adds nothing to it. Asking it takes fifty times as long."""
        from transformers import PreTrainedTokenizerFast

        own = getattr(type(self._wrapped), "decode", None) is PreTrainedTokenizerFast.decode
        tidies = getattr(self._wrapped, "clean_up_tokenization_spaces", True)
        return self._rust is not None and own and not tidies

    @property
    def of_transformers(self) -> Any:
        return self._wrapped

    @cached_property
    def begins_texts_with(self) -> tuple[int, ...]:
        """What it puts before every text by itself: BOS as a rule, or nothing."""
        if self.added is not None:
            return self.added[0]
        # What it adds depends on the text, or does not show; then only a BOS counts.
        bos = self._wrapped.bos_token_id
        (ids,) = self.encode_batch([SENTENCE], special=True)
        return (bos,) if bos is not None and ids[:1] == [bos] else ()

    @cached_property
    def prefix_token_id(self) -> int | None:
        """What is before a context or a prompt that is empty: BOS, else EOS."""
        if self._prefix is not None:
            return self._prefix
        found: int | None = self._wrapped.bos_token_id
        if found is None:
            found = self._wrapped.eos_token_id
        return found

    @cached_property
    def prefix_text(self) -> str | None:
        """How the prefix is written: a text that begins with it gets no other."""
        if self.prefix_token_id is None:
            return None
        with quiet():
            return str(self._wrapped.decode([self.prefix_token_id])) or None

    def end_ids(self, generation: object = None) -> frozenset[int]:
        """Its own EOS, and one id or a list of generation_config.json."""
        named = generation if isinstance(generation, list) else [generation]
        ends = [*named, self._wrapped.eos_token_id]
        return frozenset(each for each in ends if isinstance(each, int))

    @cached_property
    def added(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """What is before and behind the tokens of every text; None if that depends on it."""
        bare, again = self.encode_batch(["a", "b c"], special=False)
        whole, other = self.encode_batch(["a", "b c"], special=True)
        for start in range(len(whole) - len(bare) + 1):
            end = start + len(bare)
            if whole[start:end] == bare and whole[:start] + again + whole[end:] == other:
                return tuple(whole[:start]), tuple(whole[end:])
        return None

    @cached_property
    def _ids(self) -> frozenset[int]:
        return frozenset(map(int, self._wrapped.get_vocab().values()))

    @property
    def vocabulary_size(self) -> int:
        """As many as a model needs for it: ids without a token are counted."""
        return 1 + max(self._ids)

    @property
    def token_count(self) -> int:
        return len(self._ids)

    @cached_property
    def _widths(self) -> "NDArray[np.int64]":
        """How many bytes each token stands for, by its id; those of special tokens are none."""
        import numpy as np

        found = np.zeros(self.vocabulary_size, np.int64)
        byte_level = _is_byte_level(describe_part(self._rust.pre_tokenizer))
        special = set(self._wrapped.all_special_ids)
        for piece, number in self._wrapped.get_vocab().items():
            if number not in special:
                found[number] = _width(piece, byte_level=byte_level)
        return found

    def widths(self, text: str, ids: Sequence[int]) -> "NDArray[np.int64] | None":
        """Bytes of the text for each of its tokens, as whole characters allow; None where that is
        not known.
        """
        import numpy as np

        if self._rust is None:
            return None
        size = len(text.encode("utf-8", "surrogatepass"))
        found: NDArray[np.int64] = self._widths[np.asarray(ids)]
        if found.sum() == size:
            return found
        try:
            with panics_as_errors():
                coded = self._rust.encode(text, add_special_tokens=False)
        except (TypeError, UnicodeError, RuntimeError):
            return None
        if coded.ids != list(ids):
            return None
        ends = np.maximum.accumulate([end for _, end in coded.offsets])
        places = np.array([0, *np.cumsum([len(each.encode()) for each in text])])
        found = np.diff(places[ends], prepend=0)
        found[-1] += size - found.sum()
        return found

    @cached_property
    def follows_merges(self) -> bool:
        """Whether ids ascend with the merges they were made by, as every trainer numbers them; True
        where it has none.
        """
        try:
            merges = json.loads(self._rust.to_str())["model"].get("merges") or []
        except (AttributeError, KeyError, ValueError):
            return True
        vocabulary = self._wrapped.get_vocab()
        pieces = (each if isinstance(each, str) else " ".join(each) for each in merges)
        made = [vocabulary.get(each.replace(" ", "", 1)) for each in pieces]
        known = [each for each in made if each is not None]
        rising = sum(a < b for a, b in pairwise(known))
        return len(known) < FEWEST_MERGES or rising > LEAST_RISING * (len(known) - 1)

    def misread(self) -> str | None:
        back = self._there_and_back(SENTENCE)
        alike = fuzz.ratio(*("".join(text.casefold().split()) for text in (SENTENCE, back)))
        return None if alike >= ALIKE else back

    def lost(self) -> Lost | None:
        """Signs of PROSE that do not come back; white space, case, accents and width are of no
        account. None where few are lost.
        """
        read = Counter(_bare(PROSE))
        lost = read - Counter(_bare(self._there_and_back(PROSE)))
        if lost.total() <= MOST_LOST * read.total():
            return None
        signs = " ".join(sign for sign, _ in lost.most_common(8))
        return Lost(lost.total(), read.total(), signs)

    def _there_and_back(self, text: str) -> str:
        try:
            return self.decode(self.encode_batch([text], special=False)[0])
        except RuntimeError as error:
            raise _unusable(self.folder, error, trusted=True) from error

    def render_chat(self, messages: Sequence[Message]) -> str:
        """A system prompt that the template refuses or drops is put before the first question."""
        system = "\n\n".join(each.content for each in messages if each.role == "system")
        forms = [messages, _folded(messages, system)] if system else [messages]
        for turns in forms:
            try:
                text = self._render(turns)
            except OutOfBounds as error:
                fault = error
                continue
            if turns is forms[-1] or system.strip() in text:
                return text
        raise ModelUnavailable(
            tr("the chat template in {folder} cannot write this conversation: {why}",
               folder=self.folder, why=reason(fault)),
            hint=tr("correct chat_template in tokenizer_config.json or chat_template.jinja, or "
                    "remove it: the model then gets plain prompts"),
        ) from fault  # fmt: skip

    def _render(self, messages: Sequence[Message]) -> str:
        """In a process of its own. One that went beyond a limit is not tried again."""
        if self._template_fault:
            raise OutOfBounds(self._template_fault)
        try:
            template = self._wrapped.get_chat_template()
        except ValueError as error:  # several templates, and none of them the default
            raise OutOfBounds(reason(error)) from error
        turns = [{"role": each.role, "content": each.content} for each in messages]
        values = {**self._wrapped.special_tokens_map, "tools": None, "documents": None}
        values |= {"messages": turns, "add_generation_prompt": True}
        guest = self._guest = self._guest or Guest(TEMPLATE_BYTES)
        try:
            found = guest.ask({"template": template, "values": values}, self.template_seconds)
        except OutOfBounds as error:
            self._template_fault = "" if guest.is_alive else str(error)
            raise
        return str(found["text"])

    def close(self) -> None:
        if self._guest:
            self._guest.close()
            self._guest = None

    @cached_property
    def can_be_cut(self) -> bool:
        if self._rust is None or self.added is None or self.added[1]:
            return False
        return can_be_cut(self._rust)


def _wrapped(folder: Path, trust_remote_code: bool, add_bos: bool | None) -> Any:
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    # Absolute: a relative path may read like a name on the hub, which would then be asked.
    place = str(folder.absolute())
    told = {} if add_bos is None else {"add_bos_token": add_bos}
    if not any((folder / name).is_file() for name in ("tokenizer_config.json", "config.json")):
        return PreTrainedTokenizerFast.from_pretrained(place, local_files_only=True, **told)
    return AutoTokenizer.from_pretrained(
        place, use_fast=True, local_files_only=True, trust_remote_code=trust_remote_code, **told
    )


def _rust_part(wrapped: Any) -> Any:
    from transformers import PreTrainedTokenizerFast

    kind = type(wrapped)
    same = all(
        getattr(kind, name, None) is getattr(PreTrainedTokenizerFast, name)
        for name in ("__call__", "_encode_plus", "_decode")
    )
    if not isinstance(wrapped, PreTrainedTokenizerFast) or not same:
        return None
    rust = wrapped.backend_tokenizer
    rust.no_truncation()
    rust.no_padding()
    rust.encode_special_tokens = wrapped.split_special_tokens
    return rust


def _width(piece: str, *, byte_level: bool) -> int:
    """A byte-level token has a sign for each byte; others may be one byte, written <0x0A>."""
    if byte_level:
        return len(piece)
    if len(piece) == 6 and piece.startswith("<0x"):
        return 1
    return len(piece.replace("\u2581", " ").encode("utf-8", "surrogatepass"))


def _bare(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in plain if not (each.isspace() or unicodedata.combining(each)))


def _folded(messages: Sequence[Message], system: str) -> list[Message]:
    turns = [each for each in messages if each.role != "system"]
    for place, each in enumerate(turns):
        if each.role == "user":
            turns[place] = Message("user", f"{system}\n\n{each.content}")
            return turns
    return [Message("user", system), *turns]


def _unusable(folder: Path, error: Exception | None, trusted: bool) -> ModelUnavailable:
    """Names the file that is broken, as far as one can tell."""
    for name in (*TOKENIZER_FILES, "tokenizer_config.json"):
        path = folder / name
        if path.is_file() and name.endswith(".json"):
            try:
                told = read_object(path, TOKENIZER_BYTES)
            except ModelUnavailable as broken:
                return broken
            if "auto_map" in told and not trusted:
                return ModelUnavailable(
                    tr("the tokenizer in {folder} brings a program of its own", folder=folder),
                    hint=tr("let it run only if you trust where it comes from"),
                )
    names = (*chain.from_iterable(TOKENIZERS), "")
    file = next(folder / name for name in names if (folder / name).exists())
    why = reason(error) if error else tr("it makes no tokens of a sentence")
    return ModelUnavailable(
        tr("the tokenizer {path} cannot be loaded: {why}", path=file, why=why),
        hint=tr("copy it again from where the model was trained; one newer than the installed "
                "packages needs `pip install -U transformers`"),
    )  # fmt: skip


_SPLITTING = ("normalizer", "pre_tokenizer")
# The first follows the settings beside the file, the second changes no token.
_OF_NO_ACCOUNT = {"add_prefix_space", "trim_offsets"}


def follow_file(rust: Any, written: Mapping[str, Any]) -> bool:
    """Give a byte-level tokenizer the parts its file describes, where it has others."""
    wanted = {name: written.get(name) for name in _SPLITTING}
    if not _is_byte_level(wanted["pre_tokenizer"]):
        return False
    loaded = {name: describe_part(getattr(rust, name)) for name in _SPLITTING}
    if _telling(wanted) == _telling(loaded):
        return False
    parts = _built(wanted)
    rust.normalizer, rust.pre_tokenizer = parts.normalizer, parts.pre_tokenizer
    return True


def _is_byte_level(pre_tokenizer: object) -> bool:
    if not isinstance(pre_tokenizer, Mapping):
        return False
    steps = pre_tokenizer.get("pretokenizers") or [pre_tokenizer]
    return isinstance(steps, list) and any(
        isinstance(step, Mapping) and step.get("type") == "ByteLevel" for step in steps
    )


def _telling(part: object) -> object:
    if isinstance(part, Mapping):
        return {key: _telling(part[key]) for key in part if key not in _OF_NO_ACCOUNT}
    if isinstance(part, list):
        return [_telling(each) for each in part]
    return part


def _built(parts: Mapping[str, object]) -> Any:
    from tokenizers import Tokenizer

    empty = {"model": {"type": "BPE", "vocab": {}, "merges": []}, "added_tokens": []}
    return Tokenizer.from_str(json.dumps({"version": "1.0", **empty, **parts}))
