"""One answer to judge by hand: a text that holds all that is needed, to paste into any model.

Its reply is an evaluation in the standard format, which `--import` reads. The tested model has an
alias; the answer is fenced as for our own judges. Not translated: a judgement must not change with
the user's language.
"""

from assay.judge.fencing import MOST_SHOWN, defused, fence, heading
from assay.judge.likelihood.prompts import LONGEST_TASK, task_of
from assay.types import Case
from assay.types.judging.judgements import (
    BAND_MEANINGS,
    BANDS,
    MOST,
    Rubric,
    RubricCriterion,
    format_tenths,
)

PROMPT_ENDING = ".prompt.md"

_CONTEXT = (
    "You are evaluating the output of a language model against a specific test case. Use the "
    "standardized scoring criteria below to ensure consistent assessment. You judge what the task "
    "asks for: never length, tone or confidence. What you have not checked you do not praise."
)
_LAST = (
    "Reply with this evaluation alone, every line of it, the labels as they are and [what is in "
    "brackets] filled in. Scores are whole numbers from 0 to 10. Quote the answer where you can."
)


def alias_of(position: int) -> str:
    """What the model at this place of a run is called to whoever must not know its name."""
    return f"candidate-{position + 1}"


def anchor_lines(criterion: RubricCriterion) -> list[str]:
    """What each span of scores means, best first."""
    spans = (
        (str(each.low) if each.low == each.high else f"{each.low}-{each.high}", each.text)
        for each in criterion.anchors
    )
    return [f"  {span}: {text}" for span, text in spans]


def prompt_to_paste(
    case: Case, rubric: Rubric, answer: str, *, alias: str, use_case: str = ""
) -> str:
    work = fence(answer, limit=MOST_SHOWN)
    judged = case.check.judged
    name = case.description or case.id
    parts = [_CONTEXT, "", "Test details:", f"- Test ID: {case.id} ({name})",
             f"- Test category: {rubric.name}", f"- Model tested: {alias}"]  # fmt: skip
    if use_case.strip():
        parts.append(f"- Wanted for: {' '.join(defused(use_case).split())}")
    task = fence(task_of(case), name="TASK", limit=LONGEST_TASK, numbered=False)
    parts += ["", heading("TASK"), task.block]
    for title, items in (
        ("REQUIREMENTS", judged.requirements if judged else ()),
        ("EVALUATION POINTS", judged.evaluation_points if judged else ()),
    ):
        parts += ["", heading(title), *(f"- {item}" for item in items)] if items else []
    parts += ["", heading("RULES"), work.rule, "", work.block, "", heading("CRITERIA")]
    parts.append(f"Rubric: {rubric.title}, version {rubric.version}")
    for criterion in rubric.criteria:
        parts += [f"{criterion.label} (0 to {MOST}):", *anchor_lines(criterion)]
    whole = sum(each.weight for each in rubric.criteria)
    sums = " + ".join(f"({each.label} × {each.weight / whole:g})" for each in rubric.criteria)
    parts += [f"Overall score: {sums}, to one decimal, half up.", "Quality rating:", *_bands()]
    parts += ["", heading("RULES"), work.rule, "", heading("FORM"), _LAST, ""]
    return "\n".join([*parts, *_form(case.id, name, alias, rubric), ""])


def _bands() -> list[str]:
    edges = [(least, name) for least, name in BANDS]
    tops = [10 * MOST, *(least - 1 for least, _ in edges)]
    return [
        f"  {format_tenths(least)}-{format_tenths(top)}: {name} ({BAND_MEANINGS[name]})"
        for (least, name), top in zip(edges, tops, strict=False)
    ]


def _form(test_id: str, name: str, alias: str, rubric: Rubric) -> list[str]:
    criteria = [f"{each.label}: [score]/10 - [detailed explanation]" for each in rubric.criteria]
    return [
        f"TEST ID: {test_id} ({name})", f"MODEL: {alias}",
        "TASK: [brief description of what was requested]", "", "EVALUATION:", *criteria, "",
        "OVERALL SCORE: [calculated score]/10",
        "QUALITY RATING: [EXCELLENT/GOOD/ACCEPTABLE/POOR/FAILED]", "", "DETAILED ASSESSMENT:",
        "[specific observations about the response]", "", "STRENGTHS:",
        "- [specific positive aspects]", "", "WEAKNESSES:", "- [specific areas for improvement]",
        "", "VERDICT: [one-sentence summary]",
    ]  # fmt: skip
