"""Archives, folders and files of a source that are not what they should be."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError, UsageError
from assay.suites.fetching import archives
from assay.suites.fetching.layouts import hellaswag_files, mmlu_files

from .test_fetching import DEV, PASSAGES, TEST, archive, comma_separated, lines, made, mistakes

TEST_FILE = "data/test/machine_learning_test.csv"
DEV_FILE = "data/dev/machine_learning_dev.csv"
FILES = {
    DEV_FILE: comma_separated(DEV).encode(),
    TEST_FILE: comma_separated(TEST).encode(),
    "data/notes.bin": os.urandom(100_000),
}


def put_in_tar(tarred: tarfile.TarFile, name: str, data: bytes = b"", **about: Any) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in about.items():
        setattr(info, key, value)
    tarred.addfile(info, io.BytesIO(data))


def tar(path: Path, mode: Any = "w", files: dict[str, bytes] = FILES) -> Path:
    with tarfile.open(path, mode) as tarred:
        for name, data in files.items():
            put_in_tar(tarred, name, data)
    return path


@pytest.fixture
def benchmarks(tmp_path: Path) -> Path:
    return tmp_path / "benchmarks"


def refusal(benchmarks: Path, source: Path) -> str:
    with pytest.raises(UsageError) as caught:
        made(benchmarks, "mmlu", source)
    assert not benchmarks.exists()
    return caught.value.message


# ------------------------------------------------------------------------------- broken archives


def spoil_trailer(data: bytes) -> bytes:
    return data[:-8] + bytes([data[-8] ^ 1]) + data[-7:]


def spoil_middle(data: bytes) -> bytes:
    return data[: len(data) // 2] + bytes(64) + data[len(data) // 2 + 64 :]


def cut(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


@pytest.mark.parametrize(
    ("name", "mode", "spoil"),
    [
        ("a.tar.gz", "w:gz", spoil_trailer),
        ("a.tar.gz", "w:gz", spoil_middle),
        ("a.tar.gz", "w:gz", cut),
        ("a.tar.xz", "w:xz", spoil_middle),
        ("a.tar.xz", "w:xz", cut),
        ("a.tar.bz2", "w:bz2", spoil_middle),
        ("a.tar", "w", cut),
        ("a.tar", "w", lambda data: data[:700]),
        ("a.tar", "w", lambda data: b""),
    ],
)
def test_a_broken_tar_file_is_called_broken(
    tmp_path: Path, benchmarks: Path, name: str, mode: str, spoil: Callable[[bytes], bytes]
) -> None:
    path = tar(tmp_path / name, mode)
    assert len(made(tmp_path / "whole", "mmlu", path).categories["computer_science"]) == 2
    path.write_bytes(spoil(path.read_bytes()))
    assert "this archive is broken or incomplete" in refusal(benchmarks, path)


def test_a_damaged_header_is_not_taken_for_the_end(tmp_path: Path, benchmarks: Path) -> None:
    path = tar(tmp_path / "a.tar")
    data = bytearray(path.read_bytes())
    data[data.index(TEST_FILE.encode())] ^= 1
    path.write_bytes(data)
    assert "a header is damaged" in refusal(benchmarks, path)


def test_a_tar_file_that_ends_between_two_files_is_incomplete(
    tmp_path: Path, benchmarks: Path
) -> None:
    path = tar(tmp_path / "a.tar")
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"data/notes.bin")])
    assert "broken or incomplete" in refusal(benchmarks, path)


@pytest.mark.parametrize("left", [0, 4, 200, 100_000])
def test_a_cut_zip_file_is_called_broken(tmp_path: Path, benchmarks: Path, left: int) -> None:
    path = tmp_path / "mmlu.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        for name, data in FILES.items():
            zipped.writestr(name, data)
    path.write_bytes(path.read_bytes()[:left])
    assert "this archive is broken or incomplete" in refusal(benchmarks, path)
    assert "this archive is broken or incomplete" in refusal(benchmarks, tmp_path)


def test_a_zip_file_with_a_broken_lzma_member_is_an_error_and_no_crash(
    tmp_path: Path, benchmarks: Path
) -> None:
    path = tmp_path / "mmlu.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as zipped:
        for name, data in FILES.items():
            zipped.writestr(name, data)
    data = bytearray(path.read_bytes())
    start = data.index(TEST_FILE.encode()) + len(TEST_FILE)
    data[start + 4 : start + 30] = b"\xff" * 26
    path.write_bytes(data)
    (found,) = mistakes(benchmarks, "mmlu", path)
    assert found.startswith("machine_learning_test.csv:1: cannot be read: ")


def test_a_file_that_is_no_archive_is_called_so(tmp_path: Path, benchmarks: Path) -> None:
    (tmp_path / "a.csv").write_text("x")
    assert "neither a folder nor a zip or tar archive" in refusal(benchmarks, tmp_path / "a.csv")


def test_a_tar_file_is_opened_once_however_many_subjects_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tar(tmp_path / "a.tar.gz", "w:gz", {
        f"{split}/subject_{number}_{split}.csv": FILES[DEV_FILE]
        for number in range(20) for split in ("dev", "test")
    })  # fmt: skip
    opened = []
    really = tarfile.open
    monkeypatch.setattr(tarfile, "open", lambda *a, **k: (opened.append(1), really(*a, **k))[1])
    found = mmlu_files(path)
    assert found is not None
    assert (
        len([f.read() for each in found.subjects.values() for s in each.values() for f in s]) == 40
    )
    assert len(opened) == 1


def test_an_archive_that_unpacks_without_end_is_given_up(
    tmp_path: Path, benchmarks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tar(tmp_path / "a.tar.gz", "w:gz", {**FILES, "zeros": bytes(5_000_000)})
    monkeypatch.setattr(archives, "MOST_UNPACKED", 4_000_000)
    assert "holds more than 4 MB" in refusal(benchmarks, path)


# ------------------------------------------------------------------------------------------ links


def test_a_hard_link_to_a_file_of_the_archive_is_read(tmp_path: Path, benchmarks: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tarred:
        for split, data in (("dev", FILES[DEV_FILE]), ("test", FILES[TEST_FILE])):
            put_in_tar(tarred, f"{split}/machine_learning_{split}.csv", data)
            put_in_tar(
                tarred, f"{split}/anatomy_{split}.csv", type=tarfile.LNKTYPE,
                linkname=f"{split}/machine_learning_{split}.csv",
            )  # fmt: skip
    found = mmlu_files(tmp_path / "a.tar")
    assert found is not None
    assert found.subjects["anatomy"]["test"][0].read() == FILES[TEST_FILE]
    assert made(benchmarks, "mmlu", tmp_path / "a.tar", every=True).weights == {
        "computer_science": 2, "computer_science_cloze": 0,
    }  # fmt: skip


@pytest.mark.parametrize("kind", [tarfile.LNKTYPE, tarfile.SYMTYPE])
def test_a_link_that_leads_elsewhere_is_named(
    tmp_path: Path, benchmarks: Path, kind: bytes
) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tarred:
        put_in_tar(tarred, DEV_FILE, FILES[DEV_FILE])
        put_in_tar(tarred, TEST_FILE, type=kind, linkname="store/1.csv")
    assert mistakes(benchmarks, "mmlu", tmp_path / "a.tar") == [
        "machine_learning_test.csv:1: cannot be read: it is a link to 'store/1.csv'; unpack the "
        "archive and name the folder with --from"
    ]


# -------------------------------------------------------------------------------- several copies


def test_of_two_copies_at_the_same_height_none_is_taken(tmp_path: Path, benchmarks: Path) -> None:
    for folder in ("data", "mmlu"):
        archive(tmp_path / folder, machine_learning=TEST)
    assert "several copies" in (message := refusal(benchmarks, tmp_path))
    assert message.endswith("may be meant: data/, mmlu/")
    archive(tmp_path, machine_learning=TEST)
    found = mmlu_files(tmp_path)
    assert found is not None
    assert found.subjects["machine_learning"]["test"][0].name == "test/machine_learning_test.csv"


def test_a_copy_that_lies_higher_wins_however_long_its_name(tmp_path: Path) -> None:
    long = "a_very_long_name_of_a_folder/"
    names = [name.replace("data/", top) for top in (long, "a/b/") for name in (DEV_FILE, TEST_FILE)]
    found = mmlu_files(tar(tmp_path / "a.tar", files=dict.fromkeys(names, b"x")))
    assert found is not None
    assert found.subjects["machine_learning"]["test"][0].name.startswith(long)


def test_of_two_archives_in_a_folder_none_is_taken(tmp_path: Path, benchmarks: Path) -> None:
    tar(tmp_path / "mmlu.tar")
    tar(tmp_path / "data.tar")
    assert refusal(benchmarks, tmp_path).endswith("may be meant: mmlu.tar, data.tar")


def test_a_link_to_the_same_folder_is_no_second_copy(tmp_path: Path) -> None:
    archive(tmp_path / "data", machine_learning=TEST)
    (tmp_path / "mmlu").symlink_to("data")
    assert mmlu_files(tmp_path) is not None


def test_two_copies_of_hellaswag_at_the_same_height_are_both_named(tmp_path: Path) -> None:
    for folder in ("data", "hellaswag"):
        lines(tmp_path / folder, PASSAGES)
    with pytest.raises(UsageError, match=r"data.hellaswag_val\.jsonl, hellaswag.hellaswag_val"):
        hellaswag_files(tmp_path)


def test_names_of_files_cannot_write_on_the_terminal(tmp_path: Path) -> None:
    for name in ("hellaswag_val_\x1b[31m.jsonl", "hellaswag_val_2.jsonl"):
        lines(tmp_path, PASSAGES, name)
    with pytest.raises(UsageError) as caught:
        hellaswag_files(tmp_path)
    assert caught.value.message.isprintable()


def test_only_mmlu_comes_as_an_archive(tmp_path: Path, benchmarks: Path) -> None:
    with pytest.raises(UsageError, match="is an archive, and only MMLU comes as one") as caught:
        made(benchmarks, "hellaswag", tar(tmp_path / "a.tar.gz", "w:gz"))
    assert "unpack it" in caught.value.hint


# --------------------------------------------------------------------- what is no file or folder


def test_a_pipe_in_a_copy_is_an_error_and_is_not_waited_for(
    tmp_path: Path, benchmarks: Path
) -> None:
    source = archive(tmp_path / "a", machine_learning=TEST)
    (source / "test" / "machine_learning_test.csv").unlink()
    os.mkfifo(source / "test" / "machine_learning_test.csv")
    assert mistakes(benchmarks, "mmlu", source) == [
        "machine_learning_test.csv:1: cannot be read: it is a folder, pipe or device, and no file"
    ]
    os.mkfifo(tmp_path / "hellaswag_val.jsonl")
    assert "no file" in mistakes(benchmarks, "hellaswag", tmp_path)[0]


def test_a_device_in_a_copy_is_not_read_for_ever(tmp_path: Path, benchmarks: Path) -> None:
    source = archive(tmp_path / "a", machine_learning=TEST)
    (source / "test" / "machine_learning_test.csv").unlink()
    (source / "test" / "machine_learning_test.csv").symlink_to("/dev/zero")
    assert "no file" in mistakes(benchmarks, "mmlu", source)[0]
    with pytest.raises(AssayError, match="'/dev/zero' is neither a folder nor a file"):
        made(benchmarks, "mmlu", Path("/dev/zero"))


def test_a_split_that_may_not_be_listed_is_not_taken_for_a_missing_one(
    tmp_path: Path, benchmarks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = archive(tmp_path / "a", machine_learning=TEST)
    really = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path) == source / "test":
            raise PermissionError(13, "Permission denied")
        return really(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert refusal(benchmarks, source).endswith("test cannot be read: Permission denied")
