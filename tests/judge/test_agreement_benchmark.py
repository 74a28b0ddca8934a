"""The agreement benchmark: its sample, its cross-validated scale, and going on where it stopped."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from assay.types import ChoiceLikelihoods, ModelFacts, Observed, Reply, Request

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def benchmark_module() -> Iterator[ModuleType]:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        yield importlib.import_module("judge_agreement")
    finally:
        sys.path.remove(str(BENCHMARKS))


class Eager:
    """Finds every snippet as good as it is long, and counts what it is asked."""

    facts = ModelFacts(spec="toy:eager", name="eager", fingerprint="sha256:eager")

    def __init__(self) -> None:
        self.asked = 0

    def probe(self) -> None:
        pass

    def observed(self) -> Observed:
        return Observed()

    def stop(self) -> None:
        pass

    def close(self) -> None:
        pass

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        for request in requests:
            self.asked += 1
            text = str(request.work)
            yield ChoiceLikelihoods(
                request_id=request.id, log_likelihoods=(-100 / text.count("x"), -1.0)
            )


def rows(count: int) -> list[dict[str, Any]]:
    return [
        {
            "item_id": f"i{number}",
            "group": number // 2,
            "system": "codex" if number else "reference",
            "intent": "say x",
            "snippet": f"print('{'x' * (20 + number)}')",
            "human_grades": [number % 5, number % 5],
        }
        for number in range(count)
    ]


@pytest.fixture
def items(benchmark_module: ModuleType, tmp_path: Path) -> list[Any]:
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, rows(41))), "utf-8")
    found: list[Any] = benchmark_module.read_items(path)
    return found


def test_the_sample_has_as_many_of_each_grade_and_follows_its_seed(
    benchmark_module: ModuleType, items: list[Any]
) -> None:
    drawn = benchmark_module.sample(items, 4, 1)
    assert [item.grade for item in drawn] == [0, 1, 2, 3, 4] * 4
    assert drawn == benchmark_module.sample(items, 4, 1)
    assert drawn != benchmark_module.sample(items, 4, 2)
    both = benchmark_module.samples(items, 4, [1, 2])
    assert both[: len(drawn)] == drawn
    assert len({item.id for item in both}) == len(both) > len(drawn)
    assert "i0" not in [item.id for item in items]


def test_nothing_is_asked_twice(
    benchmark_module: ModuleType, items: list[Any], tmp_path: Path
) -> None:
    cache, way = tmp_path / "cache.jsonl", "likelihood"
    first, second = Eager(), Eager()
    before = benchmark_module.asked_of(first, items[:5], way, benchmark_module.Kept(cache), None)
    after = benchmark_module.asked_of(second, items[:7], way, benchmark_module.Kept(cache), None)
    assert (first.asked, second.asked) == (15, 6)
    assert {name: after.values[name] for name in before.values} == before.values


def test_a_judge_in_the_order_of_people_agrees_with_them(
    benchmark_module: ModuleType, items: list[Any]
) -> None:
    way = benchmark_module.Asked("w", {item.id: 0.8 + item.human / 40 for item in items})
    found = benchmark_module.figures_of(way, items, draws=50)
    assert found["spearman"]["value"] == pytest.approx(1)
    assert found["kappa_as_told"]["value"] < 0.5
    assert found["kappa_calibrated"]["value"] == pytest.approx(1)
    assert "| w | 40 | 0 | 1.000" in "\n".join(
        benchmark_module.as_markdown(
            {"judge": "j", "items": 40, "seeds": [0], "ways": [found], "differences": []}
        )
    )
