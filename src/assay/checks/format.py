"""format: the share of the stated rules on the shape of an answer that hold."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from assay.files.fields import Count, Doc, Mistake, OneOf, PositiveCount, Rule, Text
from assay.messages import joined, labelled, tr, trn
from assay.plugins import check
from assay.text.dressing import undress
from assay.text.json_in_prose import find_function_call, find_json, read_scalar
from assay.text.json_schema import BadSchema, find_breach, refuse_bad_schema
from assay.text.prose import count_characters, count_sentences, count_words, read_markdown
from assay.types import LANGUAGES, AnswerCheck, Case, Context, FieldProblem, Score, ScorePart
from assay.types.conversations import conversation_text

MARKDOWN_ELEMENTS = (
    "header", "list", "bold", "italic", "code", "code_block", "table", "link", "quote",
)  # fmt: skip
LETTERS_TO_RECOGNISE = 20  # an answer that fits no language; a shorter one may fit several
_LEAST = ("min_length", "min_words")
_COUNTED: Mapping[str, Callable[[str], int]] = {
    "min_length": count_characters,
    "max_length": count_characters,
    "min_words": count_words,
    "max_words": count_words,
    "max_sentences": count_sentences,
}
_OPENERS = "\"'“„«‘"
_LIMITS = (("min_length", "max_length"), ("min_words", "max_words"))


def sound_schema(schema: str | dict[str, Any]) -> dict[str, Any]:
    """A schema in a file beside the tests is read before; see suites/test_format/case.py."""
    if isinstance(schema, str):
        raise Mistake(tr("a schema in a file can only be named by a test in a file"))
    try:
        refuse_bad_schema(schema)
    except BadSchema as wrong:
        raise Mistake(tr("this is not a valid JSON Schema: {why}", why=wrong), wrong.at) from wrong
    return schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules on the shape of an answer. None means: not asked for."""

    contains_ewe: Annotated[bool | None, Doc("The answer is in Ewe; false: it is not.")] = None
    contains_function_call: Annotated[
        bool | None, Doc("The answer contains a function call; false: it contains none.")
    ] = None
    json: Annotated[bool | None, Doc("The answer contains JSON; false: it contains none.")] = None
    min_length: Annotated[Count | None, Doc("The least number of characters.")] = None
    max_length: Annotated[PositiveCount | None, Doc("The greatest number of characters.")] = None
    min_words: Annotated[Count | None, Doc("The least number of words.")] = None
    max_words: Annotated[PositiveCount | None, Doc("The greatest number of words.")] = None
    max_sentences: Annotated[PositiveCount | None, Doc("The greatest number of sentences.")] = None
    list_item_count: Annotated[Count | None, Doc("The exact number of list items.")] = None
    starts_with: Annotated[Text | None, Doc("The text at the start of the answer.")] = None
    ends_with: Annotated[Text | None, Doc("The text at the end of the answer.")] = None
    language: Annotated[
        Annotated[str, OneOf(tuple(LANGUAGES))] | None, Doc("The language of the answer.")
    ] = None
    markdown_elements: Annotated[
        tuple[Annotated[str, OneOf(MARKDOWN_ELEMENTS)], ...],
        Rule(lambda elements: tuple(dict.fromkeys(elements))),
        Doc("Elements of Markdown that the answer must use; each is a rule."),
    ] = ()
    json_schema: Annotated[
        Annotated[dict[str, Any], Rule(sound_schema, of=Text | dict[str, Any])] | None,
        Doc("The JSON Schema that the JSON of the answer meets, or a file beside the tests."),
    ] = None

    @property
    def can_fail(self) -> bool:
        """Whether some answer can break a rule: a least length of 0 and an empty list are none."""
        for name in self.__slots__:
            value = getattr(self, name)
            if value not in (None, ()) and (value or name not in _LEAST):
                return True
        return False

    def problems(self) -> Iterator[FieldProblem]:
        for least, most in _LIMITS:
            low, high = getattr(self, least), getattr(self, most)
            if low is not None and high is not None and low > high:
                message = tr(
                    "'{least}' ({low}) is above '{most}' ({high})",
                    least=least, low=low, most=most, high=high,
                )  # fmt: skip
                yield FieldProblem(("expected_format", least), message)
        if self.json is False and self.json_schema is not None:
            message = tr("'json' asks for no JSON, and 'json_schema' for some")
            yield FieldProblem(("expected_format", "json"), message)


