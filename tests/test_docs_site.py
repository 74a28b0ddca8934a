"""The documentation site: built without a warning, and complete without a network."""

import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("material")


@pytest.fixture(scope="module")
def site(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"mend the pages that MkDocs names:\n{done.stdout}{done.stderr}"
    return folder


def test_every_page_is_in_the_site_and_in_its_contents_list(root, site):
    docs = root / "docs"
    written = {page.relative_to(docs).with_suffix(".html") for page in docs.rglob("*.md")}
    # MkDocs makes the index of a folder of its README.md.
    pages = {page.with_stem("index") if page.stem == "README" else page for page in written}
    first = (site / "index.html").read_text("utf-8")
    assert [str(page) for page in pages if not (site / page).is_file()] == []
    assert [str(page) for page in pages if f'href="{page.as_posix()}"' not in first] == []


def test_a_page_loads_nothing_from_elsewhere(site):
    loaded = re.compile(
        r"<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)=\"?((?:https?:)?//[^\s\">]*)"
    )
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    assert len(pages) > 50
    found = {match for page in pages for match in loaded.findall(page.read_text("utf-8"))}
    assert found == set()


def test_a_picture_loads_nothing_from_elsewhere(root):
    pictures = sorted((root / "docs" / "pictures").glob("*.svg"))
    assert pictures
    loads = re.compile(r"""url\(\s*["']?http|href=["']http|@import""")
    assert [each.name for each in pictures if loads.search(each.read_text("utf-8"))] == []
