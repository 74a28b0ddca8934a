"""format and composite: does the answer have the asked-for shape?

In: a test, its check, an answer. Out: a Score with one part per rule (format) or per family
(composite).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

from assay.checks.text import score_keywords
from assay.messages import tr, trn
from assay.text.function_calls import find_function_call
from assay.text.json_in_prose import JsonFound, find_json
from assay.text.prose import (
    Markdown,
    count_characters,
    count_sentences,
    count_words,
    read_markdown,
)
from assay.types import LANGUAGES, Answered, Case, Composite, Format, Score, ScorePart

FORMAT = "format"
FORMAT_VERSION = 1
COMPOSITE = "composite"
COMPOSITE_VERSION = 1

_EWE = "ewe"


# ---------------------------------------------------------------------------------------- format


def format_rules(case: Case, check: Format, reply: Answered) -> Score:
    """Share of the stated rules that hold."""
    return score_format(check, reply.text)


def score_format(check: Format, answer: str) -> Score:
    """The same for any text; `composite` uses it too."""
    parts = tuple(_rules(check, answer))
    if not parts:
        raise ValueError("a format check without a rule checks nothing")
    held = [part for part in parts if part.value]
    broken = [part for part in parts if not part.value]
    explanation = trn(
        "{held} of {count} rule holds.", "{held} of {count} rules hold.", len(parts), held=len(held)
    )
    if broken:
        reasons = "; ".join(f"{part.name}: {part.explanation}" for part in broken)
        explanation += " " + tr("Broken: {reasons}.", reasons=reasons)
    return Score(
        scorer=FORMAT,
        version=FORMAT_VERSION,
        value=len(held) / len(parts),
        extracted=", ".join(part.name for part in held) or None,
        explanation=explanation,
        parts=parts,
    )


def _rules(check: Format, answer: str) -> Iterator[ScorePart]:
    """One part per stated rule, in the order of the documentation."""
    if check.contains_ewe is not None:
        yield _ewe_rule(check.contains_ewe, answer)
    if check.contains_function_call is not None:
        yield _call_rule(check.contains_function_call, answer)
    if check.json is not None:
        yield _json_rule(check.json, find_json(answer))
    yield from _count_rules(check, answer)
    text = unicodedata.normalize("NFC", answer.strip())
    if check.starts_with is not None:
        wanted = unicodedata.normalize("NFC", check.starts_with.lstrip())
        yield _part("starts_with", text.startswith(wanted), _begins(text, wanted))
    if check.ends_with is not None:
        wanted = unicodedata.normalize("NFC", check.ends_with.rstrip())
        yield _part("ends_with", text.endswith(wanted), _ends(text, wanted))
    if check.language is not None:
        yield _language_rule(check.language, answer)
    yield from _markdown_rules(check, answer)


def _part(name: str, holds: bool, explanation: str) -> ScorePart:
    return ScorePart(name=name, value=1.0 if holds else 0.0, explanation=explanation)


def _ewe_rule(wanted: bool, answer: str) -> ScorePart:
    from assay.checks.ewe.language import contains_ewe

    found = contains_ewe(answer)
    said = tr("Ewe was found") if found else tr("no Ewe was found")
    return _part("contains_ewe", found == wanted, said)


def _language_rule(wanted: str, answer: str) -> ScorePart:
    from assay.checks.ewe.language import identify

    reading = identify(answer)
    code = LANGUAGES.get(wanted, wanted)
    said = tr(
        "reads as {code} (confidence {confidence:.2f}), {wanted} is asked for",
        code=reading.code or tr("no known language"),
        confidence=reading.confidence,
        wanted=code,
    )
    return _part("language", reading.code == code, said)


def _call_rule(wanted: bool, answer: str) -> ScorePart:
    shape = find_function_call(answer)
    if shape is None:
        said = tr("no function call was found")
    else:
        shapes = {
            "tool_calls": tr('a function call was found, as "tool_calls"'),
            "tagged": tr("a function call was found, between tags"),
            "object": tr("a function call was found, as an object with a name and arguments"),
            "python": tr("a function call was found, written as in Python"),
        }
        said = shapes[shape]
    return _part("contains_function_call", (shape is not None) == wanted, said)


def _json_rule(wanted: bool, found: JsonFound) -> ScorePart:
    count = len(found.values)
    places = {
        "whole": tr("the whole answer is JSON"),
        "fence": tr("JSON stands in a fenced block"),
        "inside": tr("JSON stands inside the text"),
        "nowhere": tr("no JSON object or array can be read"),
    }
    said = [places[found.where]]
    if count > 1:
        said.append(tr("{count} values", count=count))
    if "nan" in found.oddities:
        said.append(tr("NaN and Infinity are not JSON"))
    if "repeated_key" in found.oddities:
        said.append(tr("a key is repeated, and its last value counts"))
    if "too_deep" in found.oddities:
        said.append(tr("it is nested too deeply"))
    return _part("json", (count > 0) == wanted, ", ".join(said))


def _count_rules(check: Format, answer: str) -> Iterator[ScorePart]:
    rules: tuple[tuple[str, int | None, bool, Callable[[str], int]], ...] = (
        ("min_length", check.min_length, True, count_characters),
        ("max_length", check.max_length, False, count_characters),
        ("min_words", check.min_words, True, count_words),
        ("max_words", check.max_words, False, count_words),
        ("max_sentences", check.max_sentences, False, count_sentences),
    )
    for name, limit, is_least, count_in in rules:
        if limit is None:
            continue
        count = count_in(answer)
        if is_least:
            said = tr("{count}, at least {limit} asked for", count=count, limit=limit)
        else:
            said = tr("{count}, at most {limit} asked for", count=count, limit=limit)
        yield _part(name, count >= limit if is_least else count <= limit, said)


def _begins(text: str, wanted: str) -> str:
    begin = text[: len(wanted)]
    return tr('begins with "{begin}", "{wanted}" asked for', begin=begin, wanted=wanted)


def _ends(text: str, wanted: str) -> str:
    end = text[-len(wanted) :] if wanted else ""
    return tr('ends with "{end}", "{wanted}" asked for', end=end, wanted=wanted)


def _markdown_rules(check: Format, answer: str) -> Iterator[ScorePart]:
    if check.list_item_count is None and not check.markdown_elements:
        return
    markdown: Markdown = read_markdown(answer)
    if check.list_item_count is not None:
        said = tr(
            "{count} list items, {wanted} asked for",
            count=markdown.list_items,
            wanted=check.list_item_count,
        )
        yield _part("list_item_count", markdown.list_items == check.list_item_count, said)
    for element in check.markdown_elements:
        holds = element in markdown.elements
        said = tr("found") if holds else tr("not found")
        yield _part(f"markdown {element}", holds, said)


# ------------------------------------------------------------------------------------- composite


def composite(case: Case, check: Composite, reply: Answered) -> Score:
    """Weighted mean of keywords, format and, where it applies, Ewe quality."""
    parts = _families(case, check, reply.text)
    weights = [check.weights.get(part.name, 1.0) for part in parts]
    total = sum(weights)
    if total <= 0:
        raise ValueError("the weights of the parts that apply add up to nothing")
    mean = sum(part.value * weight for part, weight in zip(parts, weights, strict=True)) / total
    return Score(
        scorer=COMPOSITE,
        version=COMPOSITE_VERSION,
        # The sum of parts can pass 1 by a rounding error.
        value=min(1.0, max(0.0, mean)),
        extracted=", ".join(f"{part.name} {part.value:.2f}" for part in parts),
        explanation=" ".join(
            tr(
                "{name} {value:.2f} (weight {weight:g}): {reasons}",
                name=part.name,
                value=part.value,
                weight=weight,
                reasons=part.explanation,
            )
            for part, weight in zip(parts, weights, strict=True)
        ),
        parts=tuple(parts),
    )


def _families(case: Case, check: Composite, answer: str) -> list[ScorePart]:
    parts = []
    if check.keywords is not None:
        parts.append(_family("keywords", score_keywords(check.keywords, answer)))
    if check.format is not None:
        parts.append(_family("format", score_format(check.format, answer)))
    if ewe_applies(case, check):
        from assay.checks.ewe.quality import quality_of

        value, explanation = quality_of(answer)
        parts.append(ScorePart(name="ewe_quality", value=value, explanation=explanation))
    return parts


def _family(name: str, score: Score) -> ScorePart:
    assert score.value is not None  # these two families always give a value
    return ScorePart(name=name, value=score.value, explanation=score.explanation)


def ewe_applies(case: Case, check: Composite) -> bool:
    """Whether the answer is meant to be Ewe: the test says so, or the suite and nothing against."""
    rules = check.format or Format()
    if rules.contains_ewe is not None:
        return rules.contains_ewe
    if rules.language is not None and LANGUAGES.get(rules.language, rules.language) != _EWE:
        return False
    return LANGUAGES.get(case.language or "") == _EWE
