"""The benchmark of a whole run: a phase has the time that no phase inside it has."""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def whole_run():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import whole_run

        yield whole_run
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_a_phase_has_the_time_that_no_phase_inside_it_has_generators_too(whole_run):
    class Ticking(whole_run.Clock):
        """Whoever looks takes a second."""

        seconds = 0.0

        def now(self):
            Ticking.seconds += 1
            return Ticking.seconds, 2 * Ticking.seconds

    clock = Ticking()
    score = clock.counted("scoring", lambda: None)

    def write():
        for number in range(2):
            score()
            yield number

    assert list(clock.counted("choosing text", write)()) == [0, 1]
    clock.turn()
    walls = {phase: wall for phase, (wall, _) in clock.spent.items() if wall}
    # Three steps of the generator, each of which is entered and left; two hold a score.
    assert walls == {"scoring": 2.0, "choosing text": 5.0, "the rest": 4.0}
    assert clock.spent["scoring"] == [2.0, 4.0]


def test_both_sides_are_a_table_with_ratios_and_a_picture(whole_run, tmp_path):
    def rows(seconds):
        found = dict.fromkeys(whole_run.PHASES, (seconds, seconds))
        return found | {"to the first request": (seconds, None)}

    table = list(whole_run.shown(rows(2.0), rows(3.0)))
    assert table[2] == "| imports | 2.0 | 2.0 | 3.0 | 3.0 | 1.50 |"
    assert table[-1] == "| to the first request | 2.0 |  | 3.0 |  | 1.50 |"
    whole_run.draw({"now": rows(2.0), "before": rows(3.0)}, tmp_path / "phases.svg")
    bars = ET.parse(tmp_path / "phases.svg").findall(".//{*}rect/{*}title")
    assert len(bars) == 2 * len(whole_run.PHASES)
    assert bars[0].text == "imports: 2.0 s"
