"""A checkpoint on this machine's disk, as a Model. Its weights are loaded by `probe` or the first
request; adapters of one base share them until the last is closed.
"""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, ModelUnavailable
from assay.messages import tr, trn
from assay.models.base import BaseModel, TextReader
from assay.models.local.adapter import Adapter, find_adapter, is_adapter
from assay.models.local.facts import facts_of
from assay.models.local.file_digests import read_ahead
from assay.models.local.finding import find_checkpoint
from assay.models.local.folder import Checkpoint
from assay.models.local.loading.checkpoint import (
    DTYPES,
    choose_device,
    choose_dtype,
    examine,
    exchange_weights,
    load,
    merge_adapter,
    refill,
)
from assay.models.local.loading.skeleton import without_origin
from assay.models.local.loading.weight_files import check_shapes
from assay.models.local.tokens.limits import begin_trial
from assay.models.local.tokens.tokenizer import SENTENCE, LocalTokenizer
from assay.text.safe_text import one_line
from assay.types import Cause, Failed, Message, Observed, Reply, Request, Timed, ToTime
from assay.types.options import LocalOptions

if TYPE_CHECKING:
    from assay.engine.network import Network
    from assay.models.local.answering import Answering
    from assay.models.local.scoring import TextRules, TextScorer
    from assay.models.local.speed import TimedCheckpoint, TimingProcess

# Embeddings are padded to round numbers: 905 of 51,200 tokens of Phi-2 are spare, some 2,400 of
# 102,400 of DeepSeek. A small vocabulary may be padded to the next multiple of 128.
MOST_SPARE = 1 / 8
# 1,024 spare tokens, an earlier rule, were half of a vocabulary of 2,048.
ALWAYS_SPARE = 128


class _Loaded:
    """`before`: what the weights were that the owner's adapter changed. `alike`: models that are
    open; a network whose owner was closed is kept for those of them with an equal config.
    """

    def __init__(self) -> None:
        self.owner: LocalModel | None = None
        self.network: Network | None = None
        self.before: dict[str, Any] = {}
        self.sharing: weakref.WeakSet[LocalModel] = weakref.WeakSet()
        self.alike: weakref.WeakSet[LocalModel] = weakref.WeakSet()

    def let_go(self) -> None:
        model = self.network.model if self.network else None
        weights = [weakref.ref(each) for each in model.parameters()] if model else []
        self.owner = self.network = model = None
        self.before = {}
        if any(each() is not None for each in weights):  # Mamba's modules point at each other
            gc.collect()
        import torch

        if torch.cuda.is_available():
            torch.cuda.empty_cache()


_loaded = _Loaded()
_fitting: set[tuple[object, ...]] = set()  # tokenizers with the vocabularies they were found to fit


