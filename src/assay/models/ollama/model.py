"""A model behind Ollama, as a Model.

open     version, list and facts: four small questions, nothing computed
answer   load with a context large enough, then one request at a time (unless told otherwise)
deadline unload, then go on: the server would compute on, and the next answer wait behind it
close    unload, so that the next model has the memory
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.first_token import MOST
from assay.models.http.connection import Connection
from assay.models.http.faults import Fault
from assay.models.http.served import ServedModel, answered_by, chosen_by
from assay.models.ollama.client import OllamaAnswer, OllamaClient, body_for, context_for, was_cut
from assay.models.ollama.facts import (
    OBEYS_TRUNCATE_SINCE,
    entry_of,
    facts_of,
    how_to_get,
    own_bytes,
    own_stops,
    version_of,
)
from assay.models.ollama.residence import Residence
from assay.types import (
    Answered,
    ModelFacts,
    Observed,
    Reply,
    Request,
    Sampling,
    ToAnswer,
    ToChoose,
)
from assay.types.options import ServerOptions


class OllamaModel(ServedModel):
    def __init__(self, name: str, url: str, *, spec: str, settings: ServerOptions) -> None:
        self._name = name
        self._settings = settings
        width = settings.connections or 1
        connection = Connection(url, timeout_s=settings.timeout, connections=width + 1)
        super().__init__(connection, width=width, first_pause_s=settings.first_pause_s)
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
        """Memory, offload and context, as seen when the model was loaded."""
        return self._residence.observed

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
        if fault.cause in ("unreachable", "timeout"):
            return ModelUnavailable(
                tr("no Ollama answers at {url}: {why}", url=self._connection.url, why=fault),
                hint=tr(
                    "start it with `ollama serve`, or name its address as in "
                    "ollama:{name}@http://HOST:11434 or OLLAMA_HOST",
                    name=self._name,
                ),
            )
        return ModelUnavailable(
            tr("cannot use ollama:{name}: {why}", name=self._name, why=fault),
            hint=tr("check that {url} is an Ollama server", url=self._connection.url),
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
            return context_for(work.messages, work.sampling.max_tokens, self._own_bytes)
        if isinstance(work, ToChoose):
            longest = work.otherwise.max_tokens if work.otherwise else 1
            return context_for(work.messages, longest, self._own_bytes)
        return 0

    def _learn(self, fault: Fault) -> None:
        if fault.cause == "timeout" and fault.status is None and fault.asked:
            self._residence.give_up()

    def _ask(self, request: Request) -> Reply:
        work = request.work
        if isinstance(work, ToAnswer):
            return self._write(request.id, work)
        if isinstance(work, ToChoose):
            return self._choose(request, work)
        raise Fault("refused", tr("Ollama cannot measure the likelihood of a text"))

    def _choose(self, request: Request, work: ToChoose) -> Reply:
        otherwise = work.otherwise or Sampling(temperature=0.0, seed=0, max_tokens=1)
        told = {"logprobs": True, "top_logprobs": MOST}
        one = replace(otherwise, temperature=0.0, max_tokens=1, stop=())
        asked = ToAnswer(messages=work.messages, sampling=one)
        chosen = chosen_by(request.id, self._written(asked, one, told), work.continuations)
        if chosen is not None:
            return chosen
        return self._write(request.id, ToAnswer(messages=work.messages, sampling=otherwise))

    def _draw(self, request_id: str, work: ToAnswer, sampling: Sampling) -> Answered:
        return answered_by(request_id, self._written(work, sampling, {}))

    def _written(
        self, work: ToAnswer, sampling: Sampling, extra: Mapping[str, Any]
    ) -> OllamaAnswer:
        path, body = body_for(
            work, sampling, self._facts, context=self._context, own_stops=self._stops
        )

        def attempt() -> OllamaAnswer:
            self._residence.ensure(self._context)
            written = self._client.write(path, {**body, **extra})
            written.loaded_s = self._residence.took_to_load()
            return written

        written, attempts = self._patience.tried(attempt)
        written.attempts = attempts
        self._refuse_if_cut(work, written)
        return written

    def _refuse_if_cut(self, work: ToAnswer, written: OllamaAnswer) -> None:
        given = self._residence.observed.context_length
        context = min(self._context, given or self._context)
        counted, own = written.prompt_tokens, self._own_bytes
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
