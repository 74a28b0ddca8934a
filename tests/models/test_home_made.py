"""Models of one's own class: what `generate`, `tokenize` and `logits` are asked and give."""

import itertools
import math
import os
import sys

import numpy as np
import pytest

from assay.errors import ModelUnavailable
from assay.models.home_made.adapter import PluginModel, model_of
from assay.types import (
    Answered,
    ChoiceLikelihoods,
    Failed,
    Message,
    ReadText,
    Sampling,
    ToAnswer,
    ToChoose,
    ToRead,
)
from tests.command_runs import run_python
from tests.models.asking import answered, only, request_of, said

LETTERS = "abcdefgh .?\n"


class Speaker:
    def generate(self, messages, *, temperature, max_tokens, seed, stop):
        self.seen = (messages, temperature, max_tokens, seed, stop)
        return self.says() if callable(getattr(self, "says", None)) else messages[-1].content


class Bigram:
    """The next letter hangs on the one before: every likelihood can be looked up by hand."""

    context_length = 6

    def __init__(self, seed=0):
        self.table = np.random.default_rng(seed).normal(size=(len(LETTERS), len(LETTERS))) * 2
        self.calls = []

    def tokenize(self, text):
        return [LETTERS.index(letter) for letter in text]

    def logits(self, ids):
        self.calls.append([len(row) for row in ids])
        assert len({len(row) for row in ids}) == 1
        assert len(ids[0]) <= self.context_length
        return self.table[np.array(ids)]

    def log_likelihoods(self, text):
        table = self.table - np.log(np.exp(self.table).sum(axis=1, keepdims=True))
        ids = self.tokenize(text)
        return [table[before, after] for before, after in itertools.pairwise(ids)]


def model(plugin, name="x"):
    return PluginModel(plugin, "mine", name)


# ---------------------------------------------------------------------------------------- generate


def test_generate_gets_the_messages_and_how_to_draw():
    speaker = Speaker()
    how = Sampling(temperature=0.5, seed=7, max_tokens=9, stop=("END",))
    assert answered(model(speaker), "hello", how).text == "hello"
    assert speaker.seen == ([Message("user", "hello")], 0.5, 9, 7, ["END"])


def test_reasoning_is_split_off_and_stop_strings_are_cut_by_us():
    speaker = Speaker()
    speaker.says = lambda: "<think>END of it?</think>one two END three"
    how = Sampling(temperature=0.0, seed=0, max_tokens=9, stop=("END",))
    reply = answered(model(speaker), "x", how)
    assert (reply.text, reply.reasoning) == ("one two ", "END of it?")


def test_several_answers_are_drawn_with_a_seed_each():
    seeds = []

    class Dice:
        def generate(self, messages, *, temperature, max_tokens, seed, stop):
            seeds.append(seed)
            return str(seed)

    how = Sampling(temperature=0.7, seed=1, max_tokens=9, predictions=3)
    reply = answered(model(Dice()), "x", how)
    assert reply.predictions == tuple(map(str, seeds))
    assert len(set(seeds)) == 3
    assert reply.prediction_method == "sampled"


def test_an_exception_is_a_failed_request_with_its_kind_and_place():
    speaker = Speaker()

    def fall():
        raise ZeroDivisionError("no weights")

    speaker.says = fall
    replies = list(
        model(speaker).answer(
            [request_of(ToAnswer(messages=said("x"), sampling=Sampling(temperature=0, seed=0,
                                                                     max_tokens=1)))] * 2
        )
    )  # fmt: skip
    assert [type(reply) for reply in replies] == [Failed, Failed]
    assert "test_home_made.py:" in replies[0].reason
    assert "ZeroDivisionError: no weights" in replies[0].reason


@pytest.mark.parametrize(("value", "kind"), [(None, "NoneType"), (b"text", "bytes"), (7, "int")])
def test_what_is_no_text_is_a_failed_request(value, kind):
    speaker = Speaker()
    speaker.says = lambda: value
    reply = only(
        model(speaker),
        ToAnswer(messages=said("x"), sampling=Sampling(temperature=0, seed=0, max_tokens=1)),
    )
    assert isinstance(reply, Failed)
    assert f"generate returned {kind} instead of a text" in reply.reason


def test_an_empty_text_is_an_answer_that_says_nothing():
    speaker = Speaker()
    speaker.says = lambda: ""
    assert answered(model(speaker)).text == ""


def test_a_ctrl_c_in_a_plugin_interrupts():
    speaker = Speaker()

    def interrupted():
        raise KeyboardInterrupt

    speaker.says = interrupted
    with pytest.raises(KeyboardInterrupt):
        answered(model(speaker))


