"""What a checkpoint wrote after the sample prompts, with every check of its health."""

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.messages import tr, trn
from assay.stats.samples import COHERENT, RELEVANT, RIGHT, shares_of
from assay.text.number_format import exact, fixed, interval
from assay.types.decisions import Measurements, PromptSamples, Sample, group_samples
from assay.types.documents import Block, Fold, Line, Paragraph, Span, Verbatim, bullets, sign
from assay.types.measured.samples import BY_RULE


def samples_block(checkpoint: Measurements, *, long: bool) -> Fold:
    prompts, greedy = group_samples(checkpoint.samples or ())
    failing = sum(bool(each.fails) for each in prompts)
    after = trn("{count} prompt", "{count} prompts", len(prompts))
    title = tr("Samples of {name} after {prompts}", name=checkpoint.name, prompts=after)
    if failing:
        title = tr("{samples}: {failing} fail", samples=title, failing=failing)
    legend = tr(
        "The gate counts loops, repetition and nonsense; all other checks are notes. A prompt "
        "fails if most of its seeds fail; of its samples the worst is shown."
    )
    unread = sum(each.uncertainty is None and not each.failed for each in checkpoint.samples or ())
    if unread:
        legend += " " + tr(
            "How sure the model was is not known of {count} of the samples: nonsense was looked "
            "for in their text alone.",
            count=unread,
        )
    legend += " " + _shares(checkpoint)
    if checkpoint.sample_judges:
        legend += " " + _judged(checkpoint)
    blocks = (block for each in prompts for block in _prompt(each))
    return Fold(title, (Paragraph(legend, "dim"), *blocks, *_greedy(greedy)), long=long)


def _shares(checkpoint: Measurements) -> str:
    """Three figures over the prompts, each with n and interval, and what could not be judged."""
    names = {COHERENT: tr("coherent"), RELEVANT: tr("relevant"), RIGHT: tr("technically right")}
    found = shares_of(checkpoint.samples or ())
    said = [
        tr("{name} {share} {interval} (n = {n})", name=names[key], share=fixed(of.value, 2),
           interval=interval(of), n=of.n)
        if of.value is not None
        else tr("{name} not known", name=names[key])
        for key, of in found.items()
    ]  # fmt: skip
    told = tr("Shares of the prompts: {shares}.", shares="; ".join(said))
    prompts, _ = group_samples(checkpoint.samples or ())
    written = [each for prompt in prompts for each in prompt.samples if each.health]
    if open_ones := sum(each.is_coherent is None for each in written):
        told += " " + tr(
            "Coherence could not be judged for {open} of {count} samples, which have too few "
            "sentences; they are excluded from that share.",
            open=open_ones,
            count=len(written),
        )
    return told


def _judged(checkpoint: Measurements) -> str:
    """Who decided on nonsense, and of how many samples nobody could."""
    healths = [each.health for each in checkpoint.samples or () if each.health]
    told = tr(
        "Whether {judged} of {count} samples are nonsense was decided by {judges}; {note} is what "
        "the rule found. The rule decided on the rest.",
        judged=sum(each.is_judged for each in healths),
        count=len(healths),
        note=BY_RULE,
        judges=", ".join(checkpoint.sample_judges),
    )
    doubted = [name for name, qualified in checkpoint.sample_judges.items() if not qualified]
    if doubted:
        told += " " + tr("Not qualified: {judges}.", judges=", ".join(doubted))
    return told


def _prompt(of: PromptSamples) -> Iterator[Block]:
    worst = of.worst
    yield Paragraph((Span(of.id, "strong"), f": {of.prompt}"))
    if len(of.samples) > 1:
        yield Paragraph(
            tr(
                "{failing} of {count} seeds fail; seed {seed} at temperature {temperature}:",
                failing=len(of.failing),
                count=len(of.samples),
                seed=worst.seed,
                temperature=exact(worst.temperature),
            )
        )
    if not worst.failed:
        yield Verbatim(worst.text)
    yield bullets(_checks(worst))


def _greedy(prompts: Sequence[PromptSamples]) -> Iterator[Block]:
    if not prompts:
        return
    failing = [each.worst for each in prompts if each.fails]
    kinds = Counter(name for each in failing for name in each.failures)
    said = tr(
        "Greedy decoding: {failing} of {count} fail", failing=len(failing), count=len(prompts)
    )
    counted = ", ".join(f"{name} {count}" for name, count in kinds.most_common())
    yield Paragraph((Span(said, "strong"), f" ({counted})" if counted else ""))
    for each in failing:
        yield Paragraph((Span(each.id, "strong"), f": {', '.join(each.failures)}"))
        yield Verbatim(each.text)


def _checks(of: Sample) -> Iterator[Line]:
    if of.failed:
        yield sign(None), " " + tr("The request failed: {why}", why=of.failed)
    checks = of.health.checks if of.health else ()
    failures = of.health.failures if of.health else ()
    notes = [each for each in checks if each.passed is False and each not in failures]
    judged = [of.health.named("nonsense")] if of.health and of.health.is_judged else []
    open_ones = [each for each in checks if each.passed is None]
    for check in dict.fromkeys((*failures, *judged, *notes, *open_ones)):
        said = tr("{check}: {why}", check=check.name, why=check.explanation)
        yield sign(check.passed), f" {said}"
    if passed := [check.name for check in checks if check.passed]:
        yield sign(True), f" {', '.join(passed)}"
