"""The statistics of a suite: first the tests to look at, then what all of them are like."""

from collections import Counter
from collections.abc import Iterator

from assay.messages import Message, fill, message, tr, trn
from assay.reports import sentences
from assay.reports.json_values import JsonObject, pick, plain_value
from assay.stats.estimates import mean_of
from assay.text import number_format as numbers
from assay.types import Estimate
from assay.types.documents import (
    Block,
    Document,
    Figures,
    Fold,
    Heading,
    Note,
    Paragraph,
    Table,
    table,
)
from assay.types.measured.suite_statistics import (
    AlikeTests,
    GuessedTest,
    Guesses,
    GuessKind,
    SolvedTest,
    SuiteStatistics,
)

MOST_ON_TERMINAL = 20


def statistics_document(of: SuiteStatistics) -> Document:
    title = tr("Statistics of {suite}", suite=of.suite)
    return Document(title=title, blocks=tuple(_blocks(of)))


def statistics_json(of: SuiteStatistics) -> JsonObject:
    look_at = [{"id": each.id, "why": why(each)} for each in to_look_at(of)]
    baselines = plain_value(dict(_baselines(of)))
    guessed = [
        {**pick(each, "id category kind score"), "repair": repair_of(each)}
        for each in of.guesses.named
    ]
    parts = pick(of, "suite models tests alike languages read notes")
    return {"headline": headline(of), **parts, "look_at": look_at, "baselines": baselines,
            "guessed": guessed,
            "exit_code": 0}  # fmt: skip


def headline(of: SuiteStatistics) -> str:
    found = len(to_look_at(of))
    return tr(
        "{suite}: {tests}, {models} in the store; {found} need attention, {alike} similar to "
        "another.",
        suite=of.suite,
        tests=trn("{count} test", "{count} tests", len(of.tests)),
        models=trn("{count} model", "{count} models", len(of.models)),
        found=found,
        alike=len(of.alike),
    )


def to_look_at(of: SuiteStatistics) -> list[SolvedTest]:
    """Misleading ones first, the worst of them ahead; then what no model or every one solves."""
    misleading = [each for each in of.tests if each.misleads]
    misleading.sort(key=lambda each: each.discrimination.value or 0.0)
    same = [each for each in of.tests if each.is_solved_by_all_or_none]
    return misleading + sorted(same, key=lambda each: each.right.value or 0.0)


def why(test: SolvedTest) -> str:
    if test.is_solved_by_all_or_none:
        return tr("every model solves it") if test.right.value else tr("no model solves it")
    if (test.discrimination.high or 0.0) < 0:
        return tr("better models fail it")
    return tr("better models fail it, perhaps by chance")


GUESSES: dict[GuessKind, Message] = {
    "frame": message("an empty frame passes"),
    "off_topic": message("off-topic text in the right language passes"),
    "common_words": message("a list of common words passes"),
    "longest_option": message("the longest option is right"),
    "shared_words": message("the option that shares most words with the question is right"),
}
REPAIRS: dict[GuessKind, Message] = {
    "frame": message("ask for content: expected_keywords, or more min_words"),
    "off_topic": message("check the subject: expected_keywords"),
    "common_words": message(
        "require rarer or more keywords, list wrong ones in forbidden_keywords, or use exact_match"
    ),
    "longest_option": message("reword the options: shorten this one, or lengthen the others"),
    "shared_words": message(
        "reword the options: say this one in other words, or use words of the question in others"
    ),
}


def guess_of(test: GuessedTest) -> str:
    """What passes a test without knowledge."""
    return fill(GUESSES[test.kind], {})


def repair_of(test: GuessedTest) -> str:
    """A way to repair it."""
    return fill(REPAIRS[test.kind], {})


