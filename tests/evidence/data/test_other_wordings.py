"""What is right is heard in other words too, and the contrary in the same words is not.

Each wording is held against one that differs in a word or two and says something else.
"""

from __future__ import annotations

import pytest

from tests.evidence.data.references import examine, failed, reference

_SEED = 3


def _is_right(generator: str, answer: str, name: str) -> bool:
    return name not in failed(examine(generator, answer, _SEED))


def _is_called_wrong(generator: str, answer: str, name: str) -> bool:
    notes = examine(generator, answer, _SEED).notes
    return any("wrong" in note and name in note for note in notes)


# ------------------------------------------------------------------------------------ the orders


@pytest.mark.parametrize("unit", ["%", " %", " percent", " per cent", " pct"])
def test_a_share_is_heard_with_any_word_for_percent(unit: str) -> None:
    name = "completed share"
    for words in ("Completed: {} of all orders.", "The share of completed orders is {}."):
        right, wrong = (words.format(f"{value}{unit}") for value in ("45.8", "54.2"))
        assert _is_right("sales_table", right, name)
        assert _is_called_wrong("sales_table", wrong, name)
        assert not _is_right("sales_table", right.replace("ompleted", "ancelled"), name)


def test_what_stands_in_brackets_does_not_part_a_name_from_its_amount() -> None:
    said = (
        "Whiteboards (17 units) made 986 EUR, foot rests (89 units) 979 EUR and filing carts 516."
    )
    for number in (2, 3, 4):
        assert _is_right("sales_table", said, f"product amount {number}")
    turned = said.replace("Whiteboards", "X").replace("foot rests", "whiteboards")
    turned = turned.replace("X", "Foot rests")
    for number in (2, 3):
        assert not _is_right("sales_table", turned, f"product amount {number}")


@pytest.mark.parametrize(
    ("answer", "by_amount", "by_units"),
    [
        ("By value, task chairs come first: 27 units for 2,376 EUR.", True, False),
        ("Measured by revenue, the task chair leads with 27 units.", True, False),
        ("By units, task chairs come first: 27 units for 2,376 EUR.", False, False),
        ("By value, foot rests come first: 89 units for 979 EUR.", False, False),
        ("In units, foot rests come first with 979 EUR.", False, True),
        ("By units: foot rest, top by value: task chair.", True, False),
        ("By value, the task chair is first, and by units, the foot rest is.", True, False),
        ("By value, the task chair leads, but the foot rest leads in units.", True, True),
    ],
)
def test_the_first_words_say_by_what_a_product_is_first(
    answer: str, by_amount: bool, by_units: bool
) -> None:
    assert _is_right("sales_table", answer, "top product by amount") is by_amount
    assert _is_right("sales_table", answer, "top product by units") is by_units


@pytest.mark.parametrize(
    "answer",
    [
        "With the exception of a single {other}, every cancelled order was for {own}s.",
        "All cancelled orders are for {own}s, except for one {other}.",
        "Apart from one order for a {other}, all cancellations concern the {own}.",
        "Except for one order, all that was cancelled was the {own}.",
        "All of the cancellations were for {own}s, except one.",
    ],
)
def test_all_but_one_order_is_most_of_them(answer: str) -> None:
    name = "cancellations on one product"
    right = answer.format(own="filing cart", other="foot rest")
    assert _is_right("sales_table", right, name)
    turned = answer.format(own="foot rest", other="filing cart")
    assert not _is_right("sales_table", turned, name)


@pytest.mark.parametrize(
    "answer",
    [
        "Apart from foot rests, filing carts were cancelled as well.",
        "With the exception of one filing cart, all cancelled orders were for foot rests.",
        "Filing carts, except for one, were all cancelled.",
    ],
)
def test_an_exception_of_something_else_says_nothing_of_most(answer: str) -> None:
    assert not _is_right("sales_table", answer, "cancellations on one product")


# ------------------------------------------------------------------------------ the three sources


def _alarmed(line: str) -> bool:
    answer = f"{reference('three_sources', 'tables', _SEED)}\n\n{line}\n"
    return not _is_right("three_sources", answer, "no false alarms")


@pytest.mark.parametrize(
    "line",
    [
        "GR-355 has no shortfall.", "GR-355: 9 open, 30 on hand; no shortage.",
        "GR-355 is not short.", "GR-355 is not going to run short.", "O-1212 is not late.",
        "GR-355: 30 on hand exceed the 9 that are open; no shortfall.",
        "O-1212 will not be late.", "O-1212 ships without delay.", "No delay for O-1212.",
        "## Late orders\n\n- O-1212 and O-1213 can still be met.",
        "## Late orders\n\n- O-1212 falls due after the deliveries.",
        "## Late orders\n\n- O-1212: no problem.",
        "## Late orders\n\n- O-1212 will be served from the next delivery.",
        "## Shortages\n\n- GR-355: 9 open, 30 on hand; no shortfall.",
        "Neither O-1212 nor O-1213 is late.",
    ],
)  # fmt: skip
def test_what_is_said_to_be_sound_is_no_false_alarm(line: str) -> None:
    assert not _alarmed(line)


