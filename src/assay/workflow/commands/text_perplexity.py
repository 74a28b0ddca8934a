"""The specification's `compute_perplexity`: a model reads a text or batches. No run, no store."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.arguments import takes_options
from assay.errors import AssayError, UsageError
from assay.messages import tr
from assay.models.local.loaded import encode_loaded, is_loaded, network_of, split_loaded
from assay.models.opening import open_model
from assay.suites.held_out_text import HeldOut, HeldOutDocument, load_held_out, texts_given
from assay.types import Failed, Model, ReadText, Request, ToRead
from assay.types.options import LocalOptions, PluginOptions
from assay.types.options_class import options_class
from assay.workflow.commands.single_checkpoint import checkpoint_place

if TYPE_CHECKING:
    from assay.engine.network import Network


@options_class()
class PerplexityOptions(PluginOptions, LocalOptions):
    model: object
    test_dataset: str | Path | Iterable[object]


@dataclass(slots=True)
class TotalLoss:
    """The loss of all tokens that count, in nats, and how many those are."""

    nats: float = 0.0
    tokens: int = 0


@takes_options(PerplexityOptions)
def compute_perplexity(options: PerplexityOptions) -> float:
    """The perplexity of a text: exp of the mean loss of a token.

    `test_dataset`: a file, a list of texts, a data set whose rows have "text" or "input_ids", or
    batches of 2-D input_ids. Nothing is put before a row, and its first token is not predicted.
    Padding is left out, as attention_mask or labels of -100 say, and tokens whose labels are -100
    are read as context and not counted. A loaded model is read as it is; nothing is stored.
    Example: `assay.compute_perplexity((model, tokenizer), loader)`.
    """
    text = _text_of(options.test_dataset)
    if is_loaded(options.model):
        _refuse_for_loaded(options)
        loss = _loss_of_loaded(options.model, text)
    elif isinstance(options.model, str | Path):
        loss = _loss_of_spec(options.model, text, options)
    else:
        raise UsageError(
            tr("a model is a name or path, a loaded model, or the pair (model, tokenizer)")
        )
    if not loss.tokens:
        raise UsageError(
            tr("{text} has fewer than two tokens", text=text.name),
            hint=tr("the first token of a row is not predicted: give longer rows"),
        )
    return math.exp(loss.nats / loss.tokens)


def _text_of(given: str | Path | Iterable[object]) -> HeldOut:
    if isinstance(given, str | Path):
        return load_held_out(Path(given))
    return texts_given(given, with_context=True)


def _refuse_for_loaded(options: PerplexityOptions) -> None:
    names = [name for name in ("device", "dtype", "base", "tokenizer") if getattr(options, name)]
    if names:
        raise UsageError(
            tr("a loaded model is read as it is, so {names} cannot be chosen",
               names=", ".join(names)),
            hint=tr("move the model with model.to(...), and give the pair (model, tokenizer)"),
        )  # fmt: skip


def _loss_of_loaded(given: Any, text: HeldOut) -> TotalLoss:
    model, _ = split_loaded(given)
    end = getattr(model.config, "eos_token_id", None)
    ends = end if isinstance(end, list) else [end]
    documents = text.documents_for([each for each in ends if each is not None])
    texts = [each.text for each in documents if each.tokens is None]
    coded = iter(encode_loaded(given, texts) if texts else [])
    rows = [next(coded) if each.tokens is None else each.tokens for each in documents]
    return _loss_of_rows(network_of(model), rows, documents, text.name)


def _loss_of_spec(spec: str | Path, text: HeldOut, options: PerplexityOptions) -> TotalLoss:
    with _opened(spec, options) as model:
        from assay.models.local.model import LocalModel

        if not isinstance(model, LocalModel):
            return _loss_by_requests(model, text)
        from assay.models.local.scoring import TextRules
        from assay.models.local.tokens.encoding import encode_whole

        scorer = model.scorer(TextRules())
        documents = text.documents_for(sorted(scorer.ends))
        texts = (each.text for each in documents if each.tokens is None)
        coded = encode_whole(scorer.tokenizer, texts)
        rows = [next(coded) if each.tokens is None else each.tokens for each in documents]
        return _loss_of_rows(scorer.network, rows, documents, text.name)


@contextmanager
def _opened(spec: str | Path, options: PerplexityOptions) -> Iterator[Model]:
    model = open_model(checkpoint_place(spec).spec, local=options)
    try:
        model.probe()
        yield model
    finally:
        model.close()


def _loss_of_rows(
    network: Network, rows: Sequence[Sequence[int]], documents: Sequence[HeldOutDocument], name: str
) -> TotalLoss:
    from assay.engine.network import NotFinite
    from assay.engine.read import read_all

    largest = max((int(max(row)) for row in rows if len(row)), default=0)
    if largest >= network.vocabulary:
        raise UsageError(
            tr("{text} has the token id {largest}, and the model knows only {known} tokens: the "
               "ids are another tokenizer's",
               text=name, largest=largest, known=network.vocabulary),
            hint=tr("give token ids of the model's own tokenizer, or plain text"),
        )  # fmt: skip
    loss = TotalLoss()
    try:
        # Nothing stands before a row, as in the specification's own code.
        for reading in read_all(network, rows, prefix=None):
            counts = documents[reading.number].counts
            if counts is None:
                loss.nats -= reading.log_likelihood
                loss.tokens += reading.tokens
                continue
            values = [float(value) for part in reading.each for value in part]
            _add_counted(loss, values, counts)
    except NotFinite as error:
        raise AssayError(
            tr("the model answers with NaN or infinity here"),
            hint=tr("float16 may be too narrow, or training has diverged"),
        ) from error
    return loss


def _add_counted(loss: TotalLoss, values: Sequence[float], counts: Sequence[bool]) -> None:
    """`values` are the log-likelihoods of all tokens but the first."""
    for value, counted in zip(values, counts[1:], strict=True):
        if counted:
            loss.nats -= value
            loss.tokens += 1


def _loss_by_requests(model: Model, text: HeldOut) -> TotalLoss:
    """The loss that a server or a plugin reports."""
    if "score_text" not in model.facts.capabilities:
        raise UsageError(
            tr("{model} does not measure the likelihood of a text", model=model.facts.spec),
            hint=tr("name a checkpoint, hf:ORG/NAME or gguf:FILE"),
        )
    documents = text.documents_for(())
    requests = []
    for number, each in enumerate(documents):
        work = ToRead(text=each.text, tokens=each.tokens, each_token=each.counts is not None)
        request = Request(id=str(number), suite="", test_id="", turn=0, repeat=0, work=work)
        requests.append(request)
    loss = TotalLoss()
    for reply in model.answer(requests):
        if isinstance(reply, Failed):
            raise AssayError(tr("the text could not be read: {why}", why=reply.reason))
        if not isinstance(reply, ReadText):
            continue
        counts = documents[int(reply.request_id)].counts
        if counts is None:
            loss.nats -= reply.log_likelihood
            loss.tokens += reply.tokens
            continue
        _add_counted(loss, [value or 0.0 for value in reply.logprobs[1:]], counts)
    return loss
