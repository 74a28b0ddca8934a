"""How a tokenizer cuts the texts of a run, by language; short texts count with their source."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.stats import estimates
from assay.suites.held_out_text import HeldOut
from assay.types import LANGUAGES, Model, Suite, TokenizerFigures

MOST_TEXTS = 100  # of a source, spread over it; a figure of two digits needs no more
MOST_CHARACTERS = 5_000  # read for the language of a source
MOST_OF_EXAMPLE = 80


class SourceTexts(NamedTuple):
    source: str
    language: str
    texts: tuple[str, ...]


def texts_to_cut(suites: Sequence[Suite], held_out: HeldOut | None) -> tuple[SourceTexts, ...]:
    found: list[SourceTexts] = []
    if held_out is not None:
        lines = (line for each in held_out.documents for line in each.text.splitlines())
        found += _by_language("perplexity", list(lines), None)
    for suite in suites:
        prompts = [turn.content for case in suite.cases for turn in case.messages]
        found += _by_language(suite.name, prompts, suite.language)
    return tuple(found)


def _by_language(source: str, texts: Sequence[str], named: str | None) -> Iterator[SourceTexts]:
    from assay.checks.ewe.language import identify

    texts = [text.strip() for text in texts if text.strip()]
    texts = texts[:: max(1, len(texts) // MOST_TEXTS)][:MOST_TEXTS]
    whole = LANGUAGES.get(named, named) if named else None
    if whole is None:
        whole = identify(" ".join(texts)[:MOST_CHARACTERS]).code or ""
    groups: dict[str, list[str]] = {}
    for text in texts:
        own = None if named else identify(text[:MOST_CHARACTERS]).code
        groups.setdefault(own or whole, []).append(text)
    for language, group in sorted(groups.items()):
        yield SourceTexts(source, language, tuple(group))


def tokenizer_figures(model: Model, sources: Sequence[SourceTexts]) -> tuple[TokenizerFigures, ...]:
    """Nothing of a model that shows no tokens."""
    count = getattr(model, "count_tokens", None)
    return tuple(_figures(each, count(each.texts)) for each in sources) if count else ()


def _figures(of: SourceTexts, counts: Sequence[tuple[int, int, bool]]) -> TokenizerFigures:
    """`counts`: tokens of each text, those of parts of characters, and whether it comes back."""
    tokens, byte_tokens, comes_back = zip(*counts, strict=True)
    changed = [text for text, same in zip(of.texts, comes_back, strict=True) if not same]
    return TokenizerFigures(
        source=of.source,
        language=of.language,
        tokens_per_word=estimates.ratio(
            tokens, [len(text.split()) for text in of.texts], unit="tokens/word"
        ),
        byte_tokens=estimates.proportion(sum(byte_tokens), sum(tokens)),
        changed_texts=estimates.proportion(len(changed), len(counts)),
        example=changed[0][:MOST_OF_EXAMPLE] if changed else "",
    )
