"""The panel: the judges of a run, opened and checked before any model is asked."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from assay.errors import AssayError, UsageError, raise_all, tried
from assay.files.writing import replace_file
from assay.judge.family import same_model, shares_family
from assay.judge.forms import open_questionnaire
from assay.judge.likelihood.questionnaire import gives_likelihoods
from assay.judge.qualification.readings import gold_digest
from assay.judge.questionnaire import Assignment, Questionnaire
from assay.judge.rubrics import load_rubric
from assay.messages import tr
from assay.models.opening import open_model, read_spec
from assay.request_identity import example_key
from assay.sandbox import Sandbox, open_sandbox
from assay.text import number_format as numbers
from assay.text.loops import find_loop
from assay.types import Case, Model, ModelFacts, Suite
from assay.types.choices import JudgeForm
from assay.types.judging.cards import JudgeCard
from assay.types.judging.judgements import JudgedBy, Rubric, ScoredExample
from assay.types.options import JudgeOptions, LocalOptions, ServerOptions

USUAL_CONNECTIONS = {"openai": 8}  # where the server tells no slots; all others one
NAMED = 12  # tests in one note
SMALL = 14_000_000_000  # parameters: below, a judge without a card is asked by likelihood
# Of the shipped gold set, by whether the judge gives likelihoods: requests, and minutes for a judge
# of 1.5 B on two cores: measured with more requests (1,588 in 60 minutes, 218 in 100), and scaled.
COSTS = {True: (880, 40), False: (170, 80)}


def requests_at_once(facts: ModelFacts, connections: int | None) -> int:
    """As many as the user asked for, else as its server has slots."""
    return connections or facts.slots or USUAL_CONNECTIONS.get(read_spec(facts.spec).scheme, 1)


@dataclass(frozen=True, slots=True)
class PanelJudge:
    model: Model
    about: JudgedBy


@dataclass(slots=True, kw_only=True)
class JudgePanel:
    """`judges`: the probed `models` but for `left_out`, which failed. `rubrics`: by suite, name."""

    options: JudgeOptions
    tested: tuple[ModelFacts, ...]
    models: list[Model] = field(default_factory=list)
    judges: list[PanelJudge] = field(default_factory=list)
    left_out: tuple[PanelJudge, ...] = ()
    rubrics: Mapping[tuple[str, str], Rubric] = field(default_factory=dict)
    sandbox: Sandbox | None = None
    connections: int | None = None

    def probe_judges(self, errors: list[AssayError]) -> None:
        """Find out by asking whether a judge gives log-probabilities."""
        for model in self.models:
            self.judges += tried(errors, _panel_judge, model, self.options, self.tested)
        failed = tuple(each for each in self.judges if each.about.card and not each.about.qualified)
        if len(failed) < len(self.judges):
            self.left_out = failed
            self.judges = [each for each in self.judges if each not in failed]

    @property
    def warnings(self) -> Iterator[str]:
        """What to know before the first request; a report shows the cards instead."""
        for judge in self.judges:
            card = judge.about.card
            if card is None:
                yield tr(
                    "{judge} is not qualified: it was not checked. {cost}. Until then no gate "
                    "passes on its scores.",
                    judge=judge.model.facts.spec,
                    cost=check_cost(judge.model.facts),
                )
            elif not card.qualified:
                yield tr("{card} No gate passes on its scores.", card=card.sentence)

    @property
    def notes(self) -> list[str]:
        left_out = [
            tr("{card} It is left out of the panel.", card=judge.about.card.sentence)
            for judge in self.left_out
            if judge.about.card
        ]
        return [*left_out, *(note for judge in self.judges for note in judge.about.notes)]

    def unchecked(
        self, suites: Sequence[Suite], known: Collection[tuple[str, str]] = ()
    ) -> Iterator[str]:
        """Which tests' checkers may not run. `known`: by suite and id those with evidence."""
        waiting = sorted(
            case.id
            for case in judged_cases(suites)
            if case.check.judged and case.check.judged.needs_permission
            if (case.suite, case.id) not in known
        )
        if waiting and not self.options.allow_code_execution:
            more = f" (+ {len(waiting) - NAMED})" if len(waiting) > NAMED else ""
            yield tr(
                "code_not_allowed: the checkers of {tests} add no evidence; they run code in a "
                "sandbox, which needs --allow-code-execution",
                tests=", ".join(waiting[:NAMED]) + more,
            )

    @property
    def key(self) -> list[object]:
        """What another panel would be another run for; nothing where nothing is run or judged."""
        if not self.models and not self.sandbox:
            return []
        return [
            [model.facts.fingerprint for model in self.models],
            sorted(rubric.digest for rubric in self.rubrics.values()),
        ]

    def rubric_of(self, case: Case) -> Rubric:
        judged = case.check.judged
        assert judged
        return self.rubrics[case.suite, judged.rubric]

    def repeats_of(self, judge: PanelJudge) -> range:
        """Return the numbers of a judge's readings of an answer.

        By likelihood the same question has the same answer: more readings would only look like
        agreement.
        """
        return range(1 if judge.about.form == "likelihood" else self.options.judge_repeats)

    def assignment(
        self, judge: PanelJudge, case: Case, answer: str, repeat: int, tested: str = ""
    ) -> Assignment:
        return Assignment(
            tested=tested,
            judge=judge.model.facts,
            case=case,
            rubric=self.rubric_of(case),
            answer=answer,
            form=judge.about.form,
            repeat=repeat,
            use_case=self.options.use_case,
        )

    def answers_at_once(self, judge: PanelJudge) -> int:
        """How many answers a judge reads side by side: as many as there are connections to it."""
        return requests_at_once(judge.model.facts, self.connections)

    def close(self) -> None:
        for model in self.models:
            model.close()