# ------------------------------------------------------------------------------------- likelihoods


@pytest.mark.parametrize("text", ["ab", "abcabc", "abcdefg", "a b? c.\nbad cab. " * 7])
def test_perplexity_of_a_bigram_model_equals_the_one_computed_by_hand(text):
    plugin = Bigram()
    reply = only(model(plugin), ToRead(text=text))
    expected = plugin.log_likelihoods(text)
    assert isinstance(reply, ReadText)
    assert reply.tokens == len(text) - 1 == len(expected)
    assert reply.log_likelihood == pytest.approx(sum(expected), rel=1e-12)
    assert reply.bytes == len(text)
    ids = plugin.tokenize(text)
    order = np.argsort(-plugin.table, axis=1)
    ranks = [list(order[a]).index(b) for a, b in itertools.pairwise(ids)]
    assert (reply.top1, reply.top5) == (ranks.count(0), sum(rank < 5 for rank in ranks))


def test_long_texts_are_counted_in_blocks_of_a_thousand_tokens_or_in_twelve():
    plugin = Bigram()
    reply = only(model(plugin), ToRead(text="abc cab? " * 1500))
    assert [count for _, count in reply.blocks] == [*[1000] * 13, 499]
    reply = only(model(plugin), ToRead(text="abc cab? " * 300))
    assert [count for _, count in reply.blocks] == [*[224] * 12, 11]
    assert sum(first for first, _ in reply.block_hits) == reply.top1
    assert sum(five for _, five in reply.block_hits) == reply.top5
    assert math.fsum(value for value, _ in reply.blocks) == pytest.approx(reply.log_likelihood)


def test_token_ids_are_read_as_they_are():
    plugin = Bigram()
    by_text = only(model(plugin), ToRead(text="a bad cab"))
    by_ids = only(model(plugin), ToRead(tokens=np.array(plugin.tokenize("a bad cab"))))
    assert by_ids.log_likelihood == by_text.log_likelihood
    assert by_ids.bytes == 0


def test_choices_are_compared_behind_the_prompt():
    plugin = Bigram()
    plugin.context_length = 64
    work = ToChoose(messages=said("a bad?"), continuations=("cab", "bed a", "b"))
    reply = only(model(plugin), work)
    assert isinstance(reply, ChoiceLikelihoods)
    for choice, value, tokens in zip(
        work.continuations, reply.log_likelihoods, reply.tokens, strict=True
    ):
        expected = plugin.log_likelihoods("a bad? " + choice)[-len(choice) - 1 :]
        assert value == pytest.approx(sum(expected), rel=1e-12)
        assert tokens == len(choice) + 1
    assert reply.cut == 0


def test_rows_of_one_call_have_one_length():
    plugin = Bigram()
    plugin.context_length = 64
    only(model(plugin), ToChoose(messages=said("a bad?"), continuations=("a", "b", "cc")))
    assert plugin.calls == [[7] * 2, [8]]


@pytest.mark.parametrize("form", ["lists", "float32", "torch"])
def test_logits_may_be_lists_numpy_or_torch(form):
    class Other(Bigram):
        def logits(self, ids):
            found = super().logits(ids)
            if form == "torch":
                import torch

                return torch.tensor(found, requires_grad=True)
            return found.tolist() if form == "lists" else found.astype(np.float32)

    reply = only(model(Other()), ToRead(text="a bad cab? " * 5))
    expected = only(model(Bigram()), ToRead(text="a bad cab? " * 5))
    assert reply.log_likelihood == pytest.approx(expected.log_likelihood, rel=1e-5)


def test_a_home_made_torch_model_equals_a_direct_computation():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)

    class Recurrent(torch.nn.Module):
        context_length = 16

        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding(256, 8)
            self.rnn = torch.nn.GRU(8, 12, batch_first=True)
            self.head = torch.nn.Linear(12, 256)

        def tokenize(self, text):
            return list(text.encode())

        @torch.no_grad()
        def logits(self, ids):
            return self.head(self.rnn(self.embed(torch.tensor(ids)))[0])

    plugin = Recurrent()
    text = "Home-made models are measured too, window by window."
    reply = only(model(plugin), ToRead(text=text))
    ids = plugin.tokenize(text)
    total, at = 0.0, 1
    while at < len(ids):
        end = min(len(ids), at + 16)
        start = max(0, end - 1 - 16)
        values = plugin.logits([ids[start : end - 1]])[0].double().log_softmax(-1)
        total += sum(float(values[place - 1 - start, ids[place]]) for place in range(at, end))
        at = end
    assert reply.tokens == len(ids) - 1
    assert reply.log_likelihood == pytest.approx(total, rel=1e-6)
    assert model(plugin).facts.parameters == sum(each.numel() for each in plugin.parameters())


