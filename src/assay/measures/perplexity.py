"""Perplexity of the held-out text: exp of the mean cross-entropy over all predicted tokens.

The interval is over the documents of the text, at least 12 of them, for tokens of one document are
alike; inside a single document over blocks of it, and then it holds for more of this document only.
Per word and per byte are the same sum over other counts, so their intervals are its, rescaled.
What it counts in the score is in `text_parts.py`.

A held-out loss that still falls asks for steps, one that is flat for parameters or data, one that
rises while the training loss falls for data; without a trend the advice is to measure one.
"""

import math
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import PurePath
from typing import Annotated, Any, NamedTuple

from assay.files.fields import Doc
from assay.files.shapes import Count, LogLikelihood, Positive, Shape, Text, Tokens
from assay.measures.limits import Limits, by_size_class, clears, failing, limit_for, limited
from assay.measures.text_parts import GOOD, LARGEST, PerplexityPart
from assay.messages import message, message_n, tr
from assay.plugins import measure
from assay.stats import estimates
from assay.stats.documents import (
    BY_BLOCKS,
    BY_DOCUMENTS,
    FEWEST,
    LEAST_TOKENS,
    over_documents,
    paired_over_documents,
    ratio_of_sums,
)
from assay.text.number_format import exact
from assay.types import Estimate, Failed, ReadText, Reply, ToRead
from assay.types.decisions import (
    Acceptance,
    ChangedFigure,
    DecisionFact,
    Gate,
    GateCriterion,
    Measurements,
    Recommendation,
    TextFigures,
    fact,
)
from assay.types.documents import STAYS
from assay.types.measures import (
    Asking,
    CurvePanel,
    FigureColumn,
    FollowedFigure,
    JsonKey,
    Measure,
    MeasureRequest,
    Places,
    TakenReplies,
    TextToRead,
)
from assay.types.score_parts import Bound, WeighedPart
from assay.types.trends import ComparedSteps, Point, StepCurve, Trend

NAME = "perplexity"
BY_UNITS = (BY_BLOCKS, BY_DOCUMENTS)
FACTOR = 4.0  # times the steps done: nothing is promised beyond
QUICKER, SLOWER = 0.8, 1.25
_READ = (
    "text", "tokenizer", "window", "stride", "blocks", "hits", "vocabulary", "by_context",
    "tokenizer_fault", "by_divisor",
)  # fmt: skip


@dataclass(frozen=True)
class PerplexityTable:
    max: Annotated[
        Limits,
        Doc("The perplexity per token must be below this: one number, or one for each size class."),
    ]


class TextShape(Shape):
    """`blocks`: log-likelihood and tokens of each; `hits`: of these the tokens guessed right."""

    text: Text
    tokenizer: Text
    window: Count | None
    stride: Count | None
    blocks: tuple[tuple[LogLikelihood, Tokens], ...]
    hits: tuple[tuple[Count, Count], ...] = ()
    vocabulary: Count | None = None
    by_context: tuple[tuple[LogLikelihood, Count], ...] = ()
    tokenizer_fault: Text = ""
    by_divisor: tuple[tuple[Positive, LogLikelihood, Tokens], ...] = ()


