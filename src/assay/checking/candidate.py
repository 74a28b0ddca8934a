"""Runs an answer's code in processes of its own, step by step, and reads what they said.

In: code and steps. Out: what came of each step. All that comes back is hostile, and no more than
what the answer's code said of itself: a checker compares it here, where the truth is.
"""

import os
import random
import select
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from . import code
from .comparing import same, show
from .elsewhere import SHIFTS_S
from .nursery import end_group, open_scratch_file, start_another
from .wire import TooLong, decoded, encoded, receive, send
from .withheld import READS_CLOCK

if TYPE_CHECKING:
    from .service import Service

_MOST_HUNG = 3  # groups that ran out of time; what is left after them is not begun
_WALL_S = 35.0  # for all groups of one answer
_PATIENCE_S = 5.0  # with the nursery
_LONGEST_OUTPUT = 1_000_000
_ENDING_S = 2.0  # after the last step, for threads and programs that it began
_MOST_FILES = 500
# Letters of the steps that are run elsewhere, of which each run counts for some.
_MOST_LETTERS, _LEAST_LETTERS = 40_000, 4_000

_FILE_NAMES = (
    (
        "my",
        "shop",
        "team",
        "app",
        "core",
        "main",
        "common",
        "old",
        "new",
        "daily",
        "quick",
        "plain",
    ),
    (
        "tools",
        "code",
        "work",
        "module",
        "part",
        "functions",
        "lib",
        "stuff",
        "unit",
        "base",
        "logic",
    ),
)
Ended = Literal["done", "died", "time", "skipped"]
SERVICE = object()  # as a value in Step.names: the address of the service
SECOND = object()  # another address of the service: another port, another path
REFUSED = object()  # the address of a service that refuses every connection


