"""Which checkpoints a path means."""

from __future__ import annotations

from pathlib import Path

from assay.workflow.checkpoints.places import CheckpointPlace, places_of


def checkpoint(folder: Path, *, with_weights: bool = True) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text("{}")
    if with_weights:
        (folder / "model.safetensors").touch()
    return folder


def named(*specs: str) -> list[str | None]:
    return [place.name if place else None for _, place in places_of(specs)]


def test_a_checkpoint_is_itself_whatever_lies_in_it(tmp_path: Path) -> None:
    one = checkpoint(tmp_path / "run" / "step_100")
    (one / "logs").mkdir()
    checkpoint(one / "onnx", with_weights=False)
    ((spec, place),) = places_of([str(one)])
    assert (spec, place.name, place.step, place.folder) == (str(one), "run/step_100", 100.0, None)


def test_no_name_leads_out_of_the_folder_of_reports() -> None:
    for path in ("/model", "/"):
        place = CheckpointPlace(
            spec=path, path=Path(path), parent=Path(path).parent.name, step_name="x"
        )
        assert place.name == "root/x"


def test_steps_are_ordered_by_their_last_number_and_the_folder_itself_is_final(
    tmp_path: Path,
) -> None:
    for name in ("checkpoint-1000", "checkpoint-900", "v2_step_50", ".cache"):
        checkpoint(tmp_path / "run" / name)
    (tmp_path / "run" / "logs").mkdir()
    run = str(tmp_path / "run")
    assert named(run) == ["run/v2_step_50", "run/checkpoint-900", "run/checkpoint-1000"]
    checkpoint(tmp_path / "run")
    found = places_of([run])
    assert found[-1][1].name == "run/final"
    assert found[-1][1].step is None
    assert [place.path for _, place in found][-1] == tmp_path / "run"
    assert all(place.folder == tmp_path / "run" and place.top is None for _, place in found)


def test_a_folder_of_model_folders_has_the_steps_of_each(tmp_path: Path) -> None:
    checkpoint(tmp_path / "b" / "step_2")
    checkpoint(tmp_path / "a" / "step_1")
    checkpoint(tmp_path / "a")
    checkpoint(tmp_path / "step_9")
    found = [place for _, place in places_of([str(tmp_path)])]
    assert [place.name for place in found] == [
        "a/step_1",
        "a/final",
        "b/step_2",
        f"{tmp_path.name}/step_9",
    ]
    assert {place.top for place in found} == {tmp_path}


def test_model_folders_of_one_name_do_not_share_their_reports(tmp_path: Path) -> None:
    one = checkpoint(tmp_path / "x" / "run" / "step_1").parent
    other = checkpoint(tmp_path / "y" / "run" / "step_1").parent
    first, second = named(str(one), str(other))
    assert first != second
    assert first.startswith("run-")


def test_a_checkpoint_with_parts_of_its_own_is_a_step_of_its_folder(tmp_path: Path) -> None:
    run = tmp_path / "run"
    checkpoint(run / "step_1")
    checkpoint(run / "step_2")
    checkpoint(run / "step_1" / "onnx", with_weights=False)
    checkpoint(run / "step_2" / "1_Pooling", with_weights=False)
    assert named(str(run)) == ["run/step_1", "run/step_2"]
    assert {place.top for _, place in places_of([str(run)])} == {None}


def test_a_step_without_weights_is_a_step_where_others_have_some(tmp_path: Path) -> None:
    run = checkpoint(tmp_path / "run")
    checkpoint(run / "step_1", with_weights=False)
    checkpoint(run / "step_2")
    assert named(str(run)) == ["run/step_1", "run/step_2", "run/final"]


def test_links_that_lead_back_up_or_nowhere_are_not_followed(tmp_path: Path) -> None:
    run = checkpoint(tmp_path / "models" / "run" / "step_1").parent
    (run / "loop").symlink_to(".")
    (run / "step_8").symlink_to("../run")
    (run / "step_9").symlink_to("../..")
    (run / "gone").symlink_to("nowhere")
    (run / "here").symlink_to("there")
    (run / "there").symlink_to("here")
    assert named(str(run)) == ["run/step_1"]
    assert named(str(tmp_path / "models")) == ["run/step_1"]
    elsewhere = checkpoint(tmp_path / "disk" / "x")
    (run / "step_2").symlink_to(elsewhere)
    assert named(str(run)) == ["run/step_1", "run/step_2"]


def test_what_was_named_beside_its_folder_is_of_the_folder(tmp_path: Path) -> None:
    run = checkpoint(tmp_path / "models" / "run" / "step_1").parent
    checkpoint(run / "step_2")
    (tmp_path / "link").symlink_to(run / "step_2")
    steps = ["run/step_1", "run/step_2"]
    for specs in (
        [str(run), str(run / "step_1")],
        [str(run / "step_1"), str(run)],
        [f"hf:{run / 'step_1'}", str(run)],
        [str(tmp_path / "link"), str(run)],
        [str(run), str(run)],
        [str(run.parent), str(run)],
    ):
        assert named(*specs) == steps, specs
        assert all(place.folder == run for _, place in places_of(specs))
    apart = checkpoint(tmp_path / "other" / "step_3")
    assert named(str(apart), str(run)) == ["other/step_3", *steps]
    twice = [str(run / "step_1")] * 2
    assert named(*twice) == ["run/step_1"] * 2  # a mistake, which is refused


def test_what_is_no_folder_is_left_to_whoever_opens_it(tmp_path: Path) -> None:
    specs = ["ollama:llama3.2:3b", "scripted:a.json", str(tmp_path / "nothing"), "hf:"]
    assert places_of(specs) == [(spec, None) for spec in specs]


def test_a_folder_whose_name_reads_like_a_server_is_opened_as_a_folder(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    checkpoint(tmp_path / "ollama:x" / "step_1")
    ((spec, _),) = places_of(["hf:ollama:x"])
    assert spec == "hf:ollama:x/step_1"
