"""Reads a text with a base model and others made of it, in lockstep: how far they moved from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, ExitCode, ModelUnavailable, UsageError, raise_all, tried
from assay.messages import tr
from assay.models.base import TextReader
from assay.models.home_made.adapter import model_of
from assay.models.opening import open_model
from assay.suites.gate_file import load_gate
from assay.suites.held_out_text import HeldOut, load_held_out
from assay.summary.checkpoints import find_flips, perplexity_of, sum_up_drift
from assay.text.number_format import count
from assay.types import Model, Observer, ReadText
from assay.types.measured.drift import Drift, DriftLimits, FlippedToken
from assay.types.model_spec import without_secrets
from assay.types.option_fields import several
from assay.types.options import DriftOptions
from assay.types.scores import tell_phase

if TYPE_CHECKING:
    from assay.engine.drift import TokenDrift

WORDS_BEFORE = 24  # tokens shown before a place that flipped


def measure_drift(options: DriftOptions, observer: Observer) -> Drift:
    """Every mistake that can be known is told before a model is loaded."""
    tell_phase(observer, tr("preparing models"))
    mistakes: list[AssayError] = []
    if len(several(options.models)) < 2:
        hint = tr("name the model it is compared with first: assay drift BASE OTHER")
        mistakes.append(UsageError(tr("drift is between two models or more"), hint=hint))
    limits = tried(mistakes, _limits, options)
    text = tried(mistakes, load_held_out, options.text)
    exact = replace(options, dtype=options.dtype or "float32")  # 16 bits would drift by themselves
    models = [
        model for spec in several(options.models) for model in tried(mistakes, _opened, spec, exact)
    ]
    raise_all(mistakes)
    try:
        readers = [model.reading() for model in models]
        tokens = _tokens(models, readers, text[0])
        return _measured(models, readers, tokens, text[0].name, limits[0], observer)
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
    told = {"max_kl": options.max_kl, "min_same_top": options.min_same_top}
    return replace(limits, **{name: of for name, of in told.items() if of is not None})


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
    """Of every document. Predictions can be compared only where the tokens are the same. Before a
    text stands what all tokenizers put there.
    """
    base = readers[0]
    begin = base.begin if all(reader.begin == base.begin for reader in readers) else ()
    found = []
    for document in text.documents:
        coded = [
            list(reader.encode(document.text) if document.tokens is None else document.tokens)
            for reader in readers
        ]
        ours = coded[0]
        for model, reader, ids in zip(models, readers, coded, strict=True):
            if reader.vocabulary != base.vocabulary or ids != ours:
                raise ModelUnavailable(
                    tr("{base} and {other} have different tokens, so their predictions cannot be "
                       "compared: vocabularies of {ours} and {theirs} tokens, and the text has "
                       "{our_count} and {their_count}", base=models[0].facts.spec,
                       other=model.facts.spec, ours=count(base.vocabulary),
                       theirs=count(reader.vocabulary), our_count=count(len(ours)),
                       their_count=count(len(ids))),
                    hint=tr("drift compares a model with what was made of it; for others use "
                            "`assay compare`, or bits per byte of `assay run`"),
                )  # fmt: skip
        if ours and max(ours) >= base.vocabulary:
            raise UsageError(
                tr("{text} has the token id {largest}, and {model} knows only {known} tokens",
                   text=text.name, largest=max(ours), known=base.vocabulary,
                   model=models[0].facts.spec),
                hint=tr("name token ids of the checkpoint's own tokenizer, or plain text"),
            )  # fmt: skip
        begun = tuple(ours[: len(begin)]) == begin
        whole = ours if begun else [*begin, *ours]
        if len(whole) > 1:
            found.append(whole)
    if not found:
        raise UsageError(
            tr("{text} has fewer than two tokens", text=text.name),
            hint=tr("name a longer text with --text"),
        )
    return found


def _measured(
    models: Sequence[Model],
    readers: Sequence[TextReader],
    documents: Sequence[list[int]],
    text: str,
    limits: DriftLimits,
    observer: Observer,
) -> Drift:
    import numpy as np

    from assay.engine.drift import WINDOW, TokenDrift, compare_readings
    from assay.engine.network import NotFinite

    window = min(WINDOW, *(reader.context for reader in readers))
    specs = [without_secrets(model.facts.spec) for model in models]
    total = sum(-(-(len(tokens) - 1) // window) for tokens in documents)
    observer.model_started(specs[0], total=total, reused=0)
    whole: list[int] = []
    predicted: list[int] = []  # their places in the whole
    parts = []
    base, *others = (reader.read for reader in readers)
    threads = all(reader.threads for reader in readers)
    try:
        for tokens in documents:
            for found in compare_readings(base, others, tokens, context=window, threads=threads):
                parts.append(found)
                likely = found[0].base
                read = ReadText(request_id="", log_likelihood=float(likely.sum()),
                                tokens=len(likely), words=0, bytes=0, top1=0, top5=0)  # fmt: skip
                observer.replied(specs[0], read, None)
            predicted += range(len(whole) + 1, len(whole) + len(tokens))
            whole += tokens
    except NotFinite as error:
        raise ModelUnavailable(
            tr("{model} answers with NaN or infinity near token {place} of the text",
               model=specs[error.args[0]], place=len(whole) + error.args[1]),
            hint=tr("try --dtype float32, or an earlier checkpoint"),
        ) from error  # fmt: skip
    observer.model_finished(specs[0])
    joined = [
        TokenDrift(*map(np.concatenate, zip(*each, strict=True)))
        for each in zip(*parts, strict=True)
    ]
    sizes = [len(tokens) - 1 for tokens in documents]
    summed = tuple(
        sum_up_drift(spec, each, _flips(each, whole, predicted, readers[0]), limits, sizes)
        for spec, each in zip(specs[1:], joined, strict=True)
    )
    failed = any(each.accepted is False for each in summed)
    abouts = (model.facts.about.get("weights on disk", "") for model in models)
    return Drift(
        base=specs[0],
        text=text,
        tokens=len(predicted),
        documents=len(documents),
        window=window,
        perplexity=perplexity_of(joined[0].base, sizes),
        models=summed,
        limits=limits,
        weights=dict(zip(specs, abouts, strict=True)),
        notes=tuple(note for model in models for note in model.observed().notes),
        exit_code=int(ExitCode.NOT_ACCEPTED if failed else ExitCode.DONE),
    )


def _flips(
    found: TokenDrift, tokens: Sequence[int], predicted: Sequence[int], reader: TextReader
) -> list[FlippedToken]:
    return [
        FlippedToken(
            place=(place := predicted[at]),
            before=reader.decode(tokens[max(0, place - WORDS_BEFORE) : place]),
            follows=reader.decode([tokens[place]]),
            base=reader.decode([int(found.base_top[at])]),
            base_share=float(found.base_share[at]),
            other=reader.decode([int(found.other_top[at])]),
            other_share=float(found.other_share[at]),
            kl=float(found.kl[at]),
        )
        for at in find_flips(found)
    ]
