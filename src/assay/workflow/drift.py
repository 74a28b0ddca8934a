"""Reads a text with a base model and others made of it, in lockstep: how far they moved from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, ExitCode, ModelUnavailable, UsageError, raise_all
from assay.messages import tr
from assay.models.base import TextReader
from assay.models.home_made.adapter import model_of
from assay.models.opening import open_model
from assay.suites.gate_file import load_gate
from assay.suites.held_out_text import HeldOut, load_held_out
from assay.summary.drift import DriftFigures
from assay.types import Model, Observer, ReadText
from assay.types.drift import Drift, DriftLimits, FlippedToken
from assay.types.model_spec import without_secrets
from assay.types.options import DriftOptions

if TYPE_CHECKING:
    from assay.engine.drift import WindowDrift

WORDS_BEFORE = 24  # tokens shown before a place that flipped


def measure_drift(options: DriftOptions, observer: Observer) -> Drift:
    """Every mistake that can be known is told before a model is loaded."""
    mistakes: list[AssayError] = []

    def found(read: Any, *given: Any) -> Any:
        try:
            return read(*given)
        except AssayError as error:
            mistakes.append(error)
            return None

    if len(options.models) < 2:
        hint = tr("name the model it is compared with first: assay drift BASE OTHER")
        mistakes.append(UsageError(tr("drift is between two models or more"), hint=hint))
    limits = found(_limits, options)
    text = found(load_held_out, options.text)
    exact = replace(options, dtype=options.dtype or "float32")  # 16 bits would drift by themselves
    models = [found(_opened, spec, exact) for spec in options.models]
    raise_all(mistakes)
    readers = []
    try:
        for model in models:
            readers.append(model.reading())
        tokens = _tokens(models, readers, text)
        return _measured(models, readers, tokens, text.name, limits, observer)
    finally:
        for model in models:
            model.close()


def _limits(options: DriftOptions) -> DriftLimits:
    """The gate's, unless the command line says otherwise."""
    limits = DriftLimits()
    if options.gate is not None:
        gate = load_gate(options.gate)
        if gate.drift is None:
            raise UsageError(
                tr("the gate {file} has no limit for drift", file=gate.source),
                hint=tr("give it a table [drift] with max_kl or min_same_top"),
            )
        limits = gate.drift
    if options.max_kl is not None:
        limits = replace(limits, max_kl=options.max_kl)
    if options.min_same_top is not None:
        limits = replace(limits, min_same_top=options.min_same_top)
    return limits


def _opened(given: Any, options: DriftOptions) -> Any:
    named = isinstance(given, str | Path)
    model = open_model(str(given), local=options) if named else model_of(given)
    if not hasattr(model, "reading"):
        raise ModelUnavailable(
            tr("{model} does not show its predictions for every token",
               model=without_secrets(model.facts.spec)),
            hint=tr("drift needs the weights: a checkpoint, hf:ORG/NAME, gguf:FILE, or "
                    "gguf:ollama/NAME for a model of Ollama's"),
        )  # fmt: skip
    return model


def _tokens(
    models: Sequence[Model], readers: Sequence[TextReader], text: HeldOut
) -> list[list[int]]:
    """Of every document. Predictions can be compared only where the tokens are the same."""
    base, *others = readers
    prefixes = {reader.prefix for reader in readers}
    begin = [base.prefix] if None not in prefixes and base.prefix is not None else []
    found = []
    for document in text.documents:
        coded = [
            list(reader.encode(document.text) if document.tokens is None else document.tokens)
            for reader in readers
        ]
        for model, reader, ids in zip(models[1:], others, coded[1:], strict=True):
            if reader.vocabulary != base.vocabulary or ids != coded[0]:
                raise _other_tokens(models[0], base, coded[0], model, reader, ids)
        if coded[0] and max(coded[0]) >= base.vocabulary:
            raise UsageError(
                tr("{text} has the token id {largest}, and {model} knows only {known} tokens",
                   text=text.name, largest=max(coded[0]), known=base.vocabulary,
                   model=models[0].facts.spec),
                hint=tr("name token ids of the checkpoint's own tokenizer, or plain text"),
            )  # fmt: skip
        if len(begin) + len(coded[0]) > 1:
            found.append([*begin, *coded[0]])
    if not found:
        raise UsageError(
            tr("{text} has fewer than two tokens", text=text.name),
            hint=tr("name a longer text with --text"),
        )
    return found


