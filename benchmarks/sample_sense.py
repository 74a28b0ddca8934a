"""A judge on labelled samples: how well it finds what labels call broken, beside the rules.

    python -m benchmarks.sample_sense new --judge openai:NAME@http://127.0.0.1:8080/v1
    python -m benchmarks.sample_sense fresh --answers answers.tsv

Asks the judge of each sample of a set in `tests/health_samples` the question that a run asks, and
prints what is found of the broken texts and what is wrongly called broken, with intervals: by the
rules, by the rules with the judge for `nonsense`, as a run has it, and by the judge alone. Every
reply is kept in `--cache`, so that it can be stopped and goes on. `--answers` has lines of id and
yes or no instead of a judge; `--prompts DIR` writes what a judge is asked, one file each. Not part
of `make bench`: it needs a judge. The labels are by language models, not checked by a person.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter

from assay.ask_loop import ask
from assay.judge.likelihood.questionnaire import gives_likelihoods
from assay.judge.sense import SenseQuestion
from assay.models.opening import open_model
from assay.request_identity import judge_key
from assay.types import Failed, ModelFacts, Reply, ToAnswer, ToChoose
from assay.types.measured.samples import JudgedSense
from assay.types.options import LocalOptions, ServerOptions
from assay.workflow.running.judging.panel import shorten_loop
from tests.samples import Sample, failures_of, read_labels, share

SETS = Path(__file__).resolve().parents[1] / "tests" / "health_samples"
AT_ONCE = 10  # samples between two lines of progress
TIMEOUT_S = 900.0  # a busy machine of two cores takes minutes for a prompt
_REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)
NOBODY = ModelFacts(spec="", name="", fingerprint="", capabilities=frozenset({"score_text"}))


def main() -> None:
    wanted = argparse.ArgumentParser(prog="python -m benchmarks.sample_sense")
    wanted.add_argument("set", help="dev, test, fit, new, fresh, held or later")
    wanted.add_argument("--judge", metavar="MODEL")
    wanted.add_argument("--answers", type=Path)
    wanted.add_argument("--prompts", type=Path, metavar="DIR")
    wanted.add_argument("--reasoned", action="store_true", help="as JSON, not by likelihood")
    wanted.add_argument("--limit", type=int, help="a seeded sample of the set")
    wanted.add_argument("--cache", type=Path, default=Path("sample_sense.jsonl"))
    given = wanted.parse_args()
    samples = json.loads((SETS / f"{given.set}.json").read_text("utf-8"))
    if given.limit:
        random.Random(0).shuffle(samples)  # so that the first ones are a sample too
        samples = samples[: given.limit]
    if given.prompts:
        write_prompts(samples, given.prompts)
    elif given.answers:
        said = {name: float(word == "yes") for name, word in read_labels(given.answers).items()}
        print_figures(samples, said, given.set)
    else:
        print_figures(samples, ask_judge(samples, given), given.set)


def question(sample: Sample, judge: ModelFacts, *, by_likelihood: bool = True) -> SenseQuestion:
    return SenseQuestion(
        judge=judge,
        key=judge_key(str(sample["id"])),
        prompt=str(sample["prompt"]),
        text=shorten_loop(str(sample["text"])),
        by_likelihood=by_likelihood,
    )


def write_prompts(samples: Sequence[Sample], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for sample in samples:
        (request,) = question(sample, NOBODY).pending()
        assert isinstance(request.work, ToAnswer | ToChoose)
        said = "\n\n".join(message.content for message in request.work.messages)
        (folder / f"{str(sample['id']).rpartition('-')[2]}.txt").write_text(f"{said}\n", "utf-8")


def ask_judge(samples: Sequence[Sample], given: argparse.Namespace) -> dict[str, float]:
    """How likely the judge finds a yes, by sample; those that it does not answer are left out."""
    model = open_model(given.judge, ServerOptions(timeout=TIMEOUT_S), LocalOptions())
    model.probe()
    by_likelihood = gives_likelihoods(model.facts) and not given.reasoned
    stored = read_cache(given.cache)
    found: dict[str, float] = {}
    begun, failed = time.monotonic(), 0
    for number, sample in enumerate(samples, 1):
        one = question(sample, model.facts, by_likelihood=by_likelihood)
        (request,) = one.pending()
        reply = stored.get(request.id)
        if reply is None:
            (reply,) = ask(model, [request])
            if not isinstance(reply, Failed):
                with given.cache.open("a", encoding="utf-8") as file:
                    file.write(_REPLY.dump_json(reply).decode() + "\n")
        one.take(request, reply)
        judged = one.judgement()
        for said in judged.checklist:
            likely = said.probability
            found[str(sample["id"])] = float(said.is_yes) if likely is None else likely
        failed += not judged.checklist
        if number % AT_ONCE == 0:
            print(f"{number} of {len(samples)}, {time.monotonic() - begun:.0f} s", flush=True)
    model.close()
    print(f"without an answer: {failed} of {len(samples)}")
    return found


def read_cache(path: Path) -> dict[str, Reply]:
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    replies = [_REPLY.validate_json(line) for line in lines]
    return {each.request_id: each for each in replies}


def print_figures(samples: Sequence[Sample], said: Mapping[str, float], name: str) -> None:
    """Over the samples on whose labels all agree, broken or sound."""
    readings = [read_labels(path) for path in sorted(SETS.glob(f"{name}_labels*.tsv"))]
    labels = {
        str(each["id"]): {reading[str(each["id"])] == "ok" for reading in readings}
        for each in samples
    }
    agreed = [each for each in samples if len(labels[str(each["id"])]) == 1]
    ways = {
        "rules": {str(each["id"]): bool(failures_of(each)) for each in agreed},
        "rules and judge": {
            str(each["id"]): bool(failures_of(each, judged=sense(said, str(each["id"]))))
            for each in agreed
        },
        "judge alone": {
            str(each["id"]): said[str(each["id"])] <= 0.5
            for each in agreed
            if str(each["id"]) in said
        },
    }
    print(f"{name}: labels agree on {len(agreed)} of {len(samples)}")
    print(f"{'':<17}{'found, of the broken':<36}false alarms, of the sound")
    for way, broken in ways.items():
        hits = [found for key, found in broken.items() if labels[key] == {False}]
        alarms = [found for key, found in broken.items() if labels[key] == {True}]
        print(f"{way:<17}{share(hits):<36}{share(alarms)}")
    pairs = [
        (said[one] > said[other]) + (said[one] == said[other]) / 2
        for one in said
        for other in said
        if labels.get(one) == {True} and labels.get(other) == {False}
    ]
    if pairs:
        print(f"a sound text is likelier than a broken one: {sum(pairs) / len(pairs):.3f}")


def sense(said: Mapping[str, float], key: str) -> JudgedSense | None:
    return JudgedSense(sensible=said[key] > 0.5, explanation="") if key in said else None


if __name__ == "__main__":
    main()
