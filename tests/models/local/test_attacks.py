"""Checkpoints that ended in a traceback, or in none, once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from assay.errors import ModelUnavailable
from assay.models.local.model import LocalModel
from assay.models.local.tokens.tokenizer import LocalTokenizer
from assay.types import Failed, Message, Request, ToRead, ToTime
from assay.types.options import LocalOptions
from tests.models.local.checkpoints import make_checkpoint


def _changed(folder: Path, name: str, **about: Any) -> Path:
    file = folder / name
    told = json.loads(file.read_text("utf-8")) if file.exists() else {}
    file.write_text(json.dumps(told | about), "utf-8")
    return folder


def _opened(folder: Path) -> LocalModel:
    model = LocalModel(folder, spec=str(folder), settings=LocalOptions(device="cpu"))
    model.probe()
    return model


def test_a_bos_that_only_the_settings_know_is_refused_before_it_is_fed(tmp_path: Path) -> None:
    folder = _changed(make_checkpoint(tmp_path), "tokenizer_config.json", bos_token="<unheard-of>")
    with pytest.raises(ModelUnavailable, match=r"token ids up to 384.*knows only 384"):
        _opened(folder)


@pytest.mark.parametrize("layers", [0, -1, 10**9])
def test_a_number_of_layers_that_no_file_can_hold_is_refused(tmp_path: Path, layers: int) -> None:
    folder = _changed(make_checkpoint(tmp_path), "config.json", num_hidden_layers=layers)
    with pytest.raises(ModelUnavailable, match=f"asks for {layers} layers"):
        _opened(folder)


def test_a_decoder_of_too_many_layers_is_refused_before_it_is_built(tmp_path: Path) -> None:
    folder = _changed(
        make_checkpoint(tmp_path),
        "config.json",
        model_type="bart",
        architectures=["BartForCausalLM"],
        decoder_layers=10**9,
    )
    with pytest.raises(ModelUnavailable, match="asks for 1000000000 layers"):
        _opened(folder)


@pytest.mark.parametrize(
    ("named", "ends"), [(7, {0, 7}), ([7, 8], {0, 7, 8}), (1.5, {0}), ("7", {0}), ([[7]], {0})]
)
def test_only_whole_numbers_end_a_text(tmp_path: Path, named: object, ends: set[int]) -> None:
    tokenizer = LocalTokenizer.load(make_checkpoint(tmp_path))
    own = tokenizer.end_ids()
    assert tokenizer.end_ids(named) == (ends - {0}) | own


@pytest.mark.parametrize(
    "template",
    [
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
        "{{ messages.__class__.__mro__ }}",
    ],
)
def test_a_template_that_runs_away_is_refused(tmp_path: Path, template: str) -> None:
    tokenizer = LocalTokenizer.load(make_checkpoint(tmp_path, chat_template=template))
    with pytest.raises(ModelUnavailable, match="chat template"):
        tokenizer.render_chat([Message("user", "Which driver?")])


def test_timing_more_tokens_than_the_context_holds_fails_with_that_reason(tmp_path: Path) -> None:
    model = _opened(make_checkpoint(tmp_path))
    work = ToTime(prompt_tokens=1000, new_tokens=5)
    asked = Request(id="t", suite="s", test_id="t", turn=0, repeat=0, work=work)
    (reply,) = model.answer([asked])
    model.close()
    assert isinstance(reply, Failed)
    assert "1005 tokens do not fit" in reply.reason


def test_a_text_that_does_not_fit_fails_alone(tmp_path: Path) -> None:
    model = _opened(make_checkpoint(tmp_path))
    model.probe()

    def full(_module: object, _given: object, named: dict[str, torch.Tensor]) -> None:
        if named["input_ids"].shape[1] > 40:
            raise torch.OutOfMemoryError("no room")

    weights = model._network().model.base_model
    weights.register_forward_pre_hook(full, with_kwargs=True)
    texts = ["a short text", "", "The driver of the card. " * 40, "another one"]
    asked = [
        Request(id=str(number), suite="s", test_id="t", turn=0, repeat=0, work=ToRead(text=text))
        for number, text in enumerate(texts)
    ]
    found = {reply.request_id: reply.kind for reply in model.answer(asked)}
    model.close()
    assert found == {"0": "read", "1": "failed", "2": "failed", "3": "read"}
