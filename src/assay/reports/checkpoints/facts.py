"""A DecisionFact, which has a kind and values, in words: plain text, still unescaped."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.messages import Message, fill, message, message_n, tr
from assay.text.number_format import count, exact, fixed, percent, rounded
from assay.text.safe_text import one_line
from assay.types import Estimate
from assay.types.decisions import DecisionFact, Recommendation, Value

DIGITS, MOST_DIGITS = 3, 10
ONE_LINE = 70  # characters of a quoted passage or prompt


def sentence(of: DecisionFact) -> str:
    gaps = {name: _Gap(value, of.values) for name, value in of.values.items()}
    return fill(SENTENCES[of.kind], gaps)


def sentences(facts: Sequence[DecisionFact]) -> str:
    return " ".join(map(sentence, facts))


def advice_texts(of: Recommendation) -> tuple[str, tuple[str, ...]]:
    return sentence(of.advice), tuple(dict.fromkeys(filter(None, map(sentence, of.figures))))


def number(value: float, digits: int = DIGITS) -> str:
    """46.8, 0.72, 1,234: three significant digits, without zeros at the end."""
    return rounded(value, digits, zeros=False)


def digits_apart(value: float, limit: float) -> int:
    """The digits it takes to see on which side of a limit a value is: 49.97 is not 50."""
    for digits in range(DIGITS, MOST_DIGITS):
        if number(value, digits) != number(limit, digits):
            return digits
    return DIGITS


def _signed(value: float) -> str:
    """+0.12, −3.5: a change cannot be read as a level."""
    return f"+{number(value)}" if value > 0 else number(value)


def _roughly(value: float) -> str:
    """Two digits that count: a forecast is no measurement."""
    return "1" if value < 1 else fixed(round(value, 1 - math.floor(math.log10(value))), 0)


def _percent(share: float) -> str:
    """43 %; below one per cent with a digit more."""
    small = abs(share) < 0.01
    return tr("{percent} %", percent=number(100 * share)) if small else percent(share)


def _estimate(of: Estimate, write: Callable[[float], str] = number, to: str = "–") -> str:
    """35.2 [33.9–36.4], n = 15,000."""
    if of.value is None:
        return tr("not measured")
    ends = "" if of.low is None or of.high is None else f" [{write(of.low)}{to}{write(of.high)}]"
    return tr("{value}, n = {n}", value=f"{write(of.value)}{ends}", n=count(of.n))


def _points(share: Estimate | float) -> str:
    """A share as the suites show it."""
    if isinstance(share, Estimate):
        return _estimate(share.mapped(lambda value: 100 * value))
    return number(100 * share)


def _unit(measure: str) -> str:
    if measure.startswith("suite:"):
        return tr("points of the score of {suite}", suite=measure.removeprefix("suite:"))
    return tr("held-out nats per token")


_FORMATS: Mapping[str, Callable[..., str]] = {
    "roughly": _roughly,
    "percent": _percent,
    "short": lambda text: one_line(text, longest=ONE_LINE),
    "step": exact,
    "million": lambda value: tr("{number} million", number=number(value / 1e6)),
    "change": lambda of: _estimate(of, _signed, tr(" to ")),
    "unit": _unit,
    "points": _points,
}


class _Gap:
    """A value that writes itself; `beside`: with enough digits to tell it from the limit."""

    def __init__(self, value: Any, values: Mapping[str, Any]) -> None:
        self.value, self.values = value, values

    def __int__(self) -> int:
        return int(self.value)

    def __format__(self, spec: str) -> str:
        value = self.value
        if value is None:
            return tr("not measured") if spec == "percent" else "?"
        if spec == "beside":
            return number(value, digits_apart(self.values["value"], self.values["limit"]))
        return _FORMATS[spec](value) if spec else _plain(value)


def _plain(value: Value | DecisionFact) -> str:
    match value:
        case int():
            return count(value)
        case float():
            return number(value)
        case Estimate():
            return _estimate(value)
        case DecisionFact():
            return sentence(value)
        case tuple():
            of_facts = bool(value) and isinstance(value[0], DecisionFact)
            return (" " if of_facts else ", ").join(map(_plain, value))
        case _:
            return str(value)


SENTENCES: Mapping[str, Message] = {
    # criteria of the gate
    "perplexity_passes": message("Perplexity {value:beside} is below {limit:beside}."),
    "perplexity_fails": message("Perplexity {value:beside} is not below {limit:beside}."),
    "perplexity_not_measured": message("Perplexity was not measured."),
    "suite_passes": message(
        "The categories of {suite} have a mean of {value:beside}, above {limit:beside}."
    ),
    "suite_fails": message(
        "The categories of {suite} have a mean of {value:beside}, not above {limit:beside}."
    ),
    "suite_not_measured": message("The suite {suite} was not run."),
    "suite_empty": message("The suite {suite} has no value: nothing was scored in {categories}."),
    "speed_passes": message("It writes {value:beside} tokens per second, above {limit:beside}."),
    "speed_fails": message("It writes {value:beside} tokens per second, not above {limit:beside}."),
    "speed_not_measured": message("Speed was not measured."),
    "memory_passes": message("It takes {value:beside} MB of memory, below {limit:beside}."),
    "memory_fails": message("It takes {value:beside} MB of memory, not below {limit:beside}."),
    "memory_not_measured": message("Memory was not measured."),
    "accuracy_passes": message("{name} {value:beside} is above {limit:beside}."),
    "accuracy_fails": message("{name} {value:beside} is not above {limit:beside}."),
    "accuracy_not_measured": message("{name} was not measured."),
    "drift_not_measured": message(
        "Drift is measured against the model it was made of: assay drift BASE MODEL --gate FILE."
    ),
    "above_guessing": message("{suite}: {value} is above guessing (best baseline {guess})."),
    "at_guessing": message(
        "{suite}, in points: {value:points} is not above guessing (best baseline {guess:points})."
    ),
    "baseline_unknown": message("The baseline of the suite {suite} is not known."),
    "target_missed": message("{name}: {value} misses the target of {target}."),
    "part_missing": message(
        "{part} was not measured: a part of the weighted score with the weight {weight} adds 0."
    ),
    "size_unknown": message(
        "Its limit depends on the size class, and the number of parameters is not known."
    ),
    "interval": message("Its 95 % interval is {low:beside} to {high:beside}."),
    "interval_marginal": message(
        "This is marginal: its 95 % interval, {low:beside} to {high:beside}, includes the limit."
    ),
    "range": message("Its runs range from {low:beside} to {high:beside}."),
    "range_marginal": message(
        "This is marginal: its runs range from {low:beside} to {high:beside}, across the limit."
    ),
    "incomplete": message(
        "It is incomplete, {unscored} of {total} without a figure, and no gate passes on it."
    ),
    "category_incomplete": message(
        "{name} is incomplete, {unscored} of {total} without a score, and no gate passes on it."
    ),
    "judge_not_qualified": message(
        "It rests on a judge that is not qualified ({judges}), and no gate passes on it."
    ),
    "not_evaluated_because": message("The checkpoint could not be evaluated: {why}"),
    "no_samples": message("No sample was written."),
    "samples_passed": message_n(
        "After the one prompt most samples neither loop nor repeat themselves nor are nonsense.",
        "After none of {count} prompts do most samples loop, repeat themselves or write nonsense.",
    ),
    "samples_failed": message("Of {samples} prompts {failed} failed and {allowed} may: {which}."),
    "greedy_samples": message("Greedy decoding, of {samples} prompts: {kinds}."),
    "greedy_samples_passed": message("Greedy decoding fails after none of {samples} prompts."),
    "samples_unknown": message_n(
        "After {count} prompt requests failed, and what they would have written is not known.",
        "After {count} prompts requests failed, and what they would have written is not known.",
    ),
    "text": "{text}",
    "reasons": "{reasons}",
    # selections
    "passes_gate": message("{name} passes the gate."),
    "highest_score": message("Of {passing} that pass it has the highest score: {score} ({parts})."),
    "only_one_passes": message("It is the only one of {of} that passes."),
    "marginal_criteria": message("Marginal: {criteria}."),
    "ahead": message("It is {by} ahead of {other}; the 95 % interval is {low} to {high}."),
    "tie": message(
        "This is a tie with {other}: the difference, {by}, has a 95 % interval across 0, {low} to "
        "{high}. The higher score is selected."
    ),
    "tie_without_interval": message(
        "This counts as a tie with {other}: the difference, {by}, has no interval. The higher "
        "score is selected."
    ),
    "not_comparable": message(
        "It cannot be compared with {other}: no part was measured of all. The later step was taken."
    ),
    "none_passes": message_n(
        "The checkpoint does not pass the gate.", "None of {count} passes the gate."
    ),
    "best_so_far": message("The best so far is {name}, with {score} ({parts})."),
    "lacks": message("What {name} lacks:"),
    "no_checkpoints": message("There is no checkpoint to select from."),
    "none_evaluated": message("No checkpoint could be evaluated."),
    "not_evaluated": message("Not evaluated: {names}."),
    "ranked_without": message_n(
        "Ranked without {part}, which {names} lacks.", "Ranked without {part}, which {names} lack."
    ),
    "ranked_on_incomplete": message("{name} is ranked on incomplete figures: {parts}."),
    "machines_differ": message(
        "Speeds were measured on different machines, and are ranked as they are."
    ),
    "part_is_noise": message(
        "Ranked without {part}: over these steps the suite {suite} is noise, and decides nothing."
    ),
    "os_left_out": message(
        "The OS benchmark is left out: for some checkpoints the best predictions were searched "
        "for, for others they were sampled, and the two are never ranked side by side."
    ),
    "texts_differ": message(
        "Perplexity is left out: the checkpoints were measured on different texts."
    ),
    "bits_unknown": message(
        "Perplexity is left out: the tokenizers differ, and bits per byte are not known for a text "
        "given as token ids."
    ),
    "tokenizers_differ": message(
        "The tokenizers differ: perplexities per token cannot be compared, so the checkpoints are "
        "compared by bits per byte."
    ),
    "tests_unpaired": message("{a} and {b} share too few tests of {suite}: compared unpaired."),
    "tests_differ": message(
        "{a} and {b} were not scored on the same tests of {suite}: compared on those they share."
    ),
    # advice on perplexity
    "measure_steps": message(
        "Whether longer training, a larger model or better data would bring the perplexity below "
        "its limit shows over at least three steps of the run: `assay run {folder}`."
    ),
    "twice_the_steps": message("Twice the steps: a trend shows over three checkpoints of a round."),
    "train_longer": message("Train longer: the held-out loss still falls."),
    "train_longer_by": message(
        "Train longer: the held-out loss still falls, and going on as before the limit is about "
        "{low:roughly} to {high:roughly} steps beyond step {step:step}. If the learning rate has "
        "already been decayed, plan a longer schedule instead of adding steps at its end."
    ),
    "too_slow": message(
        "A larger model or better data comes first: the held-out loss falls so slowly that the "
        "limit takes more than {factor} times the {steps:step} steps done."
    ),
    "larger_model": message(
        "A larger model: the held-out loss no longer falls, so more steps of the same run will not "
        "bring the perplexity below its limit."
    ),
    "better_data": message(
        "Better data: where the loss is flat, cleaner and more varied text, nearer to the held-out "
        "text, lowers it at the same size; remove duplicates and boilerplate first."
    ),
    "overfitting": message(
        "The run overfits since step {best:step}: keep that checkpoint, and train on more or "
        "better data (fewer passes over the same text, duplicates removed) before training longer."
    ),
    "unclear": message(
        "Whether the held-out loss still falls is hidden by its noise: measure on a longer text "
        "(`--text FILE`) before deciding between longer training and a larger model."
    ),
    "rising_without_training_loss": message(
        "The held-out loss is rising since step {best:step}: keep that checkpoint. Only the "
        "training loss can show whether the run overfits: give `--train-text FILE`, or keep the "
        "trainer_state.json beside the checkpoint."
    ),
    "rising": message(
        "The held-out loss is rising since step {best:step} and the training loss does not fall, "
        "so it is not overfitting: look at the learning rate and at what changed in the data there."
    ),
    "perplexity_measured": message("perplexity {value}; limit below {limit}"),
    "gap": message("gap {nats} nats per token"),
    "next_token": message(
        "next token right: {top1:percent} (target above 30 %), among the first five: "
        "{top5:percent} (target above 60 %)"
    ),
    "steps_measured": message("steps with a perplexity: {steps}"),
    "training_change": message(
        "training loss at step {since:step}: {before}, at step {until:step}: {after}"
    ),
    "curve_change": message("step {since:step} to {until:step}: {measure:unit} {change:change}"),
    # advice on suites
    "data_on_category": message_n(
        "More training data for {categories}, the lowest category of {suite}.",
        "More training data for {categories}, which are equally low in {suite}.",
    ),
    "train_longer_first": message(
        "For {suite}, train longer first: the run still learns; change the mixture only if {suite} "
        "stays low."
    ),
    "subject_is_missing": message(
        "Perplexity is fine and {suite} is low, so the subject is missing rather than the "
        "language: raise its share in the mixture, or fine-tune on it."
    ),
    "raise_share": message(
        "Raise the share of the subject of {suite} in the mixture for the next run; fine-tuning on "
        "it comes after a better base."
    ),
    "suite_level": message("{suite}: {value:beside}, limit above {limit}"),
    "category_level": message("{category}: {value}"),
    # advice on samples
    "repeats": message(
        "The model repeats itself after {prompts}: look for repeated documents and templates in "
        "the training data, and for missing end-of-text tokens between documents; where a higher "
        "sampling temperature cures it, the distribution is only too narrow."
    ),
    "nonsense": message(
        "The model writes nonsense after {prompts}: check that the tokenizer is the one it was "
        "trained with, and look for broken text (wrong encodings, shuffled lines) in the training "
        "data."
    ),
    "nonsense_still_learning": message(
        "The model writes nonsense after {prompts}: its held-out loss still falls, so train longer "
        "before looking at the data."
    ),
    "failing_samples": message("{failed} of {samples} prompts failed, {allowed} may: {kinds}"),
    "sample_quoted": message("{id} “{prompt:short}”: {kinds}, “{passage:short}”"),
    # advice on speed and memory
    "smaller_or_quantised": message(
        "A smaller model, or quantise before this gate; a profile shows where the time goes. It "
        "must become {factor} times as fast."
    ),
    "speed_level": message("{value} tokens per second; limit above {limit}"),
    "parameters": message("{parameters:million} parameters"),
    "smaller_model": message(
        "A smaller model or a shorter context: it takes {excess} MB too much."
    ),
    "memory_level": message("memory {value:beside} MB, limit below {limit} MB"),
    "memory_of_weights": message("weights {size} MB"),
    "memory_of_cache": message("cache {size} MB"),
    "memory_of_activations": message("activations {size} MB"),
    # advice on what to measure
    "measure_missing": message("Measure what is missing before deciding: {commands}."),
    "one_limit_for_all_sizes": message(
        "Give a gate one limit for all sizes: the size class is not known."
    ),
    "complete": message(
        "Complete {criterion}: the same command asks again what failed or could not be scored "
        "(`{command}`)."
    ),
    "fetch_mmlu": message(
        "The weighted score lacks mmlu_cs: `assay fetch mmlu`, then `{command}`."
    ),
    "mmlu_missing": message("mmlu_cs not measured: a part with a weight of 0.2 adds 0"),
    "repair_one": message(
        "Repair or write again {checkpoint}: it could not be evaluated, so nothing is known of it."
    ),
}
