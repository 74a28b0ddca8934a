"""The prose of the corpus: Debian packages by name, as clean English documents in one file.

    python examples/train_tiny/corpus.py --work DIR --out corpus.jsonl.xz --data ../shared/data

In: the names in packages.txt, apt's own lists, and pci.ids with the table of drivers. Out: a file
of JSON lines packed with LZMA and devices.json beside it, which train.py reads; and the record
corpus.json: SHA-256, sizes and counts, and the SHA-256 of the forbidden runs of words. A paragraph
is taken once, and not at all where leaks.py finds a test in it. Needs apt, dpkg-deb and mandoc.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from devices import chosen_devices
from leaks import Forbidden, forbidden_runs
from sources import (
    IN_ENGLISH,
    Document,
    dictionaries,
    html_pages,
    manual_pages,
    package_descriptions,
    text_files,
)

HERE = Path(__file__).resolve().parent
RECORD = HERE / "corpus.json"
AT_ONCE = 40  # packages per call of apt


def download(packages: Iterable[str], folder: Path) -> None:
    """Fetch what is not there yet; a name apt does not know is left out with a note."""
    folder.mkdir(parents=True, exist_ok=True)
    there = {path.name.split("_")[0] for path in folder.glob("*.deb")}
    missing = [name for name in packages if name not in there]
    for start in range(0, len(missing), AT_ONCE):
        some = missing[start : start + AT_ONCE]
        if subprocess.run(
            ["apt-get", "download", "-qq", *some], cwd=folder, check=False
        ).returncode:
            for name in some:
                subprocess.run(["apt-get", "download", "-qq", name], cwd=folder, check=False)


def documents_of(package: Path) -> list[Document]:
    """Unpack one package, read it, remove what was unpacked; what was read is kept beside it."""
    read_before = package.with_suffix(".json")
    if read_before.exists():
        return [Document(s, t, tuple(p)) for s, t, p in json.loads(read_before.read_text())]
    root = package.with_suffix(".unpacked")
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    found = [
        document
        for reader in (manual_pages, html_pages, text_files, dictionaries)
        for document in reader(root)
        if document.paragraphs
    ]
    shutil.rmtree(root, ignore_errors=True)
    read_before.write_text(json.dumps([(d.source, d.title, d.paragraphs) for d in found]))
    return found


class Cleaner:
    """Takes each paragraph once and none that leaks; counts what it did."""

    def __init__(self, forbidden: Forbidden) -> None:
        self.forbidden = forbidden
        self.seen: set[bytes] = set()
        self.documents: Counter[str] = Counter()
        self.characters: Counter[str] = Counter()
        self.leaks: Counter[str] = Counter()

    def clean(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents that are left, with the paragraphs that are left."""
        for document in documents:
            kept = tuple(p for p in document.paragraphs if self._keeps(document.source, p))
            if kept:
                self.documents[document.source] += 1
                self.characters[document.source] += sum(map(len, kept))
                yield Document(document.source, document.title, kept)

    def _keeps(self, source: str, paragraph: str) -> bool:
        normal = "".join(filter(str.isalnum, paragraph.lower()))
        mark = hashlib.blake2b(normal.encode(), digest_size=8).digest()
        if mark in self.seen:
            return False
        self.seen.add(mark)
        if self.forbidden.found_in(paragraph) is not None:
            self.leaks[source] += 1
            return False
        return True


def all_documents(folder: Path, processes: int) -> Iterator[Document]:
    """Package after package in the order of their names, then the descriptions."""
    packages = sorted(folder.glob("*.deb"))
    with ProcessPoolExecutor(processes) as pool:
        for number, found in enumerate(pool.map(documents_of, packages), 1):
            if number % 100 == 0:
                print(f"{number} of {len(packages)} packages read", flush=True)
            yield from found
    yield from package_descriptions()


def write(path: Path, documents: Iterable[Document]) -> None:
    """One JSON line per document."""
    with lzma.open(path, "wt", preset=6, encoding="utf-8") as file:
        for document in documents:
            row = {"kind": document.source, "title": document.title, "text": document.paragraphs}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="make the corpus of the tiny model")
    parser.add_argument("--work", type=Path, required=True, help="folder for the packages")
    parser.add_argument("--out", type=Path, required=True, help="the corpus, *.jsonl.xz")
    parser.add_argument("--data", type=Path, required=True, help="folder with pci/")
    parser.add_argument("--packages", type=Path, default=HERE / "packages.txt")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--offline", action="store_true", help="read what was downloaded before")
    parser.add_argument("--record", type=Path, default=RECORD)
    chosen = parser.parse_args()
    if not chosen.offline:
        subprocess.run(["apt-get", *IN_ENGLISH, "update", "-qq"], check=True)
        download(chosen.packages.read_text().split(), chosen.work)
    forbidden = forbidden_runs()
    cleaner = Cleaner(forbidden)
    devices = chosen_devices(chosen.data / "pci")
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.with_name("devices.json").write_text(json.dumps(devices, ensure_ascii=False))
    write(chosen.out, cleaner.clean(all_documents(chosen.work, chosen.processes)))
    packed = chosen.out.read_bytes()
    record = {
        "sha256": hashlib.sha256(packed).hexdigest(),
        "bytes": len(packed),
        "characters": sum(cleaner.characters.values()),
        "documents": dict(sorted(cleaner.documents.items())),
        "characters_by_source": dict(sorted(cleaner.characters.items())),
        "dropped_for_leaks": dict(sorted(cleaner.leaks.items())),
        "devices": len(devices),
        "forbidden_runs": len(forbidden.runs),
        "forbidden_sha256": forbidden.sha256,
    }
    chosen.record.write_text(json.dumps(record, indent=2) + "\n")
    print(json.dumps(record, indent=2))


if __name__ == "__main__":
    main()
