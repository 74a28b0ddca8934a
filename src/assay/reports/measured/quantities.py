"""What every report says of speed, tokens and failures: named figures and whole sentences."""

import shlex
from collections.abc import Iterator, Mapping

from assay.messages import tr, trn
from assay.reports import sentences
from assay.reports.checkpoints.table import speed_details, timing_line
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Cause, Estimate, documents
from assay.types.documents import Block, Document, Heading, Note, Paragraph, Span, facts, table
from assay.types.measured.performance import Performance, TrialFigures
from assay.types.results import ModelReport, Report

SHOWN_FINISHES = 8  # a server may invent a new word every time
LONGEST_FINISH = 40


def figures(measured: Performance) -> Iterator[tuple[str, Estimate]]:
    yield tr("seconds per answer, mean"), measured.seconds_mean
    yield tr("seconds per answer, standard deviation"), measured.seconds_sd
    yield tr("seconds per answer, median"), measured.seconds_p50
    yield tr("seconds per answer, 95th percentile"), measured.seconds_p95
    yield tr("seconds to the first token, mean"), measured.first_token_s
    yield tr("seconds to the first token of the answer itself, mean"), measured.first_answer_s
    yield tr("seconds to load the model, mean"), measured.load_s
    yield tr("other seconds at the server, mean"), measured.other_s
    if measured.queue_s.value:
        yield tr("seconds in a queue before the answer, mean"), measured.queue_s
    for name, speeds in (
        (tr("prefill tokens per second"), measured.prefill),
        (tr("decode tokens per second"), measured.decode),
    ):
        yield name, speeds.all
        yield tr("{figure}, cold", figure=name), speeds.cold
        yield tr("{figure}, warm", figure=name), speeds.warm
    if measured.decode_clock == "server":
        yield tr("decode tokens per second, by the client's clock"), measured.client_decode
    yield tr("tokens in, mean per answer"), measured.prompt_tokens
    yield tr("tokens out, mean per answer"), measured.output_tokens
    yield tr("tokens out per second of the whole request"), measured.tokens_per_s


def measured(of: Performance) -> Iterator[tuple[str, Estimate]]:
    yield from ((name, estimate) for name, estimate in figures(of) if estimate.n)


def measurements(named: Mapping[str, Estimate]) -> Iterator[tuple[str, Estimate]]:
    """A model's measurements as a reader says them; JSON keeps the short names."""
    for name, estimate in named.items():
        suite, slash, short = name.rpartition("/")
        said = {
            "answer_s": tr("seconds per answer"),
            "tokens_per_right_answer": tr("tokens per right answer"),
            "seconds_per_right_answer": tr("seconds per right answer"),
            "difference": tr("difference in points"),
            "output_tokens_difference": tr("difference in tokens per answer"),
            "seconds_difference": tr("difference in seconds per answer"),
            "loops": tr("share of answers that repeat themselves"),
            "cut": tr("share of answers cut"),
            "empty": tr("share of answers that are empty"),
            "calls_as_text": tr("share of answers with the tool call as plain text"),
            "declined": tr("share of answers that only decline"),
            "echoed": tr("share of answers that only repeat the task"),
            "letter_written": tr("right letters, as written: it follows the form"),
            "letter_likely": tr("right letters, most likely: it knows the answer"),
            "one_letter": tr("share of choices with the same letter"),
        }
        yield f"{suite}{slash}{said.get(short, short)}", estimate


def answered(measured: Performance) -> str:
    causes = ", ".join(
        f"{cause(of)} {numbers.count(count)}" for of, count in measured.failures.items()
    )
    return tr(
        "{answered}, {failed} failed{causes}.",
        answered=trn("{count} answer", "{count} answers", measured.answered),
        failed=numbers.count(measured.failed),
        causes=f" ({causes})" if causes else "",
    )


def notes(measured: Performance) -> Iterator[str]:
    if measured.retries:
        yield trn(
            "A request was sent again {count} time after a fault.",
            "Requests were sent again {count} times after faults.",
            measured.retries,
        )
    if measured.finishes:
        yield tr("Why answers ended: {finishes}.", finishes=_finishes(measured))
    if measured.decode_clock is not None:
        yield tr("Decode speeds are {clock}.", clock=whose_clock(measured))
    if measured.prefill_at_most:
        yield tr(
            "The server does not say how much of a prompt it had kept from the request before and "
            "did not read again: a prefill speed over warm requests is an upper bound."
        )


def decoding(measured: Performance) -> str | None:
    if measured.decode_clock is None:
        return None
    said = tr(
        "decoding {figure}, {clock}",
        figure=numbers.figure(measured.decode.all),
        clock=whose_clock(measured),
    )
    if measured.decode_clock == "server" and measured.client_decode.n:
        by_us = numbers.figure(measured.client_decode)
        said += tr("; {figure}, by the client's clock", figure=by_us)
    return said


