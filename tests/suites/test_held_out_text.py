"""The text for perplexity: every form it may have, and what is wrong with others."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError, InvalidFiles, UsageError
from assay.suites.held_out_text import load_held_out


def test_without_a_path_it_is_the_text_that_ships() -> None:
    (document,) = load_held_out().documents
    assert len(document.text) > 50_000
    assert load_held_out().digest == load_held_out().digest


def test_plain_text_is_one_document_and_another_text_another_digest(tmp_path: Path) -> None:
    one, other = tmp_path / "a.txt", tmp_path / "b.md"
    one.write_text("\ufeffThe cat.\r\n", encoding="utf-8")
    other.write_text("The dog.\n")
    assert [each.text for each in load_held_out(one).documents] == ["The cat.\r\n"]
    assert load_held_out(one).digest != load_held_out(other).digest


def test_json_lines_hold_texts_or_token_ids(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    lines = [{"text": "One.", "id": 7}, {"input_ids": [1, 2, 3]}]
    file.write_text("\n\n".join(map(json.dumps, lines)))
    first, second = load_held_out(file).documents
    assert (first.text, first.tokens) == ("One.", None)
    assert (second.text, list(second.tokens or ())) == ("", [1, 2, 3])


def test_token_ids_lie_in_numpy_files_and_in_bare_ones(tmp_path: Path) -> None:
    ids = np.array([5, 60_000, 7], dtype=np.uint16)
    np.save(tmp_path / "a.npy", ids)
    ids.tofile(tmp_path / "b.bin")
    ids.astype("<u4").tofile(tmp_path / "c.u32.bin")
    for name in ("a.npy", "b.bin", "c.u32.bin"):
        (document,) = load_held_out(tmp_path / name).documents
        assert document.tokens is not None
        assert [int(each) for each in document.tokens] == [5, 60_000, 7]
        assert isinstance(document.tokens, np.memmap)


@pytest.mark.parametrize(
    ("name", "content", "place", "words"),
    [
        ("a.txt", b"ok\n\xff\xfe", 2, "UTF-8"),
        ("a.txt", b" \n ", 1, "no text"),
        ("a.jsonl", b'{"text": "a"}\nnope\n{"text": 5}', 2, "not JSON"),
        ("a.jsonl", b"", 1, "no text"),
        ("a.jsonl", b'{"txt": "a"}', 1, '"text" or "input_ids"'),
        ("a.jsonl", b'{"input_ids": [1, true]}', 1, "token ids"),
        ("a.jsonl", b'{"input_ids": [-1]}', 1, "token ids"),
        ("a.jsonl", b"[" * 100_000, 1, "not JSON"),
        ("a.bin", b"abc", 1, "3 bytes"),
        ("a.bin", b"", 1, "0 bytes"),
        ("a.npy", b"abc", 1, "NumPy"),
    ],
)
def test_every_mistake_has_its_place(
    tmp_path: Path, name: str, content: bytes, place: int, words: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidFiles) as caught:
        load_held_out(tmp_path / name)
    finding = caught.value.findings[0]
    assert finding.line == place
    assert words in finding.message


def test_numbers_with_a_point_and_tables_are_no_token_ids(tmp_path: Path) -> None:
    for name, array in (("a.npy", np.zeros(3)), ("b.npy", np.zeros((2, 2), int))):
        np.save(tmp_path / name, array)
        with pytest.raises(InvalidFiles, match="1 mistake"):
            load_held_out(tmp_path / name)
    np.save(tmp_path / "n.npy", np.array([1, 2, -5, -6]))
    with pytest.raises(InvalidFiles) as caught:
        load_held_out(tmp_path / "n.npy")
    assert caught.value.findings[0].message == "a token id is below 0"
    np.save(tmp_path / "c.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(InvalidFiles):
        load_held_out(tmp_path / "c.npy")


def test_the_largest_of_all_token_ids_is_known(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([7, 8, 900, 4, 5]))
    assert load_held_out(tmp_path / "a.npy").largest_id == 900
    np.save(tmp_path / "b.npy", np.array([7, 8, 900, 4, -5]))
    with pytest.raises(InvalidFiles) as caught:
        load_held_out(tmp_path / "b.npy")
    assert caught.value.findings[0].message == "a token id is below 0"
    lines = '{"input_ids": [3, 40]}\n{"text": "a dog"}\n{"input_ids": [9, 8]}\n'
    (tmp_path / "c.jsonl").write_text(lines)
    assert load_held_out(tmp_path / "c.jsonl").largest_id == 40
    assert load_held_out().largest_id is None


def test_what_is_not_there_is_refused_with_what_may_be(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load_held_out(tmp_path / "nothing.txt")
    assert "--text" in caught.value.hint


def test_a_folder_is_the_documents_of_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("Second.")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "rows.jsonl").write_text('{"text": "One."}\n{"text": "Two."}\n')
    (tmp_path / ".hidden").write_text("Not this.")
    assert [each.text for each in load_held_out(tmp_path).documents] == ["One.", "Two.", "Second."]


def test_every_wrong_file_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(" ")
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(AssayError) as refused:
        load_held_out(tmp_path)
    assert "a.txt" in str(refused.value)
    assert "b.txt" in str(refused.value)
    with pytest.raises(InvalidFiles, match="no file"):
        load_held_out(_empty(tmp_path / "empty"))


def _empty(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_a_text_with_twelve_headings_is_as_many_documents(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("".join(f"# Part {n}\n\nIt was late.\n\n" for n in range(12)))
    documents = load_held_out(file).documents
    assert [each.text[:9] for each in documents[:2]] == ["# Part 0\n", "# Part 1\n"]
    assert len(documents) == 12
