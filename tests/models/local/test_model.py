"""A checkpoint as a Model: every kind of request, and what goes wrong with one of them."""

from __future__ import annotations

import gc
import json
import math
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from assay.errors import ModelUnavailable
from assay.models.local.answering import READ_BACK_AT_ONCE
from assay.models.local.model import LocalModel
from assay.models.opening import open_model
from assay.text.token_losses import unpack_losses
from assay.types import (
    Answered,
    ChoiceLikelihoods,
    Failed,
    Message,
    ReadText,
    Reply,
    Request,
    Sampling,
    ToAnswer,
    ToChoose,
    ToRead,
    Work,
)
from assay.types.options import LocalOptions
from tests.models.local.checkpoints import CHAT_TEMPLATE, edit_json, make_checkpoint


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("runs") / "step_100", "llama", context=128)


@pytest.fixture
def model(folder: Path) -> LocalModel:
    return LocalModel(folder, spec=f"hf:{folder}", settings=LocalOptions(device="cpu"))


def asked(model: LocalModel, *works: Work) -> list[Reply]:
    requests = [
        Request(id=str(number), suite="s", test_id=f"t{number}", turn=0, repeat=0, work=work)
        for number, work in enumerate(works)
    ]
    replies = {reply.request_id: reply for reply in model.answer(requests)}
    return [replies[request.id] for request in requests]


def user(text: str) -> tuple[Message, ...]:
    return (Message("user", text),)


def to_answer(text: str, **how: object) -> ToAnswer:
    drawn = {"temperature": 0.0, "seed": 0, "max_tokens": 12, **how}
    return ToAnswer(messages=user(text), sampling=Sampling(**drawn))  # type: ignore[arg-type]


def test_likelihoods_are_those_of_the_bare_model(folder: Path, model: LocalModel) -> None:
    [reply] = asked(
        model,
        ToChoose(messages=user("Which command lists the files?"), continuations=("ls", "the cat")),
    )
    assert isinstance(reply, ChoiceLikelihoods)
    bare = AutoModelForCausalLM.from_pretrained(folder)
    encode = model._tokens().encode_batch
    for text, found in zip(("ls", "the cat"), reply.log_likelihoods, strict=True):
        [context, whole] = encode(
            ["Which command lists the files?", f"Which command lists the files? {text}"],
            special=True,
        )
        with torch.inference_mode():
            logs = bare(torch.tensor([whole])).logits[0].log_softmax(-1)
        expected = sum(logs[at - 1, whole[at]].item() for at in range(len(context), len(whole)))
        assert found == pytest.approx(expected, abs=1e-4)
    assert reply.tokens == tuple(
        len(encode([f"? {text}"], special=False)[0]) - 1 for text in ("ls", "the cat")
    )


def test_answers_read_back_together_have_the_figures_of_each_by_itself(model: LocalModel) -> None:
    """More of them than are read at once, behind prompts of their own and others."""
    works = [
        replace(
            to_answer(f"The driver number {number} of", temperature=0.9, seed=number),
            read_back=True,
            others=("The small dog", "Once there was a")[: number % 3],
        )
        for number in range(READ_BACK_AT_ONCE + 3)
    ]
    together = asked(model, *works)
    alone = [asked(model, work)[0] for work in works]
    for work, one, other in zip(works, together, alone, strict=True):
        assert isinstance(one, Answered)
        assert isinstance(other, Answered)
        assert one.text == other.text
        assert one.uncertainty == pytest.approx(other.uncertainty, abs=1e-4)
        assert one.margin == pytest.approx(other.margin, abs=1e-4)
        assert (one.margin is None) == (not work.others)


def test_every_kind_of_request_gets_its_kind_of_reply(model: LocalModel) -> None:
    """But for timing: tests/workflow/test_speed.py asks for that, in a process of its own."""
    replies = asked(
        model,
        to_answer("The driver of", temperature=0.7, seed=3),
        ToRead(text="The machine starts in a minute. " * 30),
        to_answer("The small dog", predictions=3),
        ToChoose(messages=user("A or B? Answer:"), continuations=("A", "B")),
    )
    written, read, beams, chosen = replies
    assert isinstance(written, Answered)
    assert written.output_tokens == 12 or written.finish == "end"
    assert isinstance(read, ReadText)
    assert read.words == 181  # as lm-eval counts: the end behind the last space is one
    assert read.bytes == 960
    assert math.fsum(value for value, _ in read.blocks) == pytest.approx(read.log_likelihood)
    assert 0 <= read.top1 <= read.top5 <= read.tokens
    assert isinstance(beams, Answered)
    assert len(set(beams.predictions)) == 3
    assert all("\n" not in text for text in beams.predictions)
    assert beams.prediction_method == "beam"
    assert isinstance(chosen, ChoiceLikelihoods)


