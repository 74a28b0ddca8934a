"""Right reports count in full however people write lists, tables, numbers and dates."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import date

import pytest

from assay.checkers import Made, gather, make_files
from assay.checking.reporting import ReportText
from assay.sandbox import open_sandbox
from assay.suites.test_folder import read_reference
from assay.types.tests import SHIPPED_SUITES

FRENCH = (
    "Ce rapport suit les données du tableau, et chaque ligne ci-dessus en donne un chiffre. "
    "L'écart entre la moyenne et la médiane vient de quelques commandes bien plus grandes."
)
GERMAN = (
    "Dieser Bericht folgt den Daten, und jede Zeile darüber nennt eine Zahl daraus. Auffällig ist, "
    "wie wenige Fälle den größten Teil ausmachen; darum sollte man zuerst dort nachsehen."
)
EWE = (
    "Nya siawo katã tso agbalẽa me, eye xexlẽdzesi ɖesiaɖe le eƒe fli ɖeka dzi. Ele be woakpɔ nu "
    "si gblẽ la gbã, eye emegbe woagblɔe na amesiwo katã le dɔa wɔm fifia."
)
ENGLISH = (
    "The lines above hold every figure. What matters most is how few cases make up so large a "
    "part, so whoever reads this should look there first and decide before the month ends."
)


def write(value: str, thousands: str, point: str, minus: str) -> str:
    """A number of a line in the style of a country; other values stay."""
    if not re.fullmatch(r"-?\d+(\.\d+)?", value):
        return value
    whole, _, fraction = value.lstrip("-").partition(".")
    grouped = f"{int(whole):,}".replace(",", thousands)
    return (minus if value[0] == "-" else "") + grouped + (point + fraction if fraction else "")


def as_day(value: str) -> str:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return value
    day = date.fromisoformat(value)
    return f"{day.day} {day:%B} {day.year}"


def french(name: str, value: str) -> str:
    return f"- **{name}** : {write(value, chr(0x202F), ',', '−')}"


def german(name: str, value: str) -> str:
    return f"* {name}: **{write(value, '.', ',', '–')}**"


def swiss(name: str, value: str) -> str:
    escaped = name.replace("_", r"\_")
    return f"1. {escaped}: {write(value, '’', '.', '-')}"


def in_table(name: str, value: str) -> str:
    return f"| {name.replace('_', ' ').capitalize()} | **{write(value, ',', '.', '-')}** |"


def in_html_table(name: str, value: str) -> str:
    return f"<tr><td>{name}</td><td>{value.replace('&', '&amp;')}</td></tr>"


def bare(name: str, value: str) -> str:
    return f"**{name}:** `{write(value, ' ', '.', '−')}`\n"


def with_days(name: str, value: str) -> str:
    return f"• {name}: {as_day(write(value, ',', '.', '-'))}."


def ewe(name: str, value: str) -> str:
    return f"+ *{name}*: {write(value, '&nbsp;', ',', '-')}"


def plain(name: str, value: str) -> str:
    return f"- {name} = {value}"


def crlf(name: str, value: str) -> str:
    return f"  - `{name}`: {write(value, ',', '.', '- ')}\r"


WAYS: list[tuple[str, Callable[[str, str], str], str]] = [
    ("dt_01_sales_table", french, FRENCH),
    ("dt_01_sales_table", in_html_table, ENGLISH),
    ("dt_02_email_thread", with_days, GERMAN),
    ("dt_02_email_thread", in_table, ENGLISH),
    ("dt_03_three_sources", swiss, GERMAN),
    ("dt_03_three_sources", bare, FRENCH),
    ("dt_04_data_validation", german, GERMAN),
    ("dt_05_quarterly_report", in_table, FRENCH),
    ("dt_05_quarterly_report", ewe, EWE),
    ("dt_06_patterns", crlf, EWE),
    ("dt_06_patterns", plain, ENGLISH),
]


UNITS = {
    "dt_01_sales_table": {"total": "€", "amount": "euros", "share": "%", "units": "pieces"},
    "dt_02_email_thread": {"quantity": "pieces", "overcharge": "EUR"},
    "dt_03_three_sources": {"amount_at_risk": "euros", "shortfalls": "pieces"},
    "dt_04_data_validation": {"right_total": "EUR", "right_weight": "kg"},
    "dt_05_quarterly_report": {"percent": "%"},
    "dt_06_patterns": {"change_by_segment": "%", "contacts": "contacts per day", "lag": "days"},
}


def written(folder: str, made: Made, way: Callable[[str, str], str], prose: str) -> Iterator[str]:
    """The report of the reference, its lines and its sentences written in another way."""
    truth = made.truth
    lines = truth.get("lines") or {
        "problems": truth["problem_lines"],
        "odd": truth["odd_lines"],
        "sound": f"- sound_records: {truth['sound_records']}",
    }
    reference = read_reference(SHIPPED_SUITES / "data" / folder)
    for heading in re.findall(r"(?m)^## (.*)", reference):
        yield f"## {heading}\n\n{prose}\n"
    for text in lines.values():
        for line in text.split("\n"):
            name, value = line.removeprefix("- ").split(": ", 1)
            unit = next((unit for key, unit in UNITS[folder].items() if key in name), "")
            number = way(name, value)
            if unit and re.fullmatch(r"-?[\d.]+", value):
                # The unit stands right behind the number, inside of what marks it.
                digits = re.findall(r"\d", value)
                at = number.rindex(digits[-1]) + 1
                number = f"{number[:at]} {unit}{number[at:]}"
            yield number
    block = truth.get("block") or {
        key: truth[key] for key in ("problems", "odd_but_sound", "sound_records")
    }
    yield "\n```json\n" + (block if isinstance(block, str) else json.dumps(block)) + "\n```\n"


@pytest.mark.parametrize(
    ("folder", "way", "prose"), WAYS, ids=[f"{one[0][:5]} {one[1].__name__}" for one in WAYS]
)
def test_a_right_report_counts_in_full_however_it_is_written(folder, way, prose) -> None:
    (made,) = make_files(SHIPPED_SUITES / "data" / folder, [5], None)
    answer = "\n".join(written(folder, made, way, prose))
    if way is in_html_table:
        answer = re.sub(r"((?:<tr>.*\n)+)", r"<table>\n\1</table>\n", answer)
    (found,) = gather(SHIPPED_SUITES / "data" / folder, [(answer, made)], open_sandbox())
    assert not found.missing
    wrong = [one for one in found.checks if not one.passed]
    assert found.share == 1, (wrong, answer)
    assert ReportText(answer).text.strip()