def whose_clock(measured: Performance) -> str:
    if measured.decode_clock == "server":
        return tr("by the server's figures")
    return tr("by the client's clock")


def cause(of: Cause) -> str:
    return {
        "timeout": tr("timed out"),
        "unreachable": tr("no connection"),
        "rate_limited": tr("too many requests"),
        "server_error": tr("server error"),
        "refused": tr("refused by the server"),
        "broken_stream": tr("stream broke off"),
        "unreadable": tr("unreadable answer"),
        "prompt_too_long": tr("prompt too long"),
        "out_of_memory": tr("too little memory"),
        "other": tr("other"),
    }[of]


def cold_or_warm(cold: bool | None) -> str:
    if cold is None:
        return "–"
    return tr("cold") if cold else tr("warm")


def _finishes(measured: Performance) -> str:
    none = tr("not reported")
    named = [
        f"{one_line(word, longest=LONGEST_FINISH) or none} {numbers.count(count)}"
        for word, count in measured.finishes.items()
    ]
    rest = sum(list(measured.finishes.values())[SHOWN_FINISHES:])
    others = [tr("others {count}", count=numbers.count(rest))] if rest else []
    return ", ".join([*named[:SHOWN_FINISHES], *others])


SHOWN_TRIALS = 2000  # rows a browser still shows at once; the export has them all
LONGEST_REASON = 40


def performance_document(report: Report) -> Document:
    title = tr("Performance of run {run}", run=report.run)
    return Document(title=title, blocks=(Heading(title, 1), *_blocks(report)), out=report.out)


def _blocks(report: Report) -> Iterator[Block]:
    yield Paragraph(sentences.state(report))
    yield from map(Note, report.notes)
    if report.machine is not None:
        yield Paragraph(sentences.machine_line(report.machine, versions=True))
    for model in report.models:
        yield from _model(report, model)
    yield Paragraph(
        tr(
            "Seconds are those of the whole request by the client's clock; loading and "
            "prefill are by the server's. Tokens are as the model counted them; "
            "“unscored” counts answers without the figure."
        )
    )


def _model(report: Report, model: ModelReport) -> Iterator[Block]:
    measured = model.performance
    seen = () if model.observed is None else sentences.observed(model.observed)
    yield Heading(model.spec)
    yield facts([*sentences.about_model(model.about), *seen])
    yield from map(Note, sentences.speed_notes(model))
    yield Paragraph(answered(measured))
    yield documents.Figures(tuple(figures(measured)))
    yield documents.bullets(notes(measured))
    yield from _timed(report, model)
    if model.trials:
        yield Heading(tr("Every try"), 3)
        yield _trials(model.trials[:SHOWN_TRIALS])
        left = len(model.trials) - SHOWN_TRIALS
        if left > 0:
            more = tr("Tries not shown here: {count}; every one: ", count=numbers.count(left))
            command = f"assay export {shlex.quote(report.run)} --format csv"
            yield Paragraph((more, Span(command, "code")))


def _timed(report: Report, model: ModelReport) -> Iterator[Block]:
    """Of a checkpoint that was timed on the CPU."""
    known = report.decision.measured if report.decision else ()
    timed = [each for each in known if each.fingerprint == model.fingerprint]
    details = speed_details(timed[:1])
    if details is not None:
        yield Heading(tr("Latency and bandwidth"), 3)
        yield details
        yield Paragraph(timing_line(timed[0].speed), "dim")


def _trials(trials: tuple[TrialFigures, ...]) -> documents.Table:
    heads = (
        tr("suite"), tr("test"), tr("try"), tr("seconds"), tr("first token, s"), tr("load, s"),
        tr("other, s"), tr("prefill, tokens/s"), tr("decode, tokens/s"), tr("tokens in"),
        tr("tokens out"), tr("cold or warm"), tr("finish"), tr("attempts"), tr("failure"),
    )  # fmt: skip
    return table(heads, map(_trial, trials), right=(*range(2, 11), 13))


def _trial(row: TrialFigures) -> tuple[str, ...]:
    prefill = numbers.raw(row.prefill_tokens_per_s, "tokens/s")
    return (
        row.suite,
        row.test,
        numbers.count(row.repeat + 1),
        numbers.raw(row.seconds, "s"),
        numbers.raw(row.first_token_s, "s"),
        numbers.raw(row.load_s, "s"),
        numbers.raw(row.other_s, "s"),
        f"≤ {prefill}" if row.prefill_at_most else prefill,
        numbers.raw(row.decode_tokens_per_s, "tokens/s"),
        numbers.raw(row.prompt_tokens, "tokens"),
        numbers.raw(row.output_tokens, "tokens"),
        cold_or_warm(row.cold),
        one_line(row.finish, longest=LONGEST_REASON) or "–",
        numbers.count(row.attempts),
        "–" if row.failure is None else cause(row.failure),
    )