@pytest.mark.parametrize("adds_bos", [False, True])
def test_token_ids_are_read_as_their_text_is(tmp_path: Path, adds_bos: bool) -> None:
    folder = make_checkpoint(tmp_path / "step_1", adds_bos=adds_bos)
    model = LocalModel(folder, spec=f"hf:{folder}", settings=LocalOptions(device="cpu"))
    text = "The machine starts in a minute. " * 30
    ids = model._tokens().encode_batch([text], special=False)[0]
    unknown = [*ids, model._network().vocabulary]
    begun = [model._tokens().prefix_token_id, *ids]
    by_text, by_ids, with_prefix, refused, late, empty = asked(
        model,
        ToRead(text=text),
        ToRead(tokens=ids),
        ToRead(tokens=begun),
        ToRead(tokens=unknown),
        ToRead(tokens=[begun[0], *unknown]),
        ToRead(tokens=[]),
    )
    assert isinstance(with_prefix, ReadText)
    assert with_prefix.tokens == len(ids), "the prefix is fed once, and never predicted"
    alike = with_prefix.log_likelihood == pytest.approx(by_text.log_likelihood)
    assert alike is adds_bos
    assert by_text.tokens == (len(ids) if adds_bos else len(ids) - 1)
    assert f"token {len(unknown) + 1} of the text" in late.reason
    assert isinstance(by_text, ReadText)
    assert isinstance(by_ids, ReadText)
    assert by_ids.log_likelihood == pytest.approx(by_text.log_likelihood)
    assert (by_ids.tokens, by_ids.words, by_ids.bytes) == (by_text.tokens, 0, 0)
    assert isinstance(refused, Failed)
    assert f"token {len(unknown)} of the text" in refused.reason
    assert isinstance(empty, Failed)
    model.close()


@pytest.mark.parametrize("adds_bos", [False, True])
def test_the_loss_of_a_text_is_that_of_transformers(tmp_path: Path, adds_bos: bool) -> None:
    """Behind the BOS that the tokenizer adds, or with a first token that nothing predicts."""
    folder = make_checkpoint(tmp_path / "step_1", adds_bos=adds_bos)
    model = LocalModel(folder, spec=f"hf:{folder}", settings=LocalOptions(device="cpu"))
    text = "The small dog sat beside the machine, and the machine started. " * 4
    short = "The"
    [read, alone, each] = asked(
        model, ToRead(text=text), ToRead(text=short), ToRead(text=text, each_token=True)
    )
    model.close()
    assert isinstance(read, ReadText)
    ids = torch.tensor([AutoTokenizer.from_pretrained(folder)(text).input_ids])
    with torch.inference_mode():
        loss = AutoModelForCausalLM.from_pretrained(folder)(ids, labels=ids).loss.item()
    assert read.tokens == ids.shape[1] - 1
    assert -read.log_likelihood / read.tokens == pytest.approx(loss, abs=1e-4)
    nats, widths = unpack_losses(read.losses)
    assert widths.sum() == len(text), "every byte has a token"
    assert nats.sum() == pytest.approx(-read.log_likelihood, abs=0.05)
    assert (nats[0] > 0) is np.bool_(adds_bos), "the first has no loss unless it is predicted"
    assert isinstance(alone, ReadText)
    assert alone.tokens == (1 if adds_bos else 0), "nothing is predicted of a single token"
    assert isinstance(each, ReadText)
    assert len(each.token_texts) == len(each.logprobs) == len(nats)
    assert each.logprobs[0] is None
    assert None not in each.logprobs[1:]


def test_same_request_same_answer_alone_or_among_others(model: LocalModel) -> None:
    works = [
        to_answer(text, temperature=0.8, seed=seed)
        for seed, text in enumerate(["The", "Which command shows", "Once there was a", "12 plus"])
    ]
    together = asked(model, *works)
    backwards = asked(model, *reversed(works))[::-1]
    alone = [asked(model, work)[0] for work in works]
    texts = [[reply.text for reply in some] for some in (together, backwards, alone)]  # type: ignore[union-attr]
    assert texts[0] == texts[1] == texts[2]


