"""The loop: train, evaluate, review, adjust, again.

A round is finished when its `round_NN.json` is there, which appears whole or not at all. Before
that, what a kill leaves is used again: the end of the training is recorded by the process that
guards it, and every answer of the evaluation is in the store.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

from assay.decide.accept import accept
from assay.decide.rounds import changes_of, compare_round, trains_nothing_new
from assay.decide.scores import own_scale, weigh
from assay.errors import (
    ExitCode,
    ModelUnavailable,
    Refusals,
    TrainingFailed,
    UsageError,
    in_one_line,
)
from assay.files.writing import explain_write_errors, replace_file
from assay.messages import tr
from assay.reports.checkpoints.facts import sentence
from assay.reports.checkpoints.file_names import CHECKPOINTS, REPORT_FILE
from assay.reports.checkpoints.headlines import checkpoint_headline
from assay.reports.checkpoints.loop import loop_document, round_document
from assay.reports.formats.html import render_html
from assay.stats.looks import alpha_of_look
from assay.store import Store
from assay.types import Observer
from assay.types.decisions import Gate, Measurements, Recommendation, fact
from assay.types.options import LoopOptions
from assay.types.results import Report
from assay.types.rounds import LoopEnd, LoopRound, RoundReview, SuggestedChange, TrainingLoop
from assay.types.scores import tell_phase
from assay.workflow.checkpoints.places import CheckpointPlace, with_bases
from assay.workflow.commands.evaluation import evaluate
from assay.workflow.commands.loop.preparation import check_options, take_folder
from assay.workflow.commands.loop.review import (
    ReviewFailed,
    ask_command,
    ask_model,
    round_to_review,
)
from assay.workflow.commands.loop.state import (
    LoopState,
    read_round,
    read_state,
    write_json,
    write_state,
)
from assay.workflow.commands.loop.user_commands import (
    UserCommand,
    last_lines,
    read_end,
    run_guarded,
)
from assay.workflow.commands.watch import best_in, places_in
from assay.workflow.reporting.checkpoint_files import read_report
from assay.workflow.running.beginning import resumable
from assay.workflow.running.job import Job

REVIEW_S = 600.0
STATE = "loop.json"
Reviewed = tuple[RoundReview, tuple[SuggestedChange, ...]]


def run_loop(options: LoopOptions, observer: Observer) -> TrainingLoop:
    loop = _Loop(options, observer, *check_options(options))
    with take_folder(loop.out) as lock, resumable(loop.out, loop.job.command):
        loop.lock = lock
        loop.read()
        while (end := loop.find_end()) is None:
            if not loop.do_round():
                end = "minutes"
                break
        if end == "accepted":
            loop.run_on_accept()
        return loop.result(end)


@dataclass(slots=True)
class _Loop:
    options: LoopOptions
    observer: Observer
    job: Job
    gate: Gate
    train: UserCommand
    commands: dict[str, UserCommand]
    lock: int = -1
    rounds: list[LoopRound] = field(default_factory=list)
    state: LoopState = field(default_factory=LoopState)
    spent_before: float = 0.0  # seconds, by processes before this one
    begun: float = field(default_factory=time.monotonic)

    @property
    def out(self) -> Path:
        return self.options.out.resolve()

    @property
    def best(self) -> LoopRound | None:
        if not self.rounds:
            return None
        last = self.rounds[-1]
        return last if last.is_best else self.rounds[(last.best_before or 1) - 1]

    @property
    def until(self) -> float:
        minutes = self.options.minutes
        return inf if minutes is None else self.begun + 60 * minutes - self.spent_before

    def round_file(self, number: int) -> Path:
        return self.out / f"round_{number:02d}.json"

    def folder(self, number: int) -> Path:
        """What the training writes; beside it, with `.files`, what is known of the round."""
        return self.out / "rounds" / f"round_{number:02d}"

    def files(self, number: int) -> Path:
        return self.out / "rounds" / f"round_{number:02d}.files"

    # ------------------------------------------------------------------------ what was done before

    def read(self) -> None:
        """The rounds that are finished, and what they took."""
        asked = [repr(replace(self.gate, source="")), self.job.suites, self.job.categories,
                 self.job.limit, ", ".join(map(str, self.job.text)) or "None",
                 *([repr(self.gate.more)] if self.gate.more else [])]  # fmt: skip
        key = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]
        known = read_state(self.out / STATE)
        if known.key not in ("", key):
            raise UsageError(
                tr("the rounds in {out} were decided by another gate or on other tests",
                   out=self.out),
                hint=tr("name another folder with --out, or the gate and suites of before"),
            )  # fmt: skip
        self.state, self.spent_before = replace(known, key=key), known.seconds
        while (stored := read_round(self.round_file(len(self.rounds) + 1))) is not None:
            number = len(self.rounds) + 1
            of = self.out / CHECKPOINTS / self._name(number, stored.checkpoint) / REPORT_FILE
            changes = tuple(each.suggested() for each in stored.changes)
            self.rounds.append(self._made(read_report(of), stored.review.told(), changes))

    def _name(self, number: int, checkpoint: str) -> str:
        """PARENT/STEP of a finished round; loop.json, which has it, may have been removed."""
        if len(self.state.names) >= number:
            return self.state.names[number - 1]
        folder, path = self.folder(number), Path(checkpoint)
        return f"{folder.name}/{'final' if path == folder else path.name}"

    def _made(
        self,
        measured: Measurements,
        review: RoundReview,
        changes: tuple[SuggestedChange, ...],
    ) -> LoopRound:
        made = LoopRound(
            number=len(self.rounds) + 1,
            measured=measured,
            acceptance=accept(measured, self.gate),
            weighted=weigh(measured, own_scale(self.gate, [measured])),
            review=review,
            changes=changes,
        )
        if (best := self.best) is not None:
            standing, by = compare_round(best.measured, measured, self.gate)
            made = replace(made, standing=standing, difference=by, best_before=best.number)
        return made

    @property
    def seconds(self) -> float:
        """By this process and those before it."""
        return self.spent_before + time.monotonic() - self.begun

    def _keep(self) -> None:
        self.state = replace(self.state, seconds=round(self.seconds, 1))
        write_state(self.out / STATE, self.state)

    def find_end(self) -> LoopEnd | None:
        last = self.rounds[-1].acceptance if self.rounds else None
        if last is not None and last.accepted is None:
            return "undecided"
        spent: LoopEnd | None = None
        tokens = self.options.tokens
        if len(self.rounds) >= self.options.rounds:
            spent = "rounds"
        elif time.monotonic() >= self.until:
            spent = "minutes"
        elif tokens is not None and self.state.tokens >= tokens:
            spent = "tokens"
        if last is not None and last.accepted:
            stops = spent or self._is_clear(self.rounds[-1].measured) or self._repeats()
            return "accepted" if stops else None
        return spent or ("unchanged" if self._repeats() else None)

    def _is_clear(self, measured: Measurements) -> bool:
        """Whether the loop may stop at it: every checkpoint evaluated for this gate was a look."""
        if self.gate.accept.clear is False:
            return True
        with Store(self.out, read_only=True) as store:
            looks = max(1, store.count_looks(self.gate.digest))
        return accept(measured, self.gate, tail=alpha_of_look(looks) / 2).clear

    def _repeats(self) -> bool:
        """Whether the next round would train nothing new."""
        if not self.rounds or self.best is None:
            return False
        done = self.rounds[-1]
        return trains_nothing_new(
            {*self.train.named()},
            before=self.rounds[-2].changes if len(self.rounds) > 1 else (),
            changes=done.changes,
            steps=(self._steps(self.rounds[:-1]), self._steps(self.rounds)),
            resumed_at=self.best.measured.step,
        )

    # ----------------------------------------------------------------------------------- one round

    def do_round(self) -> bool:
        """False: the time was over before its training ended."""
        number = len(self.rounds) + 1
        self.files(number).mkdir(parents=True, exist_ok=True)
        if not self._train(number):
            self._keep()
            return False
        self._keep()
        report, measured, advice = self._evaluate(number)
        self._keep()
        done = self._made(measured, *self._review(report, measured, advice))
        names = (*(each.measured.name for each in self.rounds), measured.name)
        tokens = self.state.tokens + done.review.tokens
        self.state = replace(self.state, tokens=tokens, names=names)
        if report.exit_code == ExitCode.REQUESTS_FAILED:
            self.state = replace(self.state, failed=(*self.state.failed, number))
        self._keep()
        write_json(self.round_file(number), round_document(done))
        self.rounds.append(done)
        self._tell(done)
        return True

    def _values(self, number: int) -> dict[str, str]:
        before = self.round_file(number - 1)
        if number == 1:
            before = self.files(1) / "start.json"
            write_json(before, {"round": 0, "checkpoint": None, "accepted": None, "criteria": {},
                                 "review": None, "changes": []})  # fmt: skip
        return {
            "changes": str(before),
            "steps": str(self._steps() or ""),
            "out": str(self.folder(number)),
            "resume": self.best.measured.path if self.best else "",
        }

    def _steps(self, rounds: Sequence[LoopRound] | None = None) -> int | None:
        """As planned for the round after those that are finished."""
        finished = self.rounds if rounds is None else rounds
        changed = [each.steps for done in finished for each in done.changes if each.steps]
        return changed[-1] if changed else self.options.steps

    def _train(self, number: int) -> bool:
        status, log = self.files(number) / "training.json", self.files(number) / "training.log"
        ended = read_end(status)
        if ended is None or ended.code != 0:
            words = self.train.fill(self._values(number))
            shutil.rmtree(self.folder(number), ignore_errors=True)
            tell_phase(self.observer, tr("round {number}: training", number=number))
            ended = run_guarded(
                words, status=status, output=log, until=self.until, keep_open=(self.lock,)
            )
        if ended.cut == "time":
            return False
        if ended.code is None:
            why = tr("how the training ended was not stored; is the disk full?")
            raise self._failed(number, why)
        if ended.code != 0:
            gaps = {"code": ended.code, "why": last_lines(log)}
            raise self._failed(number, tr("the training ended with {code}: {why}", **gaps))
        return True

    def _failed(self, number: int, why: str) -> TrainingFailed:
        (self.files(number) / "training.json").unlink(missing_ok=True)  # so that it is tried again
        log = self.files(number) / "training.log"
        return TrainingFailed(
            tr("round {number}: {why}", number=number, why=why),
            hint=tr("its output is in {log}; the same command tries this round again", log=log),
        )

    def _evaluate(self, number: int) -> tuple[Report, Measurements, tuple[Recommendation, ...]]:
        folder = self.folder(number)
        found = [(place.spec, _of_round(place, folder)) for place in places_in(folder)]
        if not found:
            raise self._failed(
                number, tr("the training left no checkpoint in {folder}", folder=folder)
            )
        tell_phase(self.observer, tr("round {number}: evaluating", number=number))
        places = tuple(place for _, place in with_bases(found, self.job.base) if place)
        try:
            report = evaluate(
                replace(self.job, models=(str(folder),), places=places), self.observer
            )
        except (UsageError, ModelUnavailable, Refusals) as error:
            raise self._failed(number, in_one_line(error)) from error
        decision = report.decision
        assert decision is not None
        selection = best_in(decision, found[0][1].name)
        name = selection.selected or selection.best_so_far
        measured = next((each for each in decision.measured if each.name == name), None)
        if measured is None:
            raise self._failed(number, sentence(selection.reasons[0]))
        return report, measured, decision.advice[measured.name]

    def _review(
        self, report: Report, measured: Measurements, advice: tuple[Recommendation, ...]
    ) -> Reviewed:
        """Of an accepted checkpoint nothing need change."""
        number, acceptance = len(self.rounds) + 1, accept(measured, self.gate)
        said, _ = checkpoint_headline(measured, acceptance)
        in_force = self.rounds[-1].changes if self.rounds else ()
        if acceptance.accepted:
            review = RoundReview(by="assay", said=said)
            return review, () if self._is_clear(measured) else self._train_on(measured, in_force)
        failed = ""
        if self.commands.get("--review") or self.options.judge:
            tell_phase(self.observer, tr("round {number}: reviewing", number=number))
            document = round_to_review(number, measured, acceptance, advice, report, in_force)
            try:
                return self._ask_reviewer(document, number)
            except ReviewFailed as error:
                failed = str(error)
                self.observer.note(tr("round {number}: the review failed: {why}; Assay's advice "
                                      "takes its place", number=number, why=failed))  # fmt: skip
        review = RoundReview(by="assay", said=said, failed=failed)
        best = self.best
        if best is not None and not self._made(measured, review, ()).is_best:
            in_force = self.rounds[best.number - 2].changes if best.number > 1 else ()
        steps = self._steps() or (None if measured.step is None else int(measured.step))
        return review, changes_of(advice, in_force, steps=steps, write=sentence)

    def _train_on(
        self, measured: Measurements, in_force: tuple[SuggestedChange, ...]
    ) -> tuple[SuggestedChange, ...]:
        """A marginal pass is trained on, with what was in force."""
        steps = self._steps() or (None if measured.step is None else int(measured.step))
        longer = Recommendation("trend", fact("pass_not_clear"), (fact("pass_not_clear"),))
        return changes_of([longer], in_force, steps=steps, write=sentence)

    def _ask_reviewer(self, document: dict[str, object], number: int) -> Reviewed:
        if self.options.judge:
            return ask_model(self.options.judge, document, self.job, self.observer)
        until = min(self.until, time.monotonic() + REVIEW_S)
        command = self.commands["--review"]
        return ask_command(command, document, self.files(number), until=until, lock=self.lock)

    def _tell(self, done: LoopRound) -> None:
        said, _ = checkpoint_headline(done.measured, done.acceptance)
        note = tr("round {number}: {what}", number=done.number, what=said)
        if done.standing == "worse":
            gaps = {"note": note, "best": done.best_before}
            note = tr("{note} It is worse than round {best}, from which the next starts.", **gaps)
        self.observer.note(note)

    # ------------------------------------------------------------------------------------ the end

    def run_on_accept(self) -> None:
        command = self.commands.get("--on-accept")
        if command is None or self.state.on_accept:
            return
        last, files = self.rounds[-1], self.files(len(self.rounds))
        log = files / "on_accept.log"
        values = {"checkpoint": last.measured.path, "round": str(self.round_file(last.number))}
        ended = run_guarded(
            command.fill(values),
            status=files / "on_accept.json",
            output=log,
            keep_open=(self.lock,),
        )
        if ended.code != 0:
            raise TrainingFailed(
                tr("round {number} is accepted, and the command of --on-accept ended with {code}: "
                   "{why}", number=last.number, code=ended.code, why=last_lines(log)),
                hint=tr("its output is in {log}; the same command runs it again", log=log),
            )  # fmt: skip
        self.state = replace(self.state, on_accept=True)
        self._keep()

    def result(self, end: LoopEnd) -> TrainingLoop:
        best = self.best
        code = ExitCode.DONE if end == "accepted" else ExitCode.NOT_ACCEPTED
        if best is not None and best.number in self.state.failed:
            code = ExitCode.REQUESTS_FAILED
        found = TrainingLoop(
            rounds=tuple(self.rounds),
            gate=self.gate,
            ended=end,
            best=best.number if best else None,
            seconds=self.seconds,
            tokens=self.state.tokens,
            out=str(self.out),
            command=self.job.command,
            exit_code=int(code),
        )
        with explain_write_errors(self.out):
            replace_file(self.out / "loop.html", render_html(loop_document(found)))
        return found


def _of_round(place: CheckpointPlace, folder: Path) -> CheckpointPlace:
    """Where a training writes {out}/NAME/step_N, every round has a NAME of its own: the next may
    have the same steps.
    """
    inside = place.parent != folder.name
    return replace(place, parent=f"{folder.name}-{place.parent}") if inside else place
