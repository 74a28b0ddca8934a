r"""Where a text may be cut so that its pieces, encoded one by one, give the tokens of the whole.

Few-shot prompts repeat most of their text: of 8 MB of strings for 749 MMLU questions, 0.3 MB are
distinct pieces. A cut is clean if no pre-token spans it and neither side's pre-tokens depend on the
other side. The patterns of GPT-2 (also Pythia, Phi-2, OPT, and behind a split at digits SmolLM2)
and Llama 3 (also Qwen 2, with single digits) may be cut before a space that follows something other
than white space: neither has white space behind something else except Llama's [\r\n]*, nor looks
behind itself. NFC keeps these cuts, and so do added tokens, unless one holds such a place or looks
at its neighbours. All else (Metaspace, Unigram, unknown patterns) is not cut.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

# Llama 3's, also Qwen's with one digit at a time; other braces are doubled for `format`.
LLAMA_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}"
    r"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LLAMA_PATTERNS = [LLAMA_WORDS.format(digits=each) for each in (r"\p{N}{1,3}", r"\p{N}")]
_SETTINGS = ("dropout", "continuing_subword_prefix", "end_of_word_suffix")
_PLACE = re.compile(r"\S(?= )")
_BEHIND_BLANK_LINE = re.compile(r"\n\n.*?\S(?= )", re.DOTALL)


def cut_paragraphs(text: str) -> list[str]:
    places = [match.end() for match in _BEHIND_BLANK_LINE.finditer(text)]
    last = text.rfind(" ")
    if last > (places[-1] if places else 0) and not text[last - 1].isspace():
        places.append(last)
    return [text[start:end] for start, end in zip([0, *places], [*places, None], strict=True)]


def cut_portions(text: str, size: int) -> Iterator[str]:
    start = 0
    while len(text) - start > size and (place := _PLACE.search(text, start + size - 1)):
        yield text[start : place.end()]
        start = place.end()
    yield text[start:]


def can_be_cut(rust: Any) -> bool:
    if any(step.get("type") != "NFC" for step in _steps(rust.normalizer, "normalizers")):
        return False
    if type(rust.model).__name__ != "BPE" or any(getattr(rust.model, each) for each in _SETTINGS):
        return False
    for token in rust.get_added_tokens_decoder().values():
        looks_around = token.lstrip or token.rstrip or token.single_word
        if looks_around or _PLACE.search(token.content):
            return False
    steps = _steps(rust.pre_tokenizer, "pretokenizers")
    if steps and steps[0].get("type") == "Digits":  # splits nothing that must stay together
        steps = steps[1:]
    *before, last = steps or [{}]
    if last.get("type") != "ByteLevel" or last.get("add_prefix_space") is not False:
        return False
    if last.get("use_regex"):
        return not before
    return len(before) == 1 and _is_llama_split(before[0])


def _steps(part: Any, inner: str) -> list[Mapping[str, Any]]:
    told = describe_part(part) or {"type": "Sequence"}
    return list(told.get(inner, ())) if told.get("type") == "Sequence" else [told]


def describe_part(part: Any) -> Any:
    return None if part is None else json.loads(part.__getstate__())


def _is_llama_split(step: Mapping[str, Any]) -> bool:
    pattern = step.get("pattern")
    return (
        step.get("type") == "Split"
        and step.get("behavior") == "Isolated"
        and step.get("invert") is False
        and isinstance(pattern, Mapping)
        and pattern.get("Regex") in _LLAMA_PATTERNS
    )