@pytest.mark.parametrize(
    "line",
    [
        "GR-355 is short.", "GR-355 is not only late but short.", "O-1212 is late.",
        "GR-355 has not enough.", "O-1212 will be served late.", "O-1212 can be met only in part.",
        "GR-557 is not short, GR-355 is short.", "GR-355 is short, no shortage for GR-557.",
        "GR-557: 30 on hand, 9 open, not short; GR-355: short by 4.",
        "While GR-557 has no shortfall, GR-355 is short.",
        "## Late orders\n\n- O-1212 cannot be met.",
        "## Late orders\n\n- O-1212 is due after the weekend.",
        "O-1212 arrives after the deliveries, which is too late.",
    ],
)  # fmt: skip
def test_what_is_said_to_be_short_or_late_after_all_is_a_false_alarm(line: str) -> None:
    assert _alarmed(line)


@pytest.mark.parametrize(
    "words",
    ["{} opened four tickets, more than anyone else.", "{}: four tickets, more than all others.",
     "No. 1 is {}, which wrote four tickets, more than everybody else."],
)  # fmt: skip
def test_who_has_more_than_anyone_has_the_most(words: str) -> None:
    name = "customer with the most tickets"
    assert _is_right("three_sources", words.format("Ridgeway Scouts"), name)
    assert _is_called_wrong("three_sources", words.format("Blue Cairn"), name)
    fewer = words.format("Ridgeway Scouts").replace("more than", "fewer than")
    assert not _is_right("three_sources", fewer, name)


# ---------------------------------------------------------------------------------- the six weeks


@pytest.mark.parametrize("header", ["Week", "week", "Week no.", "**Week**"])
def test_weeks_may_be_the_rows_of_a_table(header: str) -> None:
    def table(first: int, last: int) -> str:
        return (
            f"| {header} | Students | Cyclists | Clubs |\n|---|---|---|---|\n"
            f"| 1 | 86 | {first} | 88 |\n| **6** | 83 | {last} | 85 |\n"
            "| 7 (forecast) | 83 | 37 | 85 |"
        )

    for name in ("first week", "last week", "forecast"):
        assert _is_right("customer_events", table(101, 47), name)
    for name in ("first week", "last week"):
        assert _is_called_wrong("customer_events", table(47, 101), name)


@pytest.mark.parametrize("header", ["#", "Rank", "No.", "Mailing", "Orders"])
def test_a_number_that_is_no_week_names_none(header: str) -> None:
    answer = f"| {header} | Students | Cyclists |\n|---|---|---|\n| 1 | 86 | 101 |\n| 6 | 83 | 47 |"
    for name in ("first week", "last week"):
        assert not _is_right("customer_events", answer, name)


@pytest.mark.parametrize(
    "answer",
    [
        "Mailings: On the third day after, contacts reach a mean of 14.33, while on all other days "
        "the mean is {}.",
        "Mailings. Three days later contacts rise. The average is 14.33, on all other days it "
        "averages {}.",
        "## Mailings\n\nOn those days the mean is 14.33, and on all other days the mean is {}.",
    ],
)
def test_a_bare_average_is_of_what_the_paragraph_is_about(answer: str) -> None:
    assert _is_right("customer_events", answer.format("3.94"), "contacts otherwise")
    assert _is_right("customer_events", answer.format("3.94"), "contacts after mailings")
    for value in ("3.94", "31.61"):
        said = answer.format(value)
        assert not _is_right("customer_events", said, "average of other days")
        assert not _is_called_wrong("customer_events", said, "average of other days")
    assert _is_called_wrong("customer_events", answer.format("7.94"), "contacts otherwise")


def test_a_part_of_the_sentence_on_something_else_does_not_turn_an_average() -> None:
    answer = (
        "Orders do not change; three days after a mailing the mean is 14.33, while the mean is "
        "{} on all other days."
    )
    said = answer.format("3.94")
    assert _is_right("customer_events", said, "contacts otherwise")
    assert not _is_called_wrong("customer_events", said, "average of other days")
    assert _is_called_wrong("customer_events", answer.format("7.94"), "contacts otherwise")


@pytest.mark.parametrize(
    "days",
    ["the remaining six weekdays", "the other six days", "the six other weekdays",
     "all remaining days"],
)  # fmt: skip
def test_the_other_days_have_many_names(days: str) -> None:
    name = "average of other days"
    for words in ("Mondays see 58.5 orders on average, compared to {} on {}.",
                  "Weekly pattern: orders peak on Monday; on {1} the mean is {0}."):  # fmt: skip
        assert _is_right("customer_events", words.format("31.6", days), name)
        assert not _is_right("customer_events", words.format("41.6", days), name)
        contacts = words.format("31.6", days).replace("orders", "contacts")
        assert not _is_right("customer_events", contacts, name)


@pytest.mark.parametrize(
    "words",
    ["contacts rise on day {n} after the mailing", "on the {th} day after each mailing contacts "
     "double", "contacts go up on day {n} following a mailing"],
)  # fmt: skip
def test_the_echo_may_be_told_by_the_number_of_its_day(words: str) -> None:
    for number, ordinal in ((1, "first"), (2, "second"), (3, "third")):
        said = words.format(n=number, th=ordinal)
        assert _is_right("customer_events", said, "echo of mailings") is (number == 3)
