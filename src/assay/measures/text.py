"""Perplexity of further held-out texts, each by the name that `--text NAME=FILE` gives it.

One of them may be the text that `perplexity` is measured on; it is read once. `[text.NAME]` in a
gate makes it the criterion `text:NAME`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from assay.files.fields import Doc, Mistake, Rule
from assay.files.wording import shown as shown_text
from assay.measures.limits import Limits, by_size_class, limit_for, limited
from assay.measures.perplexity import (
    TextShape,
    compare_texts,
    is_text_clear,
    reading,
    text_figures,
    text_steps,
)
from assay.measures.text_parts import PerplexityPart
from assay.messages import message, tr
from assay.plugins import measure
from assay.text.number_format import exact
from assay.text.safe_text import harmless
from assay.types import Estimate, Reply
from assay.types.decisions import (
    TEXT_NAME,
    ChangedFigure,
    Gate,
    GateCriterion,
    Measurements,
    TextFigures,
)
from assay.types.measures import (
    Asking,
    CurvePanel,
    FigureColumn,
    FollowedFigure,
    Measure,
    MeasureRequest,
    Places,
    TakenReplies,
)
from assay.types.score_parts import Bound, WeighedPart
from assay.types.trends import ComparedSteps

KIND = "text"
PREFIX = "text:"
LONGEST_HEAD = 16


@dataclass(frozen=True)
class TextTable:
    max: Annotated[
        Limits,
        Doc(
            "The perplexity per token of this text must be below this: one number, or one for each "
            "size class."
        ),
    ]


class NamedTextShape(TextShape):
    """The figures of one text."""

    perplexity: Estimate
    per_word: Estimate | None
    per_byte: Estimate | None
    bits_per_byte: Estimate | None
    top1: Estimate
    top5: Estimate


def _refuse_odd_names(tables: Mapping[str, TextTable]) -> Mapping[str, TextTable]:
    for name in tables:
        if not TEXT_NAME.fullmatch(name):
            raise Mistake(
                tr("the text '{name}' cannot be named: use letters, digits, '_' and '-'",
                   name=shown_text(name)), (name,),
            )  # fmt: skip
    return tables


@measure(KIND, unit="perplexity", better="lower")
class NamedTexts(Measure):
    """How well it predicts further texts."""

    places = Places(keys=12, gate=12, advice=12, asking=12, table=15)
    kind = KIND
    shapes = {"texts": (dict[str, NamedTextShape], {})}
    table = Annotated[dict[str, TextTable], Rule(_refuse_odd_names)]
    table_about = Doc("How well it must predict each text that `--text NAME=FILE` names.")
    sentences = {
        "text_passes": message(
            "Perplexity of the text {name}: {value:beside}, below {limit:beside}."
        ),
        "text_fails": message(
            "Perplexity of the text {name}: {value:beside}, not below {limit:beside}."
        ),
        "text_not_measured": message("Perplexity of the text {name} was not measured."),
    }

    def is_needed(self, gate: Gate) -> bool:
        return bool(gate.texts)

    def leave_out(self, gate: Gate) -> Gate:
        return replace(gate, texts={})

    def ask(self, asking: Asking) -> Iterator[MeasureRequest]:
        for text in asking.deciding.texts if asking.deciding else ():
            if not text.is_perplexity:
                for each in reading(asking, PREFIX + text.name):
                    yield replace(each, test_id=f"{text.name}/{each.test_id}")

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        found: dict[str, TextFigures] = {}
        noted: dict[str, str] = {}
        for text in taken.deciding.texts if taken.deciding else ():
            replies = taken.replies.get("perplexity" if text.is_perplexity else KIND, {})
            own: list[Reply] = [
                reply
                for test, reply in replies.items()
                if text.is_perplexity or test.startswith(f"{text.name}/")
            ]
            tokenizer = taken.facts.tokenizer
            figures, why = text_figures(own, text=text.digest, tokenizer=tokenizer)
            found |= {text.name: figures} if figures else {}
            noted |= {PREFIX + text.name: why} if why else {}
        return replace(measured, texts=found, not_measured={**measured.not_measured, **noted})

    def drop(self, measured: Measurements) -> Measurements:
        return replace(measured, texts={})

    def figures(self, measured: Measurements) -> Mapping[str, Estimate | None]:
        return {PREFIX + name: text.perplexity for name, text in measured.texts.items()}

    def details(self, measured: Measurements) -> Mapping[str, object]:
        kept = {name: text.without_endless() for name, text in measured.texts.items()}
        return {**self.figures(measured), "texts": kept}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        texts = {name: TextFigures(**dict(text)) for name, text in details.texts.items()}
        return replace(measured, texts=texts)

    def columns(self, gate: Gate, shown: Iterable[str]) -> Iterator[FigureColumn]:
        for name in shown:
            if name.startswith(PREFIX):
                yield FigureColumn(harmless(name, longest=LONGEST_HEAD), name, 64, 12)

    def panels(self, gate: Gate, limits: Callable[[str], Sequence[float]]) -> Iterator[CurvePanel]:
        for key in map(PREFIX.__add__, gate.texts):
            drawn = [(limit, f"< {exact(limit)}") for limit in limits(key)]
            title = tr("perplexity of the text {name}, lower is better",
                       name=key.removeprefix(PREFIX))  # fmt: skip
            yield CurvePanel(key, title, key, drawn, by_ratio=True)

    def followed(self, gate: Gate) -> Iterator[FollowedFigure]:
        for name, limits in gate.texts.items():
            yield FollowedFigure(PREFIX + name, PREFIX + name, PREFIX + name if limits else "")

    def limits_of(self, table: Mapping[str, TextTable]) -> Mapping[str, Any]:
        return {"texts": {name: by_size_class(each.max) for name, each in table.items()}}

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        return {
            PREFIX + name: limited(
                KIND, measured, self.figures(measured).get(PREFIX + name),
                limit_for(measured, limits), better="lower", noted_as=PREFIX + name, name=name,
            )
            for name, limits in gate.texts.items()
            if limits is not None
        }  # fmt: skip

    def is_clear(
        self,
        name: str,
        criterion: GateCriterion,
        measured: Measurements,
        gate: Gate,
        tail: float,
    ) -> bool:
        return is_text_clear(_named(name)(measured), criterion.limit, tail)

    def has_part(self, key: str) -> bool:
        return key.startswith(PREFIX)

    def score_part(self, key: str, weight: float, gate: Gate) -> WeighedPart:
        bound = Bound(better="lower", limits=gate.texts.get(key.removeprefix(PREFIX)))
        return PerplexityPart(name=key, weight=weight, text=_named(key), bound=bound)

    def measured_parts(self, measured: Measurements) -> Iterator[str]:
        """The text of perplexity counts as that."""
        main = measured.text.text if measured.text else None
        yield from (PREFIX + name for name, text in measured.texts.items() if text.text != main)

    def steps(self, steps: Sequence[Measurements]) -> Iterator[ComparedSteps]:
        for key in dict.fromkeys(key for each in steps for key in self.measured_parts(each)):
            yield from text_steps(steps, key, _named(key))

    def changes(self, base: Measurements, adapted: Measurements) -> Iterator[ChangedFigure]:
        for key in self.measured_parts(base):
            yield from compare_texts(key, _named(key)(base), _named(key)(adapted))


def _named(key: str) -> Callable[[Measurements], TextFigures | None]:
    name = key.removeprefix(PREFIX)
    return lambda measured: measured.texts.get(name)
