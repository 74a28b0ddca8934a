"""The suites there are; of one its tests, and its card: methods, sources, baselines."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from assay.messages import joined, tr, trn
from assay.reports import sentences
from assay.reports.json_values import JsonObject, pick, plain_value
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Suite, documents
from assay.types.documents import Block, Document, Heading, Line, Paragraph, Span, facts, table
from assay.types.results import CategoryCard, SuiteCard

MOST_TAGS = 24
MOST_SOURCES = 20
LONGEST_QUESTION = 160


def suites_document(suites: Sequence[Suite]) -> Document:
    heads = (tr("suite"), tr("title"), tr("categories"), tr("tests"))
    rows = (
        (
            suite.name,
            suite.title,
            ", ".join(category.name for category in suite.categories),
            str(sum(len(category.cases) for category in suite.categories)),
        )
        for suite in suites
    )
    hint = documents.Hint(
        tr("show one with `assay suites NAME`; a folder of your own is a suite too")
    )
    return Document(title=tr("Suites"), blocks=(table(heads, rows, right=(3,)), hint))


def _rows(suite: Suite) -> Iterator[tuple[Line, ...]]:
    for category in suite.categories:
        methods = Counter(case.method for case in category.cases)
        counted = ", ".join(f"{method} {count}" for method, count in methods.items())
        weight = tr("weight {weight}", weight=numbers.exact(suite.weight(category.name)))
        yield Span(category.name, "strong"), Span(counted, "dim"), Span(weight, "dim")
        for case in category.cases:
            yield case.id, case.method, case.prompt


def card_document(card: SuiteCard, *, whole: bool = False) -> Document:
    """`whole`: with every test after it."""
    heads = (tr("test"), tr("scored by"), tr("question"))
    tests = (Heading(tr("Every test")), table(heads, _rows(card.suite))) if whole else ()
    return Document(title=card.suite.title or card.suite.name, blocks=(*_blocks(card), *tests))


def _blocks(card: SuiteCard) -> Iterator[Block]:
    suite = card.suite
    yield Heading(": ".join(filter(None, (suite.name, suite.title))), 1)
    version = tr("version {version}", version=suite.version) if suite.version else ""
    yield Paragraph(". ".join(filter(None, (_tests_and_examples(card), version))) + ".")
    yield facts(_in_brief(card))
    yield documents.bullets(
        tr("{category} is not what ships but {file}", category=category, file=file)
        for category, file in suite.elsewhere.items()
    )
    for category in card.categories:
        yield Heading(category.name)
        weight = tr("weight {weight}", weight=numbers.exact(category.weight))
        yield Paragraph(trn("{count} test", "{count} tests", category.tests) + f", {weight}.")
        yield facts(_made_of(category))
    yield Heading(tr("Baselines"))
    yield documents.Figures(tuple(sentences.guesses_and_oracle(card.baselines)))
    yield Heading(tr("Facts and their sources"))
    if card.sources:
        rows = ((name, numbers.count(count)) for name, count in _sources(card))
        yield table((tr("source"), tr("facts")), rows, right=(1,))
    else:
        yield Paragraph(tr("There is no sources.tsv beside the tests."))
    yield Paragraph(_repeated(card))


def _in_brief(card: SuiteCard) -> Iterator[tuple[str, str]]:
    suite = card.suite
    total = sum(each.tests for each in card.categories)
    asked = next(suite.cases, None)
    if asked is not None:
        yield tr("asks, for example"), one_line(asked.question, longest=LONGEST_QUESTION)
    yield tr("tests"), ", ".join(f"{each.name} {each.tests}" for each in card.categories)
    scores = [each for each in sentences.baselines(card.baselines) if each[1].n]
    if scores:
        answer, score = max(scores, key=lambda each: each[1].value or 0.0)
        yield tr("guessing scores"), f"{numbers.figure(score)} ({answer})"
    yield tr("licence"), card.licence or tr("not stated")
    yield tr("reviewed by a person"), sentences.reviewed_tests(suite.reviewed, total)
    scoring = {"mark": numbers.exact(suite.pass_mark), "scoring": suite.scoring}
    yield tr("pass mark"), tr("{mark}, scoring {scoring}", **scoring)


def card_json(card: SuiteCard) -> JsonObject:
    return {
        "suite": card.suite.name,
        **pick(card.suite, "title version pass_mark shots reviewed"),
        "licence": card.licence or None,
        **pick(card, "sources repeated"),
        **pick(card.suite, "elsewhere"),
        "categories": {each.name: _category_json(each) for each in card.categories},
        "baselines": plain_value(dict(sentences.guesses_and_oracle(card.baselines))),
        "exit_code": 0,
    }


def _category_json(category: CategoryCard) -> JsonObject:
    words = dict(zip(("fewest", "median", "most"), category.words, strict=True))
    return {**pick(category, "tests examples weight methods letters tags"), "words": words}


def suites_json(suites: Sequence[Suite]) -> JsonObject:
    rows = [
        {
            "suite": suite.name,
            **pick(suite, "title version path elsewhere"),
            "categories": {each.name: len(each.cases) for each in suite.categories},
        }
        for suite in suites
    ]
    return {"suites": rows, "exit_code": 0}


def _tests_and_examples(card: SuiteCard) -> str:
    """400 tests; 40 worked examples kept apart, 3 shown before each question."""
    tests = trn("{count} test", "{count} tests", sum(each.tests for each in card.categories))
    examples = sum(each.examples for each in card.categories)
    if not examples:
        return tests
    kept = tr("{examples} worked examples kept apart, {shots} shown before each question",
              examples=examples, shots=card.suite.shots)  # fmt: skip
    return joined((tests, kept))


def _made_of(category: CategoryCard) -> Iterator[tuple[str, str]]:
    yield tr("scored by"), _counts(category.methods)
    fewest, median, most = category.words
    words = tr("{fewest} to {most}, median {median}", fewest=fewest, most=most, median=median)
    yield tr("words of a prompt"), words
    if category.letters:
        yield tr("right options"), _counts(category.letters)
    if category.tags:
        yield tr("tags"), _counts(category.tags, most=MOST_TAGS)


def _sources(card: SuiteCard) -> Iterator[tuple[str, int]]:
    counted = [*card.sources.items()]
    yield from counted[:MOST_SOURCES]
    rest = counted[MOST_SOURCES:]
    if rest:
        others = trn("{count} other source", "{count} other sources", len(rest))
        yield others, sum(count for _, count in rest)


def _repeated(card: SuiteCard) -> str:
    if not card.repeated:
        return tr("No two tests ask the same.")
    ids = ", ".join(card.repeated[:MOST_TAGS])
    return tr(
        "Tests that ask what another asks: {count} ({ids})", count=len(card.repeated), ids=ids
    )


def _counts(of: Mapping[str, int], *, most: int | None = None) -> str:
    shown = [f"{name} {numbers.count(count)}" for name, count in of.items()]
    if most is not None and len(shown) > most:
        left = len(shown) - most
        shown = [*shown[:most], trn("and {count} more", "and {count} more", left)]
    return ", ".join(shown)