@dataclass(frozen=True, slots=True)
class Items:
    """A list that the candidate reads item by item, each read counted in StepResult.asked."""

    items: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Values:
    """Values to compare, hash and print only, each of it counted; Remote(place) in results."""

    values: Sequence[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Lines of code, run with the names of the candidate and `names` (plain values, Items, Values,
    SERVICE, SECOND). A probe leaves its finding in `result`; an example is a line of an interactive
    session, `anew` with the names of the module in `names`. `keep`: a label under which the objects
    stay, arguments and finding. A step "kept" gives all findings again, by label, and "spoil"
    changes them; `into`: the label of a step whose lists and mappings are changed to the new
    values, and handed over again.
    """

    code: str
    names: Mapping[str, Any] = field(default_factory=dict)
    kind: Literal["probe", "example", "kept", "spoil"] = "probe"
    anew: bool = False
    keep: str = ""
    into: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An exception: its class and their bases by name, and its last line."""

    types: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What came of a step: a value, or an exception. `asked`: questions about remote data."""

    value: object = None
    raised: Raised | None = None
    output: str = ""
    asked: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupResult:
    """What came of one run; not "done": of fewer steps. `problem`: why the code did not load.
    `cpu_s`: processor time of its process, as the system counts it; `wall_s`: by the clock.
    `files`: what it left in its folder, by path. `is_whole`: with a service, whether it ended by
    itself after the last step, so that `output` and `files` are all it ever said. `refused`: of
    code that works alone, what it tried first and was not allowed, however it took that.
    """

    ended: Ended
    steps: tuple[StepResult, ...] = ()
    output: str = ""
    requests: tuple[Mapping[str, Any], ...] = ()
    problem: Raised | None = None
    cpu_s: float = 0
    wall_s: float = 0
    files: Mapping[str, str] = field(default_factory=dict)
    is_whole: bool = True
    refused: str = ""

    @property
    def why(self) -> str:
        """Why it did not come to its end; "" where it did."""
        return {
            "done": "",
            "time": "the code did not come to an end in the time allowed",
            "skipped": "not tried any more, after the code had run out of time again and again",
            "died": "the code ended its own process, or was ended by a limit",
        }[self.ended]


class Candidate:
    """Code of an answer, loaded as the module `name`, or as one drawn from the code; `modules`: to
    import; `without`: withheld. `alone`: it starts no process, loads no library outside Python,
    connects to nothing, writes no file, and is ended where it looks who calls it.
    """

    def __init__(
        self,
        sources: str | Sequence[str],
        modules: Mapping[str, str] | None = None,
        *,
        without: Sequence[str] = (),
        alone: bool = False,
        name: str = "",
    ) -> None:
        self.sources = [sources] if isinstance(sources, str) else [*sources]
        draw = random.Random("".join(self.sources))
        # As people call their files: code that is right only under one name meets another.
        self.name = name or "_".join(map(draw.choice, _FILE_NAMES))
        self.modules = dict(modules or {})
        self.without = [*without]
        self.alone = alone

    def run(
        self,
        *steps: Step | str,
        cpu_s: int = 1,
        wall_s: float = 12,
        most_asked: int = 0,
        replies: Sequence[Mapping[str, Any]] | None = None,
    ) -> GroupResult:
        """Run steps in a new process, with at most `most_asked` questions on remote data each."""
        if workshop is None:
            raise RuntimeError("candidates run only inside the sandbox")
        wanted = [Step(code=one) if isinstance(one, str) else one for one in steps]
        return workshop.run(_Group(self, wanted, cpu_s, wall_s, most_asked, replies))


class CannotRun(RuntimeError):
    """This machine runs no candidate at all; no answer is to blame."""


class _Group(NamedTuple):
    candidate: Candidate
    steps: Sequence[Step]
    cpu_s: int
    wall_s: float
    most_asked: int = 0
    replies: Sequence[Mapping[str, Any]] | None = None
    elsewhere: int = 0  # in which other place it runs; 0: here


# A group of ours, by the way that answers go: if it does not come through, no answer is to blame.
_REHEARSAL = _Group(
    Candidate("def double(number):\n    return 2 * number\n"),
    [Step(code="result = double(21)")],
    cpu_s=5,
    wall_s=20,
)


class Workshop:
    """Runs groups through the nursery. `tell` is called before code of an answer is run first."""

    def __init__(
        self,
        control: socket.socket,
        sources: Mapping[str, str],
        service: "Service | None",
        tell: Callable[[], None],
    ) -> None:
        control.settimeout(_PATIENCE_S)
        self.control = control
        self.sources = sources  # of the processes that run code elsewhere
        self.service = service
        self.tell = tell
        self.rehearsed = False
        self.lost = False  # the nursery is gone: an answer ended it
        self.begin(inert=False)

    def begin(self, *, inert: bool) -> None:
        """Another answer. `inert`: code of answers is not run, and counts as having died."""
        self.inert = inert
        self.hung = 0
        self.told = False
        self.refused = ""  # what its code tried first and was not allowed
        self.done: list[tuple[_Group, GroupResult]] = []  # that can be run elsewhere
        self.ends_at = time.monotonic() + _WALL_S

    def run(self, group: _Group) -> GroupResult:
        if self.inert or self.lost:
            return GroupResult(ended="died")
        if self.hung >= _MOST_HUNG or time.monotonic() > self.ends_at:
            return GroupResult(ended="skipped")
        if group.replies is not None and self.service is None:
            raise RuntimeError('there is no service: check.py must say "replies=" itself')
        if not self.rehearsed:
            first = self._run(_REHEARSAL)
            if first.ended != "done" or first.steps[0].value != 42:
                raise CannotRun("a program of our own did not come through")
            self.rehearsed = True
        if not self.told:
            self.told = True
            self.tell()
        try:
            result = self._run(group)
        except (OSError, MemoryError):  # it has used up the disk, the memory or the processes
            return GroupResult(ended="died")
        self.refused = self.refused or result.refused
        if group.candidate.alone and result.ended == "done" and is_plain(group):
            # Of calls together the first of each is enough.
            count = sum(bool(step.keep) for step in group.steps) or len(group.steps)
            group = group._replace(steps=group.steps[:count])
            self.done.append((group, replace(result, steps=result.steps[:count])))
        return result

    def find_difference(self) -> str:
        """Why the code's results are not its own: what it gives elsewhere is something else. Calls
        that were made together are made again, then runs that are allowed the least time, the
        smallest first; how many depends on what they hold, so that a busy machine finds the same.
        """
        if not self.done or self.lost:
            return ""
        digest = sha256("".join(self.done[0][0].candidate.sources).encode("utf-8", "replace"))
        here, self.control = self.control, start_another(self.sources, _hash_seed(digest.digest()))
        self.control.settimeout(_PATIENCE_S)
        try:
            return self._find_difference()
        finally:
            self.control.close()
            self.control, self.lost = here, False
            with suppress(OSError):
                os.waitpid(-1, os.WNOHANG)

    def _find_difference(self) -> str:
        least = min(group.cpu_s for group, _ in self.done)
        together = [any(step.keep for step in group.steps[:1]) for group, _ in self.done]
        sized = [
            (0 if together[at] else _size(group), at)
            for at, (group, _) in enumerate(self.done)
            if together[at] or group.cpu_s == least
        ]
        left, ends_at = (
            _MOST_LETTERS,
            time.monotonic() + 1 + sum(one.wall_s for _, one in self.done),
        )
        for size, at in sorted(sized):
            group, here = self.done[at]
            places = [1 + at % 2]
            for place in places:
                left -= size + _LEAST_LETTERS
                there = self._run_elsewhere(group, place)
                if there.ended == "died":  # which a full machine can bring about
                    there = self._run_elsewhere(group, place)
                if self.lost or there.ended == "skipped":
                    return ""
                if reason := differs_elsewhere(here, there):
                    return reason
                if there.refused == READS_CLOCK and len(places) == 1:
                    places += {*range(1, len(SHIFTS_S) + 1)} - {*places}
            if left < 0 or time.monotonic() > ends_at:
                break
        return ""

    def _run_elsewhere(self, group: _Group, place: int) -> GroupResult:
        hung = self.hung
        try:
            return self._run(group._replace(elsewhere=place))
        except (OSError, MemoryError):
            return GroupResult(ended="skipped")
        finally:
            self.hung = hung

    def _run(self, group: _Group) -> GroupResult:
        if self.service is not None:
            self.service.begin([*map(dict, group.replies or ())])
        before = set(_list_files()) if self.service is not None else set()
        output = open_scratch_file()
        ours, theirs = socket.socketpair()
        with suppress(OSError):
            socket.send_fds(self.control, [str(group.cpu_s).encode()], [theirs.fileno(), output])
        theirs.close()
        child = self._told()
        if not isinstance(child, int):
            return GroupResult(ended="died")
        talk = _Talk(ours, group, self.service)
        began = time.monotonic()
        ended = talk.go_through()
        wall_s = time.monotonic() - began
        is_whole = ended != "done" or self.service is None or _ends_by_itself(ours, child)
        end_group(child)
        is_whole = is_whole and os.fstat(output).st_size <= _LONGEST_OUTPUT
        said = os.pread(output, _LONGEST_OUTPUT, 0).decode("utf-8", "replace")
        os.close(output)
        told = self._told()
        status, cpu_s, noted = told if isinstance(told, list) else (0, 0.0, "")
        ours.close()
        if ended == "died" and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            ended = "time"
        self.hung += ended == "time"
        refused = noted if group.candidate.alone else ""
        requests = () if self.service is None else tuple(self.service.script.requests)
        files = _take_files(before) if self.service is not None else {}
        is_whole = is_whole and len(files) < _MOST_FILES
        is_whole = is_whole and all(len(text) < _LONGEST_OUTPUT for text in files.values())
        return GroupResult(
            ended=ended,
            steps=tuple(talk.results),
            output=said,
            requests=requests,
            problem=talk.problem,
            cpu_s=cpu_s,
            wall_s=wall_s,
            files=files,
            is_whole=is_whole,
            refused=refused,
        )

    def _told(self) -> Any:
        """What the nursery says next; nothing where it is gone, or was stopped."""
        with suppress(OSError):
            if (said := receive(self.control)) is not None:
                return said
        self.lost = True
        return None


def _hash_seed(digest: bytes) -> int:
    """Of the interpreter elsewhere: another than here, and the same for the same code."""
    return 2 + int.from_bytes(digest[:3], "big")


def _size(group: _Group) -> int:
    return sum(len(step.code) + len(repr(step.names)) for step in group.steps)


def is_plain(group: _Group) -> bool:
    """Whether all that it is given is in its steps, and no service answers it."""
    return group.replies is None and all(map(is_plain_step, group.steps))


def is_plain_step(step: Step) -> bool:
    """Whether all that it is given is plain values."""
    return not any(isinstance(one, Items | Values) for one in step.names.values())


def differs_elsewhere(here: GroupResult, there: GroupResult) -> str:
    """What comes of the same steps there and not here; "" where the same does, or too late."""
    if there.ended == "died":
        return "elsewhere the code ends its own process"
    if there.ended != "done":
        return ""
    for one, other in zip(here.steps, there.steps, strict=True):
        if one.raised and "AssertionError" in one.raised.types:
            continue  # elsewhere nothing is asserted
        if reason := gives_other(one, other):
            return f"elsewhere, or at another time, {reason}"
    return ""


def gives_other(before: StepResult, after: StepResult) -> str:
    """What came of a step this time, and not before; "" where the same did."""
    kinds = [each.raised.types if each.raised else () for each in (before, after)]
    if kinds[0] != kinds[1]:
        raised = after.raised.text if after.raised else show(after.value)
        return f"{raised} comes of what gave something else before"
    if repr(before.value) != repr(after.value) and not same(before.value, after.value):
        return f"{show(after.value)} came back instead of {show(before.value)}"
    return ""


def _ends_by_itself(channel: socket.socket, child: int) -> bool:
    """Close the channel to a child, and wait for it and for what it began."""
    until = time.monotonic() + _ENDING_S
    with suppress(OSError):
        channel.shutdown(socket.SHUT_WR)
    while (left := until - time.monotonic()) > 0:
        try:
            if select.select([channel], [], [], left)[0] and not channel.recv(65536):
                break
        except OSError:
            break
    while time.monotonic() < until:
        try:
            os.kill(-child, 0)
        except OSError:
            return True
        time.sleep(0.005)
    return False


def _list_files() -> list[str]:
    """Paths of the folder that candidates share; hidden ones too."""
    found = []
    for folder, _, names in os.walk("."):
        found += [os.path.join(folder, name) for name in names]
        if len(found) > _MOST_FILES:
            break
    return found[:_MOST_FILES]


def _take_files(before: set[str]) -> dict[str, str]:
    """What is new in the folder, and no longer there afterwards."""
    taken = {}
    for path in _list_files():
        if path in before:
            continue
        with suppress(OSError, ValueError):
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    taken[path] = file.read(_LONGEST_OUTPUT).decode("utf-8", "replace")
            os.unlink(path)
    return taken


workshop: Workshop | None = None  # set where the sandbox begins


class _Talk:
    """The conversation with one child: steps go in, results come out, questions are counted."""

    def __init__(self, channel: socket.socket, group: _Group, service: "Service | None") -> None:
        self.channel = channel
        self.group = group
        self.service = service
        self.deadline = time.monotonic() + group.wall_s
        self.asked = 0
        self.sequences: list[Sequence[Any]] = []
        self.values: list[Any] = []
        self.results: list[StepResult] = []
        self.problem: Raised | None = None

    def go_through(self) -> Ended:
        try:
            self._send({
                **vars(self.group.candidate), "packages": sorted(code.packages),
                "elsewhere": self.group.elsewhere,
            })  # fmt: skip
            self.problem = _read_raised(self._answer()["problem"])
            for step in self.group.steps:
                self.asked = 0
                self._send({
                    "code": step.code, "kind": step.kind, "anew": step.anew,
                    "keep": step.keep, "into": step.into,
                    "names": {name: self._hand_over(one) for name, one in step.names.items()},
                })  # fmt: skip
                result = self._answer()
                if self.service is not None:
                    self.service.script.step_ended.set()
                self.results.append(
                    StepResult(
                        value=decoded(result.get("value")),
                        raised=_read_raised(result.get("raised")),
                        output=str(result.get("output", "")),
                        asked=self.asked,
                    )
                )
        except TimeoutError:
            return "time"
        except (OSError, ValueError, RecursionError, TooLong, LookupError, TypeError,
                AttributeError, ArithmeticError, MemoryError):  # fmt: skip
            # Whatever the child sent that is no message, it has spoiled its own results.
            return "died"
        return "done"

    def _send(self, message: object) -> None:
        self.channel.settimeout(max(self.deadline - time.monotonic(), 0.1))
        send(self.channel, message)

    def _answer(self) -> Any:
        """The next message that is no question."""
        while True:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.channel], [], [], left)[0]:
                raise TimeoutError
            self.channel.settimeout(max(left, 0.1))
            message = receive(self.channel)
            if not isinstance(message, dict) or "ask" not in message:
                return message
            self.asked += 1
            if self.asked > self.group.most_asked:
                self._send({"over": True})
            else:
                self._send({"value": encoded(self._reply(*message["ask"]))})

    def _hand_over(self, value: Any) -> Any:
        """What the child gets: remote data stay here."""
        if isinstance(value, Items):
            self.sequences.append(value.items)
            return {"remote_sequence": [len(self.sequences) - 1, len(value.items)]}
        if isinstance(value, Values):
            first = len(self.values)
            self.values += value.values
            return {"remote_values": [first, len(self.values)]}
        if self.service is not None and value is SERVICE:
            return self.service.base_url
        if self.service is not None and value is SECOND:
            return self.service.second_url
        if self.service is not None and value is REFUSED:
            return self.service.refused_url
        return encoded(value)

    def _reply(self, what: str, *places: int) -> object:
        if what == "item":
            number, at = places
            return self.sequences[number][at]
        one = self.values[places[0]]
        if what == "eq":
            return bool(one == self.values[places[1]])
        if what == "lt":
            return bool(one < self.values[places[1]])
        return hash(one) if what == "hash" else repr(one)


def _read_raised(said: Any) -> Raised | None:
    if said is None:
        return None
    return Raised(types=tuple(str(name) for name in said["types"]), text=str(said["text"]).strip())


def compare(result: GroupResult, *expected: object) -> str:
    """Why the steps did not give these values, one each; "" where they did."""
    if result.why:
        return result.why
    for step, value in zip(result.steps, expected, strict=True):
        if reason := differs(step, value, result):
            return reason
    return ""


def differs(step: StepResult, expected: object, result: GroupResult) -> str:
    """Why this is not the value expected; "" where it is."""
    if step.raised is not None:
        return raised_instead(step, result)
    if same(step.value, expected):
        return ""
    return f"{show(step.value)} came back instead of {show(expected)}"


def raised_instead(step: StepResult, result: GroupResult) -> str:
    """What was raised; and if the code could not even be loaded, why."""
    if step.raised is None:
        return ""
    if result.problem is not None and "NameError" in step.raised.types:
        return f"the code cannot be loaded, {show(result.problem.text)}"
    return f"the code raised {show(step.raised.text)}"
