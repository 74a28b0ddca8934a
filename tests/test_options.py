"""An option is defined once: commands, functions and the command that repeats a run agree."""

import inspect
import shlex
from pathlib import Path

import pytest

from assay import api
from assay.interfaces.cli import COMMANDS, load_command
from assay.types.option_fields import options_of
from assay.types.options import PromptOptions, RunOptions, StoredAnswerOptions, WatchOptions

CLASSES = {
    "run": RunOptions,
    "ask": PromptOptions,
    "watch": WatchOptions,
    "judge": StoredAnswerOptions,
}


def parsed(*words):
    command = load_command("run")
    with command.make_context("run", list(words)) as context:
        return context.params


@pytest.mark.parametrize("name", CLASSES)
def test_a_command_and_its_function_take_the_same_options(name):
    typed = {parameter.name for parameter in load_command(name).params}
    called = set(inspect.signature(getattr(api, name)).parameters)
    wanted = set(options_of(CLASSES[name]))
    assert wanted <= typed
    assert wanted <= called


def test_the_command_that_repeats_a_run_means_the_same_options(tmp_path):
    folder = tmp_path / "tokenizer"
    folder.mkdir()
    options = RunOptions(
        ["scripted:a b.json"], suites=["one", "two"], categories="x", limit=3, repeats=2, seed=5,
        timeout=2.5, judges=["openai:j@http://me:secret@host/v1"], judge_form="reasoned",
        allow_code_execution=True, gate="g.toml", write_back=False, log=["tensorboard:events"],
        tokenizer=folder, num_ctx=512, system="Be brief.", out="here",
    )  # fmt: skip
    command = options.command_line("run", *options.models)
    assert "secret" not in command
    params = parsed(*shlex.split(command.replace("http://host", "http://me:secret@host"))[2:])
    for name in options_of(RunOptions):
        assert params[name] == getattr(options, name), name


def test_fresh_and_budget_are_no_part_of_the_command_that_repeats_a_run():
    options = RunOptions("scripted:a.json", fresh=True, budget=3.0)
    assert options.command_line("run", *options.models) == "assay run scripted:a.json"


def test_a_text_is_taken_for_one_of_several_and_for_a_path():
    options = RunOptions("scripted:a.json", suites="example", gate="g.toml")
    assert (options.models, options.suites) == (("scripted:a.json",), ("example",))
    assert options.gate == Path("g.toml")


@pytest.mark.parametrize("name", COMMANDS)
def test_no_two_parameters_of_a_command_share_a_name(name):
    names = [parameter.name for parameter in load_command(name).params]
    assert len(names) == len(set(names))
