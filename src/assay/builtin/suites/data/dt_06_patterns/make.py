"""Six weeks of a shop: a busy weekday, a segment in decline, an echo of each mailing, and peaks of
contacts that follow no mailing.
"""

from datetime import date, timedelta
from random import Random
from statistics import fmean, linear_regression
from typing import Any

from assay.checking import state_lines

Row = dict[str, Any]

SEGMENTS = (
    "students", "families", "offices", "clubs", "schools", "tourists", "hotels", "bakeries",
    "gardeners", "painters", "cyclists", "dentists",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEKS = 6


def make(seed: int) -> dict[str, Any]:
    """Draw days until each pattern in them is clear."""
    rng = Random(f"patterns:{seed}")
    while True:
        segments = rng.sample(SEGMENTS, rng.randrange(3, 5))
        lag = rng.randrange(1, 6)
        rows = draw_rows(rng, segments, lag)
        facts = find_facts(rows, segments, lag)
        falling = facts["declining_segment"]
        echoes = [mean_after(rows, days) for days in range(7)]
        if (
            facts["change_by_segment"][falling] < -45
            and all(
                abs(change) < 6
                for name, change in facts["change_by_segment"].items()
                if name != falling
            )
            # A forecast that repeats the last week must not be good enough.
            and facts["declining_week_6"] > 1.25 * facts["week_7"]["orders"]
            and max(echo for days, echo in enumerate(echoes) if days != lag) < 0.7 * echoes[lag]
        ):
            break
    shown = show(facts)
    return {
        "files": {"days.csv": write_csv(rows)},
        "truth": {"facts": facts, "block": shown, "lines": state_lines(shown)},
    }


def draw_rows(rng: Random, segments: list[str], lag: int) -> list[Row]:
    start = date(2025, rng.randrange(1, 10), 15)
    start -= timedelta(days=start.weekday())
    peak, declining = rng.randrange(7), rng.choice(segments)
    base = {name: rng.randrange(10, 15) for name in segments}
    base[declining] = rng.randrange(13, 17)
    # On changing weekdays, so that the echo belongs to none; the last one leaves room for it.
    days = rng.sample(range(7), 5)
    days.append(rng.choice([day for day in range(7 - lag) if day != days[-1]]))
    mailings = {7 * week + days[week] for week in rng.sample(range(WEEKS), rng.randrange(4, 7))}
    echoes = {day + lag for day in mailings}
    quiet = [day for day in range(7 * WEEKS) if day not in mailings | echoes]
    high = echoes | set(rng.sample(quiet, rng.randrange(1, 3)))
    rows = []
    for number in range(7 * WEEKS):
        week, day = divmod(number, 7)
        row: Row = {"date": start + timedelta(days=number), "day": DAYS[day][:3]}
        for name in segments:
            level = 100 * base[name] * (100 - 11 * week * (name == declining)) // 100
            level = level * 185 // 100 if day == peak else level
            row[name] = (level + rng.randrange(-130, 131) + 50) // 100
        row["mailing"] = int(number in mailings)
        row["contacts"] = rng.randrange(13, 19) if number in high else rng.randrange(2, 7)
        rows.append(row)
    return rows


def mean_after(rows: list[Row], days: int) -> float:
    """The mean of contacts on the days that follow a mailing by the lag."""
    after = [n + days for n, row in enumerate(rows) if row["mailing"]]
    return fmean(rows[n]["contacts"] for n in after if n < len(rows))


def find_facts(rows: list[Row], segments: list[str], lag: int) -> Row:
    """The keys of the block with exact values."""
    totals = [sum(row[name] for name in segments) for row in rows]
    peak = max(range(7), key=lambda day: sum(totals[day::7]))
    weeks = {
        name: [sum(row[name] for row in rows[7 * week : 7 * week + 7]) for week in range(WEEKS)]
        for name in segments
    }
    changes = {name: 100 * (some[-1] - some[0]) / some[0] for name, some in weeks.items()}
    falling = min(changes, key=lambda name: changes[name])
    slope, start = linear_regression(range(1, WEEKS + 1), weeks[falling])
    after = {n + lag for n, row in enumerate(rows) if row["mailing"]}
    others = [row for n, row in enumerate(rows) if n not in after]
    return {
        "busiest_weekday": DAYS[peak],
        "busiest_weekday_average": fmean(totals[peak::7]),
        "other_days_average": fmean(total for n, total in enumerate(totals) if n % 7 != peak),
        "change_by_segment": changes,
        "declining_segment": falling,
        "declining_week_1": weeks[falling][0],
        "declining_week_6": weeks[falling][-1],
        "mailings": len(after),
        "lag_days": lag,
        "contacts_after_mailing_average": mean_after(rows, lag),
        "contacts_other_days_average": fmean(row["contacts"] for row in others),
        "unrelated_peaks": [str(row["date"]) for row in others if row["contacts"] >= 10],
        "week_7": {"segment": falling, "orders": start + slope * (WEEKS + 1), "status": "forecast"},
    }


def show(value: Any) -> Any:
    """The same with figures as the prompt asks for them."""
    if isinstance(value, dict):
        return {key: show(one) for key, one in value.items()}
    return round(value, 1) if isinstance(value, float) else value


def write_csv(rows: list[Row]) -> str:
    return "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)])
