"""What all served models share: several requests under way in threads, and a reply for each."""

import queue
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Self, TypeVar

from assay.errors import ServerGone
from assay.messages import tr
from assay.models.base import BaseModel, cut_at_stops, draws, together
from assay.models.http.connection import Connection
from assay.models.http.faults import Fault, Patience
from assay.models.http.reading_speed import ReadingSpeed
from assay.models.http.slots import Stay
from assay.models.http.timing import PromptTimer
from assay.models.reasoning import as_unicode, read_first_token, split_reasoning
from assay.text.loops import LoopWatch
from assay.types import (
    Answered,
    ChoiceLikelihoods,
    Failed,
    Message,
    Observer,
    Reply,
    Request,
    Sampling,
    Timing,
    ToAnswer,
    ToChoose,
    ToContinue,
    ToolCall,
    ToRead,
    ToScore,
    ToTime,
)
from assay.types.requests import LOOP


class ScreenWatcher:
    """`shown_after_s`: waits that are shorter are not shown. `silent_s`: then it is asked who else
    is served.
    """

    def __init__(
        self,
        observer: Observer,
        name: str,
        connection: Connection,
        patience: Patience,
        *,
        shown_after_s: float,
        silent_s: float,
    ) -> None:
        self.shown_after_s = shown_after_s
        self.silent_s = silent_s
        self._observer = observer
        self._name = name
        self._connection = connection
        self._patience = patience
        self._was_away = False
        self._asked_about = 0.0  # when the request began for which others were looked up
        self._named = ""  # who else is served, as told before

    def look(self, others_in_memory: Callable[[], str]) -> None:
        self._tell_of_absence()
        requests = list(self._connection.under_way.values())
        now = time.monotonic()
        waited = [now - each.began for each in requests]
        if not requests or max(waited) < self.shown_after_s:
            return
        tokens = sum(each.tokens for each in requests)
        speeds = [
            (each.tokens - 1) / (now - each.first_token_at)
            for each in requests
            if each.first_token_at and now - each.first_token_at > self.shown_after_s
        ]
        self._observer.writing(self._name, tokens, sum(speeds), max(waited))
        first = min(requests, key=lambda each: each.began)
        if not tokens and max(waited) > self.silent_s and self._asked_about != first.began:
            self._asked_about = first.began
            if (others := others_in_memory()) and others != self._named:
                self._named = others
                self._observer.note(
                    tr(
                        "{url} has been silent for {seconds:.0f} s; it also holds {others}, and "
                        "may be busy with it for another program",
                        url=self._connection.url,
                        seconds=max(waited),
                        others=others,
                    )
                )

    def _tell_of_absence(self) -> None:
        away = self._patience.away
        if away and not self._was_away:
            sentence = self._connection.without_secrets(away.sentence)
            limit = self._connection.timeout_s
            self._observer.note(
                tr("{fault}; waiting for it, up to {limit:g} s", fault=sentence, limit=limit)
            )
        if self._was_away and not away:
            self._observer.note(tr("{url} answers again", url=self._connection.url))
        self._was_away = away is not None


CUT = "length"
# A server that does not keep to max_tokens is stopped far beyond it: some do not count thoughts.
MOST_TOKENS, BEYOND = 20_000, 4
MOST_CALLS = 100  # of tools in one answer
QUEUED_FROM = 0.25, 0.1  # seconds, and share of an answer: less is the way to the server and back
EQUAL_TOKENS = 20  # at the end of a stream that its server ended for them; Ollama waits for 31


