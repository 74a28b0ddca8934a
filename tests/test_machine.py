"""The hardware profile: on this machine, and on machines made up of the tools they would have."""

import os
import subprocess
import sys
from dataclasses import fields

import pytest

import assay
from assay.machine import available_memory, gpu_memory, left_in, this_machine
from assay.types import Machine

NVIDIA = "NVIDIA H200, 143771, 550.90.07\nNVIDIA L4, 23034, 550.90.07"
ROCM = (
    '{"card0": {"Card series": "AMD Instinct MI210", "VRAM Total Memory (B)": "68702699520"},'
    ' "system": {"Driver version": "6.2"}}'
)


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Gives this machine tools by name; it has no others."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def give(name, text, code=0):
        tool = tmp_path / name
        lines = "\n".join(f"echo '{line}'" for line in text.splitlines())
        tool.write_text(f"#!/bin/sh\n{lines}\nexit {code}\n")
        tool.chmod(0o755)

    return give


def test_every_fact_of_this_machine_is_found():
    machine = this_machine()
    assert {field.name for field in fields(Machine)} >= {"system", "processor", "gpus"}
    assert machine.system
    assert machine.processor
    assert 1 <= machine.cores <= (os.cpu_count() or 1)
    assert 0 < available_memory() <= machine.memory_bytes
    assert machine.versions["assay"] == assay.__version__
    assert machine.versions["python"] == ".".join(map(str, sys.version_info[:3]))
    assert "httpcore" in machine.versions
    for text in (machine.system, machine.processor, *machine.gpus):
        assert text.isprintable()


def test_torch_is_named_with_its_version_and_never_imported(tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise RuntimeError('imported')")
    (tmp_path / "torch-9.8.7.dist-info").mkdir()
    about = "Metadata-Version: 2.1\nName: torch\nVersion: 9.8.7\n"
    (tmp_path / "torch-9.8.7.dist-info" / "METADATA").write_text(about)
    code = "from assay.machine import this_machine; print(this_machine().versions['torch'])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "9.8.7"


def test_a_machine_without_tools_has_no_gpu(tools):
    if sys.platform == "darwin":
        pytest.skip("the chip of a Mac is found without tools")
    assert this_machine().gpus == ()
    assert gpu_memory() is None


def test_nvidia_cards_are_named_with_memory_and_driver(tools):
    tools("nvidia-smi", NVIDIA)
    assert this_machine().gpus == (
        "NVIDIA H200, 140 GiB, driver 550.90.07",
        "NVIDIA L4, 22 GiB, driver 550.90.07",
    )
    assert gpu_memory() == (143771 + 23034) * 2**20


def test_amd_cards_are_named_with_their_memory(tools):
    tools("rocm-smi", ROCM)
    assert this_machine().gpus == ("AMD Instinct MI210, 64 GiB",)
    assert gpu_memory() == 68702699520


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("NVIDIA-SMI has failed because it could not talk to the driver.", 9),
        ("No devices were found", 0),
        ("", 0),
        ("a, b, c, d", 0),
        ("[1, 2", 0),
    ],
)
def test_a_tool_that_fails_or_says_something_else_names_no_card(tools, text, code):
    tools("nvidia-smi", text, code)
    tools("rocm-smi", text, code)
    assert gpu_memory() is None
    assert this_machine().gpus == ()


def test_a_card_whose_memory_is_not_told_is_named_all_the_same(tools):
    tools("nvidia-smi", "NVIDIA Tegra, [N/A], 540.4.0")
    assert this_machine().gpus == ("NVIDIA Tegra, driver 540.4.0",)
    assert gpu_memory() is None


def test_a_tool_that_hangs_is_given_up(tools, tmp_path):
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(600)\n")
    tool.chmod(0o755)
    assert this_machine().gpus == ()


def test_a_tool_that_cannot_be_started_names_no_card(tools, tmp_path):
    tools("nvidia-smi", NVIDIA)
    (tmp_path / "nvidia-smi").write_bytes(b"\x00\x01 not a program")
    assert this_machine().gpus == ()


def test_a_containers_limit_counts_and_files_in_memory_do_not(tmp_path):
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("700\n")
    assert left_in(tmp_path) == 300
    (tmp_path / "memory.stat").write_text("anon 300\ninactive_file 400\nactive_file 1\n")
    assert left_in(tmp_path) == 700
    (tmp_path / "memory.max").write_text("max\n")
    assert left_in(tmp_path) == sys.maxsize
    assert left_in(tmp_path / "nowhere") == sys.maxsize
