"""How far an answer is, and why nothing comes. Read by the thread that waits for replies."""

import time
from collections.abc import Callable

from assay.messages import tr
from assay.models.http.connection import Connection
from assay.models.http.faults import Patience
from assay.types import Observer

SHOWN_AFTER_S = 1.0
SILENT_S = 15.0  # then it is asked who else is served


class ScreenWatcher:
    def __init__(self, connection: Connection, patience: Patience) -> None:
        self._connection = connection
        self._patience = patience
        self._observer: Observer | None = None
        self._name = ""
        self._was_away = False
        self._asked_about = 0.0  # when the request began for which others were looked up

    def tell(self, observer: Observer, name: str) -> None:
        self._observer, self._name = observer, name

    def look(self, others_in_memory: Callable[[], str]) -> None:
        if self._observer is None:
            return
        self._tell_of_absence(self._observer)
        requests = list(self._connection.under_way.values())
        now = time.monotonic()
        waited = [now - each.began for each in requests]
        if not requests or max(waited) < SHOWN_AFTER_S:
            return
        tokens = sum(each.tokens for each in requests)
        speeds = [
            (each.tokens - 1) / (now - each.first_token_at)
            for each in requests
            if each.first_token_at and now - each.first_token_at > SHOWN_AFTER_S
        ]
        self._observer.writing(self._name, tokens, sum(speeds), max(waited))
        first = min(requests, key=lambda each: each.began)
        if not tokens and max(waited) > SILENT_S and self._asked_about != first.began:
            self._asked_about = first.began
            if others := others_in_memory():
                self._observer.note(
                    tr(
                        "{url} has been silent for {seconds:.0f} s; it also holds {others}, and "
                        "may be busy with it for another program",
                        url=self._connection.url,
                        seconds=max(waited),
                        others=others,
                    )
                )

    def _tell_of_absence(self, observer: Observer) -> None:
        away = self._patience.away
        if away and not self._was_away:
            sentence = self._connection.without_secrets(away.sentence)
            limit = self._connection.timeout_s
            observer.note(
                tr("{fault}; waiting for it, up to {limit:g} s", fault=sentence, limit=limit)
            )
        if self._was_away and not away:
            observer.note(tr("{url} answers again", url=self._connection.url))
        self._was_away = away is not None
