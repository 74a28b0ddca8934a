"""Every number that people print is read back as the number it was."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence.claims import Fact, matches
from assay.evidence.dates import read_dates
from assay.evidence.figures import read_figures
from assay.evidence.passages import plain

_CENTS = st.integers(0, 10**9).map(lambda cents: Decimal(cents) / 100)
_SEPARATORS = [
    (",", "."), (".", ","), (" ", ","), ("\u202f", ","), ("\u00a0", ","), ("'", "."), ("’", "."),
    ("", "."), ("", ","), ("_", "."),
]  # fmt: skip
_DRESS = [
    "{}", "**{}**", "`{}`", "${}", "{} €", "€{}", "£{}", "EUR {}", "{} euros", "US${}", "*{}*",
    "total: {}.", "| {} |", "({} in all)", "is {}, which", "\\${}", "“{}”",
]  # fmt: skip


def _printed(value: Decimal, thousands: str, point: str) -> str:
    return f"{value:,.2f}".translate(str.maketrans({",": thousands, ".": point}))


@given(_CENTS, st.sampled_from(_SEPARATORS), st.sampled_from(_DRESS))
def test_amounts_of_every_country_are_read_back(
    value: Decimal, separators: tuple[str, str], dress: str
) -> None:
    figures = read_figures(plain(dress.format(_printed(value, *separators))))
    assert len(figures) == 1
    assert value in [reading.value for reading in figures[0].readings]


@given(st.integers(0, 10**9), st.sampled_from([",", ".", " ", "\u202f", "'", ""]), st.booleans())
def test_whole_numbers_and_their_signs_are_read_back(value: int, mark: str, minus: bool) -> None:
    text = f"{'−' if minus else ''}{value:,}".replace(",", mark)
    readings = [
        reading.value for figure in read_figures(plain(text)) for reading in figure.readings
    ]
    assert (-value if minus else value) in readings


@given(st.integers(-999, 999), st.sampled_from(["%", " %", " percent", " per cent", "\u202f%"]))
def test_percentages_are_read_back_as_percentages(tenths: int, sign: str) -> None:
    (figure,) = read_figures(plain(f"a change of {Decimal(tenths) / 10}{sign} this year"))
    assert figure.percent
    assert figure.readings[0].value == Decimal(tenths) / 10


@given(st.integers(11, 9999), st.sampled_from([("k", 3), (" thousand", 3), ("M", 6),
                                               (" million", 6), (" billion", 9)]))  # fmt: skip
def test_scaled_numbers_are_read_back_with_their_precision(
    tenths: int, scale: tuple[str, int]
) -> None:
    (figure,) = read_figures(f"${Decimal(tenths) / 10}{scale[0]}")
    assert figure.readings[0].value == (Decimal(tenths) / 10).scaleb(scale[1])
    assert figure.readings[0].unit <= Decimal(1).scaleb(scale[1])


@given(st.integers(2, 99))
def test_numbers_in_words_are_read_back(value: int) -> None:
    units = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    units += " fifteen sixteen seventeen eighteen nineteen"
    tens = "x x twenty thirty forty fifty sixty seventy eighty ninety"
    ten, unit = divmod(value, 10)
    word = units.split()[value] if value < 20 else tens.split()[ten]
    if value >= 20 and unit:
        word += f"-{units.split()[unit]}"
    for text in (f"There are {word} orders", f"{word.capitalize()} orders", f"{word}."):
        (figure,) = read_figures(text)
        assert figure.readings[0].value == value


@given(st.dates(date(2001, 1, 1), date(2098, 12, 31)))
def test_dates_are_read_back_in_every_form(day: date) -> None:
    months = "January February March April May June July August September October November December"
    month = months.split()[day.month - 1]
    for text in (
        day.isoformat(), f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}",
        f"{day.day:02d}.{day.month:02d}.{day.year}", f"{day.month}/{day.day}/{day.year}",
        f"{day.day} {month[:3]}", f"{month[:3]} {day.day}", f"{month} {day.day}th",
        f"{day.year}/{day.month:02d}/{day.day:02d}",
    ):  # fmt: skip
        (found,) = read_dates(f"on {text}: it came", day.year)
        assert day in found.days
        assert not read_figures(f"on {text}: it came")


@pytest.mark.parametrize(
    "text",
    ["SO-88213", "A2639", "R580", "Q2", "14:30", "on 2025-02-30", "2nd", "1.2.3", "#12", "v2"],
)
def test_codes_dates_and_ordinals_are_no_figures(text: str) -> None:
    assert not read_figures(text)


@pytest.mark.parametrize("text", ["(1,234)", "($1,234)", "-1,234", "−$1,234", "minus 1,234"])
def test_bracketed_and_signed_numbers_can_be_negative(text: str) -> None:
    (figure,) = read_figures(text)
    assert -1234 in [reading.value for reading in figure.readings]


@pytest.mark.parametrize(
    ("text", "value", "right"),
    [
        ("1.2k", 1234, True), ("about 1,200", 1234, True), ("1,200", 1234, False),
        ("over 1,200", 1234, True), ("nearly 1,240", 1234, True), ("about 1,000", 1234, False),
        ("~1,300", 1234, False), ("1,234.4", "1234.42", True), ("1,234", "1234.42", True),
        ("1,235", "1234.42", False), ("1.23 thousand", 1234, True), ("1k", 1234, False),
        ("1.23 million", 1_234_000, True), ("$1.2M", 1_234_000, True),
        ("1.3 million", 1_234_000, False), ("$1.2 billion", 1_234_000, False),
    ],
)  # fmt: skip
def test_a_figure_matches_within_its_own_precision(text: str, value: object, right: bool) -> None:
    (figure,) = read_figures(text)
    fact = Fact(name="x", shown="x", value=Decimal(str(value)), kind="money", names={})
    assert matches(figure, fact) is right


@pytest.mark.parametrize(
    ("text", "right"),
    [("34.2%", True), ("34 %", True), ("35%", False), ("0.342", True), ("34.2 percent", True)],
)
def test_a_share_may_be_a_percentage_or_a_fraction(text: str, right: bool) -> None:
    (figure,) = read_figures(text)
    fact = Fact(name="x", shown="x", value=Decimal("34.21"), kind="percent", names={})
    assert matches(figure, fact) is right
