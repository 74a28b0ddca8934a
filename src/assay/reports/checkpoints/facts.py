"""A DecisionFact, which has a kind and values, in words: plain text, still unescaped."""

import math
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from assay.messages import Message, fill, message, message_n, tr
from assay.text.number_format import count, exact, fixed, percent, rounded
from assay.text.safe_text import one_line
from assay.types import Estimate
from assay.types.decisions import CommandWords, DecisionFact, Recommendation, Value
from assay.types.measures import every_measure

DIGITS, MOST_DIGITS = 3, 10
ONE_LINE = 70  # characters of a quoted passage or prompt


def sentence(of: DecisionFact) -> str:
    gaps = {name: _Gap(value, of.values) for name, value in of.values.items()}
    return fill(_sentence_of(of.kind), gaps)


def _sentence_of(kind: str) -> Message:
    return next(sentences[kind] for sentences in _catalogues() if kind in sentences)


def is_kind(text: str) -> bool:
    """Whether it is the kind of a fact, and no text of a person or a model."""
    return any(text in sentences for sentences in _catalogues())


def _catalogues() -> Iterator[Mapping[str, Message]]:
    yield SENTENCES
    yield from (each.sentences for each in every_measure(maker=True))


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


def _added(value: float | None) -> str:
    return "–" if value is None else fixed(value, 3)


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
        case CommandWords():
            return f"`{shlex.join(value)}`"
        case Mapping():
            return ", ".join(f"{name} {_added(of)}" for name, of in value.items())
        case tuple():
            of_facts = bool(value) and isinstance(value[0], DecisionFact)
            return (" " if of_facts else ", ").join(map(_plain, value))
        case _:
            return str(value)


# Of decisions as such; those about a figure are in the file of its measure.
SENTENCES: Mapping[str, Message] = {
    "part_missing": message(
        "{part} was not measured: missing part (weight {weight}) of the weighted score counts as 0."
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
    "tie_among": message(
        "This counts as a tie with {other}: a lead of {by} (95 % interval {low} to {high}) is too "
        "short for the best of {passing}."
    ),
    "tie_without_interval": message(
        "This counts as a tie with {other}: the difference, {by}, has no interval. The higher "
        "score is selected."
    ),
    "not_comparable": message(
        "It cannot be compared with {other}: no part was measured of all. The later step was taken."
    ),
    "best_of": message("Best of {count}, not confirmed."),
    "not_yet_confirmed": message(
        "Not confirmed: the tests that take no part in the selection were not asked of it."
    ),
    "none_passes": message_n(
        "The checkpoint does not pass the gate.", "None of {count} passes the gate."
    ),
    "best_so_far": message("The best so far is {name}, with {score} ({parts})."),
    "lacks": message("What {name} lacks:"),
    "no_checkpoints": message("There is no checkpoint to select from."),
    "none_evaluated": message("No checkpoint could be evaluated."),
    "not_evaluated": message("Not evaluated: {names}."),
    "ranked_on": message("Ranked on, each with its weight: {parts}."),
    "took_no_part": message("Measured, and no part of the ranking: {names}."),
    "ranked_without": message_n(
        "Ranked without {part}, which {names} lacks.", "Ranked without {part}, which {names} lack."
    ),
    "ranked_on_incomplete": message("{name} is ranked on incomplete figures: {parts}."),
    "step_diverged_in_text": message(
        "Step {step:step} diverged: {measure:unit} {change:change} since step {before:step}, and "
        "the next token is right in {now:percent} instead of {was:percent}. It counts neither as "
        "change nor as noise; to repeat it, start again from step {before:step} with a lower "
        "learning rate or without the batches between them."
    ),
    "step_diverged": message(
        "Step {step:step} diverged: {measure:unit} {change:change} since step {before:step}, and "
        "back at the next step. It counts neither as change nor as noise."
    ),
    # diagnosis
    "perplexity_alone": message("perplexity {value}; vocabulary {vocabulary}"),
    "head_too_large": message(
        "The head gives numbers that are too large: the next token is right in {top1:percent}, and "
        "its ranking with constant chances would have the perplexity {ranking}, but it has "
        "{value}. Save the head again, unscaled: look at how it was tied, merged or quantised."
    ),
    "head_too_small": message(
        "The head gives numbers that are too small: the next token is right in {top1:percent}, and "
        "its ranking with constant chances would have the perplexity {ranking}, but it has "
        "{value}. Save the head again, unscaled: look at how it was tied, merged or quantised."
    ),
    "logits_too_large": message(
        "The logits are about {by} times too large: divided by that, they have the perplexity "
        "{after} on {tokens} tokens, and now {before}. Save the head again, unscaled, and compare "
        "the logit scale in config.json with the trainer's; if neither was changed, the model "
        "overfits, and an earlier step is better."
    ),
    "logits_too_small": message(
        "The logits are about {by} times too small: multiplied by that, they have the perplexity "
        "{after} on {tokens} tokens, and now {before}. Save the head again, unscaled, and compare "
        "the logit scale in config.json with the trainer's."
    ),
    "tokenizer_shifted": message(
        "The tokenizer is not the model's: its token ids are off by {by}, for the same text is "
        "predicted once they are shifted back, and is not now (perplexity {value}, vocabulary "
        "{vocabulary}). Give the tokenizer it was trained with: --tokenizer DIR."
    ),
    "tokenizer_permuted": message(
        "The tokenizer is not the model's: its token ids are not in the order of its merges, and "
        "the text is predicted no better than by drawing tokens (perplexity {value}, vocabulary "
        "{vocabulary}). Give the tokenizer it was trained with: --tokenizer DIR."
    ),
    "all_tokens_alike": message(
        "It gives every token the same chance (perplexity {value}, vocabulary {vocabulary}): the "
        "weights are zero. Save the checkpoint again."
    ),
    "nothing_learnt": message(
        "It predicts the text about as well as equal chances for all tokens (perplexity {value}, "
        "vocabulary {vocabulary}): the training has learnt nothing yet. If it went on from another "
        "checkpoint, look whether its weights were loaded."
    ),
    "parts_do_not_fit": message(
        "It predicts the text no better than by drawing tokens (perplexity {value}, vocabulary "
        "{vocabulary}): its weights, its head and its tokenizer do not belong together. Take all "
        "files from one save of one training."
    ),
    "context_hurts": message(
        "More context makes it worse: {short} nats per token after 4 to 63 tokens, {long} after 64 "
        "or more. The positions are not those of its training: compare rope_theta, rope scaling "
        "and the other position settings of config.json with the trainer's."
    ),
    "fluent_at_chance": message(
        "It writes the language and knows none of what was asked: {suites} are at guessing. "
        "Neither a lower perplexity nor more steps on the same text shows that this changes: train "
        "on text that holds the answers, in the form of the tests."
    ),
    "suites_at_chance": message(
        "At guessing: {suites}. Nothing about other checkpoints or data can be read from such "
        "scores until one is above its baseline."
    ),
    # advice
    "pass_not_clear": message(
        "Train longer: it passes the gate, but not with its whole interval after so many looks."
    ),
    "curve_change": message("step {since:step} to {until:step}: {measure:unit} {change:change}"),
    "measure_missing": message("Measure what is missing before deciding: {commands}."),
    "one_limit_for_all_sizes": message(
        "Give a gate one limit for all sizes: the size class is not known."
    ),
    "complete": message(
        "Complete {criterion}: the same command asks again what failed or could not be scored "
        "({command})."
    ),
    "repair_one": message(
        "Repair or write again {checkpoint}: it could not be evaluated, so nothing is known of it."
    ),
}
