"""sources.tsv: where a suite's facts come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.workflow.commands.discover.catalogue import facts_by_source

TESTS = ("a_001", "a_002")
HEAD = "test\tfact\tsource\twhere\n"


def written(folder: Path, text: str | bytes) -> Path:
    data = text if isinstance(text, bytes) else text.encode()
    (folder / "sources.tsv").write_bytes(data)
    return folder


def test_facts_are_counted_by_source_most_first(tmp_path: Path) -> None:
    rows = "a_001\tx\tpci.ids\t1\na_001\ty\tman ls\t2\na_002\tz\tman ls\t3\n"
    found = facts_by_source(written(tmp_path, HEAD + rows), TESTS)
    assert [*found.items()] == [("man ls", 2), ("pci.ids", 1)]


def test_facts_about_other_tests_are_not_counted(tmp_path: Path) -> None:
    rows = "a_001\tx\tpci.ids\t1\nb_001\ty\tpci.ids\t2\n"
    assert facts_by_source(written(tmp_path, HEAD + rows), TESTS) == {"pci.ids": 1}


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    rows = (HEAD + "a_001\tx\tpci.ids\t1\n").encode("utf-8-sig")
    assert facts_by_source(written(tmp_path, rows), TESTS) == {"pci.ids": 1}


def test_a_suite_without_the_file_has_no_sources(tmp_path: Path) -> None:
    assert facts_by_source(tmp_path, TESTS) == {}


@pytest.mark.parametrize("rest", ["", "a\tb\n", HEAD + "a_001\tx\n", b"\xff\xfe\n"])
def test_half_a_table_names_no_source(tmp_path: Path, rest: str | bytes) -> None:
    assert facts_by_source(written(tmp_path, rest), TESTS) == {}
