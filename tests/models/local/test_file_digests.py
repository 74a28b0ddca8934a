"""Digests of weight files: read once for each state of a file, and before they are asked for."""

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.models.local.file_digests import (
    LARGE,
    SETTLED_NS,
    begin_digests,
    digest_of,
    read_ahead,
)
from tests.waiting import wait_for


def test_a_digest_is_that_of_the_bytes_and_begun_ahead_it_is_the_same(tmp_path: Path) -> None:
    files = [tmp_path / f"{n}.safetensors" for n in range(6)]
    for number, file in enumerate(files):
        file.write_bytes(bytes([number]) * 1000)
    begin_digests([*files, tmp_path / "none"])
    read_ahead([*files, tmp_path / "none"])
    found = [digest_of(file) for file in files]
    assert found == [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]


def test_a_link_is_read_with_its_file_and_a_file_written_over_is_read_again(tmp_path: Path) -> None:
    file, link = tmp_path / "a", tmp_path / "b"
    file.write_bytes(b"one")
    os.link(file, link)
    assert digest_of(file) == digest_of(link)
    before = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # its size and time are as before
    assert digest_of(file) == hashlib.sha256(b"two").hexdigest() == digest_of(link)


def test_a_file_that_could_not_be_read_is_tried_again(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="none"):
        digest_of(tmp_path / "none")
    (tmp_path / "none").write_bytes(b"there")
    assert digest_of(tmp_path / "none") == hashlib.sha256(b"there").hexdigest()


def digest_in_another_process(file: Path, caches: Path) -> str:
    ask = (
        "import sys; from pathlib import Path; from assay.models.local.file_digests import *; "
        "print(digest_of(Path(sys.argv[1])))"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(caches), "HOME": str(caches)}
    done = subprocess.run(
        [sys.executable, "-c", ask, str(file)], env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return done.stdout.strip()


@pytest.mark.skipif(sys.platform != "linux", reason="the folder of caches is elsewhere")
def test_a_large_file_is_read_once_for_all_processes_until_it_changes(tmp_path: Path) -> None:
    """What is kept is falsified, so that it shows whether a process took it or read the file."""
    caches, file = tmp_path / "caches", tmp_path / "large.gguf"
    with file.open("wb") as made:
        made.truncate(LARGE)
    true = hashlib.sha256(bytes(LARGE)).hexdigest()
    kept = caches / "assay" / "digests.json"
    wait_for(lambda: time.time_ns() - file.stat().st_ctime_ns > SETTLED_NS)
    assert digest_in_another_process(file, caches) == true
    (name,) = json.loads(kept.read_text("utf-8"))
    kept.write_text(json.dumps({name: "f" * 64}), "utf-8")
    assert digest_in_another_process(file, caches) == "f" * 64, "the file was not read"
    before = file.stat()
    with file.open("r+b") as written:
        written.write(b"x")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    changed = hashlib.sha256(b"x" + bytes(LARGE - 1)).hexdigest()
    assert digest_in_another_process(file, caches) == changed
    for broken in ("", "[1]", '{"a": 5}', "{" * 100_000):
        kept.write_text(broken, "utf-8")
        assert digest_in_another_process(file, caches) == changed


def test_small_files_are_not_kept(tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(b"few bytes")
    os.utime(tmp_path / "small", (1, 1))
    digest_in_another_process(tmp_path / "small", tmp_path / "caches")
    assert not (tmp_path / "caches" / "assay").exists()