@dataclass(slots=True)
class ServedAnswer:
    """`…_at` are seconds by our clock, `…_s` by the server's; None: not told."""

    started: float = field(default_factory=time.monotonic)
    pieces: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    finish: str = ""
    first_token_at: float | None = None
    first_answer_at: float | None = None
    ended_at: float = 0.0
    queue_s: float | None = None
    wall_s: float | None = None
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    prefill_s: float | None = None
    decode_s: float | None = None
    first_logprobs: Mapping[str, Any] | None = None
    calls: dict[int, list[str]] = field(default_factory=dict)
    attempts: int = 1
    tokens: int = 0
    most_tokens: int = MOST_TOKENS
    loop_watch: LoopWatch | None = field(default_factory=LoopWatch)
    left: bool = False  # by us: what the server would have told at the end is not known
    _token: str = ""

    @property
    def timing(self) -> Timing | None:
        raise NotImplementedError

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def thinking(self) -> str:
        return "".join(self.thoughts)

    @property
    def new_share(self) -> float:
        return 1 - (self.cached_tokens or 0) / max(1, self.prompt_tokens or 1)

    def follow(self, sampling: Sampling) -> Self:
        self.most_tokens = max(MOST_TOKENS, BEYOND * sampling.max_tokens)
        self.loop_watch = LoopWatch() if sampling.loop_stop else None
        return self

    def is_enough(self, connection: Connection) -> bool:
        """Asked after every line. One in a loop, or far beyond its length, is stopped."""
        token, self._token = self._token, ""
        if not token or self.finish:
            return False
        connection.allow_next_token()
        self.tokens += 1
        is_stuck = self.loop_watch is not None and self.loop_watch.is_stuck_after(token)
        if is_stuck or len(self.calls) > MOST_CALLS:
            self._end(LOOP)
        elif self.tokens >= self.most_tokens:
            self._end(CUT)
        self.left = bool(self.finish)
        return self.left

    def ends_stuck(self) -> bool:
        """Whether a stream that ended for no reason told ended for a run of equal tokens."""
        last = [piece.strip() for piece in (*self.thoughts, *self.pieces) if piece][-EQUAL_TOKENS:]
        if len(last) < EQUAL_TOKENS or len(set(last)) > 1:
            return False
        self._end(LOOP)
        return True

    def _end(self, finish: str) -> None:
        self.finish, self.output_tokens = finish, self.tokens

    def add(self, text: str, thought: str) -> None:
        self._token = text + thought
        now = self.ended_at = time.monotonic() - self.started
        if (text or thought) and self.first_token_at is None:
            self.first_token_at = now
        if text and self.first_answer_at is None:
            self.first_answer_at = now
        self.pieces.append(text)
        self.thoughts.append(thought)

    def add_call(self, call: ToolCall, place: int) -> None:
        """A call of a tool, or more of the arguments of one. Some repeat a name that they told."""
        known = self.calls.setdefault(place, ["", ""])
        known[0] = call.name if call.name.startswith(known[0]) else known[0] + call.name
        known[1] += call.arguments
        self._token += call.name + call.arguments

    def leave_out_the_queue(self, stay: Stay | None) -> None:
        """Times from here on begin when the request's turn came, behind our own and, which is what
        the time to the first token leaves beside the server's reading, behind those of others.
        """
        if stay is None:
            return
        before = stay.sent - self.started  # the wait for a slot of ours
        first = (self.ended_at if self.first_token_at is None else self.first_token_at) - before
        queue_s = max(0.0, min(stay.queue_s, first))
        if (told := self.timing) is not None and told.prefill_s is not None:
            served_s = told.prefill_s + (told.load_s or 0.0)
            total = self.ended_at - before
            others = min(first - served_s, total - served_s - (told.decode_s or 0.0)) - queue_s
            least, share = QUEUED_FROM
            queue_s += others if others > max(least, share * (total - queue_s)) else 0.0
        self.queue_s, self.wall_s = queue_s, stay.wall_s
        self.started += before + queue_s
        self.ended_at = max(0.0, self.ended_at - before - queue_s)
        if self.first_token_at is not None:
            self.first_token_at = max(0.0, self.first_token_at - before - queue_s)
        if self.first_answer_at is not None:
            self.first_answer_at = max(0.0, self.first_answer_at - before - queue_s)

    def remove_secrets(self, connection: Connection) -> None:
        self.pieces = [connection.clean_answer(self.text)]
        self.thoughts = [connection.clean_answer(self.thinking)]
        for call in self.calls.values():
            call[:] = map(connection.clean_answer, call)


