"""`hf:ORG/NAME[@REVISION]`, with a hub on loopback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.models.local.hub import HubName, read_hub_spec
from assay.workflow.checkpoints.places import places_of
from tests.command_runs import run_python
from tests.conftest import Bench
from tests.models.local.checkpoints import make_checkpoint
from tests.servers.hub import COMMIT, Hub, serving

TEST = {
    "id": "word_001",
    "prompt": "Which letter? A or B",
    "eval_method": "multiple_choice",
    "choices": ["a word", "a number"],
    "expected": "A",
}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("hf:org/name", HubName("org/name")),
        ("hf:Org/na.me-2@v1.0", HubName("Org/na.me-2", "v1.0")),
        ("hf:org/name@refs/pr/1", HubName("org/name", "refs/pr/1")),
        ("hf:here/step_1", None),  # a path that exists wins
        ("org/name", None),  # a path that was mistyped is not sent anywhere
        ("hf:name", None),
        ("hf:a/b/c", None),
        ("hf:org/name@../../x", None),
        ("hf:./org/name", None),
    ],
)
def test_a_name_of_the_hub_is_one_that_is_no_path(text, named, tmp_path, monkeypatch):
    (tmp_path / "here" / "step_1").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert read_hub_spec(text) == named


def test_a_model_of_the_hub_has_the_place_of_a_checkpoint_named_singly():
    ((spec, place),) = places_of(["hf:org/name@refs/pr/1"])
    assert spec == "hf:org/name@refs/pr/1"
    assert (place.name, place.folder) == ("org/name@refs-pr-1", None)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A repository as they are on the hub: beside the weights others that nobody here needs."""
    folder = make_checkpoint(
        tmp_path_factory.mktemp("model"), hidden_size=256, intermediate_size=512,
        max_shard_size="2MB",
    )  # fmt: skip
    unwanted = {
        "README.md": b"# Tiny",
        "consolidated.safetensors": b"the same again",
        "modeling_tiny.py": b"raise SystemExit",
        "onnx/model.onnx": b"x",
        "pytorch_model.bin": b"x" * 20_000,
        "tiny.Q4.gguf": b"GGUF",
    }
    return {**{file.name: file.read_bytes() for file in folder.iterdir()}, **unwanted}


def on(hub: Hub, bench: Bench) -> dict[str, str]:
    return {
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(bench.folder / "home"),
        "HF_HUB_OFFLINE": "0",
        "HF_TOKEN": "hf_secret",
    }


def test_a_cut_download_is_continued_by_the_same_command(bench, files):
    words = ["run", "hf:org/tiny@v1", "-s", bench.suite({"letters": [TEST]})]
    with serving({}, {"org/tiny": files}) as hub:
        hub.cut_after = 1_500_000
        stopped = bench.assay(*words, **on(hub, bench))
        assert stopped.returncode == 2
        *told, problem, hint = stopped.stderr.splitlines()
        assert {"hf:org/tiny@v1: loading", "preparing models and suites"} <= set(told)
        assert [line for line in told if line.endswith(" downloaded")][-1] == (
            "hf:org/tiny@v1: 1 MiB of 5 MiB downloaded"
        )
        announced = f"hf:org/tiny@v1: downloading 5 MiB from {hub.url} (commit 111"
        assert any(line.startswith(announced) for line in told)
        assert "hf:org/tiny@v1: the download stopped at 1 MiB of 5 MiB: " in problem
        assert "the same command continues" in hint

        hub.cut_after, hub.is_cut = None, False
        hub.asked.clear()
        done = bench.assay(*words, "--json", **on(hub, bench))
        assert done.returncode == 0, done.stderr
        assert "hf:org/tiny@v1: 5 MiB of 5 MiB downloaded\n" in done.stderr
        stored = [(path, headers) for _, path, headers in hub.asked if path.startswith("/stored")]
        assert stored[0][1]["Range"] == "bytes=1048576-"
        # The token is for the hub, and neither for the host that stores its files nor for us.
        assert not [path for path, headers in stored if "Authorization" in headers]
        assert "hf_secret" not in done.stderr + stopped.stderr + done.stdout
        # What was whole before is not loaded again, and nothing that is not needed.
        assert sorted(hub.loaded()) == sorted(
            name for name in files if name.startswith("model-") and name.endswith(".safetensors")
        )

    (model,) = json.loads(done.stdout)["models"]
    assert model["model"] == "hf:org/tiny@v1"
    assert model["suites"][0]["score"]["n"] == 1
    report = json.loads(
        (bench.out / "checkpoints" / "org" / "tiny@v1" / "evaluation_report.json").read_text()
    )
    assert report["checkpoint"] == "org/tiny@v1"
    assert report["details"]["provenance"]["about"]["commit"] == COMMIT
    cache = Path(on(hub, bench)["HF_HOME"]) / "hub" / "models--org--tiny"
    kept = {path.name for path in (cache / "snapshots" / COMMIT).iterdir()}
    assert kept.isdisjoint({"evaluation_report.json", "modeling_tiny.py", "pytorch_model.bin"})
    assert not list((cache / "blobs").glob("*.part"))


