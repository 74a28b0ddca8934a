"""CT-06: a client is tried against a service that is busy, slow, gone, or refuses.

In: an answer, and the names of the service it was written for. Out: Evidence: a check for each
behaviour.

The service runs beside the client in the sandbox, but in another process: it alone knows the
requests that came. How long a client waits is measured there, but only from below: a busy machine
makes every wait longer. From above, what counts is what it asked `time.sleep` for, if it did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from assay.evidence.code_answers import choose, has_broken_code
from assay.evidence.http_requests import header, wrong_count, wrong_request
from assay.evidence.running import Group, GroupResult, Results, Step, StepResult
from assay.evidence.trials import (
    Trial,
    differs,
    not_run,
    raised_instead,
    same,
    shown,
    tried,
    without_code,
)
from assay.fixtures import Made
from assay.messages import tr
from assay.sandbox import Sandbox
from assay.types.judgements import Evidence, EvidenceCheck

_KEY = "k-58d1f0c27ab94e63"
_BACKOFF_S = 0.1  # in the trial of waits; elsewhere hardly any
_LONGEST_WAIT = 2.1  # times as long as asked for: room for jitter, none for waits that triple
_NOTING_WAITS = """\
import sys, time
waits, sleep = [], time.sleep
def noted(seconds):
    waits.append(seconds)
    sleep(seconds)