ExpectedFormat = Annotated[Rules, Doc("Rules on the shape of the answer.")]


@check("format")
class Format(AnswerCheck):
    """The share of the stated rules that hold."""

    version = 9
    expected_format: ExpectedFormat

    def score(self, answer: str, context: Context | None = None, /) -> Score:
        parts = tuple(_rules(self.expected_format, answer, context))
        names = {part.name for part in parts}
        open_rule = ""
        if self.expected_format.language is not None and "language" not in names:
            open_rule = tr("The answer is too short to recognise its language.")
        if not parts and open_rule:
            return Score(unscored_reason="too_short", explanation=open_rule)
        if not parts:
            raise ValueError("a format check without a rule checks nothing")
        held = [part for part in parts if part.value]
        broken = [part for part in parts if not part.value]
        explanation = trn(
            "{held} of {count} rule passes.",
            "{held} of {count} rules pass.",
            len(parts),
            held=len(held),
        )
        if broken:
            reasons = joined(labelled(part.name, part.explanation) for part in broken)
            explanation += " " + tr("Broken: {reasons}.", reasons=reasons)
        if open_rule:
            explanation += f" {open_rule}"
        return Score(
            value=len(held) / len(parts),
            extracted=", ".join(part.name for part in held) or None,
            explanation=explanation,
            parts=parts,
        )

    def problems(self, test: Case, /) -> Iterator[FieldProblem]:
        yield from self.expected_format.problems()
        if not self.expected_format.can_fail:
            message = tr("the test checks nothing; 'expected_format' needs a rule that can fail")
            yield FieldProblem(("expected_format",), message)


def _rules(asked: Rules, answer: str, context: Context | None) -> Iterator[ScorePart]:
    """One part per stated rule, in the order of the documentation."""
    if asked.contains_ewe is not None:
        yield _ewe_rule(asked.contains_ewe, answer)
    if asked.contains_function_call is not None:
        question = conversation_text(context.test.turns(None)) if context else ""
        yield _call_rule(asked.contains_function_call, answer, question)
    if asked.json is not None:
        yield _json_rule(asked.json, answer)
    if asked.json_schema is not None:
        yield _schema_rule(asked.json_schema, answer)
    yield from _count_rules(asked, answer)
    if asked.starts_with is not None or asked.ends_with is not None:
        yield from _edge_rules(asked, unicodedata.normalize("NFC", answer.strip()))
    if asked.language is not None:
        yield from _language_rule(asked.language, answer)
    yield from _markdown_rules(asked, answer)


def _edge_rules(asked: Rules, text: str) -> Iterator[ScorePart]:
    """Of the text as it is, or of its words without dressing and the stop at the end."""
    plain = undress(text)
    if asked.starts_with is not None:
        wanted = unicodedata.normalize("NFC", asked.starts_with.lstrip())
        begin = text[: len(wanted)]
        said = tr('begins with "{begin}", "{wanted}" asked for', begin=begin, wanted=wanted)
        begins = (begin, plain[: len(wanted)], plain.lstrip(_OPENERS)[: len(wanted)])
        held = wanted.casefold() in map(str.casefold, begins)
        yield _part("starts_with", held, said)
    if asked.ends_with is not None:
        wanted = unicodedata.normalize("NFC", asked.ends_with.rstrip())
        end = text[-len(wanted) :]
        said = tr('ends with "{end}", "{wanted}" asked for', end=end, wanted=wanted)
        ends = (text.casefold(), plain.casefold().rstrip(" .!…\"'»”)"))
        yield _part("ends_with", any(each.endswith(wanted.casefold()) for each in ends), said)