def test_stop_string_ends_an_answer_and_is_not_part_of_it(model: LocalModel) -> None:
    [whole] = asked(model, to_answer("The driver of the", max_tokens=30))
    assert isinstance(whole, Answered)
    middle = whole.text[len(whole.text) // 2]
    [cut] = asked(model, to_answer("The driver of the", max_tokens=30, stop=(middle,)))
    assert isinstance(cut, Answered)
    assert cut.text == whole.text[: whole.text.index(middle)].strip()
    assert not cut.truncated


def test_what_does_not_fit_fails_alone(model: LocalModel) -> None:
    long = "the small dog " * 80
    replies = asked(
        model,
        to_answer(long),
        to_answer("The"),
        ToChoose(messages=user("Which?"), continuations=(long, "no")),
        ToChoose(messages=user("Which?"), continuations=("", "no")),
        ToChoose(messages=user(long), continuations=("yes", "no")),
    )
    assert [type(reply) for reply in replies] == [
        Failed,
        Answered,
        Failed,
        Failed,
        ChoiceLikelihoods,
    ]
    assert isinstance(replies[0], Failed)
    assert replies[0].cause == "prompt_too_long"
    assert "127" in replies[0].reason
    chosen = replies[4]
    assert isinstance(chosen, ChoiceLikelihoods)
    assert chosen.cut > 0
    assert "lost its beginning" in " ".join(model.observed().notes)


def test_stop_gives_up_what_is_left(model: LocalModel) -> None:
    requests = [
        Request(id=str(number), suite="s", test_id="t", turn=0, repeat=0, work=to_answer("The"))
        for number in range(40)
    ]
    replies = model.answer(requests)
    first = next(replies)
    model.stop()
    rest = list(replies)
    assert isinstance(first, Answered)
    assert len(rest) == 39
    assert all(isinstance(reply, Failed) for reply in rest[-5:])


def test_numbers_that_overflow_fail_their_request_and_no_other(folder: Path) -> None:
    model = LocalModel(folder, spec="hf:x", settings=LocalOptions(device="cpu"))
    network = model._network()
    word = model._tokens().encode_batch([" cat"], special=False)[0][0]
    with torch.no_grad():
        network.model.get_input_embeddings().weight[word] = float("nan")
    bad, good, written, chosen = asked(
        model,
        to_answer("The old cat"),
        to_answer("The dog"),
        ToChoose(messages=user("An old cat"), continuations=("sat", "ran")),
        ToChoose(messages=user("An old dog"), continuations=("sat", "ran")),
    )
    assert isinstance(bad, Failed)
    assert "NaN" in bad.reason
    assert isinstance(good, Answered)
    assert isinstance(written, Failed)
    assert isinstance(chosen, ChoiceLikelihoods)
    model.close()


def test_a_model_that_always_overflows_fails_every_request_by_itself(folder: Path) -> None:
    model = LocalModel(folder, spec="hf:x", settings=LocalOptions(device="cpu"))
    with torch.no_grad():
        model._network().model.get_input_embeddings().weight[:] = float("nan")
    replies = asked(model, *(to_answer(f"The {count}") for count in range(17)))
    assert all(isinstance(reply, Failed) and "NaN" in reply.reason for reply in replies)
    model.close()


def test_finite_weights_that_compute_no_numbers_are_refused_before_the_first_question(
    tmp_path: Path,
) -> None:
    folder = make_checkpoint(tmp_path / "diverged", "llama")
    whole = load_file(folder / "model.safetensors")
    whole["model.norm.weight"] = torch.full_like(whole["model.norm.weight"], 3e38)
    save_file(whole, folder / "model.safetensors", metadata={"format": "pt"})
    model = LocalModel(folder, spec="hf:x", settings=LocalOptions(device="cpu"))
    with pytest.raises(ModelUnavailable, match="NaN or infinity") as refused:
        model.probe()
    assert "earlier checkpoint" in refused.value.hint


def test_the_end_of_text_is_the_configs_where_generation_is_silent(tmp_path: Path) -> None:
    folder = make_checkpoint(tmp_path / "silent", "llama")
    free = LocalModel(folder, spec="hf:x", settings=LocalOptions(device="cpu"))
    [whole] = asked(free, to_answer("The small dog"))
    free.close()
    assert isinstance(whole, Answered)
    first = free._tokens().encode_batch([whole.text], special=False)[0][0]
    (folder / "generation_config.json").unlink()
    edit_json(folder / "config.json", lambda config: config.update(eos_token_id=first))
    model = LocalModel(folder, spec="hf:x", settings=LocalOptions(device="cpu"))
    assert first in model._tokens().end_ids(model._ends())


@pytest.mark.parametrize("shape", ["gpt2", "mamba"])
def test_one_checkpoint_is_in_memory_at_a_time(folder: Path, tmp_path: Path, shape: str) -> None:
    from assay.models.local import model as module

    other = make_checkpoint(tmp_path / "step_200", shape, seed=1)
    one = LocalModel(folder, spec="hf:1", settings=LocalOptions(device="cpu"))
    two = LocalModel(other, spec="hf:2", settings=LocalOptions(device="cpu"))
    weights: list[tuple[weakref.ref[torch.nn.Parameter], int]] = []
    turn, together = 0, []

    def register(_module: object, _name: str, parameter: torch.nn.Parameter | None) -> None:
        """Whenever a weight is put into a model, those of earlier turns must be gone."""
        if parameter is not None:
            together.extend(each for each, when in weights if when < turn and each() is not None)
            weights.append((weakref.ref(parameter), turn))

    with torch.nn.modules.module.register_module_parameter_registration_hook(register):
        [before] = asked(one, to_answer("The"))
        turn = 1
        asked(two, to_answer("The"))
        assert module._loaded.owner is two
        turn = 2
        assert asked(one, to_answer("The")) == [before]
    assert {when for _, when in weights} == {0, 1, 2}
    assert together == []
    two.close()  # not its own to let go of
    assert module._loaded.owner is one
    one.close()
    assert module._loaded.network is None


def test_plain_choices_of_a_chat_model_are_those_of_a_base_model(tmp_path: Path) -> None:
    """System prompt, worked examples and turns stand before the question as without a template."""
    chat, base = (
        LocalModel(
            make_checkpoint(tmp_path / name, "llama", chat_template=template),
            spec=f"hf:{name}",
            settings=LocalOptions(device="cpu"),
        )
        for name, template in (("chat", CHAT_TEMPLATE), ("base", None))
    )
    messages = (
        Message("system", "Answer with a letter."),
        Message("user", "Which is red?\nAnswer:"),
        Message("assistant", "B"),
        Message("user", "Which is blue?\nAnswer:"),
    )
    plain = ToChoose(messages=messages, continuations=("A", "B"), plain=True)
    [found, in_template] = asked(chat, plain, replace(plain, plain=False))
    [expected] = asked(base, replace(plain, plain=False))
    assert isinstance(found, ChoiceLikelihoods)
    assert isinstance(expected, ChoiceLikelihoods)
    assert isinstance(in_template, ChoiceLikelihoods)
    assert found.log_likelihoods == pytest.approx(expected.log_likelihoods, abs=1e-5)
    assert found.prompt_tokens == expected.prompt_tokens
    assert in_template.prompt_tokens > found.prompt_tokens
    chat.close()
    base.close()


def test_white_space_at_the_end_of_a_template_is_not_scored(tmp_path: Path) -> None:
    """CHAT_TEMPLATE ends with a line break: the model goes on after it."""
    folder = make_checkpoint(tmp_path / "chat", "llama", chat_template=CHAT_TEMPLATE)
    model = LocalModel(folder, spec="hf:chat", settings=LocalOptions(device="cpu"))
    [reply] = asked(model, ToChoose(messages=user("Is it red?"), continuations=("Yes", "No")))
    assert isinstance(reply, ChoiceLikelihoods)
    tokens = model._tokens()
    prompt = tokens.encode_batch([tokens.render_chat(user("Is it red?"))], special=True)[0]
    assert tokens.decode(prompt).endswith("\n")
    bare = AutoModelForCausalLM.from_pretrained(folder)
    for text, found in zip(("Yes", "No"), reply.log_likelihoods, strict=True):
        ids = tokens.encode_batch([text], special=False)[0]
        with torch.inference_mode():
            logs = bare(torch.tensor([[*prompt, *ids]])).logits[0].log_softmax(-1)
        expected = sum(logs[len(prompt) + at - 1, id].item() for at, id in enumerate(ids))
        assert found == pytest.approx(expected, abs=1e-4)
    model.close()


def test_chat_models_get_their_template_and_reports_say_so(tmp_path: Path) -> None:
    folder = make_checkpoint(tmp_path / "chat", "llama", chat_template=CHAT_TEMPLATE)
    chat = LocalModel(folder, spec="hf:chat", settings=LocalOptions(device="cpu"))
    assert chat.facts.is_chat
    assert "template" in chat.facts.about["prompts"]
    [reply] = asked(chat, to_answer("Hello"))
    assert isinstance(reply, Answered)
    rendered = "[user]\nHello\n[assistant]\n"
    assert reply.prompt_tokens == len(chat._tokens().encode_batch([rendered], special=True)[0])


def test_it_is_computed_with_as_many_threads_as_were_asked_for(folder: Path) -> None:
    before = torch.get_num_threads()
    try:
        asked_for = LocalOptions(device="cpu", threads=before + 1)
        model = LocalModel(folder, spec="hf:x", settings=asked_for)
        model.probe()
        model.close()
        assert torch.get_num_threads() == before + 1
    finally:
        torch.set_num_threads(before)


def test_models_the_tree_cannot_serve_answer_with_a_note(tmp_path: Path) -> None:
    folder = make_checkpoint(tmp_path / "windowed", "gemma2")
    model = LocalModel(folder, spec="hf:w", settings=LocalOptions(device="cpu"))
    replies = asked(
        model,
        to_answer("The", max_tokens=3),
        ToChoose(messages=user("Which?"), continuations=("yes", "no")),
        ToRead(text="The machine starts."),
    )
    assert [type(reply) for reply in replies] == [Answered, ChoiceLikelihoods, ReadText]
    assert "slower way" in model.observed().notes[0]


def test_real_model_writes_what_its_authors_program_writes(shared: Path) -> None:
    folder = shared / "models" / "stories260K"
    reference = json.loads((folder / "reference.json").read_text())
    model = open_model(str(folder))
    assert isinstance(model, LocalModel)
    prompts = list(reference["greedy"])
    replies = asked(model, *(to_answer(prompt, max_tokens=60) for prompt in prompts))
    for prompt, reply in zip(prompts, replies, strict=True):
        assert isinstance(reply, Answered)
        assert reply.text.split()[:20] == reference["greedy"][prompt][len(prompt) :].split()[:20]
    model.close()


# ------------------------------------------------------- one network, and the weights of the next


def test_the_next_of_equal_config_takes_over_the_network_and_answers_as_if_loaded_anew(
    tmp_path: Path,
) -> None:
    for step in (1, 2):
        make_checkpoint(tmp_path / f"step_{step}", seed=step)
    work = to_answer("The driver", max_tokens=8)
    alone = LocalModel(tmp_path / "step_2", spec="alone", settings=LocalOptions(device="cpu"))
    [expected] = asked(alone, work)
    fresh = {name: each.clone() for name, each in weights_in(alone).items()}
    alone.close()
    first, second = (
        LocalModel(tmp_path / f"step_{step}", spec=f"{step}", settings=LocalOptions(device="cpu"))
        for step in (1, 2)
    )
    [other] = asked(first, work)
    kept = first._network().model
    first.close()
    [found] = asked(second, work)
    assert second._network().model is kept
    assert found == expected
    assert other != found
    assert fresh.keys() == weights_in(second).keys()
    assert all(torch.equal(each, fresh[name]) for name, each in weights_in(second).items())
    loaded = weakref.ref(kept)
    del kept
    second.close()
    gc.collect()
    assert loaded() is None, "nobody is left who could use it"


def test_an_open_models_network_is_never_taken_nor_one_of_another_config(
    tmp_path: Path,
) -> None:
    make_checkpoint(tmp_path / "step_1", seed=1)
    make_checkpoint(tmp_path / "step_2", seed=2)
    make_checkpoint(tmp_path / "step_3", context=96)
    first, second, third = (
        LocalModel(tmp_path / f"step_{step}", spec=f"{step}", settings=LocalOptions(device="cpu"))
        for step in (1, 2, 3)
    )
    first.probe()
    network = first._network()
    before = {name: each.clone() for name, each in weights_in(first).items()}
    second.probe()
    assert all(torch.equal(each, before[name]) for name, each in
               network.model.named_parameters())  # fmt: skip
    second.close()
    kept = weakref.ref(network.model)
    del network
    third.probe()
    gc.collect()
    assert kept() is None
    for each in (first, third):
        each.close()


def test_a_network_whose_next_weights_are_no_numbers_is_used_by_nobody(tmp_path: Path) -> None:
    for step in (1, 2, 3):
        make_checkpoint(tmp_path / f"step_{step}", seed=step)
    file = tmp_path / "step_2" / "model.safetensors"
    tensors = load_file(file)
    next(iter(tensors.values())).view(-1)[0] = float("nan")
    save_file(tensors, file, metadata={"format": "pt"})
    first, broken, last = (
        LocalModel(tmp_path / f"step_{step}", spec=f"{step}", settings=LocalOptions(device="cpu"))
        for step in (1, 2, 3)
    )
    [before] = asked(last, to_answer("The driver"))
    first.probe()
    first.close()
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="not a number"):
            broken.probe()
    broken.close()
    assert asked(last, to_answer("The driver")) == [before]
    last.close()


def weights_in(model: LocalModel) -> dict[str, torch.Tensor]:
    return dict(model._network().model.named_parameters())
