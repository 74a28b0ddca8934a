"""A piece of work for each core: the same results in the same order, whoever computes them."""

import threading
from collections.abc import Iterator

import pytest
import torch

from assay.engine.choose import Question, choose
from assay.engine.layout.cores import core_by_core
from assay.engine.network import NotFinite, make_ready
from assay.engine.read import UnknownToken, read_all
from tests.engine.shapes import random_model

TOKENS = [int(each) for each in torch.randint(0, 211, (700,), generator=torch.manual_seed(3))]


@pytest.fixture(autouse=True)
def threads() -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield 3
    torch.set_num_threads(before)


@pytest.fixture(scope="module", params=["llama", "mistral"])
def network(request):
    """One that slots serve, and one that is computed the plain way."""
    return make_ready(random_model(request.param), context_length=48)


def test_results_come_in_order_from_one_thread_for_each_core(threads):
    at_work = set()
    together = threading.Barrier(threads, timeout=30)

    def run(piece):
        at_work.add(threading.get_ident())
        if piece < threads:
            together.wait()
        return piece, torch.get_num_threads()

    assert list(core_by_core(range(20), run, cores=threads)) == [(n, 1) for n in range(20)]
    assert len(at_work) == threads
    assert threading.get_ident() not in at_work
    assert torch.get_num_threads() == threads


def test_what_is_too_little_for_all_cores_is_computed_by_all_together(threads):
    found = list(core_by_core([1, 2], lambda _: torch.get_num_threads(), cores=threads))
    assert found == [threads, threads]


def test_no_more_than_two_pieces_a_core_are_taken_ahead(threads):
    taken = []

    def pieces():
        for piece in range(100):
            taken.append(piece)
            yield piece

    found = core_by_core(pieces(), lambda piece: piece, cores=threads)
    next(found)
    assert len(taken) == 2 * threads
    found.close()
    assert torch.get_num_threads() == threads


def test_texts_are_read_the_same_on_every_core(network):
    texts = [TOKENS[:500], TOKENS[3:90], [], TOKENS[100:101]] * 9
    at_once = list(read_all(network, texts, prefix=0))
    torch.set_num_threads(1)
    one_by_one = list(read_all(network, texts, prefix=0))
    for ours, plain in zip(at_once, one_by_one, strict=True):
        assert (ours.number, ours.tokens, ours.top1) == (plain.number, plain.tokens, plain.top1)
        assert ours.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-3)


def test_the_first_unknown_token_is_named_though_others_are_read_ahead(network):
    texts = [TOKENS] * 5 + [[*TOKENS[:30], 211]] + [[900]] * 20
    with pytest.raises(UnknownToken) as caught:
        list(read_all(network, texts, prefix=0))
    assert caught.value.args == (30, 5)


def test_a_text_without_a_likelihood_is_named(network):
    class Broken(type(network)):
        def logits(self, hidden):
            return super().logits(hidden) * float("nan")

    fields = {name: getattr(network, name) for name in type(network).__dataclass_fields__}
    broken = Broken(**{**fields, "serves_trees": True})
    if not network.serves_trees:
        pytest.skip("computed by its own head")
    with pytest.raises(NotFinite) as caught:
        list(read_all(broken, [TOKENS] * 9, prefix=0))
    assert caught.value.args == (0, 0)


def test_choices_are_scored_the_same_on_every_core(network):
    questions = [
        Question(TOKENS[n : n + 20], (TOKENS[n + 30 : n + 40], TOKENS[n + 50 : n + 53]))
        for n in range(0, 600, 7)
    ]
    at_once = dict(choose(network, questions, budget=600))
    torch.set_num_threads(1)
    one_by_one = dict(choose(network, questions, budget=600))
    assert at_once.keys() == one_by_one.keys()
    for number, ours in at_once.items():
        for one, plain in zip(ours, one_by_one[number], strict=True):
            assert one.total == pytest.approx(plain.total, abs=1e-4)
            assert one.greedy == plain.greedy