def _blocks(of: SuiteStatistics) -> Iterator[Block]:
    yield Heading(headline(of), 1)
    yield from (Note(each) for each in of.notes)
    found = to_look_at(of)
    if found:
        yield Heading(tr("Look at these tests"))
        yield _tests_table(found, reasons=True)
    if of.guesses.named:
        yield Heading(tr("Tests that baselines pass"))
        yield _guessed_table(of.guesses)
    if of.alike:
        yield Heading(tr("Tests that ask the same, or nearly"))
        yield _alike_table(of.alike)
    if of.models:
        yield Heading(tr("Share of models that pass a test, mean by category"))
        yield Figures(tuple(_by_category(of)))
    yield Heading(tr("Baselines"))
    yield Figures(tuple(_baselines(of)))
    yield Heading(tr("Languages of the prompts"))
    yield _languages_table(of)
    if of.models:
        yield Paragraph(tr("Models: {models}.", models=", ".join(of.models)))
        whole = _tests_table([*of.tests], reasons=False)
        yield Fold(tr("Every test"), (whole,), long=True)


def _baselines(of: SuiteStatistics) -> Iterator[tuple[str, Estimate]]:
    yield from sentences.guesses_and_oracle(of.baselines)
    yield tr("a script with three sentences"), of.guesses.script
    if of.guesses.chance is not None:
        yield tr("the longest option"), of.guesses.longest_option
        yield tr("the option sharing most words"), of.guesses.shared_words


def _guessed_table(of: Guesses) -> Table:
    rows = (
        (each.id, each.category, guess_of(each), numbers.exact(round(each.score, 2)),
         repair_of(each))
        for each in of.named
    )  # fmt: skip
    heads = (tr("test"), tr("category"), tr("why"), tr("score"), tr("repair"))
    return table(heads, rows, right=(3,), weights={1: 1}, most_on_terminal=MOST_ON_TERMINAL)


def _tests_table(tests: list[SolvedTest], *, reasons: bool) -> Table:
    heads = [tr("test"), tr("category"), tr("models right"), tr("discrimination")]
    rows = [
        [each.id, each.category, _figure(each.right), _figure(each.discrimination)]
        + ([why(each)] if reasons else [])
        for each in tests
    ]
    heads += [tr("why")] if reasons else []
    return table(heads, rows, weights={1: 1}, most_on_terminal=MOST_ON_TERMINAL)


def _figure(of: Estimate) -> str:
    """Nothing to say of where all models score the same, or too few have."""
    known = of.value is not None
    return f"{numbers.value(of)} {numbers.rests_on(of)}" if known else numbers.NO_INTERVAL


def _alike_table(alike: tuple[AlikeTests, ...]) -> Table:
    says = {True: tr("the same"), False: tr("another"), None: numbers.NO_INTERVAL}
    rows = ((each.second, each.first, f"{each.likeness:.2f}", says[each.same_answer])
            for each in sorted(alike, key=_worst_first))  # fmt: skip
    heads = (tr("test"), tr("like"), tr("likeness"), tr("right answer"))
    return table(heads, rows, right=(2,), most_on_terminal=MOST_ON_TERMINAL)


def _worst_first(each: AlikeTests) -> tuple[bool, float]:
    """The same question with two answers is a mistake; nearly the same may be meant so."""
    return each.likeness < 1 or each.same_answer is not False, -each.likeness


def _by_category(of: SuiteStatistics) -> Iterator[tuple[str, Estimate]]:
    shares: dict[str, list[float]] = {}
    for each in of.tests:
        if each.right.value is not None:
            shares.setdefault(each.category, []).append(each.right.value)
    yield from ((name, mean_of(values)) for name, values in shares.items())


def _languages_table(of: SuiteStatistics) -> Table:
    total: Counter[str] = Counter()
    for counts in of.languages.values():
        total.update(counts)
    codes = [code for code, _ in total.most_common()]
    heads = (tr("category"), *(code or tr("not recognised") for code in codes))
    rows = ((name, *(numbers.count(counts.get(code, 0)) for code in codes))
            for name, counts in of.languages.items())  # fmt: skip
    return table(heads, rows, right=range(1, len(codes) + 1))
