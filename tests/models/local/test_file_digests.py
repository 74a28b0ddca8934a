"""Digests of weight files: read once for each state of a file, and before they are asked for."""

import hashlib
import os
from pathlib import Path

import pytest

from assay.models.local.file_digests import begin_digests, digest_of, read_ahead


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
