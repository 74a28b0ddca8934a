"""One model in a server's memory: brought in before it is asked, watched, and taken out again.

Loading is a request of its own, so that it takes nothing from a test's time; another context size
means loading again. Threads may share it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from assay.messages import tr
from assay.models.http.faults import Fault, reported_count
from assay.models.ollama.client import KEEP_ALIVE, OllamaClient
from assay.models.ollama.facts import digest_of, entry_of
from assay.types import ModelFacts, Observed


class Residence:
    """`observed` is what /api/ps said when the model came in."""

    def __init__(self, client: OllamaClient, facts: ModelFacts) -> None:
        self._client = client
        self._facts = facts
        self._lock = threading.Lock()
        self._loaded_with = 0
        self._load_s: float | None = None
        self._was_here = False
        self._cannot_go_on = ""
        self._patient = True
        self.observed = Observed()

    def ensure(self, context: int) -> None:
        """Have it in memory with this context. Raises Fault."""
        with self._lock:
            if self._cannot_go_on:
                raise Fault("server_error", self._cannot_go_on)
            if self._loaded_with == context:
                return
            self._was_here = True
            self._observe(context)
            if self.observed.context_length != context:
                self._load(context)
            self._loaded_with = context

    def took_to_load(self) -> float | None:
        """Seconds of the last load, told once; None where nothing was loaded since."""
        with self._lock:
            seconds, self._load_s = self._load_s, None
            return seconds

    def give_up(self) -> None:
        """After a deadline the server computes on: 128 s for the next trivial request, measured;
        1.5 s with an unload in between, the reload included.
        """
        with self._lock:
            if self._loaded_with:
                self._loaded_with = 0
                self._unload()

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
                self._cannot_go_on = fault.sentence
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
            self._cannot_go_on = tr(
                "{name} has changed since this run began; run the same command to start a new run",
                name=self._facts.name,
            )
            raise Fault("server_error", self._cannot_go_on)


def _notes(context: int | None, asked: int, *, others: int) -> Iterator[str]:
    if context is not None and context < asked:
        yield tr(
            "the server gave a context of {given} tokens where {asked} were asked for",
            given=context,
            asked=asked,
        )
    if others:
        yield tr("other models were in the server's memory: {count}", count=others)