@measure(NAME, unit="perplexity", better="lower")
class Perplexity(Measure):
    """How well it predicts the held-out text."""

    places = Places(keys=10, gate=10, advice=10, asking=10)
    kind = metric = NAME
    by_default = True
    keys = (
        JsonKey(
            "perplexity", "perplexity",
            "exp of the mean cross-entropy over all predicted tokens; lower is better.", True,
        ),
        JsonKey("perplexity_per_word", required=True),
        JsonKey("perplexity_per_byte", required=True),
        JsonKey("bits_per_byte", required=True),
    )  # fmt: skip
    shapes = {"text": (TextShape | None, ...)}
    in_reports_only = ("perplexity_per_word", "perplexity_per_byte")  # bits per byte say the same
    table = PerplexityTable
    table_about = Doc("How well it must predict the held-out text.")
    gate_fields = ("perplexity_max",)
    weight = 0.4
    part_names = (NAME,)
    sentences = {
        "too_few_documents": message_n(
            "Perplexity and accuracies have no interval: the text is one document of fewer than "
            "{least} tokens, or was read before blocks were kept.",
            "Perplexity and accuracies have no interval: the text has {count} documents, and an "
            "interval needs {fewest} of like length.",
        ),
        "perplexity_passes": message("Perplexity {value:beside} is below {limit:beside}."),
        "perplexity_fails": message("Perplexity {value:beside} is not below {limit:beside}."),
        "perplexity_not_measured": message("Perplexity was not measured."),
        "shipped_text": message(
            "Perplexity on the shipped technical text, not on yours: `--text FILE`. On it "
            "SmolLM2-135M has {smollm2} and Qwen2.5-Coder-0.5B {qwen}."
        ),
        "texts_differ": message(
            "Ranked without {part}: the checkpoints were measured on different texts."
        ),
        "bits_unknown": message(
            "Ranked without {part}: the tokenizers differ, and bits per byte are not known for a "
            "text given as token ids."
        ),
        "tokens_differ": message(
            "Ranked without {part}: the tokenizers differ, and shares of tokens cannot be compared."
        ),
        "tokenizers_differ": message(
            "The tokenizers differ: perplexities per token cannot be compared, so the checkpoints "
            "are compared by bits per byte."
        ),
        "measure_steps": message(
            "Whether longer training, a larger model or better data would bring the perplexity "
            "below its limit shows over at least three steps of the run: `assay run {folder}`."
        ),
        "save_more_steps": message(
            "Save checkpoints more often: whether longer training, a larger model or better data "
            "would bring the perplexity below its limit shows over at least three steps of the run."
        ),
        "twice_the_steps": message(
            "Twice the steps: a trend shows over three checkpoints of a round."
        ),
        "train_longer": message("Train longer: the held-out loss still falls."),
        "train_longer_by": message(
            "Train longer: the held-out loss still falls, and going on as before the limit is "
            "about {low:roughly} to {high:roughly} steps beyond step {step:step}. If the learning "
            "rate has already been decayed, plan a longer schedule instead of adding steps at its "
            "end."
        ),
        "train_on": message(
            "Train on: that the held-out loss no longer falls cannot be said at step {step:step}. "
            "It shows over five checkpoints, the last three from a quarter of the steps on, and 12 "
            "documents or more."
        ),
        "too_slow": message(
            "A larger model or better data comes first: the held-out loss falls so slowly that the "
            "limit takes more than {factor} times the {steps:step} steps done."
        ),
        "larger_model": message(
            "A larger model: the held-out loss no longer falls, so more steps of the same run will "
            "not bring the perplexity below its limit."
        ),
        "better_data": message(
            "Better data: where the loss is flat, cleaner and more varied text, nearer to the "
            "held-out text, lowers it at the same size; remove duplicates and boilerplate first."
        ),
        "better_data_at_size": message(
            "Better data at this size: the held-out loss is too high, and the model is too large "
            "or too slow already, so it must not grow. Cleaner and more varied text, nearer to the "
            "held-out text, lowers the loss at the same size."
        ),
        "overfitting": message(
            "The run overfits since step {best:step}: keep that checkpoint, and train on more or "
            "better data (fewer passes over the same text, duplicates removed) before training "
            "longer."
        ),
        "unclear": message(
            "Whether the held-out loss still falls is hidden by its noise: measure on a longer "
            "text (`--text FILE`) before deciding between longer training and a larger model."
        ),
        "rising_without_training_loss": message(
            "The held-out loss is rising since step {best:step}: keep that checkpoint. Only the "
            "training loss can show whether the run overfits: give `--train-text FILE`, or keep "
            "the trainer_state.json beside the checkpoint."
        ),
        "rising": message(
            "The held-out loss is rising since step {best:step} and the training loss does not "
            "fall, so it is not overfitting: look at the learning rate and at what changed in the "
            "data there."
        ),
        "perplexity_measured": message("perplexity {value}; limit below {limit}"),
        "gap": message("gap {nats} nats per token"),
        "next_token": message(
            "next token right: {top1:percent} (target above 30 %), among the first five: "
            "{top5:percent} (target above 60 %)"
        ),
        "parameters": message("{parameters:million} parameters"),
        "steps_measured": message("steps with a perplexity: {steps}"),
        "training_change": message(
            "training loss at step {since:step}: {before}, at step {until:step}: {after}"
        ),
    }

    def ask(self, asking: Asking) -> Iterator[MeasureRequest]:
        return reading(asking, self.kind)

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        digest = taken.deciding.text_digest if taken.deciding else ""
        tokenizer = taken.facts.tokenizer
        text, why = text_figures(taken.of(self.kind), text=digest, tokenizer=tokenizer)
        if text is not None:
            text = replace(text, vocabulary=taken.facts.vocabulary)
        noted = {NAME: why} if why else {}
        return replace(measured, text=text, not_measured={**measured.not_measured, **noted})

    def drop(self, measured: Measurements) -> Measurements:
        text = measured.text
        if text is None:
            return measured
        none = estimates.nothing(unit=text.perplexity.unit, method=text.perplexity.method)
        rest: dict[str, Any] = {"per_word": None, "per_byte": None, "bits_per_byte": None}
        return replace(measured, text=replace(text, perplexity=none, blocks=(), **rest))

    def figures(self, measured: Measurements) -> Mapping[str, Estimate | None]:
        text = measured.text
        return {
            "perplexity": text.perplexity if text else None,
            "perplexity_per_word": text.per_word if text else None,
            "perplexity_per_byte": text.per_byte if text else None,
            "bits_per_byte": text.bits_per_byte if text else None,
        }

    def details(self, measured: Measurements) -> Mapping[str, object]:
        """Without all blocks, log-likelihood and tokens, nothing can be drawn from them."""
        text = measured.text
        if text is None:
            return {**self.figures(measured), "text": None}
        whole = text.without_endless()
        shown = {name: getattr(whole, name) for name in _READ}
        return {**self.figures(measured), "text": shown}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        """Nothing where a figure beside it is missing: then all of them were not measured."""
        figures = (details.perplexity, details.accuracy_top1, details.accuracy_top5)
        if details.text is None or None in figures:
            return measured
        text = TextFigures(
            perplexity=details.perplexity,
            per_word=details.perplexity_per_word,
            per_byte=details.perplexity_per_byte,
            bits_per_byte=details.bits_per_byte,
            top1=details.accuracy_top1,
            top5=details.accuracy_top5,
            **details.text.model_dump(),
        )
        return replace(measured, text=text)

    def columns(self, gate: Gate, shown: object) -> Iterator[FigureColumn]:
        yield FigureColumn(tr("perplexity"), NAME, STAYS, 10)

    def panels(self, gate: Gate, limits: Callable[[str], Sequence[float]]) -> Iterator[CurvePanel]:
        drawn = [(limit, f"< {exact(limit)}") for limit in limits(NAME)]
        yield CurvePanel(NAME, tr("perplexity, lower is better"), NAME, drawn, by_ratio=True)

    def followed(self, gate: Gate) -> Iterator[FollowedFigure]:
        yield FollowedFigure(NAME, NAME, tr("perplexity"))

    def limits_of(self, table: PerplexityTable) -> Mapping[str, Any]:
        return {"perplexity_max": by_size_class(table.max)}

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        limits = gate.perplexity_max
        if limits is None:
            return {}
        found = measured.text.perplexity if measured.text else None
        limit = limit_for(measured, limits)
        return {NAME: limited(NAME, measured, found, limit, better="lower")}

    def is_clear(
        self,
        name: str,
        criterion: GateCriterion,
        measured: Measurements,
        gate: Gate,
        tail: float,
    ) -> bool:
        return is_text_clear(measured.text, criterion.limit, tail)

    def not_covered(self, measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
        text = measured.text
        if text and text.perplexity.low is None and text.perplexity.method in BY_UNITS:
            count = 1 if text.perplexity.method == BY_BLOCKS else len(text.blocks)
            yield fact("too_few_documents", count=count, least=LEAST_TOKENS, fewest=FEWEST)

    def counted(self, value: float) -> float:
        return GOOD / value

    def specified_part(self) -> WeighedPart:
        return PerplexityPart(name=NAME, weight=self.weight, text=_held_out)

    def score_part(self, key: str, weight: float, gate: Gate) -> WeighedPart:
        bound = Bound(better="lower", limits=gate.perplexity_max)
        return PerplexityPart(name=key, weight=weight, text=_held_out, bound=bound)

    def remedies(
        self, measured: Measurements, acceptance: Acceptance, trend: Trend | None, gate: Gate
    ) -> Iterator[list[Recommendation]]:
        if at := failing(acceptance.criteria, NAME):
            yield _on_text(measured, *at, trend)

    def on_the_run(self, acceptance: Acceptance, trend: Trend | None) -> list[Recommendation]:
        criterion = acceptance.criteria.get(NAME)
        curve = trend.text if trend is not None else None
        if trend is None or curve is None or (criterion is not None and criterion.passed is False):
            return []
        if curve.shape not in ("worsening", "overfitting"):
            return []
        figures = (*curve.facts, *_training_figures(trend))
        return [Recommendation("trend", _turned(trend, curve), figures)]

    def steps(self, steps: Sequence[Measurements]) -> Iterator[ComparedSteps]:
        yield from text_steps(steps, NAME, _held_out)

    def changes(self, base: Measurements, adapted: Measurements) -> Iterator[ChangedFigure]:
        yield from compare_texts(NAME, base.text, adapted.text)


def text_steps(
    steps: Sequence[Measurements], name: str, text_of: Callable[[Measurements], TextFigures | None]
) -> Iterator[ComparedSteps]:
    """Only checkpoints that read the same blocks of text as the last one."""
    read = [(each.step or 0.0, text) for each in steps if (text := text_of(each)) is not None]
    alike = [(step, text) for step, text in read if _blocks_of(text) == _blocks_of(read[-1][1])]

    def compare(a: int, b: int) -> Estimate | None:
        return paired_nats(alike[a][1], alike[b][1])

    points = tuple(Point(step, text.perplexity) for step, text in alike)
    yield ComparedSteps(measure=name, unit="nats", points=points, compare=compare)


def compare_texts(
    name: str, before: TextFigures | None, after: TextFigures | None
) -> Iterator[ChangedFigure]:
    if before and after and before.text == after.text:
        same_cut = [n for _, n in before.blocks] == [n for _, n in after.blocks]
        change = paired_nats(before, after) if same_cut else None
        if change is not None and change.value is not None:
            yield ChangedFigure(name, "nats", change)


def _held_out(measured: Measurements) -> TextFigures | None:
    return measured.text


def is_text_clear(text: TextFigures | None, limit: float | None, tail: float) -> bool:
    """Over its documents, or blocks of the only one."""
    if text is None or limit is None or not text.without_endless().blocks:
        return False
    losses = ratio_of_sums([-value for value, _ in text.blocks], [n for _, n in text.blocks])
    _, high = losses.limits(tail)
    return high is not None and clears(_exp(high), limit, below=True)


def reading(asking: Asking, kind: str) -> Iterator[MeasureRequest]:
    """All documents of a text, as a model that scores text reads them."""
    documents: Sequence[TextToRead] = asking.texts.get(kind, ())
    if "score_text" not in asking.facts.capabilities:
        return
    for number, each in enumerate(documents, 1):
        work = ToRead(text=each.text, tokens=each.tokens, digest=each.digest)
        yield MeasureRequest(test_id=f"text_{number:05d}", work=work, content=each.digest)


def _exp(value: float) -> float:
    return math.exp(min(value, LARGEST))


def text_figures(
    replies: Sequence[Reply], *, text: str, tokenizer: str
) -> tuple[TextFigures | None, str]:
    """Or None and why not: without one that failed it would be the figure of another text."""
    failed = next((reply.reason for reply in replies if isinstance(reply, Failed)), "")
    replied = [reply for reply in replies if isinstance(reply, ReadText)]
    # Of a document of one token nothing is predicted, unless the tokenizer puts a BOS before it.
    read = [reply for reply in replied if reply.tokens]
    if failed or not replied:
        return None, failed
    if not read:
        return None, tr("the text has fewer than two tokens: there is nothing to predict")
    tokens = sum(reply.tokens for reply in read)
    units = _units_of(read)
    method = BY_BLOCKS if len(read) == 1 else BY_DOCUMENTS
    sizes = [float(unit.tokens) for unit in units]

    def over(amounts: Sequence[float], unit: str) -> Estimate:
        return over_documents(amounts, sizes, unit=unit, method=method)

    nats = over([-unit.log_likelihood for unit in units], "nats")
    words, size = sum(reply.words for reply in read), sum(reply.bytes for reply in read)

    def per(count: int, unit: str, of: Callable[[float], float] = _exp) -> Estimate | None:
        return nats.mapped(lambda x: of(x * tokens / count), unit=unit) if count else None

    return TextFigures(
        perplexity=nats.mapped(_exp, unit="perplexity"),
        per_word=per(words, "perplexity per word"),
        per_byte=per(size, "perplexity per byte"),
        bits_per_byte=per(size, "bits per byte", lambda x: x / math.log(2)),
        top1=_share(over, read, units, "top1"),
        top5=_share(over, read, units, "top5"),
        blocks=tuple((unit.log_likelihood, unit.tokens) for unit in units),
        hits=tuple(
            (unit.top1, unit.top5)
            for unit in units
            if unit.top1 is not None and unit.top5 is not None
        ),
        text=text,
        tokenizer=tokenizer,
        window=read[0].window,
        stride=read[0].stride,
        by_context=_by_context(read),
        tokenizer_fault=next((each.tokenizer_fault for each in read if each.tokenizer_fault), ""),
        by_divisor=_by_divisor(read),
    ), ""


def _by_context(read: Sequence[ReadText]) -> tuple[tuple[float, int], ...]:
    """Of all documents together."""
    rows = zip_longest(*(each.by_context for each in read), fillvalue=(0.0, 0))
    return tuple(
        (math.fsum(total for total, _ in row), sum(count for _, count in row)) for row in rows
    )


def _by_divisor(read: Sequence[ReadText]) -> tuple[tuple[float, float, int], ...]:
    """Of all texts that have it together."""
    found: dict[float, tuple[float, int]] = {}
    for divisor, likelihood, tokens in (row for each in read for row in each.by_divisor):
        total, count = found.get(divisor, (0.0, 0))
        found[divisor] = (total + likelihood, count + tokens)
    return tuple(
        (divisor, total, count)
        for divisor, (total, count) in sorted(found.items())
        if math.isfinite(total)
    )


class ReadUnit(NamedTuple):
    """A document, or a block of the only one; without `top1` and `top5` where those are unknown."""

    log_likelihood: float
    tokens: int
    top1: int | None
    top5: int | None


def _units_of(read: Sequence[ReadText]) -> list[ReadUnit]:
    """One a document; of a single one its blocks, or itself where it was not cut."""
    only = read[0]
    if len(read) > 1 or not only.blocks:
        return [
            ReadUnit(each.log_likelihood, each.tokens, each.top1, each.top5)
            for each in read
            if each.tokens
        ]
    hits: Sequence[tuple[int | None, int | None]] = only.block_hits
    hits = hits or [(None, None)] * len(only.blocks)
    return [ReadUnit(*block, *right) for block, right in zip(only.blocks, hits, strict=True)]


def _share(
    over: Callable[[Sequence[float], str], Estimate],
    read: Sequence[ReadText],
    units: Sequence[ReadUnit],
    name: str,
) -> Estimate:
    """Without an interval where it is not known which blocks were right."""
    right = [getattr(unit, name) for unit in units]
    if None in right:
        total, tokens = sum(getattr(each, name) for each in read), sum(each.tokens for each in read)
        return estimates.estimate(total / tokens, (None, None), tokens, method=BY_BLOCKS)
    return over(right, "share").mapped(lambda x: min(1.0, x))


def paired_nats(a: TextFigures, b: TextFigures) -> Estimate | None:
    """By how much the loss per token rises from a to b, over documents or blocks of the same
    tokens.
    """
    method = a.perplexity.method if a.perplexity.method == BY_BLOCKS else BY_DOCUMENTS
    first, second = (
        ([-likelihood for likelihood, _ in text.blocks], [float(n) for _, n in text.blocks])
        for text in (a, b)
    )
    return paired_over_documents(first, second, unit="nats", method=method)


def _blocks_of(text: TextFigures) -> tuple[object, ...]:
    cut = [tokens for _, tokens in text.blocks]
    return text.text, text.tokenizer, text.window, text.stride, cut


def _on_text(
    measured: Measurements, value: float, limit: float, trend: Trend | None
) -> list[Recommendation]:
    gap = max(0.0, math.log(value / limit))
    level = tuple(_text_figures(measured, gap, limit))
    curve = trend.text if trend is not None else None
    if trend is None or curve is None or curve.shape == "too_few":
        folder = str(PurePath(measured.path).parent) if measured.path else "FOLDER"
        steps = fact("steps_measured", steps=len(curve.points) if curve is not None else 1)
        named_singly = trend is None
        advice = (
            fact("measure_steps", folder=shlex.quote(folder))
            if named_singly
            else fact("save_more_steps")
        )
        return [Recommendation(NAME, advice, (*level, steps))]
    figures = (*level, *curve.facts, *_training_figures(trend))
    if curve.shape == "flat":
        remedies = [fact("larger_model"), fact("better_data")]
    elif curve.shape == "improving":
        remedies = [_still_falling(curve, limit)]
    elif curve.shape == "unproven":
        remedies = [fact("train_on", step=curve.points[-1].step)]
    else:
        remedies = [_turned(trend, curve)]
    return [Recommendation(NAME, remedy, figures) for remedy in remedies]


def _still_falling(curve: StepCurve, limit: float) -> DecisionFact:
    """How many more steps after the last one: a straight line in log(steps), through the change
    that counts. The answer is the run's, the same for every checkpoint of it.
    """
    change, at = curve.change, curve.points[-1].step
    reached = curve.points[-1].value.value
    gap = math.log(reached / limit) if reached else 0.0
    if change is None or change.since <= 0 or gap <= 0:
        return fact("train_longer")
    more = math.expm1(min(gap / change.gain * math.log(change.until / change.since), 50.0))
    if 1 + QUICKER * more > FACTOR:
        return fact("too_slow", factor=FACTOR, steps=at)
    low, high = (max(1.0, rate * more * at) for rate in (QUICKER, SLOWER))
    return fact("train_longer_by", low=low, high=high, step=at)


def _turned(trend: Trend, curve: StepCurve) -> DecisionFact:
    kind: str = curve.shape if curve.shape in ("overfitting", "unclear") else "rising"
    if kind == "rising" and trend.training is None:
        kind = "rising_without_training_loss"
    return fact(kind, best=curve.best.step)


def _text_figures(measured: Measurements, gap: float, limit: float) -> Iterator[DecisionFact]:
    text = measured.text
    if text is not None:
        yield fact("perplexity_measured", value=text.perplexity, limit=limit)
        yield fact("gap", nats=gap)
        yield fact("next_token", top1=text.top1.value, top5=text.top5.value)
    if measured.parameters is not None:
        yield fact("parameters", parameters=measured.parameters)


def _training_figures(trend: Trend) -> Iterator[DecisionFact]:
    change = trend.training
    if change is not None:
        ends = {"since": change.since, "until": change.until}
        yield fact("training_change", before=change.before, after=change.after, **ends)
