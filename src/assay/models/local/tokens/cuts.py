r"""Where a text may be cut so that its pieces, encoded one by one, give the tokens of the whole.

Few-shot prompts repeat most of their text, and likelihood scoring encodes every context once more
for each choice: of 8 MB of strings for 749 MMLU questions, 0.2 MB are distinct pieces. A cut is
clean if no pre-token spans it and neither side's pre-tokens depend on the other side; BPE works
inside pre-tokens. Two families of patterns are known well enough to say where that holds:

    GPT-2    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
             also Pythia, Phi-2, OPT, and behind a split at digits SmolLM2
    Llama 3  (?i:'s|...)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
             |\s*[\r\n]+|\s+(?!\S)|\s+      also Qwen 2, with single digits

1.  Before a space that follows something other than white space, in both: no alternative has white
    space behind something else except Llama's [\r\n]*; nothing looks behind itself; \s+(?!\S)
    looks ahead only from white space, and the left side does not end in any.
2.  Before a newline that follows something other than white space: in GPT-2 for the same reasons;
    in Llama only behind a letter or a digit, since ".\n" is one pre-token.
3.  Behind a newline that something other than white space follows, in Llama: a newline ends its
    pre-token there, and \s*[\r\n]+ takes the white space before the cut whole, whether or not
    anything follows. Not in GPT-2: "\n\nA" is \n, \n, A, but "\n\n" alone is one pre-token.

NFC keeps these cuts: spaces and newlines join with no character. Added tokens keep them unless one
holds such a place itself or looks at its neighbours (lstrip, rstrip, whole words only). Everything
else (Metaspace, Unigram, prepended spaces, unknown patterns) is not cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_LLAMA_PATTERNS = frozenset(
    rf"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    for digits in (r"\p{N}{1,3}", r"\p{N}")
)
_HOLDS_A_CUT = re.compile(r"\S\s|\n\S")
_BLANK_LINE = "\n\n"


@dataclass(frozen=True, slots=True)
class Cuts:
    r"""The clean cuts of one family. `newline_joins_signs`: Llama's ".\n" is one pre-token."""

    newline_joins_signs: bool

    def pieces(self, text: str) -> list[str]:
        """The text, cut at blank lines; at line ends if it has no blank line."""
        between = _BLANK_LINE if _BLANK_LINE in text else "\n"
        parts = text.split(between)
        if len(parts) == 1:
            return parts
        pieces: list[str] = []
        piece = parts[0]
        for part in parts[1:]:
            if self.newline_joins_signs:  # rule 3: "...\n\n" and "Next"
                piece += between
                if not part or part[0].isspace():
                    piece += part
                    continue
                pieces.append(piece)
                piece = part
            elif piece and not piece[-1].isspace():  # rule 2: "..." and "\n\nNext"
                pieces.append(piece)
                piece = between + part
            else:
                piece += between + part
        pieces.append(piece)
        return pieces

    def clean_between(self, context: str, continuation: str) -> bool:
        """Whether both may be encoded apart. `context` does not end in white space."""
        if not continuation or continuation[0] == " ":
            return True
        if continuation[0] != "\n":
            return False
        return not self.newline_joins_signs or (context[-1:].isascii() and context[-1:].isalnum())

    def last_word_apart(self, piece: str) -> list[str]:
        """The piece without its last word, and that word with the space before it. What does not
        join cleanly to a continuation is then short, and often the same.
        """
        at = piece.rfind(" ")
        if at <= 0 or piece[at - 1].isspace():
            return [piece]
        return [piece[:at], piece[at:]]

    def portions(self, text: str, size: int) -> Iterator[str]:
        """The text in portions of about `size` characters, cut before spaces (rule 1). A stretch
        without a clean place stays whole.
        """
        start = 0
        while len(text) - start > size:
            at = text.find(" ", start + size)
            while at > 0 and text[at - 1].isspace():
                at = text.find(" ", at + 1)
            if at < 0:
                break
            yield text[start:at]
            start = at
        if start < len(text):
            yield text[start:]


@dataclass(frozen=True, slots=True)
class AddedText:
    """A token that is looked for before anything else."""

    content: str
    looks_around: bool  # takes spaces beside it, or stands only between words


def find_cuts(
    normalizer: Mapping[str, Any] | None,
    pre_tokenizer: Mapping[str, Any] | None,
    model: Mapping[str, Any],
    added: Sequence[AddedText],
) -> Cuts | None:
    """Recognise a tokenizer by its parts, written as in tokenizer.json (the model without its
    vocabulary). None: encode whole texts.
    """
    if not _keeps_ascii_cuts(normalizer) or not _is_plain_bpe(model):
        return None
    if any(token.looks_around or _HOLDS_A_CUT.search(token.content) for token in added):
        return None
    steps = _steps(pre_tokenizer, "pretokenizers")
    if steps and steps[0].get("type") == "Digits":  # what it splits, no rule above keeps together
        steps = steps[1:]
    if not steps or not _is_bytes(steps[-1]):
        return None
    if len(steps) == 1 and steps[0].get("use_regex") is True:
        return Cuts(newline_joins_signs=False)
    if len(steps) == 2 and steps[1].get("use_regex") is False and _is_llama_split(steps[0]):
        return Cuts(newline_joins_signs=True)
    return None


def _steps(part: Mapping[str, Any] | None, inner: str) -> list[Mapping[str, Any]]:
    """A part's steps: those of a sequence, itself, or none."""
    if part is None:
        return []
    return list(part.get(inner, ())) if part.get("type") == "Sequence" else [part]


def _keeps_ascii_cuts(normalizer: Mapping[str, Any] | None) -> bool:
    return all(step.get("type") == "NFC" for step in _steps(normalizer, "normalizers"))


def _is_plain_bpe(model: Mapping[str, Any]) -> bool:
    marks = ("dropout", "continuing_subword_prefix", "end_of_word_suffix")
    return model.get("type") == "BPE" and not any(model.get(mark) for mark in marks)


def _is_bytes(step: Mapping[str, Any]) -> bool:
    return step.get("type") == "ByteLevel" and step.get("add_prefix_space") is False


def _is_llama_split(step: Mapping[str, Any]) -> bool:
    pattern = step.get("pattern")
    return (
        step.get("type") == "Split"
        and step.get("behavior") == "Isolated"
        and step.get("invert") is False
        and isinstance(pattern, Mapping)
        and pattern.get("Regex") in _LLAMA_PATTERNS
    )