def example_questionnaire(
    judge: PanelJudge, rubric: Rubric, example: ScoredExample, case: Case
) -> Questionnaire:
    return open_questionnaire(
        Assignment(
            judge=judge.model.facts,
            case=case,
            rubric=rubric,
            answer=example.answer,
            form=judge.about.form,
            key=example_key(rubric.name, example.id),
            explain=False,
        )
    )


def judged_cases(suites: Sequence[Suite]) -> list[Case]:
    return [case for suite in suites for case in suite.cases if case.check.judged]


def open_panel(
    options: JudgeOptions,
    suites: Sequence[Suite],
    tested: Sequence[ModelFacts],
    server: ServerOptions,
    local: LocalOptions,
    *,
    has_samples: bool = False,
) -> JudgePanel:
    """Open judges, rubrics and sandbox, or raise all that is wrong with them. Nothing is asked.
    `has_samples`: there are samples of checkpoints to judge, beside the suites' tests.
    """
    panel = JudgePanel(options=options, tested=tuple(tested), connections=server.connections)
    errors: list[AssayError] = []
    try:
        panel.rubrics = _rubrics(suites, errors)
        for spec in options.judges:
            panel.models += tried(errors, open_model, spec, server, local)
        judged = [] if has_samples else suites
        errors += _find_misuse(options, judged, [model.facts for model in panel.models], tested)
        if options.allow_code_execution:
            panel.sandbox = next(iter(tried(errors, open_sandbox, options.sandbox)), None)
        raise_all(errors)
    except BaseException:
        panel.close()
        raise
    return panel


def _find_misuse(
    options: JudgeOptions,
    suites: Sequence[Suite],
    judges: Sequence[ModelFacts],
    tested: Sequence[ModelFacts],
) -> Iterator[UsageError]:
    if options.judges and suites and not judged_cases(suites):
        yield UsageError(
            tr("no test of these suites needs a judge"),
            hint=tr("leave --judge out, or choose a suite with judged tests, such as coding"),
        )
    if options.judge_repeats < 1:
        yield UsageError(
            tr("an answer is judged at least once, not {count} times", count=options.judge_repeats),
            hint=tr("give --judge-repeats 1 or more"),
        )
    seen: dict[str, str] = {}
    for facts in judges:
        if first := seen.get(facts.fingerprint):
            yield UsageError(
                tr("{second} is the same judge as {first}", second=facts.spec, first=first),
                hint=tr("name each judge once; --judge-repeats asks one several times"),
            )
        seen.setdefault(facts.fingerprint, facts.spec)
        itself = any(same_model(facts, each) for each in tested)
        if itself and not options.allow_self_judging:
            yield UsageError(
                tr("{model} would judge its own answers", model=facts.spec),
                hint=tr("name another judge; --allow-self-judging lets it, and the report says so"),
            )


