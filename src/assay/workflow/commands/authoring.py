"""Everything that is wrong with test and gate files; and, where code may be run, with checkers."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.checkers import Made, fill, gather, make_files
from assay.files.file_text import shown_path
from assay.files.notes import Notes
from assay.files.wording import did_you_mean
from assay.judge.rubrics import load_rubric
from assay.messages import tr
from assay.plugins import load_plugins
from assay.reports.suites.statistics import guess_of, repair_of
from assay.sandbox import Sandbox, open_sandbox
from assay.suites.load import ExaminedSuites, examine_suites
from assay.suites.test_folder import (
    CHECK_FILE,
    MAKE_FILE,
    REFERENCE_FILE,
    WrongAnswer,
    made_for,
    read_reference,
    read_wrong,
)
from assay.types import Case, FileFinding, JudgeFields, Observer, Severity
from assay.types.judging.judgements import EvidenceCheck
from assay.types.measured.suite_statistics import GuessedTest
from assay.types.option_fields import several
from assay.types.options import SandboxChoice
from assay.types.scores import SilentProgress
from assay.workflow.running.baselines import guesses_of

NAMED = 3  # seeds in one finding, and findings of one kind
NAMED_CHECKS = 8
# A section that the task asks for may stand in the prompt as well; more is points for nothing.
MOST_IDLE_SHARE = 0.1

_LINE = re.compile(r"\(line ([0-9]{1,6})\)$")  # as `assay.checking` names the line that raised
_Checks = Mapping[str, EvidenceCheck]
_Seeded = tuple[int, EvidenceCheck]


def validate(
    paths: str | Path | Sequence[str | Path],
    *,
    plugins: Sequence[str] = (),
    allow_code_execution: bool = False,
    sandbox: SandboxChoice = "auto",
    data_seeds: int = 20,
    observer: Observer | None = None,
) -> tuple[FileFinding, ...]:
    """Every mistake and every warning in these test files, suites and gates (*.toml).

    With `allow_code_execution` checkers are tried in the sandbox, with data of `data_seeds` seeds:
    the reference must pass every check, each wrong answer must fail those that it names, and
    answers that do nothing must get next to nothing.
    Example: `[str(each) for each in assay.validate(["my-tests", "gate.toml"])]`.
    """
    load_plugins(plugins)
    files = [*map(Path, several(paths))]
    if not allow_code_execution:
        seen = examine_suites(files, check_rubric=load_rubric)
        return (*seen.findings, *_guessed(seen))
    observer = observer or SilentProgress()
    opened = open_sandbox(sandbox)
    found: list[FileFinding] = []
    for path in dict.fromkeys(files):
        here = examine_suites([path], get_sandbox=lambda: opened, check_rubric=load_rubric)
        found += here.findings
        home = path if path.is_dir() else path.parent
        for case in (case for suite, _ in here.suites for case in suite.cases):
            judged = case.check.judged
            if judged and judged.checker_folder:
                observer.note(tr("trying the checker of {test}", test=case.id))
                as_given = home / judged.checker_folder.name  # unless it is a link
                folder = as_given if as_given.is_dir() else judged.checker_folder
                found += CheckerTrial(case, judged, folder, opened, range(data_seeds)).findings()
        found += _guessed(here)
    return tuple(found)


def _guessed(seen: ExaminedSuites) -> Iterator[FileFinding]:
    """Warnings of tests that an answer without knowledge passes, in suites without mistakes."""
    for suite, files in seen.suites:
        named: dict[str, list[GuessedTest]] = {}
        for each in guesses_of(suite).named:
            named.setdefault(each.id, []).append(each)
        categories = {category.name: category.cases for category in suite.categories}
        for opened in files if named else ():
            notes = Notes(warnings=True)
            # Without mistakes every row is a test; tests in folders, which follow, are not guessed.
            for row, case in enumerate(categories[Path(opened.shown).stem]):
                for guess in named.get(case.id, ()):
                    notes.test_id = guess.id
                    message = tr("{guess} (score {score}); {repair}", guess=guess_of(guess),
                                 score=f"{guess.score:.2f}", repair=repair_of(guess))  # fmt: skip
                    notes.warning((row,), message)
            notes.test_id = None
            yield from opened.findings(notes)


_TRUTH_HOLE = re.compile(r"\{\{\s*truth\.([^{}\n]{1,200}?)\s*\}\}")


@dataclass(frozen=True, slots=True)
class CheckerTrial:
    case: Case
    check: JudgeFields
    folder: Path
    sandbox: Sandbox
    seeds: Sequence[int]

    def findings(self) -> Iterator[FileFinding]:
        made = self._made()
        problems = dict.fromkeys(each.problem for each in made if each.problem)
        for problem in problems:
            yield self._finding(self.folder / MAKE_FILE, problem)
        if problems:
            return
        if len(made) > 1 and all(each == made[0] for each in made[1:]):
            problem = tr("make(seed) gives the same for every seed, so an answer can be learnt")
            yield self._finding(self.folder / MAKE_FILE, problem, severity="warning")
        wrong = list(read_wrong(self.folder))
        reference = read_reference(self.folder)
        answers = [reference, *(each.answer for each in wrong)]
        files = [self.folder / REFERENCE_FILE, *(each.file for each in wrong)]
        for file, text in zip(files, answers, strict=True):
            yield from self._of_holes(file, fill(text, made[0].files, made[0].truth))
        items = [
            (fill(answer, each.files, each.truth), each) for answer in answers for each in made
        ]
        evidence = gather(self.folder, items, self.sandbox)
        reasons = dict.fromkeys(each.missing for each in evidence if each.unscored_reason)
        for reason in list(reasons)[:NAMED]:
            yield self._finding(self.folder / CHECK_FILE, reason)
        seen = [
            [{check.name: check for check in each.checks} for each in evidence[at : at + len(made)]]
            for at in range(0, len(items), len(made))
        ]
        yield from self._of_reference(seen[0])
        for answer, checks in zip(wrong, seen[1:], strict=True):
            yield from self._of_wrong(answer, checks, seen[0])
        yield from self._of_checks(seen[0], seen[1:])
        yield from self._of_idle_answers(made[0])

    def _of_holes(self, file: Path, answer: str) -> Iterator[FileFinding]:
        """Values that an answer asks of the truth, and that make.py does not give."""
        for name in dict.fromkeys(_TRUTH_HOLE.findall(answer)):
            yield self._finding(file, tr("the truth of make.py has no '{name}'", name=name))

    def _of_checks(
        self, reference: Sequence[_Checks], wrong: Sequence[Sequence[_Checks]]
    ) -> Iterator[FileFinding]:
        """Checks that nothing shows to be able to fail."""
        failed = {name for seen in wrong for checks in seen for name in checks
                  if checks[name].passed is False}  # fmt: skip
        never = [name for name in _names(reference) if name not in failed]
        if wrong and never:
            shown = ", ".join(never[:NAMED_CHECKS]) + (", …" if len(never) > NAMED_CHECKS else "")
            problem = tr("checks that no answer in wrong/ fails: {checks}", checks=shown)
            yield self._finding(self.folder / CHECK_FILE, problem, severity="warning")

    def _of_idle_answers(self, made: Made) -> Iterator[FileFinding]:
        """Answers that do nothing, tried with the data that the prompt shows."""
        prompt = "\n".join(turn.content for turn in self.case.messages)
        idle_answers = {
            tr("an empty answer"): "",
            tr("the echoed prompt"): prompt,
            tr("a refusal"): "I'm sorry, but I can't help with that.",
        }
        trials = [(answer, made) for answer in idle_answers.values()]
        found = gather(self.folder, trials, self.sandbox)
        for name, evidence in zip(idle_answers, found, strict=True):
            share = float(evidence.share or 0)
            if share <= MOST_IDLE_SHARE:
                continue
            passed = [check.name for check in evidence.checks if check.passed]
            problem = tr(
                "{answer} gets {share:.2f} of the checks, more than {limit:g}: {checks}",
                answer=name, share=share, limit=MOST_IDLE_SHARE,
                checks=", ".join(passed[:NAMED_CHECKS]),
            )  # fmt: skip
            yield self._finding(self.folder / CHECK_FILE, problem)

    def _made(self) -> Sequence[Made]:
        first = made_for(self.check, self.sandbox)
        if first.problem or not (self.folder / MAKE_FILE).exists():
            return [first]  # every seed has the same files
        sandbox = None if self.check.checker_ships else self.sandbox
        made = make_files(self.folder, self.seeds, sandbox)
        if not made[0].problem and (first.files, first.truth) != (
            {**first.files, **made[0].files},
            made[0].truth,
        ):
            problem = tr("make(0) gives something else each time; draw from the seed alone")
            return [replace(made[0], problem=problem)]
        return [replace(each, files={**first.files, **each.files}) for each in made]

    def _of_reference(self, seen: Sequence[_Checks]) -> Iterator[FileFinding]:
        for name in _names(seen):
            failed = [
                (seed, checks[name])
                for seed, checks in enumerate(seen)
                if name in checks and not checks[name].passed
            ]
            if failed:
                gaps = _gaps(name, failed, len(seen))
                message = tr("the reference does not pass '{check}' {where}: {why}", **gaps)
                yield self._finding(self.folder / REFERENCE_FILE, message)

    def _of_wrong(
        self, wrong: WrongAnswer, seen: Sequence[_Checks], reference: Sequence[_Checks]
    ) -> Iterator[FileFinding]:
        names = _names([*reference, *seen])
        for name in wrong.fails:
            if names and name not in names:
                problem = tr("no check is called '{name}'", name=name)
                yield self._finding(wrong.file, did_you_mean(problem, name, names))
                continue
            unchecked = EvidenceCheck(name=name, passed=None, explanation=tr("it is not checked"))
            kept = [
                (seed, check)
                for seed, (checks, others) in enumerate(zip(seen, reference, strict=True))
                if checks and (name in checks or name in others)
                if (check := checks.get(name, unchecked)).passed is not False
            ]
            if kept:
                gaps = _gaps(name, kept, len(seen))
                message = tr("this answer does not fail '{check}' {where}: {why}", **gaps)
                yield self._finding(wrong.file, message)

    def _finding(self, file: Path, message: str, *, severity: Severity = "error") -> FileFinding:
        line = _LINE.search(message)
        return FileFinding(
            file=shown_path(file),
            line=int(line[1]) if line and file.suffix == ".py" else 1,
            column=1,
            message=" ".join(message.split()),
            test_id=self.case.id,
            severity=severity,
        )


def _names(seen: Iterable[_Checks]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for checks in seen for name in checks))


def _gaps(name: str, found: Sequence[_Seeded], of: int) -> dict[str, str]:
    """What a message on one check says: its name, with which seeds, and why with the first."""
    seeds = [str(seed) for seed, _ in found]
    shown = ", ".join(seeds[:NAMED]) + (", …" if len(seeds) > NAMED else "")
    where = tr("with {count} of {of} data seeds ({seeds})", count=len(seeds), of=of, seeds=shown)
    return {"check": name, "where": where if of > 1 else "", "why": found[0][1].explanation}
