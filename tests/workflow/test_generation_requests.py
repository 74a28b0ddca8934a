"""Which samples a checkpoint is asked for, and under which ids they are stored."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from assay.measures.generation import ways_to_write, written_id
from assay.request_identity import make_measure_request
from assay.suites.gate_file import load_gate
from assay.suites.sample_prompts import load_samples
from assay.types import Message, Sampling, ToAnswer
from assay.types.decisions import DecisionPlan

FIRST = load_samples()[0]


def plan(**changed) -> DecisionPlan:
    gate = replace(load_gate(None), **changed)
    return DecisionPlan(subjects=(), measures=("generation",), gate=gate)


@pytest.mark.parametrize(
    ("changed", "asked"),
    [
        ({}, [(0.3, 0), (0.3, 1), (0.3, 2), (0.0, 0)]),
        ({"generation_temperature": 0.8, "generation_seeds": 1}, [(0.8, 0), (0.0, 0)]),
        ({"generation_temperature": 0.0}, [(0.0, 0)]),
    ],
)
def test_each_seed_of_the_gate_is_written_and_greedy_beside_them_once(changed, asked):
    assert [(way.temperature, way.seed) for way in ways_to_write(plan(**changed))] == asked


def test_own_prompts_are_not_written_greedily_beside():
    own = replace(plan(generation_seeds=2), samples=(FIRST,))
    assert [(way.temperature, way.seed) for way in ways_to_write(own)] == [(0.3, 0), (0.3, 1)]


def test_the_first_seed_has_the_request_id_that_it_always_had():
    way = ways_to_write(plan())[0]
    before = Sampling(temperature=0.3, seed=0, max_tokens=160)
    work = ToAnswer(messages=(Message("user", FIRST.prompt),), sampling=before)
    ids = [
        make_measure_request("f", "generation", name, work, [FIRST.prompt, asdict(how)]).id
        for name, how in ((FIRST.id, before), (written_id(FIRST, way), way))
    ]
    assert ids[0] == ids[1]
    assert len({written_id(FIRST, each) for each in ways_to_write(plan())}) == 4
