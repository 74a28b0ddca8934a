"""The samples that checkpoints wrote, put to a run's judges: does each make sense?

Asked over the loop, store and retries of every judge's questions, so that a stopped run goes on
where it was. What judges said is stored with the sample; reports decide by it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.ask_loop import ask_all
from assay.judge.sense import SenseQuestion
from assay.messages import tr
from assay.request_identity import GENERATION, judge_key
from assay.store import Run, RunModel, Store, StoredTrial
from assay.types import Answered, Observer
from assay.types.judging.judgements import NO_EVIDENCE, FinalJudgement, Judgement
from assay.workflow.checkpoints.measures import MEASURED, samples_of_run
from assay.workflow.running.judging.panel import PanelJudge, shorten_loop
from assay.workflow.running.ledgers import StoredReplies


@dataclass(kw_only=True, eq=False)
class SampleToJudge:
    model: RunModel
    stored: StoredTrial
    prompt: str
    text: str
    judgements: list[Judgement] = field(default_factory=list)


def samples_to_judge(store: Store, run: Run) -> Iterator[SampleToJudge]:
    """Every sample of a run in which something is written."""
    prompts = samples_of_run(run.deciding)
    for model in run.evaluated if prompts else ():
        for kept in store.read_measures(run, model):
            reply, asked = kept.reply, prompts.get(kept.test_id)
            if kept.suite != GENERATION or asked is None or not isinstance(reply, Answered):
                continue
            if reply.text.strip():
                prompt = asked[0].prompt
                yield SampleToJudge(model=model, stored=kept, prompt=prompt, text=reply.text)


def judge_samples(
    judge: PanelJudge,
    samples: Sequence[SampleToJudge],
    ledger: StoredReplies,
    observer: Observer,
    until: float | None,
) -> None:
    """Add one judge's answers, and store them."""
    facts = judge.model.facts
    questions = [
        SenseQuestion(
            judge=facts,
            key=judge_key(each.stored.test_id),
            prompt=each.prompt,
            text=shorten_loop(each.text),
            by_likelihood=judge.about.form == "likelihood",
        )
        for each in samples
    ]
    name = tr("samples, judge {spec}", spec=facts.spec)
    ask_all(judge.model, questions, ledger, observer, name=name, until=until)
    for sample, question in zip(samples, questions, strict=True):
        sample.judgements.append(question.judgement())
        final = FinalJudgement(
            test_id=sample.stored.test_id,
            suite=GENERATION,
            rubric="",
            evidence=NO_EVIDENCE,
            judgements=tuple(sample.judgements),
        )
        ledger.store.store_judgement(ledger.run, sample.model, sample.stored, final, MEASURED)