class ServedModel(BaseModel):
    """A subclass sets `_facts`, draws one answer in `_draw` and chooses in `_choose`."""

    def __init__(self, connection: Connection, *, first_pause_s: float) -> None:
        self._connection = connection
        self._patience = Patience(
            connection.called_off, first_pause_s=first_pause_s, timeout_s=connection.timeout_s
        )
        self._watcher: ScreenWatcher | None = None
        self._timer = PromptTimer(lambda work, how: self._draw("", work, how))

    def watched_by(
        self, observer: Observer, name: str, *, shown_after_s: float = 1.0, silent_s: float = 15.0
    ) -> None:
        self._watcher = ScreenWatcher(
            observer, name, self._connection, self._patience,
            shown_after_s=shown_after_s, silent_s=silent_s,
        )  # fmt: skip

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        self._connection.resume()
        yield from in_parallel(
            self._reply,
            requests,
            self._connection.slots.limit if self._connection.slots else 1,
            call_off=self._connection.call_off,
            meanwhile=self._look,
        )

    def stop(self) -> None:
        self._connection.call_off()

    def close(self) -> None:
        self._connection.close()

    def _look(self) -> None:
        if self._watcher:
            self._watcher.look(self._others_in_memory)

    def _ask(self, request: Request) -> Reply:
        work = request.work
        if isinstance(work, ToAnswer):
            return self._write(request.id, work)
        if isinstance(work, ToChoose):
            return self._choose(request.id, work)
        if isinstance(work, ToTime):
            return self._timer.time(request.id, work, self.observed)
        if isinstance(work, ToContinue):
            return self._continue(request.id, work)
        if isinstance(work, ToScore):
            return self._score(request.id, work)
        return self._read(request.id, work)

    def _draw(self, request_id: str, work: ToAnswer, sampling: Sampling) -> Answered:
        raise NotImplementedError

    def _write(self, request_id: str, work: ToAnswer) -> Answered:
        return together([self._draw(request_id, work, how) for how in draws(work.sampling)])

    def _continue(self, request_id: str, work: ToContinue) -> Answered:
        """A chat server gets the text as one turn. What it wrote is not split: tests that bring
        their own prompts bring their own reading.
        """
        found = []
        for how in work.samplings:
            asked = ToAnswer(messages=(Message("user", work.text),), sampling=how)
            written = self._stream(asked, how)
            text = cut_at_stops(written.text, work.stop)
            answered = replace(answered_by(request_id, written), text=text)
            found.append(replace(answered, reasoning=written.thinking, reasoning_unclosed=False))
        return together(found)

    def _stream(self, work: ToAnswer, sampling: Sampling) -> ServedAnswer:
        raise NotImplementedError

    def _score(self, request_id: str, work: ToScore) -> Reply:
        raise Fault("refused", tr("this server cannot measure the likelihood of a text"))

    def _choose(self, request_id: str, work: ToChoose) -> Reply:
        raise NotImplementedError

    def _read(self, request_id: str, work: ToRead) -> Reply:
        raise Fault("refused", tr("this server cannot measure the likelihood of a text"))

    def _learn(self, fault: Fault) -> None:
        """Hears of a Fault before it becomes a reply."""

    def _others_in_memory(self) -> str:
        """The names of other models that the server holds, for whoever asks it beside us."""
        return ""

    @property
    def reading(self) -> ReadingSpeed:
        """How fast the model reads, as far as is known."""
        raise NotImplementedError

    def _reply(self, request: Request) -> Reply:
        reply = self._tried(request)
        for _ in range(SLOW_READINGS):
            if not self._was_lost_to_reading(request, reply):
                break
            reply = self._tried(request)
        return reply

    def _was_lost_to_reading(self, request: Request, reply: Reply) -> bool:
        """No token came in time, and a slow model would have needed longer for the prompt: from now
        on every prompt has more, also those that wait for their turn.
        """
        if not isinstance(reply, Failed) or reply.cause != "timeout" or reply.partial:
            return False
        messages: Sequence[Message] = getattr(request.work, "messages", ())
        words = "".join(message.content for message in messages)
        had_s = self._connection.last_silence_s
        reading_s = had_s - self._connection.timeout_s
        if reading_s <= 0 or not self.reading.may_need_more(words, had_s):
            return False
        self.reading.learn_late(words, reading_s)
        return True

    def _tried(self, request: Request) -> Reply:
        try:
            return self._ask(request)
        except Fault as error:
            fault = error
            self._learn(error)
        except ServerGone:
            raise
        # What a server can send has no end; one reply that we did not foresee costs one test.
        except Exception as error:  # noqa: BLE001
            kind = type(error).__name__
            fault = Fault("other", tr("an unexpected answer ({kind})", kind=kind))
        stay = self._connection.last_stay
        return Failed(
            request_id=request.id,
            reason=as_unicode(self._connection.without_secrets(fault.sentence)),
            cause=fault.cause,
            partial=as_unicode(self._connection.clean_answer(fault.partial)),
            total_s=stay.seconds - stay.queue_s if stay else None,
            attempts=fault.attempts,
        )


