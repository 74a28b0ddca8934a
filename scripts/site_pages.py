"""The contents list of the documentation site, made from the folders of docs/.

MkDocs calls `on_config`. A page needs no entry anywhere: it is listed in the folder that it is in,
under its first heading.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FOLDERS = {
    "Tutorials": "tutorials",
    "How-to": "how-to",
    "Reference": "reference",
    "Explanation": "explanation",
    "Français": "fr",
    "Decisions": "decisions",
}
BY_NAME = ("tutorials",)  # in the order of their file names


def on_config(config: Any) -> Any:
    """Sets `nav`: the first page, a section for each folder, and what is beside the folders."""
    docs = Path(config["docs_dir"])
    sections = {title: list_pages(docs, docs / folder) for title, folder in FOLDERS.items()}
    sections["Reference"] += [
        {"Suite cards": list_pages(docs, docs / "reference" / "cards")},
        *(page.name for page in sorted(docs.glob("*.md")) if page.name != "index.md"),
    ]
    config["nav"] = ["index.md", *({title: pages} for title, pages in sections.items() if pages)]
    return config


def list_pages(docs: Path, folder: Path) -> list[Any]:
    """The pages directly in a folder, in the order of its first page where it has one."""
    pages = sorted(folder.glob("*.md"), key=find_title)
    if folder.name in BY_NAME:
        pages.sort()
    for first in (folder / "index.md", folder / "README.md"):
        if first.is_file():
            listed = first.read_text("utf-8")
            pages.sort(key=lambda page: listed.find(f"({page.name})"))
    return [page.relative_to(docs).as_posix() for page in pages]


def find_title(page: Path) -> str:
    """The first heading of a page, without the marks of Markdown."""
    found = re.search(r"^# (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return found[1].strip("`").casefold() if found else page.stem
