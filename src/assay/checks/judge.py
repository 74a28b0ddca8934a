"""judge: a judge scores the answer against a rubric (`judge/`); until then it is unscored."""

from collections.abc import Iterator
from typing import Annotated

from assay.files.fields import Doc, NotInFile, Remarks, Text, Texts
from assay.messages import tr
from assay.plugins import check
from assay.types import Context, JudgeFields, Score


@check("judge")
class Judge(JudgeFields):
    """A judge scores the answer against the rubric."""

    scores_empty = True
    may_decline = True

    rubric: Annotated[Text, Doc("The rubric that the judge scores by.")]
    requirements: Annotated[Remarks, Doc("What the answer has to do.")] = ()
    evaluation_points: Annotated[Remarks, Doc("What the judge should look at.")] = ()
    checklist: Annotated[Remarks, Doc("Questions that the judge answers with yes or no.")] = ()
    fixtures: Annotated[Texts, Doc("Files that the test shows.")] = ()
    data_seed: Annotated[int, NotInFile()] = 0
    checker: Annotated[str, NotInFile()] = ""
    checker_digest: Annotated[str, NotInFile()] = ""
    runs_code: Annotated[bool, NotInFile()] = False
    files_digest: Annotated[str, NotInFile()] = ""

    def score(self, answer: str, context: Context, /) -> Score:
        return Score(
            unscored_reason="no_judge",
            explanation=tr(
                "no_judge: this answer has not been judged yet; "
                "run assay judge latest --judge MODEL"
            ),
        )

    @property
    def judged(self) -> JudgeFields:
        return self

    def describe(self) -> Iterator[tuple[str, str]]:
        yield tr("rubric"), self.rubric
        yield from ((tr("requirement"), text) for text in self.requirements)
        yield from ((tr("evaluation point"), text) for text in self.evaluation_points)
        yield from ((tr("checklist"), text) for text in self.checklist)
        if self.checker:
            yield tr("checked by"), f"{self.checker}/check.py"
        yield from ((tr("shown file"), fixture) for fixture in self.fixtures)