def _rubrics(suites: Sequence[Suite], errors: list[AssayError]) -> dict[tuple[str, str], Rubric]:
    found: dict[tuple[str, str], Rubric] = {}
    for suite in suites:
        path = Path(suite.path) if suite.path else Path()
        beside = path if path.is_dir() else path.parent
        for name in dict.fromkeys(
            judged.rubric for case in suite.cases if (judged := case.check.judged)
        ):
            for rubric in tried(errors, load_rubric, name, beside):
                found[suite.name, name] = rubric
    return found


def _panel_judge(model: Model, options: JudgeOptions, tested: Sequence[ModelFacts]) -> PanelJudge:
    model.probe()
    facts = model.facts
    has_likelihoods = gives_likelihoods(facts)
    if options.judge_form == "likelihood" and not has_likelihoods:
        raise no_likelihoods(facts)
    card = read_card(facts.fingerprint)
    form: JudgeForm
    if options.judge_form != "auto":
        form = options.judge_form
    elif card is not None:
        form = card.form  # in which the judge did best when it was checked
    elif has_likelihoods and _is_small(facts):
        form = "likelihood"
    else:
        form = "reasoned"
    judged_by = JudgedBy(
        spec=facts.spec,
        name=facts.name,
        fingerprint=facts.fingerprint,
        form=form,
        notes=tuple(_kinship(facts, tested)),
        card=card,
    )
    return PanelJudge(model, judged_by)


def _is_small(facts: ModelFacts) -> bool:
    """Reasons ruin small judges: one of 1.5 B gave 60 of 62 snippets 10 points."""
    return facts.parameters is not None and facts.parameters < SMALL


def no_likelihoods(facts: ModelFacts) -> UsageError:
    return UsageError(
        tr("{judge} gives no log-probabilities, so it cannot be asked by likelihood",
           judge=facts.spec),
        hint=tr("leave --judge-form out, or take --judge-form reasoned"),
    )  # fmt: skip


def check_cost(facts: ModelFacts) -> str:
    """What it would take to check a judge: known, not planned, which takes a second."""
    requests, minutes = COSTS[gives_likelihoods(facts)]
    return tr(
        "`assay judge --check {judge}` makes about {count} requests, which take a judge of 1.5 B "
        "on two cores about {minutes} minutes, and a large one on a GPU a few",
        judge=facts.spec,
        count=numbers.count(requests),
        minutes=minutes,
    )


def _kinship(judge: ModelFacts, tested: Sequence[ModelFacts]) -> Iterator[str]:
    for each in tested:
        if same_model(judge, each):
            yield tr("{judge} judges its own answers: they are read with favour", judge=judge.spec)
        elif families := shares_family(judge, each):
            yield tr(
                "{judge} and {model} are of one family ({families}): judges favour their own kind",
                judge=judge.spec,
                model=each.spec,
                families=", ".join(sorted(families)),
            )


LEAST_SAVED = 1_000  # characters
KEPT_TIMES = 2  # how often the repeated unit stays


def shorten_loop(text: str) -> str:
    found = find_loop(text)
    if found is None:
        return text
    kept = found.start + KEPT_TIMES * (found.unit_end - found.start)
    if found.end - kept < LEAST_SAVED:
        return text
    # Not translated: a judgement must not change with the user's language.
    left_out = found.end - kept
    note = f"\n[the answer repeats the lines above; {left_out} characters are left out here]\n"
    return text[:kept] + note + text[found.end :]


_CARD = TypeAdapter(JudgeCard)


def cards_folder() -> Path:
    """Where cards lie: they belong to no project."""
    import platformdirs

    return platformdirs.user_data_path("assay", appauthor=False) / "judges"


def read_card(fingerprint: str) -> JudgeCard | None:
    """The card of a judge; None where it was never checked, or by another gold set or prompts."""
    try:
        card = _CARD.validate_json(card_file(fingerprint).read_bytes())
    except (OSError, ValidationError):
        return None
    is_valid = card.fingerprint == fingerprint and card.digest == gold_digest()
    return card if is_valid else None


def write_card(card: JudgeCard) -> Path:
    file = card_file(card.fingerprint)
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, _CARD.dump_json(card, indent=2).decode())
    return file


def card_file(fingerprint: str) -> Path:
    name = sha256(fingerprint.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return cards_folder() / f"{name}.json"
