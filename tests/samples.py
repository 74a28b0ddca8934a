"""How well the health checks find what labels call broken.

The labels in tests/health_samples are by language models, and no person has checked them.

    python -m tests.samples SAMPLES.json LABELS.tsv [LABELS2.tsv] [--without DEV.json]

Samples have `id, model, prompt, text, ended` and `uncertainty`, the mean entropy of the model that
wrote them (null: not known); labels are lines of id, label (ok, loop, repetition, nonsense) and
anything else. `--without` leaves out the samples whose prompt and text another file has too,
because limits were chosen on them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from assay.checks.health.examine import examine
from assay.stats.estimates import proportion
from assay.suites.sample_prompts import load_samples
from assay.types import SamplePrompt
from assay.types.measured.samples import JudgedSense

KINDS = ("loop", "repetition", "nonsense")
Sample = Mapping[str, object]


def main() -> None:
    wanted = argparse.ArgumentParser(prog="python -m tests.samples")
    wanted.add_argument("samples", type=Path)
    wanted.add_argument("labels", type=Path, nargs="+")
    wanted.add_argument("--without", type=Path)
    given = wanted.parse_args()
    samples = json.loads(given.samples.read_text("utf-8"))
    if given.without:
        known = {(each["prompt"], each["text"]) for each in json.loads(given.without.read_text())}
        samples = [each for each in samples if (each["prompt"], each["text"]) not in known]
    found = {each["id"]: failures_of(each) for each in samples}
    labels = [read_labels(path) for path in given.labels]
    for path, by_id in zip(given.labels, labels, strict=True):
        print(f"\n{path.name}")
        print("\n".join(table(samples, by_id, found)))
    if len(labels) > 1:
        first, second = labels[:2]
        both = {name for name in first if (first[name] == "ok") == (second.get(name) == "ok")}
        agreed = [each for each in samples if each["id"] in both]
        print(f"\nboth agree on ok or broken: {len(agreed)} of {len(samples)}")
        print("\n".join(table(agreed, first, found)))


def read_labels(path: Path) -> dict[str, str]:
    rows = (line.split("\t") for line in path.read_text("utf-8").splitlines() if line.strip())
    return {row[0].strip(): row[1].strip() for row in rows}


def failures_of(sample: Sample, judged: JudgedSense | None = None) -> tuple[str, ...]:
    prompt = str(sample["prompt"])
    own = SamplePrompt(id="own", prompt=prompt, subject=(), ticks=())
    asked = next((each for each in _shipped() if each.prompt == prompt), own)
    sure = sample["uncertainty"]
    health = examine(
        asked,
        str(sample["text"]),
        truncated=not sample["ended"],
        uncertainty=None if sure is None else float(str(sure)),
        judged=judged,
    )
    return tuple(check.name for check in health.failures)


@cache
def _shipped() -> tuple[SamplePrompt, ...]:
    return load_samples()


def table(
    samples: Sequence[Sample],
    labels: Mapping[str, str],
    found: Mapping[object, tuple[str, ...]],
) -> Iterator[str]:
    """Found and false alarms of all, of each model and of each kind."""
    labelled = [each for each in samples if each["id"] in labels]
    yield f"{'':<14}{'found':<34}false alarms"
    for name in ("all", *sorted({str(each["model"]) for each in labelled})):
        some = [each for each in labelled if name in ("all", each["model"])]
        broken = [bool(found[each["id"]]) for each in some if labels[str(each["id"])] != "ok"]
        fine = [bool(found[each["id"]]) for each in some if labels[str(each["id"])] == "ok"]
        yield f"{name:<14}{share(broken):<34}{share(fine)}"
    for kind in KINDS:
        some = [each for each in labelled if labels[str(each["id"])] == kind]
        names = Counter(name for each in some for name in found[each["id"]])
        said = ", ".join(f"{name} {count}" for name, count in names.most_common())
        yield f"{kind:<14}{share([bool(found[each['id']]) for each in some]):<34}by {said or '-'}"
    missed = [
        str(each["id"])
        for each in labelled
        if bool(found[each["id"]]) == (labels[str(each["id"])] == "ok")
    ]
    yield f"otherwise than labelled: {' '.join(missed) or '-'}"


def share(hits: Sequence[bool]) -> str:
    if not hits:
        return "none"
    of = proportion(sum(hits), len(hits))
    return f"{sum(hits)} of {of.n}: {of.value:.1%} [{of.low:.1%}, {of.high:.1%}]"


if __name__ == "__main__":
    main()
