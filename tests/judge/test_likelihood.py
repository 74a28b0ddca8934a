"""Yes-or-no questions through a toy judge: values, means, what is missing, and words afterwards."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.checks.judge import Judge
from assay.judge.calibration import Calibration, calibrated
from assay.judge.likelihood.questionnaire import (
    LikelihoodQuestionnaire,
    gives_likelihoods,
    likelihood_of_yes,
)
from assay.judge.questionnaire import Assignment
from assay.types import (
    Answered,
    Case,
    ChoiceLikelihoods,
    Failed,
    Message,
    ModelFacts,
    Observed,
    Reply,
    Request,
    ToAnswer,
    ToChoose,
)
from assay.types.judging.judgements import (
    NO_EVIDENCE,
    Evidence,
    EvidenceCheck,
    Judgement,
    Rubric,
    RubricCriterion,
    RubricQuestion,
)

ANSWER = "def double(x):\n    return x + x\n"
CASE = Case(
    id="T-01",
    suite="s",
    category="c",
    messages=(Message("user", "Write a function that doubles a number."),),
    check=Judge(rubric="r"),
)
FACTS = ModelFacts(spec="toy:judge", name="judge", fingerprint="sha256:toy")


def rubric(*, on_x: int = 3, more: int = 1) -> Rubric:
    """Three questions on x, and `more` on y."""
    return Rubric(
        name="r",
        title="R",
        version=1,
        criteria=tuple(
            RubricCriterion(key=key, label=key.upper(), weight=5, anchors=(), questions=("?",))
            for key in "xy"
        ),
        questions={
            "T-01": tuple(
                RubricQuestion(id=f"x{n}", criterion="x", text=f"x{n}?") for n in range(on_x)
            )
            + tuple(RubricQuestion(id=f"y{n}", criterion="y", text=f"y{n}?") for n in range(more))
        },
    )


class ToyJudge:
    """Says yes as likely as it is told to, by the words of the question."""

    def __init__(
        self,
        yes: Mapping[str, float | Reply | None],
        *,
        words: str | None = "{}",
        facts: ModelFacts = FACTS,
    ) -> None:
        self.facts = facts
        self._yes = yes
        self._words = words
        self.asked: list[Request] = []

    def probe(self) -> None:
        pass

    def observed(self) -> Observed:
        return Observed()

    def stop(self) -> None:
        pass

    def close(self) -> None:
        pass

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        for request in requests:
            self.asked.append(request)
            yield self._reply(request)

    def _reply(self, request: Request) -> Reply:
        if isinstance(request.work, ToAnswer):
            if self._words is None:
                return Failed(request_id=request.id, reason="no words")
            return Answered(request_id=request.id, text=self._words)
        assert isinstance(request.work, ToChoose)
        assert request.work.continuations == ("Yes", "No")
        said = self._yes[_question(request)]
        if said is None:
            return Failed(request_id=request.id, reason="the judge is ill")
        if not isinstance(said, int | float):
            return replace(said, request_id=request.id)
        logs = (math.log(said) - 1, math.log1p(-said) - 1)  # some of it lies on other words
        return ChoiceLikelihoods(request_id=request.id, log_likelihoods=logs)


def _question(request: Request) -> str:
    assert isinstance(request.work, ToChoose)
    return request.work.messages[-1].content.rpartition("Question: ")[2].split("\n")[0]


def run(judge: ToyJudge, questionnaire: LikelihoodQuestionnaire) -> Judgement:
    while pending := questionnaire.pending():
        for request, reply in zip(pending, judge.answer(pending), strict=True):
            questionnaire.take(request, reply)
    return questionnaire.judgement()


def questionnaire(
    judge: ToyJudge,
    *,
    of: Rubric | None = None,
    answer: str = ANSWER,
    evidence: Evidence = NO_EVIDENCE,
    repeat: int = 0,
    explain: bool = True,
    calibration: Calibration | None = None,
) -> LikelihoodQuestionnaire:
    return LikelihoodQuestionnaire(
        Assignment(
            case=CASE,
            rubric=of or rubric(),
            answer=answer,
            judge=judge.facts,
            evidence=evidence,
            form="likelihood",
            repeat=repeat,
            explain=explain,
            calibration=calibration,
        )
    )


EVEN: dict[str, float | Reply | None] = {"x0?": 0.9, "x1?": 0.6, "x2?": 0.3, "y0?": 0.75}


# ------------------------------------------------------------------------------------- one reply


def chosen(
    yes: float, no: float, *, bounded: tuple[bool, ...] = (), cut: int = 0
) -> ChoiceLikelihoods:
    return ChoiceLikelihoods(request_id="r", log_likelihoods=(yes, no), bounded=bounded, cut=cut)


def test_a_value_is_the_share_of_yes_of_both_words() -> None:
    assert likelihood_of_yes(chosen(math.log(0.3), math.log(0.1))) == pytest.approx(0.75)


def test_a_word_that_was_not_told_is_taken_at_its_bound() -> None:
    reply = chosen(math.log(0.96), math.log(0.04), bounded=(False, True))
    assert likelihood_of_yes(reply) == pytest.approx(0.96)


@pytest.mark.parametrize(
    "reply",
    [
        chosen(-1, -1, bounded=(True, True)),
        chosen(math.nan, -1),
        chosen(-math.inf, -math.inf),
        chosen(math.inf, -1),
        chosen(-1, -2, cut=5),
        ChoiceLikelihoods(request_id="r", log_likelihoods=(-1.0,)),
        Answered(request_id="r", text="Yes"),
        Failed(request_id="r", reason="?"),
    ],
)
def test_what_tells_neither_word_is_not_answered(reply: Reply) -> None:
    assert likelihood_of_yes(reply) is None


def test_certainty_is_a_value_too() -> None:
    assert likelihood_of_yes(chosen(0.0, -math.inf)) == 1.0
    assert likelihood_of_yes(chosen(-5000.0, -1.0)) == 0.0


@settings(deadline=None)
@given(st.floats(-800, 0), st.floats(-800, 0))
def test_a_value_lies_between_no_and_yes_and_follows_the_likelier(yes: float, no: float) -> None:
    value = likelihood_of_yes(chosen(yes, no))
    assert value is not None
    assert 0 <= value <= 1
    assert (value >= 0.5) == (yes >= no) or math.isclose(value, 0.5)


def test_a_judge_that_scores_texts_or_tells_first_tokens_can_be_asked_so() -> None:
    for capability in ("score_text", "top_logprobs"):
        facts = replace(FACTS, capabilities=frozenset({"generate", capability}))
        assert gives_likelihoods(facts)
    assert not gives_likelihoods(FACTS)


# ------------------------------------------------------------------------------------ the scores


def test_a_criterion_is_the_mean_of_its_questions_in_whole_points() -> None:
    found = run(judge := ToyJudge(EVEN), questionnaire(judge))
    x, y = found.scores
    assert (x.raw, x.score) == (pytest.approx(0.6), 6)
    assert (y.raw, y.score) == (pytest.approx(0.75), 8)
    assert found.unscored_reason is None
    assert found.form == "likelihood"
    assert "2 of 3 questions" in x.reason
    assert "Not calibrated" in found.explanation


def test_a_calibration_moves_the_points_and_not_the_likelihood() -> None:
    scale = Calibration(examples=4, knots={"x": ((0.5, 1.0), (0.7, 9.0))})
    found = calibrated(run(judge := ToyJudge(EVEN), questionnaire(judge)), scale)
    assert (found.scores[0].raw, found.scores[0].score) == (pytest.approx(0.6), 5)
    assert found.scores[1].score == 8
    assert "4 scored examples" in found.explanation


def test_the_checklist_has_every_question_with_its_likelihood() -> None:
    found = run(judge := ToyJudge({**EVEN, "x2?": None}), questionnaire(judge))
    told = [(tick.question, tick.criterion, tick.probability) for tick in found.checklist]
    assert told == [
        ("x0?", "x", pytest.approx(0.9)),
        ("x1?", "x", pytest.approx(0.6)),
        ("x2?", "x", None),
        ("y0?", "y", pytest.approx(0.75)),
    ]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0.01, 0.99), min_size=4, max_size=4), st.floats(0, 0.5))
def test_a_likelier_yes_never_lowers_a_score(values: list[float], more: float) -> None:
    keys = ("x0?", "x1?", "x2?", "y0?")
    before = dict(zip(keys, values, strict=True))
    after = {**before, "x1?": min(0.99, before["x1?"] + more)}
    low, high = (run(judge := ToyJudge(said), questionnaire(judge)) for said in (before, after))
    assert high.scores[0].score >= low.scores[0].score
    assert high.scores[1] == low.scores[1]


# ------------------------------------------------------------------------------- what is missing


UNDECIDED = chosen(-1, -1, bounded=(True, True))


def test_a_third_of_the_questions_may_go_without_an_answer() -> None:
    found = run(judge := ToyJudge({**EVEN, "x2?": UNDECIDED}), questionnaire(judge))
    assert found.scores[0].raw == pytest.approx(0.75)
    assert "Questions without an answer, which do not count: 1." in found.explanation


def test_more_than_a_third_leaves_the_judgement_unscored_with_the_reason() -> None:
    judge = ToyJudge({**EVEN, "x1?": UNDECIDED, "x2?": UNDECIDED})
    found = run(judge, questionnaire(judge))
    assert (found.scores, found.unscored_reason) == ((), "unreadable")
    assert "2 of 3 questions on X" in found.explanation
    assert found.checklist[0].probability == pytest.approx(0.9)


def test_one_question_that_failed_leaves_it_unscored_until_it_is_asked_again() -> None:
    found = run(judge := ToyJudge({**EVEN, "x2?": None}), questionnaire(judge))
    assert (found.scores, found.unscored_reason) == ((), "failed")
    assert found.explanation == "1 of 4 questions failed: the judge is ill"


def test_an_unscored_judgement_asks_for_no_words() -> None:
    judge = ToyJudge({**EVEN, "y0?": None})
    run(judge, questionnaire(judge))
    assert all(isinstance(request.work, ToChoose) for request in judge.asked)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Answered(request_id="", text="Yes, it is."), "unreadable"),
        (chosen(-1, -1, bounded=(True, True)), "unreadable"),
        (chosen(-1, -2, cut=9), "truncated"),
        (Failed(request_id="", reason="too long", cause="prompt_too_long"), "truncated"),
        (Failed(request_id="", reason="gone", cause="unreachable"), "failed"),
    ],
)
def test_the_reason_is_that_of_the_replies(reply: Reply, reason: str) -> None:
    found = run(judge := ToyJudge({**EVEN, "y0?": reply}), questionnaire(judge))
    assert found.unscored_reason == reason
    assert found.explanation


def test_an_empty_answer_is_scored_without_asking() -> None:
    judge = ToyJudge(EVEN)
    found = run(judge, questionnaire(judge, answer=" \n"))
    assert judge.asked == []
    assert [score.score for score in found.scores] == [0, 0]
    assert found.form == "likelihood"


# ------------------------------------------------------------------------------------ the requests


def test_all_questions_are_pending_at_once_and_the_words_come_last() -> None:
    judge = ToyJudge(EVEN)
    run(judge, questionnaire(judge))
    assert [request.turn for request in judge.asked] == [0, 1, 2, 3, 4]
    assert [request.work.kind for request in judge.asked] == ["choose"] * 4 + ["answer"]
    assert {request.test_id for request in judge.asked} == {"judge:T-01"}
    assert len({request.id for request in judge.asked}) == 5


def test_the_words_are_asked_for_behind_the_beginning_of_the_questions() -> None:
    judge = ToyJudge(EVEN)
    run(judge, questionnaire(judge))
    *questions, words = ["\n".join(m.content for m in each.work.messages) for each in judge.asked]
    beginning = os.path.commonprefix([*questions, words])  # noqa: RUF071
    assert beginning.endswith("speaks against it.\n\n"), "task and answer are read once"


SOME = EvidenceCheck(name="a", passed=False, explanation="")


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.floats(0.01, 0.99), min_size=8, max_size=8),
    passed=st.integers(0, 10),
    knots=st.lists(st.integers(0, 10), min_size=4, max_size=4).map(sorted),
)
def test_questions_that_can_move_nothing_are_not_asked_and_the_score_is_the_same(
    values: list[float], passed: int, knots: list[int]
) -> None:
    shown = Evidence(checks=tuple(replace(SOME, passed=n < passed) for n in range(10)))
    yes: dict[str, float | Reply | None] = {f"x{n}?": value for n, value in enumerate(values)}
    yes["y0?"] = 0.4
    curve = tuple(zip((0.0, 0.3, 0.7, 1.0), map(float, knots), strict=True))
    scale = Calibration(examples=4, knots={"x": curve})
    told = []
    for calibration in (None, scale):
        judge = ToyJudge(yes)
        asked = questionnaire(judge, of=rubric(on_x=8), evidence=shown, calibration=calibration)
        found = calibrated(run(judge, asked), scale)
        told.append((_bounded(found, shown), len(judge.asked)))
    (whole, of_all), (spared, of_fewer) = told
    assert whole == spared
    assert of_fewer <= of_all


def _bounded(judgement: Judgement, evidence: Evidence) -> list[int]:
    given = [(one.score, *evidence.bounds_of(one.criterion)) for one in judgement.scores]
    return [min(most, max(least, score)) for score, least, most in given]


def test_what_the_evidence_decides_is_not_asked() -> None:
    nothing = Evidence(checks=(SOME,))
    of = replace(rubric(), criteria=tuple(replace(each, key="correctness" if each.key == "x" else
                 "y") for each in rubric().criteria))  # fmt: skip
    own = tuple(replace(each, criterion="correctness" if each.criterion == "x" else "y")
                for each in of.questions["T-01"])  # fmt: skip
    judge = ToyJudge(EVEN)
    found = run(
        judge,
        questionnaire(
            judge, of=replace(of, questions={"T-01": own}), evidence=nothing,
            calibration=Calibration(),
        ),
    )  # fmt: skip
    assert [_question(each) for each in judge.asked[:-1]] == ["y0?"]
    assert found.score_of("correctness") == 0
    assert "Of 4 questions 3 could move nothing" in found.explanation


def test_facts_that_could_not_be_read_are_asked_for_first() -> None:
    fact = EvidenceCheck(name="total", passed=None, explanation="", fact="the total is 5.")
    other = replace(fact, name="mean", fact="the mean is 2")
    judge = ToyJudge(
        {**EVEN, "Does the answer say that the total is 5?": 0.8,
         "Does the answer say that the mean is 2?": 0.2}
    )  # fmt: skip
    found = run(judge, questionnaire(judge, evidence=Evidence(checks=(fact, other))))
    assert _question(judge.asked[0]) == "Does the answer say that the total is 5?"
    assert [one.is_yes for one in found.facts] == [True, False]


def test_the_same_inquiry_makes_the_same_requests() -> None:
    judge = ToyJudge(EVEN)
    assert questionnaire(judge).pending() == questionnaire(judge).pending()


@pytest.mark.parametrize("other", ["repeat", "answer"])
def test_what_could_change_a_reply_changes_the_request(other: str) -> None:
    judge = ToyJudge(EVEN)
    made: Callable[[], LikelihoodQuestionnaire] = {
        "repeat": lambda: questionnaire(judge, repeat=1),
        "answer": lambda: questionnaire(judge, answer=ANSWER + "# more"),
    }[other]
    before = {request.id for request in questionnaire(judge).pending()}
    assert before.isdisjoint(request.id for request in made().pending())


def test_a_judge_that_can_stop_thinking_is_told_to() -> None:
    judge = ToyJudge(EVEN, facts=replace(FACTS, thinks=("on", "off")))
    work = questionnaire(judge).pending()[0].work
    assert isinstance(work, ToChoose)
    assert work.otherwise is not None
    assert work.otherwise.think == "off"


def test_a_long_answer_is_cut_to_the_judges_context_and_that_is_said() -> None:
    judge = ToyJudge(EVEN, facts=replace(FACTS, context_length=2048))
    found = run(judge, questionnaire(judge, answer="value = 1\n" * 2_000))
    assert "did not see" in found.explanation
    work = judge.asked[0].work
    assert isinstance(work, ToChoose)
    assert len(work.messages[-1].content) < 2048 * 2.5


def test_hostile_answers_are_judged_like_any_other() -> None:
    for hostile in ("\ud800" * 50, "\0\x1b[2J" * 50, "`" * 5_000, "{" * 5_000, "a" * 400_000):
        judge = ToyJudge(EVEN)
        assert run(judge, questionnaire(judge, answer="answer is 42, " + hostile)).scores


# --------------------------------------------------------------------------------------- the words

WORDS = {
    "quotes": ["return x + x", "return x ** 2 + 1", "a function that doubles"],
    "strengths": ["It is short."],
    "weaknesses": [],
    "assessment": "It does what is asked. Score: 0/10.",
    "verdict": "Good.",
    "scores": {"x": 0},
}


def test_words_are_read_and_their_quotes_checked() -> None:
    judge = ToyJudge(EVEN, words="Here: " + json.dumps(WORDS))
    found = run(judge, questionnaire(judge))
    assert (found.strengths, found.weaknesses) == (("It is short.",), ())
    assert (found.assessment, found.verdict) == (WORDS["assessment"], "Good.")
    assert [quote.status for quote in found.quotes] == ["exact", "fabricated", "from_task"]
    assert found.raw_replies == ("Here: " + json.dumps(WORDS),)


@pytest.mark.parametrize(
    "words", [None, "", "I like it.", "{", "[]", '{"strengths": 3, "quotes": {"a": 1}}', "\ud800"]
)
def test_words_that_fail_leave_the_scores_as_they_are(words: str | None) -> None:
    judge = ToyJudge(EVEN, words=words)
    found = run(judge, questionnaire(judge))
    assert [score.score for score in found.scores] == [6, 8]
    assert found.unscored_reason is None
    assert (found.strengths, found.quotes, found.verdict) == ((), (), "")


def test_whatever_the_words_say_no_score_changes() -> None:
    silent = run(judge := ToyJudge(EVEN), questionnaire(judge, explain=False))
    spoken = run(judge := ToyJudge(EVEN, words=json.dumps(WORDS)), questionnaire(judge))
    assert spoken.scores == silent.scores


def test_words_are_asked_for_with_ticks_and_facts() -> None:
    judge = ToyJudge(EVEN)
    evidence = Evidence(
        checks=(
            EvidenceCheck(name="zero", passed=False, explanation="double(0) raised"),
            EvidenceCheck(name="one", passed=True, explanation="fine"),
        ),
        notes=("Two claims are wrong.",),
    )
    run(judge, questionnaire(judge, evidence=evidence))
    work = judge.asked[-1].work
    assert isinstance(work, ToAnswer)
    text = work.messages[-1].content
    for part in ("x0? Yes (0.90)", "x2? No (0.30)", "double(0) raised", "Two claims"):
        assert part in text
    assert "fine" not in text
    assert work.schema is None


def test_a_judge_with_structured_output_gets_the_form_as_a_schema() -> None:
    facts = replace(FACTS, capabilities=frozenset({"generate", "structured_output"}))
    judge = ToyJudge(EVEN, facts=facts)
    run(judge, questionnaire(judge))
    work = judge.asked[-1].work
    assert isinstance(work, ToAnswer)
    assert work.schema is not None
    properties = list(json.loads(work.schema)["properties"])
    assert properties == [
        "reasons", "quotes", "strengths", "weaknesses", "assessment", "verdict",
    ]  # fmt: skip
