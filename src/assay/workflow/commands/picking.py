"""`assay ask --pick`: pairs of answers to pick from without names, and what the picks add up to."""

import hashlib
import random
from collections import Counter
from itertools import combinations
from pathlib import Path

from assay.messages import tr
from assay.reports.formats.notebook import PreferencesResult
from assay.store import Store
from assay.summary.preferences import prefer
from assay.types import Answered
from assay.types.conversations import conversation_text
from assay.types.judging.picks import AnswerPair, Pick, PickedModel
from assay.types.options import DEFAULT_OUT


def pairs_to_pick(
    run: str, *, out: str | Path = DEFAULT_OUT, draw: random.Random | None = None
) -> tuple[AnswerPair, ...]:
    """Every two answers to one prompt of a run of which none was picked yet. The order of pairs,
    and which answer is a, are drawn. Two equal answers, or one that failed, are no pair.
    """
    draw = draw or random.Random()
    with Store(out, read_only=True) as store:
        found = store.find_run(run)
        picked = set(store.read_picked())
        asked = {case.id: case for suite in store.read_suites(found) for case in suite.cases}
        answers = {
            model.position: {
                kept.key: kept.reply.text
                for kept in store.read_trials(found, model)
                if isinstance(kept.reply, Answered)
            }
            for model in found.models
        }
    pairs = []
    for one, other in combinations(found.models, 2):
        for key in answers[one.position].keys() & answers[other.position].keys():
            sides = [(one, answers[one.position][key]), (other, answers[other.position][key])]
            question = conversation_text(asked[key[1]].turns(None))
            digest = _digest(question, *(f"{m.facts.fingerprint} {text}" for m, text in sides))
            if sides[0][1].strip() == sides[1][1].strip() or digest in picked:
                continue
            draw.shuffle(sides)
            (first, a), (second, b) = sides
            pairs.append(
                AnswerPair(
                    run=found.id,
                    answers=digest,
                    question=question,
                    a=a,
                    b=b,
                    first=PickedModel(first.facts.fingerprint, first.spec),
                    second=PickedModel(second.facts.fingerprint, second.spec),
                )
            )
    draw.shuffle(pairs)
    return tuple(pairs)


def store_pick(pair: AnswerPair, pick: Pick, *, out: str | Path = DEFAULT_OUT) -> None:
    with Store(out, must_exist=True) as store:
        store.store_pick(pair, pick)


def preferences(*, out: str | Path = DEFAULT_OUT) -> PreferencesResult:
    """Every model whose answers were picked from, the most preferred first."""
    with Store(out, read_only=True) as store:
        picks = store.read_picks()
    models, pairs = prefer(picks)
    notes = [] if picks else [tr("no picks yet: `assay ask FILE MODEL MODEL --pick` makes some")]
    against: Counter[str] = Counter()
    for pair in pairs:
        against.update((pair.model, pair.against))
    if len(set(against.values())) > 1:
        notes.append(tr("not every model was picked against the same others: read the pairs"))
    return PreferencesResult(
        out=str(Path(out).resolve()), models=models, pairs=pairs, notes=tuple(notes)
    )


def _digest(question: str, *sides: str) -> str:
    """Equal whichever side comes first."""
    text = "\0".join((question, *sorted(sides)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
