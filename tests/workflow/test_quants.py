"""`assay quants`: what is in files, refusals, the choice, and the command whole on real files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from assay import api
from assay.decide.keeping import chosen, held
from assay.errors import AssayError, Refusals
from assay.interfaces.cli.run import quants as quants_command
from assay.models.local.gguf.contents import contents_of, find_gguf, first_difference, served_as
from assay.reports.measured.quants import quants_document
from assay.types.documents import Picture
from assay.types.measured.quants import QuantFile, QuantLimits
from assay.workflow.commands.served_speed import measure_served
from tests.models.local.checkpoints import make_checkpoint
from tests.models.local.gguf.gguf_files import write_gguf
from tests.servers.llama_cpp import llama_cpp_server

TEXT = "The driver of the network card is loaded when the machine starts.\n" * 180
TYPES = {"F16": 1, "Q8_0": 7, "Q4_0": 2}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quants")
    make_checkpoint(folder / "base", "llama")
    make_checkpoint(folder / "wide", "llama", vocabulary=350)
    for kind, number in TYPES.items():
        file = folder / f"model-{kind}.gguf"
        write_gguf(folder / "base", file, kind, fields={"general.file_type": number})
    write_gguf(folder / "wide", folder / "other-Q4_0.gguf", "Q4_0")
    write_gguf(folder / "base", folder / "named-Q4_K.gguf", "Q4_0",
               fields={"general.file_type": 15})  # fmt: skip
    (folder / "text.txt").write_text(TEXT, "utf-8")
    tests = [
        {"id": f"t{n}", "prompt": f"Number {n}:", "eval_method": "multiple_choice",
         "expected": "AB"[n % 2], "choices": ["yes", "no"], "score_by": "text"}
        for n in range(12)
    ]  # fmt: skip
    written = {"id": "w", "prompt": "Say hello.", "eval_method": "exact_match", "expected": "hello"}
    (folder / "choices").mkdir()
    (folder / "choices" / "suite.json").write_text('{"language": "fr"}', "utf-8")
    (folder / "choices" / "numbers.json").write_text(json.dumps([*tests, written]), "utf-8")
    (folder / "written").mkdir()
    (folder / "written" / "words.json").write_text(json.dumps([written]), "utf-8")
    return folder


def asked(home, *names, **options):
    files = [str(home / f"model-{name}.gguf") for name in names]
    told = {"suites": [str(home / "choices")], "text": home / "text.txt", "out": home / "out"}
    return api.quants(files, **told | {"measure_speed": False} | options)


@pytest.fixture(scope="module")
def found(home):
    return asked(home, "Q4_0", "F16", "Q8_0")


def test_the_base_is_the_file_with_most_bits(found):
    assert found.base == "model-F16" == found.rows[0].file.name
    assert [row.file.label for row in found.rows] == ["F16", "Q8_0", "Q4_0"]
    assert [row.file.quantised for row in found.rows] == [False, True, True]
    bits = [row.file.bits for row in found.rows]
    assert bits == sorted(bits, reverse=True)


def test_drift_grows_as_bits_go(found):
    base, eight, four = found.rows
    assert base.drift is None
    assert 0 < eight.drift.kl.value < four.drift.kl.value


def test_only_tests_read_by_likelihood_are_asked_and_paired(found):
    for row in found.rows:
        (suite,) = row.suites
        assert (suite.score.n, suite.language) == (12, "fr")
    assert found.rows[1].suites[0].against.difference.n == 12


def test_a_model_that_guesses_is_said_to_guess(found):
    assert not found.told_apart
    said = found.headline
    assert "by drift alone: the base only guesses in every suite" in said


def test_the_same_command_reads_what_is_kept(home, found):
    kept = {path.name: path.stat().st_mtime_ns for path in (home / "out" / "quants").iterdir()}
    again = asked(home, "Q4_0", "F16", "Q8_0")
    assert [row.drift for row in again.rows] == [row.drift for row in found.rows]
    now = {path.name: path.stat().st_mtime_ns for path in (home / "out" / "quants").iterdir()}
    assert now == kept


def test_a_quantised_base_is_named(home):
    said = api.render(asked(home, "Q8_0", "Q4_0"), "md")
    assert "The base model-Q8_0 is itself quantised (Q8_0" in " ".join(said.split())
    assert "these files do not show what quantising cost" in " ".join(said.split())


def test_mistakes_are_all_told_before_anything_is_asked(home, tmp_path):
    (tmp_path / "cut.gguf").write_bytes((home / "model-F16.gguf").read_bytes()[:900])
    files = [str(home / "model-F16.gguf"), str(tmp_path / "cut.gguf"), str(tmp_path / "no.gguf")]
    with pytest.raises(Refusals) as told:
        api.quants(files, suites=[str(home / "written")], out=tmp_path / "out")
    said = str(told.value)
    assert "cut.gguf" in said
    assert "no.gguf" in said
    assert "has no test that is read by likelihood" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("second", ["other-Q4_0.gguf", "model-F16.gguf"])
def test_files_of_other_models_and_the_same_file_are_refused(home, second):
    with pytest.raises(AssayError, match=r"not made from the same model|are the same file"):
        api.quants([str(home / "model-F16.gguf"), str(home / second)], out=home / "refused")


def test_types_that_do_not_fit_are_named(home):
    fallbacks = contents_of(home / "named-Q4_K.gguf").fallbacks
    assert {each.kind for each in fallbacks} <= {"Q4_0", "F32"}
    assert all(each.row % 256 for each in fallbacks)
    assert sum(each.tensors for each in fallbacks) > 0
    assert contents_of(home / "model-Q4_0.gguf").fallbacks == ()


def test_norms_tell_two_trainings_of_one_shape_apart(home):
    one, other = home / "model-F16.gguf", home / "model-Q4_0.gguf"
    assert first_difference(one, other) is None
    assert first_difference(one, home / "other-Q4_0.gguf")


def keep_as_ollama_does(models, tag, file):
    """In the folder of its models, as `tiny:TAG`."""
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    manifests = models / "manifests/registry.ollama.ai/library/tiny"
    manifests.mkdir(parents=True, exist_ok=True)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"}
    (manifests / tag).write_text(json.dumps({"layers": [layer]}), "utf-8")
    (models / "blobs").mkdir(exist_ok=True)
    blob = models / "blobs" / f"sha256-{digest}"
    blob.write_bytes(file.read_bytes())
    return blob


def test_tags_are_blobs_of_ollama(home, tmp_path, monkeypatch):
    blob = keep_as_ollama_does(tmp_path, "q4", home / "model-Q4_0.gguf")
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path))
    for name in ("tiny:q4", "ollama:tiny:q4", "gguf:ollama/tiny:q4"):
        assert find_gguf(name) == blob
        assert served_as(name) == "ollama:tiny:q4"
    assert served_as(str(blob)) == ""


def test_tags_are_timed_as_the_ollama_that_runs_serves_them(
    home, tmp_path, start_ollama, monkeypatch
):
    """Speed and memory are its own figures, all else is read from its blobs."""
    for tag, kind in (("f16", "F16"), ("q4", "Q4_0")):
        keep_as_ollama_does(tmp_path, tag, home / f"model-{kind}.gguf")
    server = start_ollama(also=["tiny:f16=1", "tiny:q4=1"])
    server.answers({"*": " ".join(f"word{n}" for n in range(80))})
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path))
    monkeypatch.setenv("OLLAMA_HOST", server.url)
    args = ["tiny:q4", "tiny:f16", "-s", str(home / "choices"), "--text", str(home / "text.txt")]
    args += ["--max-kl", "100", "--max-drop", "1"]  # of weights that were drawn, not trained
    result = CliRunner().invoke(quants_command, [*args, "--json", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["base"], found["keep"]) == ("tiny:f16", "tiny:q4")
    timed = {one.body["model"] for one in server.asked}
    assert timed == {"tiny:f16", "tiny:q4"}
    for row in found["rows"]:
        assert row["speed"]["by"] == "Ollama"
        assert row["speed"]["decode"]["value"] > 0
        assert row["speed"]["memory"]["value"] > 0
        assert row["suites"][0]["score"]["method"] == "wilson"
    differs = found["rows"][1]["suites"][0]
    assert (differs["language"], differs["against"]["difference"]["n"]) == ("fr", 12)


def test_the_smallest_without_a_loss_beyond_the_limits_is_kept(found):
    limits = QuantLimits(max_drop=2.0, max_kl=1e9)
    rows = [held(row, limits) for row in found.rows]
    assert chosen(rows) is rows[-1]
    drift = rows[-1].drift.kl.value
    rows = [held(row, replace(limits, max_kl=drift / 2)) for row in found.rows]
    assert rows[-1].missed == ("max_kl",)
    assert chosen(rows) is not rows[-1]
    lost = rows[1].suites[0].against
    difference = replace(lost.difference, value=-30.0, low=-45.0, high=-15.0)
    suite = replace(
        rows[1].suites[0], against=replace(lost, difference=difference, adjusted_p=0.01)
    )
    row = held(replace(rows[1], suites=(suite,)), limits)
    assert (row.missed, row.lost_in) == (("max_drop",), (suite.suite,))
    suite = replace(suite, against=replace(suite.against, adjusted_p=0.2))
    row = held(replace(rows[1], suites=(suite,)), limits)
    assert (row.missed, row.open) == ((), (suite.suite,))


def test_the_picture_and_the_schema_are_of_this_document(found):
    from jsonschema import validate

    (picture,) = (b for b in quants_document(found).blocks if isinstance(b, Picture))
    assert "model-Q4_0" in picture.draw()
    validate(found.to_dict(), api.schema("quants"))


def test_the_command_whole_on_a_server_of_the_file(home):
    pytest.importorskip("xllamacpp", reason="the wheel is made for Linux only")
    files = [str(home / f"model-{name}.gguf") for name in ("F16", "Q8_0")]
    args = [*files, "-s", str(home / "choices"), "--text", str(home / "text.txt")]
    result = CliRunner().invoke(quants_command, [*args, "--out", str(home / "out")])
    assert result.exit_code == 0, result.output
    assert "keep model-Q8_0" in " ".join(result.output.split())


def test_a_server_that_has_the_file_open_already_is_the_one_that_is_timed(shared):
    file = shared / "models" / "stories260K" / "gguf" / "stories260K-f32.gguf"
    about = contents_of(file)._asdict()
    asked = QuantFile(name="stories", spec=f"gguf:{file}", path=str(file), **about)
    with llama_cpp_server(file) as port:
        url = f"http://127.0.0.1:{port}"
        found = measure_served(asked, [url], 60.0)
    assert (found.by, found.why_not) == (url, "")
    assert found.decode.value > 0
    assert found.memory.value == pytest.approx(1.695488), "weights and cache"
