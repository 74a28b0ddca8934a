"""The measures of plugins: a class with `requests` and `value` becomes a figure like any other.

An exception in either leaves it not measured and is told with the plugin's file and line; so does
more than one reply in twenty that is missing. `[measure.NAME]` in a gate makes it a criterion.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, Le

from assay.files.fields import Doc, Mistake, Rule, ValueWords
from assay.measures.limits import (
    MOST,
    SENTENCES,
    failing,
    is_beyond,
    limit_for,
    limited,
    wider,
)
from assay.messages import message, tr
from assay.plugins import describe_mistake, measure, measures
from assay.stats import estimates
from assay.text.number_format import exact
from assay.types import (
    INCOMPLETE_ABOVE,
    Answered,
    ChoiceLikelihoods,
    Estimate,
    Failed,
    Message,
    ModelFacts,
    ReadText,
    Reply,
    Sampling,
    ToAnswer,
    ToChoose,
    ToRead,
    Work,
)
from assay.types.decisions import (
    SIZE_CLASSES,
    Acceptance,
    Gate,
    GateCriterion,
    MeasureLimits,
    Measurements,
    Recommendation,
    fact,
)
from assay.types.measures import (
    Asking,
    CurvePanel,
    FigureColumn,
    FollowedFigure,
    JsonKey,
    Measure,
    MeasureMaker,
    MeasureRequest,
    Places,
    TakenReplies,
    UserMeasure,
)
from assay.types.own_measures import Ask, Choose, MeasureReply, OwnRequest, Read
from assay.types.score_parts import Better, Bound, FigurePart, WeighedPart
from assay.types.trends import Trend

Signed = Annotated[float, Ge(-MOST), Le(MOST)]


@dataclass(frozen=True)
class OwnBySizeClass:
    tiny: Signed
    small: Signed
    medium: Signed
    large: Signed


OwnLimit = (
    Signed
    | Annotated[
        OwnBySizeClass, ValueWords(wanted=lambda: tr("a table with one for each size class"))
    ]
)


@dataclass(frozen=True)
class OwnTable:
    min: Annotated[
        OwnLimit | None,
        Doc("The figure must be above this: one number, or one for each size class."),
    ] = None
    max: Annotated[
        OwnLimit | None,
        Doc("The figure must be below this: one number, or one for each size class."),
    ] = None


def _refuse_unknown(tables: Mapping[str, OwnTable]) -> Mapping[str, OwnTable]:
    for name, table in tables.items():
        if not isinstance(measures.get(name), UserMeasure):
            raise Mistake(
                tr("the gate asks for the measure '{name}', whose plugin is not loaded; name it "
                   "with --plugin FILE", name=name), (name,),
            )  # fmt: skip
        if (table.min is None) == (table.max is None):
            said = tr("the measure '{name}' needs one limit, 'max' or 'min'", name=name)
            raise Mistake(said, (name,))
    return tables


@measure("measure", unit="", better="higher")
class OwnMeasures(MeasureMaker):
    """The figures of plugins."""

    places = Places(table=100)
    table = Annotated[dict[str, OwnTable], Rule(_refuse_unknown)]
    table_about = Doc("Limits on the figures of plugins, by their names.")
    sentences = {
        **SENTENCES,
        "own_max_passes": message("{name} {value:beside} is below {limit:beside}."),
        "own_max_fails": message("{name} {value:beside} is not below {limit:beside}."),
        "own_max_not_measured": message("{name} was not measured."),
        "own_min_passes": message("{name} {value:beside} is above {limit:beside}."),
        "own_min_fails": message("{name} {value:beside} is not above {limit:beside}."),
        "own_min_not_measured": message("{name} was not measured."),
        "own_level": message("{name}: {value}, limit {limit}"),
        "own_missed": message("Look at what {name} measures: it misses its limit."),
    }

    def make(self, of: UserMeasure) -> Measure:
        return _made(of)

    def limits_of(self, table: Mapping[str, OwnTable]) -> Mapping[str, Any]:
        return {"tables": {name: _limits(each) for name, each in table.items()}}


def _limits(table: OwnTable) -> MeasureLimits:
    def by_size(limit: float | OwnBySizeClass | None) -> Any:
        if isinstance(limit, OwnBySizeClass):
            return {name: getattr(limit, name) for name in SIZE_CLASSES}
        return None if limit is None else dict.fromkeys(SIZE_CLASSES, limit)

    return MeasureLimits(min=by_size(table.min), max=by_size(table.max))


@cache
def _made(of: UserMeasure) -> Measure:
    given = {
        "name": of.name,
        "unit": of.unit,
        "better": of.better,
        "about": (of.made_of.__doc__ or "").strip(),
        "kind": of.name,
        "metric": of.name,
        "keys": (JsonKey(of.name),),
        "made_of": of.made_of,
    }
    made: Measure = type(f"Own_{of.name}", (OwnMeasure,), given)()
    return made


class OwnMeasure(Measure):
    """One of a plugin."""

    of_every_model = True
    made_of: ClassVar[type]
    places = Places(keys=200, gate=70, advice=70)

    def ask(self, asking: Asking) -> Iterator[MeasureRequest]:
        asked, why = self._requests()
        if why or self._cannot(asking.facts, asked):
            return
        for number, each in enumerate(asked):
            work, content = _work(each, asking.facts)
            yield MeasureRequest(test_id=f"measure:{self.name}:{number}", work=work,
                                 content=content)  # fmt: skip

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        replies = taken.replies.get(self.kind, {})
        estimate, why = self._estimate(replies) if replies else (None, self._why_nothing(taken))
        if estimate is not None:
            return replace(measured, figures={**measured.figures, self.name: estimate})
        noted = {self.name: why} if why else {}
        return replace(measured, not_measured={**measured.not_measured, **noted})

    def drop(self, measured: Measurements) -> Measurements:
        figures = {name: each for name, each in measured.figures.items() if name != self.name}
        return replace(measured, figures=figures)

    def columns(self, gate: Gate, shown: object) -> Iterator[FigureColumn]:
        yield FigureColumn(str(getattr(self.made_of, "column", self.name)), self.name, 66, 80)

    def panels(self, gate: Gate, limits: Callable[[str], Sequence[float]]) -> Iterator[CurvePanel]:
        asked = gate.tables.get(self.name)
        sign = "<" if asked and asked.max else ">"
        drawn = [(limit, f"{sign} {exact(limit)}") for limit in limits(self.name)]
        title = tr("{name}, {unit}; lower is better", name=self.name, unit=self.unit)
        if self.better == "higher":
            title = tr("{name}, {unit}; higher is better", name=self.name, unit=self.unit)
        yield CurvePanel(self.name, title, self.name, drawn)

    def followed(self, gate: Gate) -> Iterator[FollowedFigure]:
        yield FollowedFigure(self.name, self.name, self.name if self.name in gate.tables else "")

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        asked = gate.tables.get(self.name)
        limits = asked and (asked.max or asked.min)
        if not asked or not limits:
            return {}
        found = limited(
            "own_max" if asked.max else "own_min",
            measured,
            measured.figures.get(self.name),
            limit_for(measured, limits),
            better="lower" if asked.max else "higher",
            noted_as=self.name,
            name=self.name,
        )
        return {self.name: found}

    def is_clear(
        self,
        name: str,
        criterion: GateCriterion,
        measured: Measurements,
        gate: Gate,
        tail: float,
    ) -> bool:
        found, asked = measured.figures.get(self.name), gate.tables.get(self.name)
        better: Better = "lower" if asked and asked.max else "higher"
        return found is not None and is_beyond(wider(found, tail), criterion.limit, better=better)

    def has_part(self, key: str) -> bool:
        return key == self.name

    def score_part(self, key: str, weight: float, gate: Gate) -> WeighedPart:
        """By its scale, else by its limit."""
        scale = getattr(self.made_of, "scale", None)
        asked = gate.tables.get(self.name)
        bound = Bound(
            better=self.better,
            limits=None if asked is None else asked.max or asked.min,
            scale=None if scale is None else (float(scale[0]), float(scale[1])),
        )
        return FigurePart(name=key, weight=weight, figure=self._figure, bound=bound)

    def measured_parts(self, measured: Measurements) -> Iterator[str]:
        yield from (self.name,) if self._figure(measured) else ()

    def _figure(self, measured: Measurements) -> Estimate | None:
        return measured.figures.get(self.name)

    def remedies(
        self, measured: Measurements, acceptance: Acceptance, trend: Trend | None, gate: Gate
    ) -> Iterator[list[Recommendation]]:
        at, estimate = failing(acceptance.criteria, self.name), measured.figures.get(self.name)
        if not at or estimate is None:
            return
        level = fact("own_level", name=self.name, value=estimate, limit=at[1])
        advice = fact("own_missed", name=self.name)
        if callable(getattr(self.made_of, "advice", None)):
            try:
                said = self.made_of().advice(estimate, at[1])
            except Exception as error:  # noqa: BLE001  # a plugin is somebody's program
                said = describe_mistake(error, of=self.made_of)
            advice = fact("text", text=str(said))
        yield [Recommendation(self.name, advice, (level,))]

    def _requests(self) -> tuple[Sequence[OwnRequest], str]:
        """What it asks, or what its `requests` raised."""
        try:
            asked = list(self.made_of().requests())
            for each in asked:
                if not isinstance(each, Ask | Read | Choose):
                    raise TypeError(f"requests() gave {each!r}, not an Ask, Read or Choose")
        except Exception as error:  # noqa: BLE001  # a plugin is somebody's program
            return (), tr("requests() of the measure {name!r} failed: {why}",
                          name=self.name, why=describe_mistake(error, of=self.made_of))  # fmt: skip
        return asked, ""

    def _cannot(self, facts: ModelFacts, asked: Sequence[OwnRequest]) -> str:
        """What it needs that the model cannot do; "" where it can answer all."""
        writes = any(isinstance(each, Ask) for each in asked)
        if writes and "generate" not in facts.capabilities:
            return tr("the model cannot write text")
        reads = any(not isinstance(each, Ask) for each in asked)
        if reads and "score_text" not in facts.capabilities:
            return tr("the model gives no likelihoods of a text")
        return ""

    def _why_nothing(self, taken: TakenReplies) -> str:
        asked, why = self._requests()
        return why or self._cannot(taken.facts, asked)

    def _estimate(self, replies: Mapping[str, Reply]) -> tuple[Estimate | None, str]:
        numbered = {int(name.rpartition(":")[2]): reply for name, reply in replies.items()}
        came = [
            _for_users(number, reply)
            for number, reply in sorted(numbered.items())
            if not isinstance(reply, Failed)
        ]
        missing = len(numbered) - len(came)
        if missing > INCOMPLETE_ABOVE * len(numbered):
            why = next((each.reason for each in numbered.values() if isinstance(each, Failed)), "")
            return None, tr("{count} of {total} answers are missing: {why}",
                            count=missing, total=len(numbered), why=why)  # fmt: skip
        try:
            return self._as_estimate(self.made_of().value(came), len(came), missing), ""
        except Exception as error:  # noqa: BLE001  # a plugin is somebody's program
            why = describe_mistake(error, of=self.made_of)
            said = tr("value() of the measure {name!r} failed: {why}", name=self.name, why=why)
            return None, said

    def _as_estimate(self, value: object, n: int, missing: int) -> Estimate:
        if isinstance(value, Estimate):
            return value
        if isinstance(value, list | tuple):
            numbers = [float(each) for each in value]
            if not numbers or not all(map(math.isfinite, numbers)):
                raise ValueError("value() gave no finite numbers")
            return estimates.average(numbers, unit=self.unit, unscored=missing)
        number = float(value)  # type: ignore[arg-type]
        if not math.isfinite(number):
            raise ValueError(f"value() gave {number}, not a finite number")
        return Estimate(value=number, low=None, high=None, n=max(1, n), unscored=missing,
                        unit=self.unit, method="given")  # fmt: skip


def _work(asked: OwnRequest, facts: ModelFacts) -> tuple[Work, object]:
    """What is put to the model, and what stands for it in the request's identity."""
    match asked:
        case Ask(prompt, max_tokens, temperature, seed):
            sampling = Sampling(temperature=temperature, seed=seed, max_tokens=max_tokens)
            said = (Message("user", prompt),)
            content = ["ask", prompt, max_tokens, temperature, seed]
            return ToAnswer(messages=said, sampling=sampling), content
        case Read(text):
            return ToRead(text=text, each_token=True), ["read", text]
        case Choose(prompt, choices):
            said = (Message("user", prompt),)
            plain = facts.has_template
            content = ["choose", prompt, list(choices)]
            content += ["plain"] if plain else []
            return ToChoose(messages=said, continuations=tuple(choices), plain=plain), content


def _for_users(index: int, reply: Reply) -> MeasureReply:
    match reply:
        case Answered():
            return MeasureReply(index=index, text=reply.text)
        case ReadText():
            return MeasureReply(index=index, tokens=reply.token_texts, logprobs=reply.logprobs)
        case ChoiceLikelihoods():
            values = reply.log_likelihoods
            best = max(range(len(values)), key=values.__getitem__)
            return MeasureReply(index=index, logprobs=values, best=best)
    return MeasureReply(index=index)