time.sleep = noted
home = vars(sys.modules["answer"])
home.update({name: noted for name, one in home.items() if one is sleep})
"""
_BUSY = {"status": 503, "body": {"error": "busy"}}


def examine(answer: str, made: Made, sandbox: Sandbox | None) -> Evidence:
    """Try the client that an answer gives."""
    if sandbox is None:
        return not_run()
    facts = made.facts
    trials = _Trials(facts).all()
    chosen = choose(answer, [facts["client"], facts["error"]])
    if chosen is None:
        broken = has_broken_code(answer)
        reason = tr("the code cannot be parsed") if broken else tr("there is no such class")
        checks = without_code(trials, reason)
        unseen = Results()
        return Evidence(checks=(*checks, _key_in_header(facts, unseen), _key_hidden(unseen)))
    checks, results = tried(trials, chosen.sources, sandbox)
    if results.missing:
        return Evidence(missing=results.missing)
    return Evidence(
        checks=(*checks, _key_in_header(facts, results), _key_hidden(results)),
        isolation=sandbox.isolation,
    )


class _Trials:
    """The trials for one service."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self.facts = facts
        self.plain_id, self.odd_id = facts["ids"]
        self.root = f"/v1/{facts['resource']}"
        self.record = {"id": self.plain_id, facts["field"]: "Zoë 12"}

    def all(self) -> list[Trial]:
        """In the order in which they are reported."""
        return [*self._verbs(), *self._encoding(), *self._busy(), *self._failing()]

    # ------------------------------------------------------------------------------- building

    def _client(self, *, attempts: int = 3, backoff: float = 0.01, timeout: float = 5.0) -> str:
        return (
            f"client = {self.facts['client']}(base_url, {_KEY!r}, "
            f"timeout={timeout}, attempts={attempts}, backoff={backoff})\n"
        )

    def _trial(
        self,
        name: str,
        about: str,
        code: str,
        replies: Sequence[Mapping[str, Any]],
        verdict: Callable[[StepResult, GroupResult], str],
        *,
        kind: str,
        service: str = "open",
    ) -> Trial:
        step = Step(code=code, names={"base_url": {"service": service}})
        return Trial(
            about=about,
            group=Group(name=name, steps=(step,), replies=tuple(replies), cpu_s=2),
            verdict=lambda result: verdict(result.steps[0], result),
            kind=kind,
        )

    def _call(self, method: str, *arguments: object) -> str:
        return f"{self.facts[method]}({', '.join(map(repr, arguments))})"

    # ----------------------------------------------------------------------------- what works

    def _verbs(self) -> list[Trial]:
        facts, record = self.facts, self.record
        one = f"{self.root}/{self.plain_id}"
        changes = {facts["field"]: "new, ü"}
        value = facts["filter_values"][0]
        filtered = (facts["filter"], value)

        def works(
            name: str,
            about: str,
            call: str,
            reply: object,
            verb: str,
            path: str,
            *,
            body: object = None,
            query: tuple[str, str] | None = None,
            status: int = 200,
        ) -> Trial:
            def verdict(step: StepResult, result: GroupResult) -> str:
                reason = differs(step, reply, result) or wrong_count(result, 1)
                return reason or wrong_request(
                    result.requests[0], verb, path, body=body, query=query
                )

            return self._trial(
                name, about, f"{self._client()}print(repr(client))\nresult = client.{call}",
                [{"status": status, "body": reply}], verdict, kind="requests",
            )  # fmt: skip

        return [
            works("get", tr("A record is fetched"), self._call("get", self.plain_id), record,
                  "GET", one),
            works("list", tr("Records are listed"), self._call("list", value), [record, record],
                  "GET", self.root, query=filtered),
            works("create", tr("A record is created"), self._call("create", record), record,
                  "POST", self.root, body=record, status=201),
            works("update", tr("A record is changed"), self._call("update", self.plain_id, changes),
                  record, facts["update_verb"], one, body=changes),
            works("delete", tr("A record is deleted"), self._call("delete", self.plain_id), None,
                  "DELETE", one, status=204),
        ]  # fmt: skip

    def _encoding(self) -> list[Trial]:
        odd = self.facts["filter_values"][1]
        filtered = (self.facts["filter"], odd)

        def path(step: StepResult, result: GroupResult) -> str:
            reason = differs(step, self.record, result) or wrong_count(result, 1)
            return reason or wrong_request(
                result.requests[0], "GET", f"{self.root}/{self.odd_id}", slashes=3
            )

        def query(step: StepResult, result: GroupResult) -> str:
            reason = differs(step, [], result) or wrong_count(result, 1)
            return reason or wrong_request(result.requests[0], "GET", self.root, query=filtered)

        return [
            self._trial(
                "path_encoding", tr("An ID with a slash and a blank is encoded"),
                f"{self._client()}result = client.{self._call('get', self.odd_id)}",
                [{"status": 200, "body": self.record}], path, kind="requests",
            ),
            self._trial(
                "query_encoding", tr("A filter value with & is encoded"),
                f"{self._client()}result = client.{self._call('list', odd)}",
                [{"status": 200, "body": []}], query, kind="requests",
            ),
        ]  # fmt: skip

    # ---------------------------------------------------------------------- when it is busy

    def _busy(self) -> list[Trial]:
        record, plain_id = self.record, self.plain_id
        good = {"status": 200, "body": record}

        def comes_through(step: StepResult, result: GroupResult) -> str:
            return differs(step, record, result) or wrong_count(result, 3)

        def all_come_through(step: StepResult, result: GroupResult) -> str:
            return differs(step, [record, None], result) or wrong_count(result, 4)

        def gives_up(step: StepResult, result: GroupResult) -> str:
            return self._raises(step, result) or wrong_count(result, 4)

        def sent_once(step: StepResult, result: GroupResult) -> str:
            return self._raises(step, result) or wrong_count(result, 1)

        get = self._call("get", plain_id)
        update = self._call("update", plain_id, {"a": 1})
        return [
            self._trial(
                "retry_when_busy", tr("A request to a busy service is sent again"),
                f"{self._client()}result = client.{get}",
                [_BUSY, {"status": 500, "body": {}}, good], comes_through, kind="failures",
            ),
            self._trial(
                "retry_changes", tr("So are requests that change or delete a record"),
                f"{self._client()}result = [client.{update}, "
                f"client.{self._call('delete', plain_id)}]",
                [_BUSY, good, {"status": 502, "body": {}}, {"status": 204, "body": None}],
                all_come_through, kind="failures",
            ),
            self._trial(
                "retry_bounded", tr("After four attempts, if four are allowed, it gives up"),
                f"{self._client(attempts=4)}result = client.{get}",
                [_BUSY] * 12, gives_up, kind="failures",
            ),
            self._trial(
                "create_sent_once", tr("A new record is sent only once"),
                f"{self._client()}result = client.{self._call('create', record)}",
                [_BUSY, good, good], sent_once, kind="failures",
            ),
            self._trial(
                "growing_waits", tr("The waits between attempts double"),
                f"{_NOTING_WAITS}{self._client(attempts=4, backoff=_BACKOFF_S)}"
                f"try:\n    client.{get}\nexcept Exception:\n    pass\nresult = waits",
                [_BUSY] * 12, _waits_double, kind="failures",
            ),
        ]  # fmt: skip

    # ----------------------------------------------------------------------------- when it fails

    def _failing(self) -> list[Trial]:
        get = self._call("get", self.plain_id)
        error = self.facts["error"]
        good = {"status": 200, "body": self.record}
        # Two failures, so that a fixed status does not do.
        statuses = (
            f"{self._client(attempts=2)}result = []\n"
            f"for _ in range(2):\n"
            f"    try:\n        client.{get}\n"
            f"    except {error} as problem:\n        result.append(problem.status)\n"
        )

        def refused(step: StepResult, result: GroupResult) -> str:
            return self._raises(step, result) or wrong_count(result, 1)

        def status(step: StepResult, result: GroupResult) -> str:
            return differs(step, [422, 503], result)

        def in_time(step: StepResult, result: GroupResult) -> str:
            return self._raises(step, result, None) or wrong_count(result, 1)

        def gone(step: StepResult, result: GroupResult) -> str:
            return self._raises(step, result, None)

        return [
            self._trial(
                "no_retry_when_refused", tr("A request that is refused is not sent again"),
                f"{self._client()}result = client.{get}",
                [{"status": 404, "body": {"error": "unknown"}}, good, good], refused,
                kind="failures",
            ),
            self._trial(
                "error_status", tr("The exception has the status received"), statuses,
                [{"status": 422, "body": {}}, _BUSY, _BUSY], status, kind="failures",
            ),
            self._trial(
                "timeout", tr("A service that does not answer is not waited for"),
                f"{self._client(timeout=0.3)}result = client.{get}",
                [{**good, "hold": True}, good, good], in_time, kind="failures",
            ),
            self._trial(
                "no_connection", tr("A service that is not there raises the right exception"),
                f"{self._client()}result = client.{get}", [], gone, kind="failures",
                service="refused",
            ),
        ]  # fmt: skip

    def _raises(self, step: StepResult, result: GroupResult, *status: object) -> str:
        """Whether it raised the exception asked for, with this status if one is given."""
        error = self.facts["error"]
        if step.raised is None:
            found = shown(step.value)
            return tr("{found} came back, and {kind} was not raised", found=found, kind=error)
        if error not in step.raised.types:
            return raised_instead(step, result)
        if status and not (step.raised.has_status and same(step.raised.status, status[0])):
            return tr("its status is {found}", found=shown(step.raised.status))
        return ""