class LocalModel(BaseModel):
    def __init__(self, path: Path, *, spec: str, settings: LocalOptions, commit: str = "") -> None:
        self._settings = settings
        self._adapter: Adapter | None = None
        if is_adapter(path):
            self._checkpoint, self._adapter = find_adapter(path, settings)
        else:
            self._checkpoint = find_checkpoint(
                path, tokenizer=settings.tokenizer, trust_remote_code=settings.trust_remote_code
            )
        self._examined = examine(self._checkpoint)
        self._device = choose_device(settings.device)
        self._dtype = choose_dtype(settings.dtype, self._device, self._examined.dtype_on_disk)
        self._facts = facts_of(
            self._checkpoint,
            spec=spec,
            device=self._device,
            dtype=self._dtype,
            examined=self._examined,
            commit=commit,
            adapter=self._adapter,
        )
        times = [each.stat().st_mtime_ns for each in self._checkpoint.weight_files]
        weights = os.path.realpath(self._checkpoint.path), *times
        self._weights = (weights, self._device, self._dtype)
        if self._adapter is not None:
            _loaded.sharing.add(self)
        else:
            _loaded.alike.add(self)
        self._tokenizer: LocalTokenizer | None = None
        self._stopped = threading.Event()
        self._counts: Counter[str] = Counter()
        self._why_plain = ""
        self._timing: TimingProcess | None = None

    def check(self) -> None:
        """What shows without the numbers of weights: shapes, and a tokenizer once for all."""
        check_shapes(self._checkpoint, self._examined.tensors)
        of = self._facts.tokenizer, self._examined.vocabulary, self._checkpoint.chat_template
        if of not in _fitting:
            self._load_tokenizer(self._examined.vocabulary)
            _fitting.add(of)

    def read_ahead(self) -> None:
        """It is the next one to be loaded."""
        read_ahead(self._checkpoint.weight_files)

    def probe(self) -> None:
        """Load it once: what only numbers tell (NaN, memory) is found before the first question."""
        file = self._checkpoint.tokenizer_folder / "tokenizer.json"
        if self._tokenizer is None and file.is_file():
            begin_trial(file)
        self._network()
        self._tokens()

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        self._stopped.clear()
        timed: dict[ToTime, list[Request]] = {}
        for each in requests:
            if isinstance(each.work, ToTime):
                timed.setdefault(each.work, []).append(each)
        others = [each for each in requests if not isinstance(each.work, ToTime)]
        if others:
            yield from self._answering().replies(others)
        for work, equal in timed.items():
            yield from self._timed(equal, work)

    def count_tokens(self, texts: Sequence[str]) -> list[tuple[int, int, bool]]:
        from assay.models.local.tokens.encoding import count_tokens

        return count_tokens(self._tokens(), texts)

    def reading(self) -> TextReader:
        """With weights of its own, beside whatever else is loaded."""
        from assay.engine.network import read_row
        from assay.models.local.tokens.encoding import encode_texts

        network = load(self._checkpoint, self._device, self._dtype, examined=self._examined)
        if self._adapter is not None:
            network, _ = self._merged(network)
        self._why_plain = network.why_not
        tokenizer = self._tokens(network)
        return TextReader(
            read=partial(read_row, network),
            encode=lambda text: next(encode_texts(tokenizer, [text])),
            decode=tokenizer.decode,
            begin=tokenizer.begins_texts_with,
            vocabulary=network.vocabulary,
            context=network.context_length,
            threads=network.serves_trees and network.device.type == "cpu",
        )

    def scorer(self, rules: TextRules) -> TextScorer:
        """For texts as they are, with the weights that are loaded for everything else."""
        from assay.models.local.scoring import TextScorer

        tokenizer = self._tokens()
        if rules.add_bos:
            tokenizer = LocalTokenizer.load(
                self._checkpoint.tokenizer_folder,
                trust_remote_code=self._settings.trust_remote_code,
                add_bos=True,
            )
        return TextScorer.of(
            self._network(),
            tokenizer,
            rules,
            ends=tokenizer.end_ids(self._ends()),
            generation=dict(self._checkpoint.generation),
        )

    def _answering(self) -> Answering:
        from assay.models.local.answering import Answering
        from assay.models.local.as_written import WrittenTexts
        from assay.models.local.scoring import TextRules

        return Answering(
            written_texts=lambda: WrittenTexts(self.scorer(TextRules()), self._counts),
            network=self._network(),
            tokenizer=self._tokens(),
            ends=self._tokens().end_ids(self._ends()),
            is_chat=self._facts.is_chat,
            folder=(self._adapter or self._checkpoint).path,
            stopped=self._stopped,
            counts=self._counts,
        )

    @property
    def leaves_cores_free(self) -> bool:
        return self._device != "cpu"

    @contextmanager
    def get_ready(self, requests: Sequence[Request]) -> Iterator[None]:
        """To be timed next: the process that does it loads its weights meanwhile."""
        from assay.models.local.speed import begun_to_time

        works = {each.work for each in requests if isinstance(each.work, ToTime)}
        if len(works) != 1 or self._settings.timer is not None:
            yield
            return
        with begun_to_time(self._to_time(works.pop(), len(requests))) as self._timing:
            yield

    def _to_time(self, work: ToTime, times: int) -> TimedCheckpoint:
        from assay.models.local.speed import TimedCheckpoint

        tokenizer = self._settings.tokenizer
        return TimedCheckpoint(
            folder=str(self._checkpoint.path.absolute()),
            tokenizer=str(tokenizer.absolute()) if tokenizer else None,
            trust_remote_code=self._settings.trust_remote_code,
            device=self._device if work.on_device else "cpu",
            dtype=self._dtype if work.on_device else None,
            prompt_tokens=work.prompt_tokens,
            new_tokens=work.new_tokens,
            repeats=work.repeats * times,
        )

    def _measured(self, of: TimedCheckpoint) -> dict[str, Any]:
        from assay.models.local.speed import measure_speed

        if self._settings.timer is not None:
            return self._settings.timer(of, stopped=self._stopped.is_set)
        ready, self._timing = self._timing, None
        if ready is not None and ready.of == of:
            return ready.measure(stopped=self._stopped.is_set)
        if ready is not None:
            ready.end()  # it holds weights that nobody asks for
        return measure_speed(of, stopped=self._stopped.is_set)

    def _timed(self, requests: Sequence[Request], work: ToTime) -> Iterator[Timed | Failed]:
        """All in one process, which may need the memory of the weights here; each has its runs."""
        from assay.models.local.answering import too_long
        from assay.models.local.speed import ModelTooLarge

        limit = self._examined.context_length
        asked = (work.prompt_tokens or 0) + (work.new_tokens or 0)
        if asked > limit:
            yield from (too_long(request, asked, limit) for request in requests)
            return
        self.close()
        try:
            found = self._measured(self._to_time(work, len(requests)))
        except AssayError as error:
            why = ": ".join(filter(None, (error.message, error.hint)))
            cause: Cause = "out_of_memory" if isinstance(error, ModelTooLarge) else "other"
            for request in requests:
                yield Failed(request_id=request.id, reason=why, cause=cause)
            return
        for place, request in enumerate(requests):
            mine = slice(place * work.repeats, (place + 1) * work.repeats)
            runs = {name: found[name][mine] for name in ("runs_per_s", "prefill_s", "decode_s")}
            yield Timed(
                request_id=request.id,
                prefill_s=tuple(runs["prefill_s"]),
                decode_s=tuple(runs["decode_s"]),
                new_tokens=found["new_tokens"],
                details={**found, **runs},
            )

    def observed(self) -> Observed:
        weights = self._examined.parameters * DTYPES[self._dtype]
        return Observed(
            memory_bytes=weights,
            gpu_bytes=0 if self._device == "cpu" else weights,
            context_length=self._examined.context_length,
            notes=tuple(self._notes()),
        )

    def stop(self) -> None:
        """The batch under way is finished, then the rest is given up."""
        self._stopped.set()

    def close(self) -> None:
        if self._tokenizer:
            self._tokenizer.close()
        _loaded.sharing.discard(self)
        _loaded.alike.discard(self)
        owner = _loaded.owner
        if owner is None or any(each._is_like(owner) for each in _loaded.alike):
            return  # what is loaded will take the weights of one that is like it
        is_closed = owner not in _loaded.alike and owner._adapter is None
        is_its = is_closed or owner._weights == self._weights
        if is_its and not any(each._weights == owner._weights for each in _loaded.sharing):
            _loaded.let_go()

    def _is_like(self, other: LocalModel | None) -> bool:
        """Whether this one's weights can be put into the other's network, as far as is known."""
        return (
            other is not None
            and self._adapter is other._adapter is None
            and self._weights[1:] == other._weights[1:]
            and self._facts.shape == other._facts.shape
            and without_origin(self._checkpoint.config) == without_origin(other._checkpoint.config)
            and not (self._checkpoint.trust_remote_code or other._checkpoint.trust_remote_code)
        )

    def _network(self) -> Network:
        if _loaded.owner is self and _loaded.network is not None:
            return _loaded.network
        network = self._base_network()
        if self._adapter is not None:
            _loaded.sharing.add(self)
            network, _loaded.before = self._merged(network)
        else:
            _loaded.alike.add(self)
        self._why_plain = network.why_not
        _loaded.owner, _loaded.network = self, network
        return network

    def _merged(self, network: Network) -> tuple[Network, dict[str, Any]]:
        assert self._adapter is not None
        return merge_adapter(network, self._adapter, self._checkpoint, self._examined, self._dtype)

    def _base_network(self) -> Network:
        owner, network = _loaded.owner, _loaded.network
        if owner is not None and network is not None and owner._weights == self._weights:
            before, _loaded.owner, _loaded.network, _loaded.before = _loaded.before, None, None, {}
            return exchange_weights(network, before)[0]
        if network is not None and self._is_like(owner) and owner not in _loaded.alike:
            _loaded.owner = _loaded.network = None  # it is the other's no longer, whatever happens
            refilled = refill(network, self._checkpoint, self._examined, self._dtype)
            if refilled is not None:
                return refilled
        del network  # else both would be in memory
        if owner is not None:
            _loaded.let_go()
        if self._settings.threads is not None:
            import torch

            torch.set_num_threads(self._settings.threads)
        return load(self._checkpoint, self._device, self._dtype, examined=self._examined)

    def _tokens(self, network: Network | None = None) -> LocalTokenizer:
        if self._tokenizer is None:
            network = network or self._network()
            self._tokenizer = self._load_tokenizer(network.vocabulary)
        return self._tokenizer

    def _load_tokenizer(self, vocabulary: int) -> LocalTokenizer:
        loaded = LocalTokenizer.load(
            self._checkpoint.tokenizer_folder,
            trust_remote_code=self._settings.trust_remote_code,
        )
        _check_tokenizer(self._checkpoint, loaded, vocabulary)
        if self._facts.is_chat:
            loaded.render_chat([Message("user", "Hello")])
        return loaded

    def _ends(self) -> int | list[int] | None:
        """As transformers has it: config.json counts where generation_config.json is silent."""
        found: int | list[int] | None = self._checkpoint.generation.get("eos_token_id")
        return self._checkpoint.config.get("eos_token_id") if found is None else found

    def _notes(self) -> Iterator[str]:
        if self._why_plain:
            yield tr("{architecture} was computed the plain, slower way, sequence by sequence: "
                     "shared beginnings cannot be used ({why})", why=self._why_plain,
                     architecture=self._facts.about["architecture"])  # fmt: skip
        if self._tokenizer:
            yield from self._tokenizer.notes
        if count := self._counts["scored_bos"]:
            yield trn(
                "the token that begins every text was scored as a token of {count} document, as "
                "lm-evaluation-harness does",
                "the token that begins every text was scored as a token of {count} documents, as "
                "lm-evaluation-harness does",
                count,
            )
        if count := self._counts["mixed_bos"]:
            yield trn(
                "{count} prompt begins with the text of BOS and others do not: each was encoded "
                "as it is, while lm-evaluation-harness goes by the first of a batch",
                "{count} prompts begin with the text of BOS and others do not: each was encoded "
                "as it is, while lm-evaluation-harness goes by the first of a batch",
                count,
            )
        if count := self._counts["cut"]:
            yield trn(
                "{count} prompt was longer than the model's context and lost its beginning",
                "{count} prompts were longer than the model's context and lost their beginnings",
                count,
            )