def _part(name: str, holds: bool, explanation: str) -> ScorePart:
    return ScorePart(name=name, value=1.0 if holds else 0.0, explanation=explanation)


def _ewe_rule(wanted: bool, answer: str) -> ScorePart:
    from assay.checks.ewe.language import contains_ewe

    found = contains_ewe(answer)
    said = tr("Ewe was found") if found else tr("no Ewe was found")
    return _part("contains_ewe", found == wanted, said)


def _language_rule(wanted: str, answer: str) -> Iterator[ScorePart]:
    """Nothing where a short answer could be in several languages: a guess would be no score."""
    from assay.checks.ewe.language import identify, sentences

    reading = identify(answer)
    code = LANGUAGES.get(wanted, wanted)
    if reading.code is None:
        letters = sum(map(str.isalpha, "".join(sentences(answer))))
        if 0 < letters < LETTERS_TO_RECOGNISE:
            return
    said = tr(
        "reads as {code} (confidence {confidence:.2f}), {wanted} is asked for",
        code=reading.code or tr("no known language"),
        confidence=reading.confidence,
        wanted=code,
    )
    yield _part("language", reading.code == code, said)


def _call_rule(wanted: bool, answer: str, question: str) -> ScorePart:
    shape = find_function_call(answer, question)
    if shape is None:
        said = tr("no function call was found")
    else:
        said = tr("a function call was found ({shape})", shape=shape)
    return _part("contains_function_call", (shape is not None) == wanted, said)


def _json_rule(wanted: bool, answer: str) -> ScorePart:
    values, found = find_json(answer)
    said = [tr("JSON was found") if values else tr("no JSON object or array can be read")]
    oddities = {
        "nan": tr("NaN and Infinity are not JSON"),
        "repeated_key": tr("a key is repeated, and its last value counts"),
        "too_deep": tr("it is nested too deeply"),
    }
    said += [sentence for name, sentence in oddities.items() if name in found]
    return _part("json", bool(values) == wanted, ", ".join(said))


def _schema_rule(schema: Mapping[str, Any], answer: str) -> ScorePart:
    """All the JSON of an answer meets the schema: a program could not know which part is meant."""
    values = find_json(answer)[0] or read_scalar(answer)
    breaches = [find_breach(schema, value) for value in values]
    said = tr("it meets the schema") if values else tr("no JSON can be read")
    for number, breach in enumerate(breaches, start=1):
        if breach:
            of = tr("JSON {number} of {count}: ", number=number, count=len(values))
            said = (of if len(values) > 1 else "") + breach
            break
    return _part("json_schema", bool(values) and not any(breaches), said)


def _count_rules(asked: Rules, answer: str) -> Iterator[ScorePart]:
    for name, count_in in _COUNTED.items():
        limit = getattr(asked, name)
        if limit is None:
            continue
        count = count_in(answer)
        if name in _LEAST:
            said = tr("{count}, at least {limit} asked for", count=count, limit=limit)
            yield _part(name, count >= limit, said)
        else:
            said = tr("{count}, at most {limit} asked for", count=count, limit=limit)
            yield _part(name, count <= limit, said)


def _markdown_rules(asked: Rules, answer: str) -> Iterator[ScorePart]:
    if asked.list_item_count is None and not asked.markdown_elements:
        return
    markdown = read_markdown(answer)
    if asked.list_item_count is not None:
        said = tr(
            "{count} list items, {wanted} asked for",
            count=markdown.list_items,
            wanted=asked.list_item_count,
        )
        yield _part("list_item_count", asked.list_item_count in markdown.counts, said)
    for element in asked.markdown_elements:
        holds = element in markdown.elements
        said = tr("found") if holds else tr("not found")
        yield _part(f"markdown {element}", holds, said)