# ------------------------------------------------------------------------------------- the key


def _key_in_header(facts: Mapping[str, Any], results: Results) -> EvidenceCheck:
    requests = [one for group in results.groups.values() for one in group.requests]
    expected = facts["prefix"] + _KEY
    right = sum(header(request, facts["header"]) == expected for request in requests)
    return EvidenceCheck(
        name="key_in_header",
        passed=bool(requests) and right == len(requests),
        explanation=tr(
            "The key stood in the right header in {right} of {count} requests",
            right=right,
            count=len(requests),
        ),
        group="key",
    )


def _key_hidden(results: Results) -> EvidenceCheck:
    """Looked for in all that any trial printed, logged, raised, or sent outside of headers."""
    places = []
    for name, group in results.groups.items():
        texts = [group.output, *(str(one["path"]) + str(one["body"]) for one in group.requests)]
        texts += [step.raised.text for step in group.steps if step.raised is not None]
        if any(_KEY in text for text in texts):
            places.append(name)
    ran = any(group.requests for group in results.groups.values())
    if places:
        explanation = tr("The key could be read in: {places}", places=", ".join(places))
    elif ran:
        explanation = tr("The key was never printed, logged or raised")
    else:
        explanation = tr("No request was sent, so that nothing can be said of the key")
    return EvidenceCheck(
        name="key_hidden", passed=ran and not places, explanation=explanation, group="key"
    )


def _waits_double(step: StepResult, result: GroupResult) -> str:
    """Why they do not: by the service's clock never shorter, by what was asked for never longer."""
    reason = wrong_count(result, 4)
    if reason:
        return reason
    times = [float(request["at"]) for request in result.requests]
    for at, (one, two) in enumerate(pairwise(times)):
        # A sleep is never shorter than asked for; a tenth is for the clocks.
        if two - one < _BACKOFF_S * 2**at * 0.9:
            return tr("the wait before request {number} was too short", number=at + 2)
    asked = step.value if isinstance(step.value, list) else []
    if len(asked) == len(times) - 1:
        for at, wait in enumerate(asked):
            most = _BACKOFF_S * 2**at * _LONGEST_WAIT
            if isinstance(wait, int | float) and wait > most:
                return tr("the wait before request {number} was too long", number=at + 2)
    return ""