def test_an_exception_for_one_row_fails_its_request_alone():
    class Fragile(Bigram):
        context_length = 64

        def logits(self, ids):
            if any(LETTERS.index("h") in row for row in ids):
                raise RuntimeError("no h")
            return super().logits(ids)

    asked = [
        request_of(ToChoose(messages=said(text), continuations=("a", "b")))
        for text in ("abc", "abh", "abd")
    ]
    replies = {reply.request_id: reply for reply in model(Fragile()).answer(asked)}
    kinds = [type(replies[each.id]) for each in asked]
    assert kinds == [ChoiceLikelihoods, Failed, ChoiceLikelihoods]
    assert "RuntimeError: no h" in replies[asked[1].id].reason


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda found: found[:, :-1], "expected (1, 4, vocabulary)"),
        (lambda found: found[0], "shape (4, 12)"),
        (lambda found: found[..., :2], "is not among the 2"),
        (lambda found: found * np.nan, "NaN or infinity"),
    ],
)
def test_logits_that_cannot_be_used_are_a_failed_request_with_a_reason(wrong, says):
    class Wrong(Bigram):
        def logits(self, ids):
            return wrong(super().logits(ids))

    reply = only(model(Wrong()), ToRead(text="abcde"))
    assert isinstance(reply, Failed)
    assert says in reply.reason


# ------------------------------------------------------------------------------------------ facts


def test_the_fingerprint_is_the_file_and_the_name_unless_the_object_has_one():
    facts = model(Speaker(), "a").facts
    assert facts.fingerprint_is_weak
    assert facts.fingerprint == model(Speaker(), "a").facts.fingerprint
    assert facts.fingerprint != model(Speaker(), "b").facts.fingerprint
    own = Speaker()
    own.fingerprint = "weights-7"
    assert model(own).facts.fingerprint == "weights-7"
    assert not model(own).facts.fingerprint_is_weak


def test_capabilities_follow_the_methods():
    assert model(Speaker()).facts.capabilities == {"generate"}
    assert model(Bigram()).facts.capabilities == {"score_text"}
    assert model(Bigram()).facts.context_length == 6


def test_models_that_cut_texts_alike_are_said_to_share_a_tokenizer():
    class Bytes(Bigram):
        def tokenize(self, text):
            return list(text.encode())

    class Words(Bigram):
        def tokenize(self, text):
            return [len(word) for word in text.split()]

    assert model(Bytes()).facts.tokenizer == model(Bytes(1), "b").facts.tokenizer != ""
    assert model(Bytes()).facts.tokenizer != model(Words()).facts.tokenizer


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "neither generate nor tokenize and logits"),
        ({"generate": lambda self, messages: ""}, "cannot be called"),
        ({"generate": Speaker.generate, "context_length": -1}, "context_length"),
        ({"generate": Speaker.generate, "parameters": "7B"}, "parameters"),
    ],
)
def test_a_class_that_cannot_be_asked_is_refused_at_the_start(body, says):
    with pytest.raises(ModelUnavailable, match=says) as caught:
        model(type("Wrong", (), body)())
    assert caught.value.hint


REGISTERED = """
import assay
from assay.models.home_made.adapter import model_of

@assay.model("speaker")
class Speaker:
    name = "seven"

    def generate(self, messages, *, temperature, max_tokens, seed, stop):
        return ""

print(model_of(Speaker()).facts.spec)
"""


def test_an_object_of_a_registered_class_is_named_by_its_scheme(tmp_path):
    (tmp_path / "program.py").write_text(REGISTERED)
    done = run_python(["program.py"], tmp_path, os.environ)
    assert done.stdout == "speaker:seven\n", done.stderr
    assert model_of(Bigram()).facts.spec == "python:Bigram"
    made = model(Speaker())
    assert model_of(made) is made


def test_stopping_gives_up_what_is_left():
    speaker = Speaker()
    asked = model(speaker)
    speaker.says = lambda: asked.stop() or "first"
    work = ToAnswer(messages=said("x"), sampling=Sampling(temperature=0, seed=0, max_tokens=1))
    first, second = asked.answer([request_of(work), request_of(work)])
    assert isinstance(first, Answered)
    assert isinstance(second, Failed)


def test_no_torch_is_loaded_for_likelihoods():
    import subprocess

    code = (
        "import sys; from assay.models.home_made.adapter import PluginModel; "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
