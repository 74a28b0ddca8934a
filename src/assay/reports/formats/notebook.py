"""Results that show themselves in a notebook: one line, a small page, data frames and SVG figures.

Each is the result it shows (a `RunResult` is a `Report`), so every function takes either.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Self

from assay.errors import UsageError
from assay.files.wording import did_you_mean
from assay.messages import tr
from assay.reports.checkpoints.loop import loop_document, loop_json
from assay.reports.comparison import comparison_document
from assay.reports.formats.card_text import titled_parts
from assay.reports.formats.html import draw_line, render_blocks
from assay.reports.json_documents import comparison_json, leaderboard_json, run_json
from assay.reports.json_values import JsonObject
from assay.reports.judged.section import check_document, check_json
from assay.reports.leaderboard import leaderboard_document
from assay.reports.losses import losses_document, losses_json
from assay.reports.measured.drift import drift_document, drift_json
from assay.reports.measured.quants import quants_document, quants_json
from assay.reports.preferences import preferences_document, preferences_json
from assay.reports.run_report import run_document, suites_table
from assay.reports.runs import runs_document, runs_json
from assay.reports.suites.statistics import statistics_document, statistics_json
from assay.text.safe_text import one_line
from assay.types.documents import (
    Block,
    Document,
    Figures,
    Fold,
    Heading,
    Paragraph,
    Picture,
    Row,
    Table,
    plain_text,
)
from assay.types.judging.cards import JudgeCheck
from assay.types.judging.picks import Preferences
from assay.types.measured.drift import Drift
from assay.types.measured.losses import LossComparison
from assay.types.measured.quants import Quants
from assay.types.measured.suite_statistics import SuiteStatistics
from assay.types.results import Comparison, Leaderboard, Report
from assay.types.rounds import TrainingLoop
from assay.types.views import RunList

if TYPE_CHECKING:
    import pandas

LONGEST_LINE = 300  # characters of a repr
MOST_ROWS = 40
TEST_COLUMNS = ("model", "suite", "id", "category", "outcome", "score", "answer", "extracted")
ABOVE = ("model", "suite", "a", "b")  # what a row keeps of the objects that it lies in


class ShownResult:
    """What every public result has. `frames`: by name the path of its rows in `to_dict()`; `views`:
    what makes its document for people and the one for programs.
    """

    __slots__ = ()
    kind: ClassVar[str]
    frames: ClassVar[Mapping[str, str]]
    views: ClassVar[tuple[Callable[[Any], Document], Callable[[Any], JsonObject]]]

    @classmethod
    def of(cls, result: Any) -> Self:
        return cls(**{each.name: getattr(result, each.name) for each in fields(result)})

    def document(self) -> Document:
        """The whole report as blocks, which the renderers draw."""
        return self.views[0](self)

    def to_dict(self) -> JsonObject:
        """The document that the command prints with --json."""
        return self.views[1](self)

    @property
    def headline(self) -> str:
        """One sentence: what was decided, or found."""
        document = self.document()
        if document.card is not None:
            return document.card.decision
        first = (block.line for block in document if isinstance(block, Heading | Paragraph))
        return plain_text(next(first, ""))

    def __repr__(self) -> str:
        return f"<Assay {self.kind}: {one_line(self.headline, longest=LONGEST_LINE)}>"

    def _repr_html_(self) -> str:
        """Card, table and first figure, with no colours of its own: every theme fits."""
        card = self.document().card
        shown = [f"<p><strong>{escape(one_line(self.headline))}</strong></p>"]
        for title, items in titled_parts(card) if card is not None else ():
            listed = "".join(f"<li>{draw_line(item)}</li>" for item in items)
            shown.append(f"<p>{escape(title)}</p><ul>{listed}</ul>")
        for each in self._tables():
            shown.append(render_blocks(Document(self.kind, (_beginning(each),))))
        for title, svg in list(self.figures().items())[:1]:
            data = b64encode(svg.encode()).decode()
            shown.append(f'<img alt="{escape(title)}" src="data:image/svg+xml;base64,{data}">')
        return "\n".join(shown)

    def figures(self) -> dict[str, str]:
        """Every picture of the report as SVG text, by its title."""
        found = (each for each in _every_block(self.document()) if isinstance(each, Picture))
        return {each.title: each.draw() for each in found}

    def to_pandas(self, rows: str = "") -> pandas.DataFrame:
        """A data frame; `rows` says of what, and is one of `frames` (the first unless given)."""
        try:
            import pandas
        except ImportError as error:
            raise UsageError(tr("to_pandas needs pandas"), hint=tr("pip install pandas")) from error
        name = rows or next(iter(self.frames))
        if name not in self.frames:
            problem = did_you_mean(tr("there is no frame '{name}'", name=name), name, self.frames)
            raise UsageError(problem, hint=tr("frames are {names}", names=", ".join(self.frames)))
        found = [*_rows(self._frame_source(name), self.frames[name].split("."))]
        first = TEST_COLUMNS if name == "tests" and not found else ()
        return pandas.DataFrame(
            found, columns=[*dict.fromkeys([*first, *(k for r in found for k in r)])]
        )

    def _frame_source(self, name: str) -> JsonObject:
        return self.to_dict()

    def _tables(self) -> Iterable[Table | Figures]:
        blocks = (block for block in self.document() if isinstance(block, Table | Figures))
        return [each for each in blocks if each.rows][:1]


class RunResult(ShownResult, Report):
    """A Report that shows itself: of a run, a judging, a speed measurement."""

    __slots__ = ()
    kind = "run"
    views = run_document, run_json
    frames: ClassVar = {
        "tests": "models.suites.tests",
        "suites": "models.suites",
        "comparisons": "pairs.suites",
        "speed": "models.speed",
    }

    def __repr__(self) -> str:
        return super().__repr__().replace("run:", f"run {self.run}:", 1)

    def _frame_source(self, name: str) -> JsonObject:
        leads = Comparison(pairs=self.leads)
        return comparison_json(leads) if name == "comparisons" else self.to_dict()

    def _tables(self) -> Iterable[Table | Figures]:
        return list(suites_table(self)) or super()._tables()


class ComparisonResult(ShownResult, Comparison):
    __slots__ = ()
    kind = "comparison"
    views = comparison_document, comparison_json
    frames: ClassVar = {"suites": "pairs.suites", "tests": "pairs.suites.flips"}


class LossResult(ShownResult, LossComparison):
    __slots__ = ()
    kind = "loss"
    views = losses_document, losses_json
    frames: ClassVar = {"classes": "classes", "documents": "documents"}


class LeaderboardResult(ShownResult, Leaderboard):
    __slots__ = ()
    kind = "leaderboard"
    views = leaderboard_document, leaderboard_json
    frames: ClassVar = {"models": "suites.rows"}


class PreferencesResult(ShownResult, Preferences):
    __slots__ = ()
    kind = "preferences"
    views = preferences_document, preferences_json
    frames: ClassVar = {"models": "models", "pairs": "pairs"}


class DriftResult(ShownResult, Drift):
    __slots__ = ()
    kind = "drift"
    views = drift_document, drift_json
    frames: ClassVar = {"models": "models", "flips": "models.flips", "blocks": "models.blocks"}


class QuantsResult(ShownResult, Quants):
    __slots__ = ()
    kind = "quants"
    views = quants_document, quants_json
    frames: ClassVar = {"rows": "rows", "suites": "rows.suites"}


class LoopResult(ShownResult, TrainingLoop):
    __slots__ = ()
    kind = "loop"
    views = loop_document, loop_json
    frames: ClassVar = {"rounds": "rounds"}


class JudgeCheckResult(ShownResult, JudgeCheck):
    __slots__ = ()
    kind = "judge check"
    views = check_document, check_json
    frames: ClassVar = {"marks": "marks"}


class RunListResult(ShownResult, RunList):
    __slots__ = ()
    kind = "runs"
    views = runs_document, runs_json
    frames: ClassVar = {"runs": "runs"}


class SuiteStatisticsResult(ShownResult, SuiteStatistics):
    __slots__ = ()
    kind = "suite statistics"
    views = statistics_document, statistics_json
    frames: ClassVar = {"tests": "tests", "alike": "alike", "look_at": "look_at"}


def shown(result: Any) -> ShownResult | None:
    """A result that shows itself, made of one that does not; None: of no kind that can."""
    if isinstance(result, ShownResult):
        return result
    for kind in (
        RunResult,
        ComparisonResult,
        LeaderboardResult,
        DriftResult,
        QuantsResult,
        JudgeCheckResult,
    ):
        if isinstance(result, kind.__mro__[2]):
            return kind.of(result)
    return None


def _every_block(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from _every_block(block.blocks)


def _rows(document: Any, path: Sequence[str]) -> Iterator[JsonObject]:
    """The objects at the end of a path through lists (or mappings, whose keys are names), each
    with what `ABOVE` names of those it lies in; an estimate takes a column for each of its parts.
    """
    within = document.get(path[0]) or ()
    if isinstance(within, Mapping):
        within = [{"name": name, **each} for name, each in within.items()]
    for each in within:
        if path[1:]:
            above = _columns({name: each[name] for name in ABOVE if name in each})
            yield from ({**above, **row} for row in _rows(each, path[1:]))
        else:
            yield _columns(each)


def _columns(of: Mapping[str, Any]) -> JsonObject:
    found: JsonObject = {}
    for name, value in of.items():
        if isinstance(value, str):  # a frame has no place for half a surrogate pair
            found[name] = value.encode("utf-8", "backslashreplace").decode()
        elif not isinstance(value, Mapping):
            if not isinstance(value, list):
                found[name] = value
        elif not any(isinstance(part, Mapping | list) for part in value.values()):
            parts = {f"{name}_{part}": inside for part, inside in value.items() if part != "value"}
            found |= ({name: value["value"]} if "value" in value else {}) | parts
    return found


def _beginning(of: Table | Figures) -> Table | Figures:
    if isinstance(of, Figures) or len(of.rows) <= MOST_ROWS:
        return of
    more = tr("{count} more rows", count=len(of.rows) - MOST_ROWS)
    rest = ("",) * (len(of.columns) - 1)
    return replace(of, rows=(*of.rows[:MOST_ROWS], Row((more, *rest))))
