"""What guessing would score in a suite."""

from assay.checks.scoring import score_reply
from assay.judge.trivial import explain, why_trivial
from assay.plan import rendered_prompt
from assay.summary.baselines import baselines
from assay.summary.guesses import guesses
from assay.types import Answered, Case, Reply, Score, Suite
from assay.types.measured.suite_statistics import Guesses
from assay.types.results import Baselines


def baselines_of(suite: Suite) -> Baselines:
    return baselines(suite, _score, rendered_prompt=rendered_prompt)


def guesses_of(suite: Suite) -> Guesses:
    return guesses(suite, _score)


def _score(case: Case, reply: Reply) -> Score | None:
    """As ever; but of a judged test, an answer that is none is 0 without a judge."""
    if case.check.judged and isinstance(reply, Answered):
        why = why_trivial(reply.text, case)
        if why is not None:
            return Score(scorer="judge", version=1, value=0.0, explanation=explain(why))
    return score_reply(case, reply)
