"""A document of a task of lm-evaluation-harness. The harness scores all documents of a task, when
the answers are there: `harness/scoring.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from assay.plugins import check
from assay.types import AnswerCheck, AsWritten, Context, Requests, Score


@check("lm_eval")
class HarnessDocument(AnswerCheck):
    """Scored by lm-evaluation-harness: its filters, its metrics. `document`: its number in the
    task; `asked`: a hash of the prompts; `works`: what is asked, which the store has in its
    requests.
    """

    in_files = False
    scored_together = True

    task: str
    document: int
    asked: str
    target: str = ""
    works: tuple[AsWritten, ...] = field(default=(), repr=False, compare=False)

    def score(self, answer: str, context: Context, /) -> Score:
        raise NotImplementedError

    def requests(self) -> Requests:
        return Requests(as_written=self.works)

    def stored(self) -> Mapping[str, Any]:
        return {name: value for name, value in AnswerCheck.stored(self).items() if name != "works"}

    def describe(self) -> Iterator[tuple[str, str]]:
        return (each for each in AnswerCheck.describe(self) if each[0] != "works")
