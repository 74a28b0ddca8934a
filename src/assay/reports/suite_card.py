"""A suite's card: what it is made of, where its facts come from, what guessing would get.

In: a SuiteCard. Out: lines for a terminal, Markdown, or a JSON document. Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console

from assay.messages import tr, trn
from assay.reports import as_json, markdown, sentences, terminal
from assay.text import number_format as numbers
from assay.text.safe_text import markdown_inline as inline
from assay.types import Estimate, Suite
from assay.types.results import CategoryCard, SuiteCard

MOST_TAGS = 24
MOST_SOURCES = 20


def as_markdown(card: SuiteCard) -> str:
    """A page."""
    return markdown.joined(_page(card))


def on_terminal(card: SuiteCard, console: Console) -> None:
    """The same as lines."""
    console.print()
    terminal.line(console, tests_and_examples(card), style="bold")
    for replaced in instead(card):
        terminal.line(console, replaced)
    for category in card.categories:
        console.print()
        weight = tr("weight {weight}", weight=f"{category.weight:g}")
        tests = trn("{count} test", "{count} tests", category.tests)
        terminal.line(console, f"{category.name}: {tests}, {weight}", style="bold")
        for name, counted in made_of(category):
            terminal.line(console, f"{name}: {counted}")
    console.print()
    terminal.line(console, tr("What answers that know nothing would score"), style="bold")
    console.print(terminal.figures(console, sentences.baselines(card.baselines)))
    if card.guesses:
        console.print()
        terminal.line(console, tr("What guessing among the options gets right"), style="bold")
        console.print(terminal.figures(console, guessing(card)))
        terminal.line_if_any(console, against_chance(card))
    if card.sources:
        console.print()
        terminal.line(console, tr("Facts and their sources"), style="bold")
        for source, count in sources(card):
            terminal.line(console, f"{source}: {numbers.count(count)}")
    console.print()
    terminal.line(console, repeated(card))


def as_document(card: SuiteCard) -> as_json.Document:
    """Every figure."""
    return {
        "suite": card.suite,
        "title": card.title,
        "version": card.version,
        "pass_mark": card.pass_mark,
        "shots": card.shots,
        "categories": {each.name: _category_document(each) for each in card.categories},
        "baselines": {
            name: as_json.estimate(each) for name, each in sentences.baselines(card.baselines)
        },
        "guesses": {name: as_json.estimate(each) for name, each in card.guesses.items()},
        "chance": card.chance,
        "sources": dict(card.sources),
        "repeated": list(card.repeated),
        "elsewhere": dict(card.elsewhere),
        "exit_code": 0,
    }


def list_as_document(suites: Sequence[Suite]) -> as_json.Document:
    """What ships and what was fetched, without its tests."""
    return {
        "suites": [
            {
                "suite": suite.name,
                "title": suite.title,
                "version": suite.version,
                "path": suite.path,
                "categories": {each.name: len(each.cases) for each in suite.categories},
                "elsewhere": dict(suite.elsewhere),
            }
            for suite in suites
        ],
        "exit_code": 0,
    }


def tests_and_examples(card: SuiteCard) -> str:
    """400 tests in 4 categories; 40 worked examples, of which 3 are shown."""
    tests = sum(each.tests for each in card.categories)
    examples = sum(each.examples for each in card.categories)
    said = trn("{count} test", "{count} tests", tests)
    if examples:
        return tr(
            "{tests}; {examples} worked examples kept apart, {shots} shown before each question",
            tests=said,
            examples=examples,
            shots=card.shots,
        )
    return said


def instead(card: SuiteCard) -> Iterator[str]:
    """The files that took the place of categories."""
    for category, file in card.elsewhere.items():
        yield tr("{category} is not what ships but {file}", category=category, file=file)


def made_of(category: CategoryCard) -> Iterator[tuple[str, str]]:
    """What is counted in a category, named."""
    yield tr("marked by"), counts(category.methods)
    fewest, median, most = category.words
    words = tr("{fewest} to {most}, median {median}", fewest=fewest, most=most, median=median)
    yield tr("words of a prompt"), words
    if category.letters:
        yield tr("right options"), counts(category.letters)
    if category.tags:
        yield tr("tags"), counts(category.tags, most=MOST_TAGS)


def guessing(card: SuiteCard) -> Iterator[tuple[str, Estimate]]:
    """Ways of guessing with what each gets right, as shares."""
    yield from card.guesses.items()


def sources(card: SuiteCard) -> Iterator[tuple[str, int]]:
    """Sources with the facts each gave; the many that gave few are put together."""
    counted = [*card.sources.items()]
    yield from counted[:MOST_SOURCES]
    rest = counted[MOST_SOURCES:]
    if rest:
        others = trn("{count} other source", "{count} other sources", len(rest))
        yield others, sum(count for _, count in rest)


def against_chance(card: SuiteCard) -> str | None:
    """What the guesses are to be held against."""
    if card.chance is None:
        return None
    return tr("Blind guessing gets {chance:.3f} right.", chance=card.chance)


def repeated(card: SuiteCard) -> str:
    """Whether two tests ask the same."""
    if not card.repeated:
        return tr("No two tests ask the same.")
    return trn(
        "{count} test asks what another asks: {ids}",
        "{count} tests ask what another asks: {ids}",
        len(card.repeated),
        ids=", ".join(card.repeated[:MOST_TAGS]),
    )


def counts(of: Mapping[str, int], *, most: int | None = None) -> str:
    """Names with their counts: ethernet 14, audio 13."""
    shown = [f"{name} {numbers.count(count)}" for name, count in of.items()]
    if most is not None and len(shown) > most:
        left = len(shown) - most
        shown = [*shown[:most], trn("and {count} more", "and {count} more", left)]
    return ", ".join(shown)


def _page(card: SuiteCard) -> Iterator[str | None]:
    yield "# " + ": ".join(inline(name) for name in (card.suite, card.title) if name)
    version = tr("version {version}", version=card.version) if card.version else ""
    yield ". ".join(filter(None, (tests_and_examples(card), inline(version)))) + "."
    yield markdown.bullets([*instead(card)])
    for category in card.categories:
        yield f"## {inline(category.name)}"
        weight = tr("weight {weight}", weight=f"{category.weight:g}")
        yield trn("{count} test", "{count} tests", category.tests) + f", {weight}."
        yield markdown.facts(made_of(category))
    yield "## " + tr("What answers that know nothing would score")
    yield markdown.figures(sentences.baselines(card.baselines))
    if card.guesses:
        yield "## " + tr("What guessing among the options gets right")
        yield markdown.figures(guessing(card))
        yield against_chance(card)
    yield "## " + tr("Facts and their sources")
    if card.sources:
        rows = ((inline(name), numbers.count(count)) for name, count in sources(card))
        yield markdown.table((tr("source"), tr("facts")), rows, right=(1,))
    else:
        yield tr("There is no sources.tsv beside the tests.")
    yield inline(repeated(card))


def _category_document(category: CategoryCard) -> as_json.Document:
    fewest, median, most = category.words
    return {
        "tests": category.tests,
        "examples": category.examples,
        "weight": category.weight,
        "methods": dict(category.methods),
        "words": {"fewest": fewest, "median": median, "most": most},
        "letters": dict(category.letters),
        "tags": dict(category.tags),
    }
