"""Texts as token ids, by lm-evaluation-harness's rules: white space at the end of a context belongs
to the continuation, and both are encoded as one text; in pieces where `cuts` allows it. White space
at the end of a chat template belongs to the template.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, takewhile, tee
from typing import NamedTuple

from assay.engine.choose import Question
from assay.engine.layout.batches import by_tokens
from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.base import as_text, joint
from assay.models.local.tokens.cuts import cut_paragraphs, cut_portions
from assay.models.local.tokens.tokenizer import LocalTokenizer
from assay.types import Message

Ids = tuple[int, ...]

REPLACEMENT = "\ufffd"  # what a part of a character decodes to
PORTION = 16_000  # characters of a long text that are encoded together
PORTIONS_PER_CALL = 64
# A tokenizer without clean cuts takes about 100 bytes for each character of a text.


def prompt_text(messages: Sequence[Message], tokenizer: LocalTokenizer, is_chat: bool) -> str:
    return tokenizer.render_chat(messages) if is_chat else as_text(messages)


def continuation_joint(messages: Sequence[Message]) -> str:
    """In plain text: a space, as in lm-eval; behind worked examples what is before answers."""
    if any(each.role == "assistant" for each in messages):
        return joint(as_text(messages), Message("assistant", ""))
    return " "


def count_tokens(tokenizer: LocalTokenizer, texts: Sequence[str]) -> list[tuple[int, int, bool]]:
    """Bare tokens, those that are a part of a character, and whether the text comes back."""
    coded = tokenizer.encode_batch(texts, special=False)
    parts = {each for each in set(chain(*coded)) if REPLACEMENT in tokenizer.decode([each])}
    return [
        (
            len(ids),
            sum(each in parts for each in ids),
            tokenizer.decode(ids).strip() == text.strip(),
        )
        for text, ids in zip(texts, coded, strict=True)
    ]


def encode_prompts(tokenizer: LocalTokenizer, texts: Sequence[str]) -> list[list[int]]:
    found = _prompts(tokenizer, texts)
    return [list(found[text]) for text in texts]


def _prompts(tokenizer: LocalTokenizer, texts: Iterable[str]) -> dict[str, Ids]:
    begin = tokenizer.prefix_text
    begun: list[str] = []
    others: list[str] = []
    for text in texts:
        (begun if begin is not None and text.startswith(begin) else others).append(text)
    return _distinct(tokenizer, begun, special=False) | _distinct(tokenizer, others, special=True)


def _distinct(tokenizer: LocalTokenizer, texts: Iterable[str], *, special: bool) -> dict[str, Ids]:
    distinct = list(dict.fromkeys(texts))
    coded = tokenizer.encode_batch(distinct, special=special)
    return dict(zip(distinct, map(tuple, coded), strict=True))


class _Pair(NamedTuple):
    """The continuations are encoded behind the last piece; one piece where it cannot be cut."""

    pieces: list[str]
    continuations: list[str]
    is_cut: bool
    templated: bool

    def ends(self) -> Iterator[str]:
        yield self.pieces[-1]
        yield from (self.pieces[-1] + each for each in self.continuations)


def encode_pairs(
    tokenizer: LocalTokenizer,
    pairs: Sequence[tuple[str, Sequence[str]]],
    *,
    swallowed: bool = False,
    templated: bool = False,
) -> list[Question]:
    """`swallowed`: a continuation that the context's last token swallows has no tokens, as in
    lm-eval, which then stops; else its own are taken. `templated`: a chat template wrote the
    contexts, and the model goes on after all of it, white space included.
    """
    laid = [_laid_out(tokenizer, *pair, templated=templated) for pair in pairs]
    cut = [(*pair.pieces[:-1], *pair.ends()) for pair in laid if pair.is_cut]
    uncut = [tuple(pair.ends()) for pair in laid if not pair.is_cut and pair.pieces[0]]
    pieces = _distinct(tokenizer, chain.from_iterable(cut), special=False)
    wholes = _prompts(tokenizer, chain.from_iterable(uncut))
    return [
        _question(tokenizer, pair, pieces if pair.is_cut else wholes, swallowed) for pair in laid
    ]


def _laid_out(
    tokenizer: LocalTokenizer, context: str, choices: Sequence[str], *, templated: bool
) -> _Pair:
    kept = context if templated else context.rstrip()
    continuations = [context[len(kept) :] + choice for choice in choices]
    # A context shorter than the BOS may make one with its continuation, an empty one is no text.
    is_cut = tokenizer.can_be_cut and len(kept) >= max(1, len(tokenizer.prefix_text or ""))
    return _Pair(cut_paragraphs(kept) if is_cut else [kept], continuations, is_cut, templated)


def _question(
    tokenizer: LocalTokenizer, pair: _Pair, found: dict[str, Ids], swallowed: bool
) -> Question:
    tail = pair.pieces[-1]
    before: list[int] = []
    begin = tokenizer.prefix_text
    begun = begin is not None and pair.pieces[0].startswith(begin)
    if pair.is_cut and tokenizer.added and not begun:
        before += tokenizer.added[0]
    for piece in pair.pieces[:-1]:
        before += found[piece]
    wholes = [found[end] for end in pair.ends()] if tail else []
    last = wholes[0] if tail else ()
    if pair.templated and tail:
        # A sentence piece takes the space before it, which is a part of the choice only then.
        last = _shared_beginning(wholes)
    before += last
    if not before:
        return _behind_prefix(tokenizer, "".join(pair.pieces), pair.continuations)
    choices = []
    for continuation in pair.continuations:
        ids = found[tail + continuation][len(last) :]
        if continuation and not ids and not swallowed:
            ids = tuple(tokenizer.encode_batch([continuation], special=False)[0])
        choices.append(ids)
    return Question(tuple(before), tuple(choices))


def _shared_beginning(wholes: Sequence[Ids]) -> Ids:
    """The tokens that all of them begin with."""
    shared = wholes[0]
    for ids in wholes[1:]:
        same = takewhile(lambda pair: pair[0] == pair[1], zip(shared, ids, strict=False))
        shared = tuple(one for one, _ in same)
    return shared


def _behind_prefix(
    tokenizer: LocalTokenizer, context: str, continuations: Sequence[str]
) -> Question:
    """BOS or EOS stands for a context without tokens; a continuation may bring its own."""
    prefix = tokenizer.prefix_token_id
    if prefix is None:
        raise ModelUnavailable(
            tr(
                "the tokenizer in {folder} has neither BOS nor EOS, so nothing can precede a "
                "text without context",
                folder=tokenizer.folder,
            ),
            hint=tr("name its eos_token in tokenizer_config.json"),
        )
    coded = tokenizer.encode_batch([context + each for each in continuations], special=False)
    choices = [tuple(ids[1:] if ids[:1] == [prefix] and len(ids) > 1 else ids) for ids in coded]
    return Question((prefix,), tuple(choices))


def encode_whole(tokenizer: LocalTokenizer, texts: Iterable[str]) -> Iterator[Sequence[int]]:
    """As lm-eval reads a text: what the tokenizer puts around it belongs to it."""
    begin = tokenizer.prefix_text
    kept, again = tee(texts)
    for text, ids in zip(kept, encode_texts(tokenizer, again), strict=True):
        if begin is not None and text.startswith(begin):
            yield ids
        elif tokenizer.added is None:
            yield tokenizer.encode_batch([text], special=True)[0]
        else:
            before, behind = tokenizer.added
            yield array("i", before) + ids + array("i", behind)


def encode_texts(tokenizer: LocalTokenizer, texts: Iterable[str]) -> Iterator[array[int]]:
    """In their order. Several short ones at a time; of long ones some portions."""
    for some in by_tokens(texts, len, PORTION * PORTIONS_PER_CALL):
        ids: list[array[int]] = [array("i") for _ in some]
        portions = (
            (number, portion)
            for number, text in enumerate(some)
            for portion in _portions(tokenizer, text)
        )
        while together := list(islice(portions, PORTIONS_PER_CALL)):
            coded = tokenizer.encode_batch([part for _, part in together], special=False)
            for (number, _), each in zip(together, coded, strict=True):
                ids[number].extend(each)
        yield from ids


def _portions(tokenizer: LocalTokenizer, text: str) -> Iterator[str]:
    if tokenizer.can_be_cut:
        yield from cut_portions(text, PORTION)
        return
    start = 0
    longest = tokenizer.longest_whole
    while len(text) - start > longest:
        at = text.rfind("\n", start, start + longest) + 1 or start + longest
        yield text[start:at]
        start = at
    yield text[start:]
    if start:
        tokenizer.notes.append(
            tr(
                "a text of {count} characters was encoded in parts of {part} each; at their "
                "beginnings its tokens may differ from those of the whole",
                count=len(text),
                part=longest,
            )
        )
