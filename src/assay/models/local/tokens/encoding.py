"""Texts as token ids, by lm-evaluation-harness's rules.

    prompts   the tokenizer's own special tokens, unless the text begins with its BOS already
    pairs     white space at the end of a context belongs to the continuation; both are encoded as
              one text, and the continuation is what lies behind as many tokens as the context has
              alone. Where a token spans the joint that is not what was written: `merged`
    texts     no special tokens; who reads them adds the prefix once

Where the tokenizer allows it (`cuts`), texts are put together from pieces that are encoded once.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import NamedTuple

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.tokens.cuts import Cuts
from assay.models.local.tokens.encoding_cache import CHECKED, Ids, Remembered, joined, remembered
from assay.models.local.tokens.tokenizer import LocalTokenizer
from assay.models.plain_text import as_text, joint
from assay.pause_gc import pause_gc
from assay.types import Message

PORTION = 16_000  # characters of a long text that are encoded together
PORTIONS_PER_CALL = 64
# A tokenizer without clean cuts takes about 100 bytes for each character of a text.
LONGEST_WHOLE = 4_000_000


@dataclass(frozen=True, slots=True)
class EncodedQuestion:
    """A context of at least one token, and its choices. `merged`: whether a token of the whole
    text spans the joint, so that context and choice are not how the whole would be encoded. A
    choice without text has no tokens.
    """

    context: Ids
    choices: tuple[Ids, ...]
    merged: tuple[bool, ...]


class _Pair(NamedTuple):
    context: str
    continuations: list[str]


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


def encode_prompts(tokenizer: LocalTokenizer, texts: Sequence[str]) -> list[list[int]]:
    """Prompts to be continued. Each text decides for itself whether it needs a BOS."""
    with remembered(tokenizer) as memory:
        found = _prompts(memory, tokenizer, texts)
    return [list(found[text]) for text in texts]


def encode_pairs(
    tokenizer: LocalTokenizer, pairs: Sequence[tuple[str, Sequence[str]]]
) -> list[EncodedQuestion]:
    questions = [_with_white_space_moved(*pair) for pair in pairs]
    with remembered(tokenizer) as memory, pause_gc():
        coded = _pairs_by_pieces(memory, tokenizer, questions)
        return _pairs_by_wholes(memory, tokenizer, questions) if coded is None else coded


def encode_texts(tokenizer: LocalTokenizer, texts: Iterable[str]) -> Iterator[array[int]]:
    """Texts of any length, without special tokens, in their order. Short ones are encoded several
    at a time, so that every core has some.
    """
    from assay.engine.layout.batches import by_tokens

    for some in by_tokens(texts, len, PORTION * PORTIONS_PER_CALL):
        yield from _texts(tokenizer, some)


def notes(tokenizer: LocalTokenizer) -> tuple[str, ...]:
    with remembered(tokenizer) as memory:
        return (*tokenizer.notes, *memory.notes)


def _with_white_space_moved(context: str, choices: Sequence[str]) -> _Pair:
    kept = context.rstrip()
    moved = context[len(kept) :]
    return _Pair(kept, [moved + choice for choice in choices])


def _prompts(
    memory: Remembered, tokenizer: LocalTokenizer, texts: Iterable[str]
) -> dict[str, Sequence[int]]:
    distinct = dict.fromkeys(texts)
    begin = tokenizer.prefix_text
    begun = {text for text in distinct if begin is not None and text.startswith(begin)}
    if memory.cuts is not None and tokenizer.added is not None:
        cut = {text: memory.cuts.pieces(text) for text in distinct}
        parts = list(cut.values())
        coded = memory.pieces(tokenizer, chain.from_iterable(parts), parts)
        if coded is not None:
            before = tokenizer.added[0]
            return {
                text: joined(() if text in begun else before, cut[text], coded) for text in distinct
            }
    return {
        **memory.tokens(tokenizer, (text for text in distinct if text in begun), special=False),
        **memory.tokens(tokenizer, (text for text in distinct if text not in begun), special=True),
    }


def _pairs_by_wholes(
    memory: Remembered, tokenizer: LocalTokenizer, pairs: Sequence[_Pair]
) -> list[EncodedQuestion]:
    """The rule as it is written: every context, and every context with each continuation."""
    texts = [pair.context for pair in pairs if pair.context]
    texts += [pair.context + each for pair in pairs if pair.context for each in pair.continuations]
    found = _prompts(memory, tokenizer, texts)
    coded: list[EncodedQuestion] = []
    for pair in pairs:
        before = found[pair.context] if pair.context else ()
        if before:
            choices = [
                _behind(memory, tokenizer, before, found[pair.context + each], each)
                for each in pair.continuations
            ]
            coded.append(_question(before, choices))
        else:
            coded.append(_behind_prefix(memory, tokenizer, pair))
    return coded


def _question(context: Sequence[int], choices: Sequence[tuple[Ids, bool]]) -> EncodedQuestion:
    return EncodedQuestion(
        tuple(context), tuple([ids for ids, _ in choices]), tuple([flag for _, flag in choices])
    )


def _behind(
    memory: Remembered,
    tokenizer: LocalTokenizer,
    before: Sequence[int],
    whole: Sequence[int],
    continuation: str,
) -> tuple[Ids, bool]:
    """The tokens of a continuation, and whether one of them began before it."""
    if not continuation:
        return (), False
    ids = tuple(whole[len(before) :])
    merged = list(whole[: len(before)]) != list(before)
    if not ids:  # swallowed: lm-eval stops here
        ids = memory.tokens(tokenizer, [continuation], special=False)[continuation]
        merged = True
    return ids, merged


def _behind_prefix(memory: Remembered, tokenizer: LocalTokenizer, pair: _Pair) -> EncodedQuestion:
    """Where a context has no tokens, the BOS stands for it, or the EOS; a continuation that begins
    with it gives its own, unless it has no other token.
    """
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
    texts = [pair.context + each for each in pair.continuations]
    found = memory.tokens(tokenizer, texts, special=False)
    choices = [found[text] for text in texts]
    return _question(
        (prefix,),
        [(ids[1:] if ids[:1] == (prefix,) and len(ids) > 1 else ids, False) for ids in choices],
    )


class _Layout(NamedTuple):
    """A context in pieces, and for each continuation what is encoded for it: the continuation
    where the joint is clean, else the context's last piece with the continuation behind it.
    """

    context: list[str]
    ends: list[str]
    clean: list[bool]

    def longest_text(self) -> list[str]:
        if not self.ends:
            return self.context
        return [*(self.context if self.clean[0] else self.context[:-1]), self.ends[0]]


def _lay_out(cuts: Cuts, pair: _Pair) -> _Layout:
    pieces = cuts.pieces(pair.context)
    clean = [cuts.clean_between(pair.context, each) for each in pair.continuations]
    if all(clean):
        return _Layout(pieces, pair.continuations, clean)
    pieces = [*pieces[:-1], *cuts.last_word_apart(pieces[-1])]
    ends = [
        each if apart else pieces[-1] + each
        for each, apart in zip(pair.continuations, clean, strict=True)
    ]
    return _Layout(pieces, ends, clean)


def _pairs_by_pieces(
    memory: Remembered, tokenizer: LocalTokenizer, pairs: Sequence[_Pair]
) -> list[EncodedQuestion] | None:
    """The same as by wholes; None where texts cannot be cut."""
    cuts, added, begin = memory.cuts, tokenizer.added, tokenizer.prefix_text or ""
    if cuts is None or added is None:
        return None
    # A context shorter than the BOS may make one with its continuation, an empty one is no text.
    least = max(1, len(begin))
    layouts = [_lay_out(cuts, pair) if len(pair.context) >= least else None for pair in pairs]
    laid = [each for each in layouts if each is not None]
    pieces = chain.from_iterable(chain(each.context, each.ends) for each in laid)
    found = memory.pieces(tokenizer, pieces, [each.longest_text() for each in laid])
    if found is None:
        return None
    short = [pair for pair, each in zip(pairs, layouts, strict=True) if each is None]
    others = iter(_pairs_by_wholes(memory, tokenizer, short))
    coded: list[EncodedQuestion] = []
    for pair, layout in zip(pairs, layouts, strict=True):
        if layout is None:
            coded.append(next(others))
            continue
        begun = bool(begin) and pair.context.startswith(begin)
        before = joined(() if begun else added[0], layout.context, found)
        if not before:
            coded.append(_behind_prefix(memory, tokenizer, pair))
            continue
        tail = found[layout.context[-1]]
        choices = [
            (found[end], False) if clean else _behind(memory, tokenizer, tail, found[end], each)
            for end, clean, each in zip(layout.ends, layout.clean, pair.continuations, strict=True)
        ]
        coded.append(_question(before, choices))
    return coded


def _texts(tokenizer: LocalTokenizer, texts: Sequence[str]) -> list[array[int]]:
    """Those that are not remembered are encoded together."""
    digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
    with remembered(tokenizer) as memory:
        kept = memory.long_texts
        found = {digest: kept[digest] for digest in digests if digest in kept}
        new = {
            digest: text for digest, text in zip(digests, texts, strict=True) if digest not in found
        }
        for digest, ids in zip(new, _by_portions(memory, tokenizer, [*new.values()]), strict=True):
            found[digest] = ids
            memory.keep_long_text(digest, ids)
    return [found[digest] for digest in digests]


def _by_portions(
    memory: Remembered, tokenizer: LocalTokenizer, texts: Sequence[str]
) -> list[array[int]]:
    """As many portions at a time as fit in little memory; of some texts two neighbours are encoded
    together as well, and compared.
    """
    if memory.cuts is None:
        return [_uncut(memory, tokenizer, text) for text in texts]
    cuts = memory.cuts
    ids: list[array[int]] = [array("i") for _ in texts]
    portions = (
        (number, portion)
        for number, text in enumerate(texts)
        for portion in cuts.portions(text, PORTION)
    )
    calls = 0
    while some := list(islice(portions, PORTIONS_PER_CALL)):
        checked = _neighbours(some) if calls < CHECKED else []
        parts = [part for _, part in some]
        pairs = [parts[at] + parts[at + 1] for at in checked]
        coded = tokenizer.encode_batch(parts + pairs, special=False)
        for at, whole in zip(checked, coded[len(parts) :], strict=True):
            if coded[at] + coded[at + 1] != whole:
                memory.give_up_cuts(tokenizer)
                return [_uncut(memory, tokenizer, text) for text in texts]
        for (number, _), each in zip(some, coded, strict=False):
            ids[number].extend(each)
        calls += 1
    return ids


def _neighbours(portions: Sequence[tuple[int, str]]) -> list[int]:
    """Of each text with two portions here where its first one is; not of too many texts."""
    first: dict[int, int] = {}
    for at, ((one, _), (other, _)) in enumerate(pairwise(portions)):
        if one == other:
            first.setdefault(one, at)
    return list(first.values())[:CHECKED]


def _uncut(memory: Remembered, tokenizer: LocalTokenizer, text: str) -> array[int]:
    ids: array[int] = array("i")
    for part in _lines_of(text, LONGEST_WHOLE):
        ids.extend(tokenizer.encode_batch([part], special=False)[0])
    if len(text) > LONGEST_WHOLE:
        memory.notes.append(
            tr(
                "a text of {count} characters was encoded in parts of {part} each; at their "
                "beginnings its tokens may differ from those of the whole",
                count=len(text),
                part=LONGEST_WHOLE,
            )
        )
    return ids


def _lines_of(text: str, size: int) -> Iterator[str]:
    """Parts of at most that many characters, cut behind newlines where there are any."""
    start = 0
    while len(text) - start > size:
        at = text.rfind("\n", start, start + size) + 1 or start + size
        yield text[start:at]
        start = at
    yield text[start:]
