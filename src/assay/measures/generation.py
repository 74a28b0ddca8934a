"""Samples after the shipped prompts, or a gate's own: a prompt fails if most of its seeds loop,
repeat themselves or write nonsense. Prompts that fail are counted; a count has no interval, so it
is never marginal. Shares of what is coherent, relevant and technically right stand beside it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Annotated, Any

from annotated_types import Ge, Le

from assay.files.fields import Doc
from assay.files.fields import Text as Words
from assay.files.shapes import Count, Flag, Name, Number, Shape, Text
from assay.measures.limits import MOST, failing, unknown, why_not
from assay.messages import message, message_n, tr
from assay.plugins import measure
from assay.stats import estimates
from assay.stats.samples import COHERENT, RELEVANT, RIGHT, shares_of
from assay.types import (
    Answered,
    Estimate,
    Failed,
    Health,
    HealthCheck,
    Message,
    Reply,
    SamplePrompt,
    Sampling,
    ToAnswer,
)
from assay.types.decisions import (
    Acceptance,
    DecisionFact,
    DecisionPlan,
    Gate,
    GateCriterion,
    GreedyRole,
    Measurements,
    PromptSamples,
    Recommendation,
    Sample,
    fact,
    group_samples,
)
from assay.types.measured.samples import JudgedSense
from assay.types.measures import (
    Asking,
    FigureColumn,
    FollowedFigure,
    Measure,
    MeasureRequest,
    Places,
    TakenReplies,
)
from assay.types.trends import Trend

NAME = "generation"
FAILURES = "generation_failures"
NAMED = 5  # samples named in a reason; the report has them all
QUOTED = 3  # samples with their passage
MOST_TOKENS = 160
# Whether a text is likelier after its own prompt than after these has no scale to fit, unlike
# its gain over an empty prompt, which is large for any short text.
OTHERS = 4  # prompts that a text is read after, to see whether it continues its own
GREEDY = Sampling(temperature=0.0, seed=0, max_tokens=MOST_TOKENS)


@dataclass(frozen=True)
class GenerationTable:
    max_failures: Annotated[
        int,
        Ge(0),
        Le(MOST),
        Doc("Maximum number of prompts after which most samples loop, repeat themselves or are "
            "nonsense."),
    ]  # fmt: skip
    temperature: Annotated[
        float, Ge(0), Le(2), Doc("The temperature of the samples; 0 is greedy decoding alone.")
    ] = 0.3
    seeds: Annotated[
        int, Ge(1), Le(100), Doc("How many samples are written after each prompt.")
    ] = 3
    greedy: Annotated[
        GreedyRole,
        Doc("Greedy decoding is always reported; with `gate` it must not fail either."),
    ] = "report"
    samples: Annotated[
        Words | None,
        Doc(
            "File of sample prompts in place of the shipped ones, beside the gate; see "
            "`assay schema samples`."
        ),
    ] = None
    terms: Annotated[
        Words | None,
        Doc("Text file with technical terms in place of the shipped ones, beside the gate."),
    ] = None


class SampleShape(Shape):
    id: Name
    prompt: Text
    text: Text
    temperature: Annotated[float, Ge(0)] = 0.3  # of reports that do not have it
    seed: Count = 0
    uncertainty: Number | None = None
    margin: Number | None = None
    all_passed: Flag | None = None
    checks: tuple[HealthCheck, ...] | None
    failed: Name | None


class GenerationShape(Shape):
    """`judges`: by spec, whether it is qualified."""

    all_passed: Flag | None = None
    failures: Count = 0
    judges: dict[str, Flag] = {}
    coherent: Estimate | None = None
    relevant: Estimate | None = None
    technically_right: Estimate | None = None
    samples: tuple[SampleShape, ...]


@measure(NAME, unit="samples", better="lower")
class Generation(Measure):
    """After how many sample prompts it loops, repeats itself or writes nonsense."""

    places = Places(keys=80, gate=40, advice=30, asking=30, caveats=10)
    kind = metric = NAME
    by_default = True
    shapes = {NAME: (GenerationShape | None, ...)}
    table = GenerationTable
    table_about = Doc("Limits on the generated samples.")
    gate_fields = ("generation_max_failures",)
    sentences = {
        "no_samples": message("No sample was written."),
        "samples_passed": message_n(
            "After the one prompt most samples neither loop nor repeat themselves nor are "
            "nonsense.",
            "After none of {count} prompts do most samples loop, repeat themselves or write "
            "nonsense.",
        ),
        "samples_failed": message(
            "Of {samples} prompts {failed} failed and {allowed} may: {which}."
        ),
        "greedy_samples": message("Greedy decoding, of {samples} prompts: {kinds}."),
        "greedy_samples_passed": message("Greedy decoding fails after none of {samples} prompts."),
        "samples_unknown": message_n(
            "After {count} prompt requests failed, and what they would have written is not known.",
            "After {count} prompts requests failed, and what they would have written is not known.",
        ),
        "repeats": message(
            "The model repeats itself after {prompts}: look for repeated documents and templates "
            "in the training data, and for missing end-of-text tokens between documents; where a "
            "higher sampling temperature cures it, the distribution is only too narrow."
        ),
        "nonsense": message(
            "The model writes nonsense after {prompts}: check that the tokenizer is the one it was "
            "trained with, and look for broken text (wrong encodings, shuffled lines) in the "
            "training data."
        ),
        "nonsense_still_learning": message(
            "The model writes nonsense after {prompts}: its held-out loss still falls, so train "
            "longer before looking at the data."
        ),
        "failing_samples": message("{failed} of {samples} prompts failed, {allowed} may: {kinds}"),
        "sample_quoted": message("{id} “{prompt:short}”: {kinds}, “{passage:short}”"),
    }

    def ask(self, asking: Asking) -> Iterator[MeasureRequest]:
        if "generate" not in asking.facts.capabilities or asking.deciding is None:
            return
        prompts = [each.prompt for each in asking.samples]
        for name, (sample, way) in samples_by_id(asking.deciding, asking.samples).items():
            said = (Message("user", sample.prompt),)
            at = prompts.index(sample.prompt)
            others = tuple([*prompts[at + 1 :], *prompts[:at]][:OTHERS])
            work = ToAnswer(messages=said, sampling=way, read_back=True, others=others)
            how = asdict(way)
            del how["loop_stop"]  # of served models only
            yield MeasureRequest(test_id=name, work=work, content=[sample.prompt, how])

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        samples = tuple(_sample(*each, taken) for each in taken.samples) or None
        return replace(measured, samples=samples, sample_judges=taken.sample_judges)

    def details(self, measured: Measurements) -> Mapping[str, object]:
        samples = measured.samples
        return {NAME: None if samples is None else _document(measured, samples)}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        written = details.generation
        if written is None:
            return measured
        samples = tuple(map(_read_sample, written.samples))
        return replace(measured, samples=samples, sample_judges=written.judges)

    def figures(self, measured: Measurements) -> Mapping[str, Estimate | None]:
        return {}

    def shown(
        self, measured: Measurements, gate: Gate, criteria: Mapping[str, GateCriterion]
    ) -> Mapping[str, Estimate | None]:
        prompts, _ = group_samples(measured.samples or ())
        examined = [each for each in prompts if any(one.health for one in each.samples)]
        shares: dict[str, Estimate | None] = {**shares_of(measured.samples or ())}
        shares = {name: each if each and each.n else None for name, each in shares.items()}
        if not examined:
            return {FAILURES: None, **shares}
        criterion = criteria.get(NAME)
        counted = criterion.value if criterion is not None else None
        failed = sum(bool(each.fails) for each in examined) if counted is None else counted
        nothing = estimates.nothing(unit="samples", method="counted")
        return {FAILURES: replace(nothing, value=failed, n=len(examined)), **shares}

    def columns(self, gate: Gate, shown: Iterable[str]) -> Iterator[FigureColumn]:
        yield FigureColumn(tr("failures"), FAILURES, 80, 70)
        known = set(shown)
        heads = {COHERENT: tr("coherent"), RELEVANT: tr("relevant"), RIGHT: tr("right")}
        for place, (name, head) in enumerate(heads.items(), 71):
            if name in known:
                yield FigureColumn(head, name, 20, place)

    def followed(self, gate: Gate) -> Iterator[FollowedFigure]:
        yield FollowedFigure(FAILURES, FAILURES)

    def limits_of(self, table: GenerationTable) -> Mapping[str, Any]:
        """Without its files, which are read with the gate's own."""
        files = ("samples", "terms")
        limits = {name: of for name, of in asdict(table).items() if name not in files}
        return {f"generation_{name}": value for name, value in limits.items()}

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        allowed = gate.generation_max_failures
        return {} if allowed is None else {NAME: _criterion(measured, gate, allowed)}

    def not_covered(self, measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
        decides = gate.generation_max_failures is not None and gate.generation_greedy == "gate"
        found = describe_greedy(measured.samples or ())
        if not decides and found and found.kind == "greedy_samples":
            yield found

    def remedies(
        self, measured: Measurements, acceptance: Acceptance, trend: Trend | None, gate: Gate
    ) -> Iterator[list[Recommendation]]:
        if at := failing(acceptance.criteria, NAME):
            yield _on_samples(measured, at[1], trend)


def ways_to_write(deciding: DecisionPlan) -> tuple[Sampling, ...]:
    """With each seed at the gate's temperature, and greedily, unless prompts are the user's own."""
    gate = deciding.gate
    if not gate.generation_temperature:
        return (GREEDY,)
    seeded = tuple(
        Sampling(temperature=gate.generation_temperature, seed=seed, max_tokens=MOST_TOKENS)
        for seed in range(gate.generation_seeds)
    )
    return seeded if deciding.samples else (*seeded, GREEDY)


def written_id(sample: SamplePrompt, way: Sampling) -> str:
    """What a sample is stored under: the first seed has the prompt's id, as it always had."""
    if way == GREEDY:
        return f"{sample.id}@greedy"
    return f"{sample.id}@seed_{way.seed}" if way.seed else sample.id


def samples_by_id(
    deciding: DecisionPlan, prompts: Sequence[SamplePrompt]
) -> dict[str, tuple[SamplePrompt, Sampling]]:
    """Each sample prompt in each way it is continued, by what it is stored under."""
    asked = product(prompts, ways_to_write(deciding))
    return {written_id(sample, way): (sample, way) for sample, way in asked}


def _sample(
    prompt: SamplePrompt,
    way: Sampling,
    reply: Reply,
    judged: JudgedSense | None,
    taken: TakenReplies,
) -> Sample:
    asked = Sample(
        id=prompt.id,
        prompt=prompt.prompt,
        text="",
        health=None,
        temperature=way.temperature,
        seed=way.seed,
    )
    if not isinstance(reply, Answered) or taken.examine is None:
        why = reply.reason if isinstance(reply, Failed) else reply.kind
        return replace(asked, failed=why)
    health = taken.examine(
        prompt,
        reply.text,
        truncated=reply.truncated,
        uncertainty=reply.uncertainty,
        judged=judged,
    )
    return replace(
        asked,
        text=reply.text,
        health=health,
        uncertainty=reply.uncertainty,
        margin=reply.margin,
    )


def _document(measured: Measurements, samples: Sequence[Sample]) -> Mapping[str, object]:
    healths = [sample.health for sample in samples]
    passed = [None if health is None else health.all_passed for health in healths]
    told = ("id", "prompt", "temperature", "seed", "text", "uncertainty", "margin")
    return {
        "all_passed": False if False in passed else None if None in passed else True,
        "failures": sum(bool(each.fails) for each in group_samples(samples)[0]),
        "judges": measured.sample_judges,
        **shares_of(samples),
        "samples": [
            {
                **{name: getattr(sample, name) for name in told},
                "all_passed": health and health.all_passed,
                "checks": health and health.checks,
                "failed": sample.failed or None,
            }
            for sample, health in zip(samples, healths, strict=True)
        ],
    }


def _read_sample(of: Any) -> Sample:
    health = None if of.checks is None else Health(checks=of.checks)
    as_stored = of.model_dump(exclude={"all_passed", "checks", "failed"})
    return Sample(health=health, failed=of.failed or "", **as_stored)


def _criterion(measured: Measurements, gate: Gate, allowed: int) -> GateCriterion:
    samples = measured.samples
    if not samples:
        why = why_not(measured, NAME)
        return unknown(None, allowed, fact("no_samples"), *why)
    prompts, greedy = group_samples(samples)
    deciding: dict[str, list[PromptSamples]] = {}
    for each in (*prompts, *(greedy if gate.generation_greedy == "gate" else ())):
        deciding.setdefault(each.id, []).append(each)
    failed = [
        f"{name} ({', '.join(dict.fromkeys(kind for each in ways for kind in each.kinds))})"
        for name, ways in deciding.items()
        if any(each.fails for each in ways)
    ]
    not_known = sum(
        any(each.fails is None for each in ways) and not any(each.fails for each in ways)
        for ways in deciding.values()
    )
    passed: bool | None = len(failed) <= allowed
    if failed:
        more = "…" if len(failed) > NAMED else ""
        reasons = [
            fact(
                "samples_failed",
                samples=len(deciding),
                failed=len(failed),
                allowed=allowed,
                which=", ".join(failed[:NAMED]) + more,
            )
        ]
    else:
        reasons = [fact("samples_passed", count=len(deciding))]
    if passed and not_known:
        passed = None
        reasons.append(fact("samples_unknown", count=not_known))
    doubted = tuple(name for name, qualified in measured.sample_judges.items() if not qualified)
    if passed and doubted and any(each.is_overruled for each in samples):
        passed = None
        reasons.append(fact("judge_not_qualified", judges=doubted))
    if said := describe_greedy(samples):
        reasons.append(said)
    return GateCriterion(
        passed=passed,
        marginal=False,
        value=float(len(failed)),
        limit=float(allowed),
        reasons=tuple(reasons),
    )


def describe_greedy(samples: Sequence[Sample]) -> DecisionFact | None:
    """What greedy decoding does beside the samples; None where it was not tried."""
    _, greedy = group_samples(samples)
    if not greedy:
        return None
    kinds = Counter(kind for each in greedy for kind in each.kinds)
    return fact(
        "greedy_samples" if kinds else "greedy_samples_passed",
        samples=len(greedy),
        kinds=tuple(f"{count} {name}" for name, count in kinds.most_common()),
    )


def _on_samples(
    measured: Measurements, allowed: float, trend: Trend | None
) -> list[Recommendation]:
    prompts, _ = group_samples(measured.samples or ())
    failed = [
        (each.worst, each.worst.health.failures)
        for each in prompts
        if each.fails and each.worst.health is not None
    ]
    kinds = Counter(check.name for _, checks in failed for check in checks)
    figures = (
        fact(
            "failing_samples",
            failed=len(failed),
            samples=len(prompts),
            allowed=int(allowed),
            kinds=tuple(f"{name} {count}" for name, count in sorted(kinds.items())),
        ),
        *(
            fact(
                "sample_quoted",
                id=sample.id,
                prompt=sample.prompt,
                kinds=tuple(check.name for check in checks),
                passage=checks[0].passage or sample.text,
            )
            for sample, checks in failed[:QUOTED]
        ),
    )

    def with_any(*names: str) -> tuple[str, ...]:
        return tuple(one.id for one, checks in failed if any(c.name in names for c in checks))

    found = []
    if repeated := with_any("loop", "repetition"):
        found.append(Recommendation(NAME, fact("repeats", prompts=repeated), figures))
    if nonsense := with_any("nonsense"):
        falls = trend is not None and trend.text is not None and trend.text.shape == "improving"
        kind = "nonsense_still_learning" if falls else "nonsense"
        found.append(Recommendation(NAME, fact(kind, prompts=nonsense), figures))
    return found