def test_every_mistake_is_shown_before_anything_is_downloaded(bench, files):
    pickle = {"config.json": b"{}", "pytorch_model.bin": b"x"}
    models = {"org/tiny": files, "org/gated": files, "org/pickle": pickle}
    named = ["hf:org/tiny", "hf:org/tiny@nope", "hf:org/gated", "hf:org/pickle", "hf:org/none"]
    with serving({}, models, gated=frozenset({"org/gated"})) as hub:
        done = bench.assay("run", *named, "-s", "not-there", **on(hub, bench))
        assert done.returncode == 2
        for sentence in (
            "not-there",
            "hf:org/tiny@nope: there is no such revision",
            f"name a branch, tag or commit of {hub.url}/org/tiny",
            "hf:org/gated is gated",
            f"accept them at {hub.url}/org/gated, then set HF_TOKEN",
            "hf:org/pickle lacks files that Assay needs: *.safetensors",
            "there is no model hf:org/none",
        ):
            assert sentence in done.stderr
        assert not [name for name in hub.loaded() if not name.endswith(".index.json")]
        assert "downloading" not in done.stderr


def test_without_a_network_a_model_that_is_not_cached_is_a_sentence(bench):
    suite = bench.suite({"letters": [TEST]})
    with serving({}, {}) as hub:
        pass  # nobody listens there any more
    gone = bench.assay("run", "hf:org/tiny", "-s", suite, **on(hub, bench))
    assert gone.returncode == 2
    assert f"hf:org/tiny cannot be read from {hub.url}" in gone.stderr
    assert "check the network" in gone.stderr
    offline = bench.assay(
        "run", "hf:org/tiny", "-s", suite, **{**on(hub, bench), "HF_HUB_OFFLINE": "1"}
    )
    assert offline.returncode == 2
    assert "not in the local cache, and HF_HUB_OFFLINE is set" in offline.stderr


def test_a_whole_copy_in_the_cache_needs_no_network(bench, tmp_path, files):
    fetch = tmp_path / "fetch.py"
    fetch.write_text(
        "import sys\n"
        "from assay.models.local.hub import HubName, fetch_model\n"
        "for name in sys.argv[1:]:\n"
        "    print(fetch_model(HubName(*name.split('@'))))\n"
    )

    def folders(*names: str, **environment: str) -> tuple[list[str], int]:
        """Where they are, and how many were downloaded."""
        done = run_python([str(fetch), *names], tmp_path, {**bench.environment, **environment})
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines(), done.stderr.count("downloading")

    lora = {"adapter_config.json": b"{}", "adapter_model.safetensors": b"x", "README.md": b""}
    with serving({}, {"org/tiny": files, "org/lora": lora}) as hub:
        where = on(hub, bench)
        both, new = folders("org/tiny", "org/lora", **where)
        first, adapter = both
        assert new == 2
        assert {path.name for path in Path(adapter).iterdir()} == {*lora} - {"README.md"}
        hub.asked.clear()
        assert folders(f"org/tiny@{COMMIT}", **where) == ([first], 0)
        assert hub.asked == []
    assert Path(first).name == COMMIT
    offline = {**where, "HF_HUB_OFFLINE": "1"}
    assert folders("org/tiny", "org/lora", **offline) == (both, 0)
    assert folders("org/tiny@main", **where) == ([first], 0)  # the hub is gone
