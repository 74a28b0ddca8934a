"""Where the loss moved between two runs, from what each stored of every token of the same text."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.measures.text import KIND as TEXT
from assay.messages import tr
from assay.request_identity import MEASURE
from assay.store import Run, RunModel, Store
from assay.suites.held_out_text import HeldOut, load_held_out
from assay.summary.losses import ReadDocument, take_apart
from assay.text.token_losses import unpack_losses
from assay.types import ReadText
from assay.types.measured.losses import LossComparison
from assay.types.results import Side
from assay.workflow.reporting.comparison import find_sides

LONGEST_NAME = 28


def compare_losses(store: Store, names: Sequence[str], *, text: Path | None) -> LossComparison:
    """Of two sides. `text`: one of those that both read, or where the text is now."""
    chosen = find_sides(store, names)
    if len(chosen) != 2:
        raise UsageError(
            tr("--loss compares two sides, and {names} names {count}",
               names=", ".join(names), count=len(chosen)),
            hint=tr("name two runs, or RUN/MODEL twice: assay compare A B --loss"),
        )  # fmt: skip
    read = [_texts_of(run) for run, _ in chosen]
    for (run, model), texts in zip(chosen, read, strict=True):
        if not texts:
            raise _again(run, model, tr("{model} read no text in run {run}", **_named(run, model)))
    held_out = _find_text([run for run, _ in chosen], read, text)
    sides = [
        _losses(store, run, model, texts[held_out.digest], held_out)
        for (run, model), texts in zip(chosen, read, strict=True)
    ]
    documents = [
        ReadDocument(
            name=_name(number, each.text),
            text=each.text,
            first=unpack_losses(first),
            second=unpack_losses(second),
            fields=each.fields,
        )
        for number, (each, first, second) in enumerate(
            zip(held_out.documents, *sides, strict=True), 1
        )
    ]
    try:
        found = take_apart(documents)
    except ValueError as error:
        raise UsageError(
            tr("the tokens of {name} do not have the bytes of the text", name=error),
            hint=tr("its tokenizer changes the text; such a model cannot be compared by byte"),
        ) from error
    first, second = (
        Side(run=run.id, model=model.spec, when=run.created, name=model.facts.name)
        for run, model in chosen
    )
    return LossComparison(
        a=first,
        b=second,
        text=held_out.name,
        whole=found.whole,
        classes=found.classes,
        slices=found.slices,
        documents=found.documents,
        gained=found.gained,
        lost=found.lost,
    )


def _named(run: Run, model: RunModel) -> dict[str, str]:
    return {"run": run.id, "model": model.spec}


def _name(number: int, text: str) -> str:
    begins = " ".join(text[: 2 * LONGEST_NAME].split())[:LONGEST_NAME]
    return f"{number}: {begins}"


def _again(run: Run, model: RunModel, problem: str) -> UsageError:
    return UsageError(
        problem,
        hint=tr("read it again, with every loss kept: {command}",
                command=f"assay run {model.spec} --fresh"),
    )  # fmt: skip


def _texts_of(run: Run) -> dict[str, tuple[str, str]]:
    """By the digests of its texts the measure that read each, and how its requests begin; that of
    perplexity is the first.
    """
    of = run.deciding
    if of is None or not of.text_digest:
        return {}
    main = {of.text_digest: ("perplexity", "")}
    return main | {each.digest: (TEXT, f"{each.name}/") for each in of.texts} | main


def _find_text(
    runs: Sequence[Run], read: Sequence[Mapping[str, tuple[str, str]]], given: Path | None
) -> HeldOut:
    """One that both read: as given, whatever its name was, or that of their perplexity, where the
    runs found it or the one that ships.
    """
    if given is not None:
        found = load_held_out(given)
        if not all(found.digest in texts for texts in read):
            problem = tr("{path} is not a text that both runs read", path=given)
            raise UsageError(problem, hint=tr("give the file as it was then, or run both again"))
        return found
    digest, other = (next(iter(texts)) for texts in read)
    if digest != other:
        problem = tr("the two sides read different texts, which have no bytes in common")
        raise UsageError(problem, hint=tr("run both with the same --text, then compare"))
    named = [Path(run.deciding.text) for run in runs if run.deciding]
    for path in (None, *named):
        try:
            found = load_held_out(path)
        except AssayError:
            continue
        if found.digest == digest:
            return found
    raise UsageError(
        tr("the text of the runs, {path}, is not there any more or was changed", path=named[0]),
        hint=tr("say where it is: assay compare A B --loss --text FILE"),
    )


def _losses(
    store: Store, run: Run, model: RunModel, asked: tuple[str, str], text: HeldOut
) -> list[str]:
    """Packed, one a document, in order."""
    kind, begin = asked
    replies = {
        kept.test_id: kept.reply
        for kept in store.read_measures(run, model)
        if kept.suite == f"{MEASURE}{kind}"
        and kept.test_id.startswith(begin)
        and isinstance(kept.reply, ReadText)
    }
    found = [replies[test].losses for test in sorted(replies)]
    if len(found) != len(text.documents) or not all(found):
        problem = tr("run {run} did not keep the loss of every token of {model}",
                     **_named(run, model))  # fmt: skip
        raise _again(run, model, problem)
    return found