def _other_tokens(
    base: Model,
    ours: TextReader,
    our_ids: Sequence[int],
    other: Model,
    theirs: TextReader,
    their_ids: Sequence[int],
) -> ModelUnavailable:
    return ModelUnavailable(
        tr("{base} and {other} have different tokens, so their predictions cannot be compared: "
           "vocabularies of {ours} and {theirs} tokens, and the text has {our_count} and "
           "{their_count}", base=base.facts.spec, other=other.facts.spec,
           ours=f"{ours.vocabulary:,}", theirs=f"{theirs.vocabulary:,}",
           our_count=f"{len(our_ids):,}", their_count=f"{len(their_ids):,}"),
        hint=tr("drift compares a model with what was made of it; for others use `assay compare`, "
                "or bits per byte of `assay run`"),
    )  # fmt: skip


def _measured(
    models: Sequence[Model],
    readers: Sequence[TextReader],
    documents: Sequence[list[int]],
    text: str,
    limits: DriftLimits,
    observer: Observer,
) -> Drift:
    from assay.engine.drift import WINDOW, compare_readings
    from assay.engine.network import NotFinite

    window = min(WINDOW, *(reader.context for reader in readers))
    specs = [without_secrets(model.facts.spec) for model in models]
    figures = [DriftFigures(spec) for spec in specs[1:]]
    total = sum(-(-(len(tokens) - 1) // window) for tokens in documents)
    observer.model_started(specs[0], total=total, reused=0)
    whole: list[int] = []
    base, *others = (reader.read for reader in readers)
    try:
        for tokens in documents:
            for found in compare_readings(base, others, tokens, context=window):
                _add(figures, found, len(whole))
                observer.replied(specs[0], _seen(found), None)
            whole += tokens
    except NotFinite as error:
        raise ModelUnavailable(
            tr("{model} answers with NaN or infinity near token {place} of the text",
               model=specs[error.args[0]], place=len(whole) + error.args[1]),
            hint=tr("try --dtype float32, or an earlier checkpoint"),
        ) from error  # fmt: skip
    observer.model_finished(specs[0])
    summed = tuple(each.summed(limits, _flips(each, whole, readers[0])) for each in figures)
    failed = any(each.accepted is False for each in summed)
    abouts = (model.facts.about.get("weights on disk", "") for model in models)
    return Drift(
        base=specs[0],
        text=text,
        tokens=summed[0].kl.n,
        window=window,
        perplexity=figures[0].base_perplexity,
        models=summed,
        limits=limits,
        weights=dict(zip(specs, abouts, strict=True)),
        notes=tuple(note for model in models for note in model.observed().notes),
        exit_code=ExitCode.NOT_ACCEPTED if failed else ExitCode.DONE,
    )


def _add(figures: Sequence[DriftFigures], found: WindowDrift, before: int) -> None:
    for each, drift in zip(figures, found.others, strict=True):
        each.add(before + found.first, drift)


def _seen(found: WindowDrift) -> ReadText:
    """For whoever watches: a window of the text is read."""
    likely = found.others[0].base
    return ReadText(
        request_id="",
        log_likelihood=float(likely.sum()),
        tokens=len(likely),
        words=0,
        bytes=0,
        top1=0,
        top5=0,
    )


def _flips(
    figures: DriftFigures, tokens: Sequence[int], reader: TextReader
) -> tuple[FlippedToken, ...]:
    return tuple(
        FlippedToken(
            place=place,
            before=reader.decode(tokens[max(0, place - WORDS_BEFORE) : place]),
            follows=reader.decode([tokens[place]]),
            base=reader.decode([base]),
            base_share=base_share,
            other=reader.decode([other]),
            other_share=other_share,
            kl=kl,
        )
        for kl, place, (base, other, base_share, other_share) in sorted(figures.flips, reverse=True)
    )
