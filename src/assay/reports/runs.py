"""The runs of a store as a list, with what could be freed."""

from collections import Counter

from assay.messages import fill, labelled, message_n, tr, trn
from assay.reports.json_values import JsonObject, pick, plain_value
from assay.text.number_format import memory, moment
from assay.text.safe_text import one_line
from assay.types.documents import Block, Document, Heading, Hint, Paragraph, Span, Tone, table
from assay.types.views import ListedRun, RunList

LONGEST = 24  # characters of the names in a line
TONES: dict[str, Tone] = {"finished": "good", "unfinished": "warning", "running": "name"}

_COUNTED = {
    "finished": message_n("{count} finished", "{count} finished"),
    "unfinished": message_n("{count} unfinished", "{count} unfinished"),
    "running": message_n("{count} running", "{count} running"),
}


def runs_document(of: RunList) -> Document:
    heads = (
        tr("run"),
        tr("when"),
        tr("state"),
        tr("models"),
        tr("suites"),
        tr("headline"),
        tr("size"),
    )
    rows = (
        (each.run, moment(each.when), Span(_state(each), TONES[each.state]),
         one_line(", ".join(each.models), longest=LONGEST),
         one_line(", ".join(each.suites), longest=LONGEST), each.headline, memory(each.size))
        for each in of.runs
    )  # fmt: skip
    weights = {1: 20, 2: 50, 3: 40, 4: 30, 6: 10}
    runs = table(heads, rows, right=(6,), weights=weights, one_line=True)
    blocks: list[Block] = [Heading(_headline(of), 1), runs]
    if unused := _unused(of):
        blocks.append(Paragraph(unused))
    if of.unused and not of.freed:
        blocks.append(Hint(tr("free it with: {command}", command="assay runs --prune")))
    return Document(tr("Runs"), tuple(blocks), out=of.out)


def runs_json(of: RunList) -> JsonObject:
    unused = {"freed" if of.freed else "could_be_freed": plain_value(of.unused)}
    return {"headline": _headline(of), **pick(of, "out runs"), **unused, "exit_code": 0}


def _headline(of: RunList) -> str:
    states = Counter(each.state for each in of.runs)
    runs = trn("{count} run", "{count} runs", len(of.runs))
    counted = ", ".join(fill(_COUNTED[state], {"count": n}) for state, n in states.items())
    return f"{labelled(runs, counted)}." if counted else f"{runs}."


def _state(run: ListedRun) -> str:
    states = {
        "finished": tr("finished"), "unfinished": tr("unfinished"), "running": tr("running"),
    }  # fmt: skip
    said = states[run.state]
    return tr("{state}, hidden", state=said) if run.hidden else said


def _unused(of: RunList) -> str:
    unused = of.unused
    if not unused:
        return tr("Nothing was freed.") if of.freed else ""
    counts = (
        (trn("{count} folder without a run", "{count} folders without a run", len(unused.folders)),
         unused.folders),
        (trn("{count} unused failed request", "{count} unused failed requests",
             unused.replies), unused.replies),
        (trn("{count} old version of a suite", "{count} old versions of suites", unused.suites),
         unused.suites),
    )  # fmt: skip
    named = ", ".join(part for part, there in counts if there) or tr("unused pages of the store")
    gaps = {"parts": named, "size": memory(unused.size)}
    if of.freed:
        return tr("Freed: {parts} ({size}).", **gaps)
    return tr("To free: {parts} ({size}).", **gaps)