def _check_tokenizer(checkpoint: Checkpoint, tokenizer: LocalTokenizer, vocabulary: int) -> None:
    known = tokenizer.token_count
    gaps = {"folder": checkpoint.tokenizer_folder, "path": checkpoint.path, "count": vocabulary}
    hint = tr(
        "name the tokenizer the model was trained with: --tokenizer DIR; if tokens were added to "
        "it later, call resize_token_embeddings() and save the model again"
    )
    if tokenizer.vocabulary_size > vocabulary:
        what = tr("the tokenizer in {folder} has token ids up to {highest}, but the model in "
                  "{path} knows only {count} tokens (0 to {last})", **gaps,
                  highest=tokenizer.vocabulary_size - 1, last=vocabulary - 1)  # fmt: skip
    elif vocabulary - known > max(ALWAYS_SPARE, MOST_SPARE * vocabulary):
        what = tr("the tokenizer in {folder} has {known} tokens, but the model in {path} has "
                  "{count}", **gaps, known=known)  # fmt: skip
    elif (back := tokenizer.misread()) is not None:
        what = tr("the tokenizer in {folder} ({known} tokens; the model in {path} has {count}) "
                  "does not give back what it reads: {text!r} becomes {back!r}", **gaps,
                  known=known, text=SENTENCE, back=one_line(back, longest=60))  # fmt: skip
    elif lost := tokenizer.lost():
        what = tr("the tokenizer in {folder} ({known} tokens; the model in {path} has {count}) "
                  "loses {lost} of the {read} characters of an ordinary text, among them {signs}",
                  **gaps, known=known, lost=lost.lost, read=lost.read,
                  signs=lost.signs)  # fmt: skip
        hint = tr(
            "copy the tokenizer again from where the model was trained, or name it: --tokenizer DIR"
        )
    else:
        return
    raise ModelUnavailable(what, hint=hint)
