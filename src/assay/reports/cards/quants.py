"""The card of quants: which file to keep, and what the data cannot tell."""

from collections.abc import Iterator

from assay.messages import joined, tr
from assay.reports.cards.drift import with_interval
from assay.text import number_format as numbers
from assay.types.documents import Card, Line, Span, make_card
from assay.types.measured.quants import QuantRow, Quants, QuantSuite

MB = 1e6


def quants_card(found: Quants) -> Card:
    keep = kept_row(found)
    return make_card(
        _decision(found, keep),
        tone="good" if found.told_apart and keep is not found.base_row else "plain",
        reasons=_reasons(found, keep),
        caveats=_caveats(found, keep),
        next=_next(found),
    )


def kept_row(found: Quants) -> QuantRow:
    return next(row for row in found.rows if row.file.name == found.keep)


def _decision(found: Quants, keep: QuantRow) -> str:
    told = {"file": keep.file.name, "base": found.base, "size": megabytes(keep)}
    if keep is found.base_row:
        return tr("keep {file} ({size}): every other file lost more than the limits allow", **told)
    if not found.told_apart:
        return tr("keep {file} ({size}), by drift alone: the base only guesses in every suite",
                  **told)  # fmt: skip
    return tr("keep {file} ({size}): the smallest file without a significant loss from {base} "
              "beyond the limits", **told)  # fmt: skip


def megabytes(row: QuantRow) -> str:
    return tr("{value} MB", value=numbers.rounded(row.file.bytes / MB))


def _reasons(found: Quants, keep: QuantRow) -> Iterator[str]:
    if keep.drift is not None:
        yield tr("{file}: mean divergence {kl}; limit: at most {limit}.", file=keep.file.name,
                 kl=f"{with_interval(keep.drift.kl)} n={numbers.count(keep.drift.kl.n)}",
                 limit=numbers.exact(found.limits.max_kl))  # fmt: skip
        worst = _worst(keep)
        if worst is not None and worst.against is not None:
            yield tr("{file}: {suite} {difference}, in points, the worst of its suites; limit: a "
                     "significant loss of more than {limit}.", file=keep.file.name,
                     suite=worst.suite, difference=_difference(worst),
                     limit=numbers.exact(found.limits.max_drop))  # fmt: skip
    smaller = [row for row in found.rows if row.file.bytes < keep.file.bytes and row.missed]
    if not smaller:
        return
    row = max(smaller, key=lambda each: each.file.bytes)
    said = []
    if "max_kl" in row.missed and row.drift is not None:
        said.append(tr("divergence {kl}", kl=with_interval(row.drift.kl)))
    said += [
        f"{each.suite} {_difference(each)}" for each in row.suites if each.suite in row.lost_in
    ]
    yield tr("The next smaller file, {file}, is beyond the limits: {figures}.",
             file=row.file.name, figures=joined(said))  # fmt: skip


def _worst(row: QuantRow) -> QuantSuite | None:
    known = [each for each in row.suites if each.against is not None]
    known = [each for each in known if each.above_guessing] or known
    return min(known, key=_lost, default=None)


def _lost(suite: QuantSuite) -> float:
    assert suite.against is not None
    return suite.against.difference.value or 0.0


def _difference(suite: QuantSuite) -> str:
    assert suite.against is not None
    of = suite.against.difference
    return f"{numbers.difference(of)} n={numbers.count(of.n)}"


def _caveats(found: Quants, keep: QuantRow) -> Iterator[str]:
    base = found.base_row.file
    if base.quantised:
        yield quantised_base(found)
    guessed = [each.suite for each in found.base_row.suites if not each.above_guessing]
    if guessed:
        yield tr("{base} only guesses in {suites}: a loss cannot show there.", base=found.base,
                 suites=", ".join(guessed))  # fmt: skip
    told = [each.suite for each in keep.suites if each.above_guessing and each.suite in keep.open]
    if told:
        yield tr("The tests cannot exclude that {file} lost more than {limit} points in {suites}.",
                 file=keep.file.name, limit=numbers.exact(found.limits.max_drop),
                 suites=", ".join(told))  # fmt: skip
    if not all(row.speed.decode.n for row in found.rows):
        yield tr("Speed as served was not measured for every file.")
    yield tr("Drift holds for {text}; other texts can move more.", text=found.text)


def quantised_base(found: Quants) -> str:
    base = found.base_row.file
    return tr("The base {base} is itself quantised ({label}, {bits} bits per weight): these "
              "files do not show what quantising cost, only how they differ from it.",
              base=base.name, label=base.label, bits=numbers.rounded(base.bits))  # fmt: skip


def _next(found: Quants) -> Line:
    if found.base_row.file.quantised:
        return tr("compare with the file in 16 bits: the same command with "), Span(
            "--base FILE", "code"
        )
    if not found.told_apart:
        return tr("name a suite that this model does not guess in: "), Span("-s SUITE", "code")
    return ""