SLOW_READINGS = 2  # times that a request is asked again, each with twice the time to read it


def answered_by(request_id: str, answer: ServedAnswer) -> Answered:
    """Thoughts come apart or in the text. Alone and cut off they are an answer never begun."""
    split = split_reasoning(answer.text)
    thought = split_reasoning(answer.thinking)
    parts = (thought.reasoning, thought.answer, split.reasoning)
    reasoning = "\n".join(part for part in parts if part)
    cut = answer.finish in (CUT, LOOP)
    return Answered(
        request_id=request_id,
        text=split.answer,
        reasoning=reasoning,
        reasoning_unclosed=split.unclosed
        or (cut and bool(reasoning) and not split.answer and not answer.calls),
        truncated=cut,
        prompt_tokens=answer.prompt_tokens,
        output_tokens=answer.output_tokens,
        first_token_s=answer.first_token_at,
        first_answer_s=answer.first_answer_at,
        total_s=answer.ended_at,
        queue_s=answer.queue_s,
        wall_s=answer.wall_s,
        timing=answer.timing,
        finish=answer.finish,
        attempts=answer.attempts,
        calls=tuple(ToolCall(*map(as_unicode, call)) for call in answer.calls.values()),
    )


def written_with_letters(work: ToChoose, sampling: Sampling) -> ToAnswer:
    return ToAnswer(messages=work.messages, sampling=sampling, letters=work.continuations)


def with_letters(answered: Answered, written: ServedAnswer, letters: Sequence[str]) -> Answered:
    """With what the server told of the first token, where that is no thought."""
    if not letters or answered.reasoning:
        return answered
    told = read_first_token(written.first_logprobs, letters, least_share=0.0)
    if told is None:
        return answered
    return replace(answered, letters=told[0], letters_bounded=told[1])


def chosen_by(
    request_id: str, answer: ServedAnswer, continuations: Sequence[str]
) -> ChoiceLikelihoods | None:
    letters = read_first_token(answer.first_logprobs, continuations)
    if letters is None:
        return None
    return ChoiceLikelihoods(
        request_id=request_id,
        log_likelihoods=letters[0],
        bounded=letters[1],
        method="first_token",
        prompt_tokens=answer.prompt_tokens,
        total_s=answer.ended_at,
        queue_s=answer.queue_s,
        wall_s=answer.wall_s,
        timing=answer.timing,
        attempts=answer.attempts,
    )


A = TypeVar("A")
B = TypeVar("B")

AHEAD_PER_WORKER = 4
GLANCE_S = 0.2


def in_parallel(
    work: Callable[[A], B],
    items: Sequence[A],
    width: int,
    *,
    call_off: Callable[[], None],
    meanwhile: Callable[[], None] = lambda: None,
) -> Iterator[B]:
    """Results come as they are done. Closing the iterator early calls off what is under way."""
    coming = iter(items)
    done: queue.SimpleQueue[Future[B]] = queue.SimpleQueue()
    pool = ThreadPoolExecutor(width, thread_name_prefix="asking")

    def submit(most: int) -> int:
        futures = [pool.submit(work, item) for item in islice(coming, most)]
        for future in futures:
            future.add_done_callback(done.put)
        return len(futures)

    under_way = submit(width * AHEAD_PER_WORKER)
    try:
        while under_way:
            try:
                future = done.get(timeout=GLANCE_S)  # a Ctrl-C must not be lost in a wait
            except queue.Empty:
                meanwhile()
                continue
            under_way += submit(1) - 1
            result = future.result()
            meanwhile()
            yield result
    finally:
        if under_way:
            call_off()
        pool.shutdown(cancel_futures=True)
