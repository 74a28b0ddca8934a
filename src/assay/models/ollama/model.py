"""A model behind Ollama. Its context is large enough for all requests; after a deadline it is
unloaded, for the server would compute on, and in the end, for the next model.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.http.connection import Connection
from assay.models.http.faults import Fault, readable, reported_count
from assay.models.http.reading_speed import ReadingSpeed
from assay.models.http.served import (
    ServedModel,
    answered_by,
    chosen_by,
    with_letters,
    written_with_letters,
)
from assay.models.http.served_memory import resident_bytes
from assay.models.http.slots import ServerSlots
from assay.models.ollama.client import (
    KEEP_ALIVE,
    NEARLY_FULL,
    SMALLEST,
    OllamaAnswer,
    OllamaClient,
    body_for,
    context_for,
    was_cut,
)
from assay.models.ollama.facts import (
    OBEYS_TRUNCATE_SINCE,
    digest_of,
    entry_of,
    facts_of,
    how_to_get,
    own_bytes,
    own_stops,
    version_of,
)
from assay.models.reasoning import MOST
from assay.types import (
    Answered,
    Cause,
    Message,
    ModelFacts,
    Observed,
    Reply,
    Request,
    Sampling,
    ToAnswer,
    ToChoose,
    ToContinue,
    ToTime,
)
from assay.types.options import ServerOptions

LETTERS = {"logprobs": True, "top_logprobs": MOST}  # asks for the likeliest tokens


class OllamaModel(ServedModel):
    def __init__(self, name: str, url: str, *, spec: str, settings: ServerOptions) -> None:
        self._name = name
        self._settings = settings
        width = settings.connections or 1
        connection = Connection(
            url, timeout_s=settings.timeout, connections=width + 1, slots=ServerSlots(width)
        )
        super().__init__(connection, first_pause_s=settings.first_pause_s)
        self._client = OllamaClient(connection)
        self._context = settings.num_ctx or 0
        try:
            self._facts = self._find(spec)
        except BaseException:
            connection.close()
            raise
        self._residence = Residence(self._client, self._facts)

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        self._make_room(requests)
        yield from super().answer(requests)

    def observed(self) -> Observed:
        """Its memory as /api/ps says it: weights, cache and what computing needs."""
        seen = self._residence.observed
        if seen.memory_bytes is None:
            return seen
        return replace(seen, resident_bytes=resident_bytes(self._connection.url))

    def close(self) -> None:
        """Unload, which also ends what a Ctrl-C left computing."""
        self._connection.resume()
        self._residence.leave()
        self._connection.close()

    def _find(self, spec: str) -> ModelFacts:
        try:
            version = self._client.version()
            models = self._client.models()
            shown = self._client.show(self._name)
        except Fault as fault:
            raise self._unavailable(fault) from fault
        self._stops = own_stops(shown)
        self._own_bytes = own_bytes(shown)
        self._obeys = version_of(version) >= OBEYS_TRUNCATE_SINCE
        return facts_of(
            spec,
            self._name,
            url=self._connection.url,
            version=version,
            entry=entry_of(self._name, models),
            shown=shown,
        )

    def _unavailable(self, fault: Fault) -> ModelUnavailable:
        if fault.status == 404 and "page not found" not in fault.message:
            with suppress(Fault):
                return ModelUnavailable(
                    tr("there is no model {name!r} on this server: {url}", name=self._name,
                       url=self._connection.url),
                    hint=how_to_get(self._name, self._client.models()),
                )  # fmt: skip
        hint = tr("check that {url} is an Ollama server", url=self._connection.url)
        if fault.hint or fault.instead:
            hint = fault.hint or tr("try ollama:{name}@{url}", name=self._name, url=fault.instead)
        elif fault.cause in ("unreachable", "timeout"):
            hint = tr(
                "start it with `ollama serve`, or name its address as in "
                "ollama:{name}@http://HOST:11434 or OLLAMA_HOST",
                name=self._name,
            )
        return ModelUnavailable(
            tr("cannot use ollama:{name}: {why}", name=self._name, why=fault), hint=hint
        )

    def _make_room(self, requests: Sequence[Request]) -> None:
        """One context for all, as large as the longest needs: another size reloads the model."""
        if self._settings.num_ctx:
            return
        needed = max((self._needed(request) for request in requests), default=0)
        most = self._facts.context_length or needed
        self._context = max(self._context, min(needed, most))

    def _needed(self, request: Request) -> int:
        work = request.work
        if isinstance(work, ToAnswer):
            return context_for(work.messages, work.sampling.max_tokens, self._bytes_beside(work))
        if isinstance(work, ToChoose):
            longest = work.otherwise.max_tokens if work.otherwise else 1
            return context_for(work.messages, longest, self._own_bytes)
        if isinstance(work, ToContinue):
            said = (Message("user", work.text),)
            return context_for(said, work.max_tokens, self._own_bytes)
        if isinstance(work, ToTime):
            needed = (work.prompt_tokens or 0) + (work.new_tokens or 0)
            # Where a server cuts in silence, a context that is nearly full looks like a cut one.
            return max(SMALLEST, needed if self._obeys else int(needed / NEARLY_FULL) + 1)
        return 0

    def _bytes_beside(self, work: ToAnswer) -> int:
        steps = (*work.steps, *(turn.called for turn in work.messages if turn.called))
        called = "".join(f"{step.calls}{step.results}" for step in steps)
        return self._own_bytes + len(((work.tools or "") + called).encode("utf-8", "replace"))

    def _learn(self, fault: Fault) -> None:
        if fault.cause != "timeout" or fault.status is not None:
            return
        if not fault.partial and (others := self._others_in_memory()):
            fault.sentence = tr(
                "{fault}; it also holds {others}, and may be busy with it for another program",
                fault=fault.sentence,
                others=others,
            )
        self._residence.give_up()

    @property
    def reading(self) -> ReadingSpeed:
        return self._client.reading

    def _others_in_memory(self) -> str:
        try:
            loaded = self._client.loaded()
        except Fault:
            return ""
        ours = entry_of(self._facts.name, loaded)
        return readable(", ".join(str(each.get("name")) for each in loaded if each is not ours))

    def _choose(self, request_id: str, work: ToChoose) -> Reply:
        otherwise = work.otherwise or Sampling(temperature=0.0, seed=0, max_tokens=1)
        if work.written:
            return self._write(request_id, written_with_letters(work, otherwise))
        one = replace(otherwise, temperature=0.0, max_tokens=1, stop=())
        asked = ToAnswer(messages=work.messages, sampling=one)
        chosen = chosen_by(request_id, self._written(asked, one, LETTERS), work.continuations)
        if chosen is not None:
            return chosen
        return self._write(request_id, ToAnswer(messages=work.messages, sampling=otherwise))

    def _draw(self, request_id: str, work: ToAnswer, sampling: Sampling) -> Answered:
        written = self._stream(work, sampling)
        return with_letters(answered_by(request_id, written), written, work.letters)

    def _stream(self, work: ToAnswer, sampling: Sampling) -> OllamaAnswer:
        told = work.letters and "top_logprobs" in self._facts.capabilities
        return self._written(work, sampling, LETTERS if told else {})

    def _written(
        self, work: ToAnswer, sampling: Sampling, extra: Mapping[str, Any]
    ) -> OllamaAnswer:
        path, body = body_for(
            work, sampling, self._facts, context=self._context, own_stops=self._stops
        )

        def attempt() -> OllamaAnswer:
            try:
                self._residence.ensure(self._context)
                written = self._client.write(path, {**body, **extra}, sampling)
            except Fault as fault:
                if fault.away:
                    self._residence.forget()
                raise
            written.loaded_s = self._residence.took_to_load()
            return written

        written, attempts = self._patience.tried(attempt)
        written.attempts = attempts
        self._refuse_if_cut(work, written)
        return written

    def _refuse_if_cut(self, work: ToAnswer, written: OllamaAnswer) -> None:
        given = self._residence.observed.context_length
        context = min(self._context, given or self._context)
        counted, own = written.prompt_tokens, self._bytes_beside(work)
        if was_cut(work.messages, counted, context, own_bytes=own, obeys=self._obeys):
            raise Fault(
                "prompt_too_long",
                tr(
                    "the prompt does not fit into {context} tokens, and the server cut it in "
                    "silence; a larger --num-ctx, where the model can, lets it in",
                    context=context,
                ),
                partial=written.text,
            )


class Residence:
    """`observed` is what /api/ps said when the model came in."""

    def __init__(self, client: OllamaClient, facts: ModelFacts) -> None:
        self._client = client
        self._facts = facts
        self._lock = threading.Lock()
        self._loaded_with = 0
        self._load_s: float | None = None
        self._was_here = False
        self._cannot_go_on: tuple[Cause, str] | None = None
        self._patient = True
        self.observed = Observed()

    def ensure(self, context: int) -> None:
        with self._lock:
            if self._cannot_go_on:
                raise Fault(*self._cannot_go_on)
            if self._loaded_with == context:
                return
            self._was_here = True
            self._observe(context)
            if self.observed.context_length != context:
                self._load(context)
            self._loaded_with = context

    def forget(self) -> None:
        """The server went away, and what it held with it."""
        with self._lock:
            self._loaded_with = 0

    def took_to_load(self) -> float | None:
        with self._lock:
            seconds, self._load_s = self._load_s, None
            return seconds

    def give_up(self) -> bool:
        """After a deadline the server computes on, unless unloaded. Whether it obeyed."""
        with self._lock:
            if self._loaded_with:
                self._loaded_with = 0
                self._unload()
            return self._patient

    def leave(self) -> None:
        """Out of memory, if it ever was in it because of us."""
        with self._lock:
            if self._was_here:
                self._was_here = False
                self._unload()

    def _unload(self) -> None:
        """Where even this is not answered, nobody is going to load anything for ten minutes."""
        try:
            self._client.unload(self._facts.name)
            self._patient = True
        except Fault:
            self._patient = False

    def _load(self, context: int) -> None:
        try:
            self._load_s = self._client.load(
                self._facts.name, {"num_ctx": context}, KEEP_ALIVE, patient=self._patient
            )
        except Fault as fault:
            if fault.status == 500:  # slow to find out, and the same for every test
                self._cannot_go_on = (fault.cause, fault.sentence)
            if fault.status not in (404, 405, 501):  # what only resembles Ollama loads by itself
                raise
        self._observe(context)

    def _observe(self, asked: int) -> None:
        self.observed = Observed()
        try:
            loaded = self._client.loaded()
        except Fault:
            return
        entry = entry_of(self._facts.name, loaded)
        if entry is None:
            return
        self._refuse_another_model(entry)
        context = reported_count(entry.get("context_length"))
        self.observed = Observed(
            memory_bytes=reported_count(entry.get("size")),
            gpu_bytes=reported_count(entry.get("size_vram")) or 0,
            context_length=context,
            notes=tuple(_notes(context, asked, others=len(loaded) - 1)),
        )

    def _refuse_another_model(self, entry: Mapping[str, Any]) -> None:
        """Pulled anew since we asked for its digest: its answers are another model's."""
        digest = digest_of(entry)
        if self._facts.fingerprint_is_weak or digest is None:
            return
        if f"ollama:{digest}" != self._facts.fingerprint:
            why = tr(
                "{name} has changed since this run began; run the same command to start a new run",
                name=self._facts.name,
            )
            self._cannot_go_on = ("server_error", why)
            raise Fault("server_error", why)


def _notes(context: int | None, asked: int, *, others: int) -> Iterator[str]:
    if context is not None and context < asked:
        yield tr(
            "the server gave a context of {given} tokens where {asked} were asked for",
            given=context,
            asked=asked,
        )
    if others:
        yield tr("other models were in the server's memory: {count}", count=others)
