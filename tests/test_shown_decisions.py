"""README, tutorials, how-to pages and docs/fr show one training and one decision, drawn from a run.

In: the pages and pictures, and what `scripts/draw_decision.py` draws now. `make shown` writes them
again after a change of what is printed.
"""

import html
import re

import pytest
from scripts.draw_decision import (
    COMMAND,
    DOCS,
    MARKED_BLOCK,
    PICTURES,
    Drawing,
    draw_decision,
    marked_pages,
)

from tests.transcripts import BLOCK, ROOT, mask
from tests.transcripts import COMMAND as TYPED

RENEW = "`make shown` draws it again"
HEADLINE = re.compile(r"^(?:#+ |<p><strong>)?((?:Ship|Livrer) [^<\n]+\.)", re.MULTILINE)
SELECTED = re.compile(r"(?:Ship|Livrer) ([\w/]+)")


def read_picture(svg: str) -> str:
    """Return the text of a drawn terminal, one line a line."""
    parts = re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    return html.unescape("".join(parts)).replace("\N{NO-BREAK SPACE}", " ")


def marked_blocks() -> dict[str, str]:
    """Return by its name what the pages show of the run today."""
    texts = [page.read_text("utf-8") for page in marked_pages()]
    return {block["name"]: block["text"] for text in texts for block in MARKED_BLOCK.finditer(text)}


def shown_in_tutorial() -> str:
    """Return what the trainer's tutorial shows of the run."""
    page = (DOCS / "tutorials" / "trainer.md").read_text("utf-8")
    steps = dict(step for block in BLOCK.findall(page) for step in TYPED.findall(block))
    return steps[COMMAND]


def headline(text: str) -> str:
    """Return the sentence of the decision, which stands once."""
    (decision,) = set(HEADLINE.findall(text))
    return decision


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Drawing:
    """One run of the checkpoints that ship, as the script draws it now."""
    pytest.importorskip("torch")
    return draw_decision(tmp_path_factory.mktemp("drawn"))


# ------------------------------------------------------------------------------ what the pages show


def test_pictures_pages_and_tutorial_show_the_same_decision() -> None:
    blocks = marked_blocks()
    english = {name: headline(blocks[name]) for name in ("terminal", "markdown", "pr-comment")}
    english["notebook"] = headline(blocks["notebook"])
    english["tutorial"] = headline(shown_in_tutorial())
    english["picture"] = headline(read_picture((PICTURES / "decision.svg").read_text("utf-8")))
    assert len(set(english.values())) == 1, f"{RENEW}: {english}"

    french = {"page": headline(blocks["terminal.fr"])}
    french["picture"] = headline(read_picture((PICTURES / "decision.fr.svg").read_text("utf-8")))
    assert len(set(french.values())) == 1, f"{RENEW}: {french}"

    (selected,) = {SELECTED.match(each)[1] for each in {*english.values(), *french.values()}}
    *_, last = blocks["watch"].splitlines()
    assert last.endswith(f"best so far: {selected}"), RENEW


def test_the_tutorial_shows_the_run_of_the_page_on_decisions() -> None:
    assert mask(shown_in_tutorial()) == mask(marked_blocks()["terminal"]), RENEW


@pytest.mark.parametrize(
    ("readme", "picture"), [("README.md", "decision.svg"), ("README.fr.md", "decision.fr.svg")]
)
def test_a_readme_shows_the_picture_of_its_language(readme: str, picture: str) -> None:
    assert f"](docs/pictures/{picture})" in (ROOT / readme).read_text("utf-8")
    assert f"$ {COMMAND}" in read_picture((PICTURES / picture).read_text("utf-8"))


def test_every_picture_is_shown_by_a_page() -> None:
    pages = [*ROOT.glob("README*.md"), *DOCS.rglob("*.md")]
    texts = "\n".join(page.read_text("utf-8") for page in pages)
    unseen = [each.name for each in PICTURES.iterdir() if f"pictures/{each.name})" not in texts]
    assert unseen == []


def test_no_page_calls_the_first_line_the_decision() -> None:
    """The card is printed last."""
    claims = re.compile(r"first line (?:is|says) the decision|première ligne\s+est la décision")
    pages = [*ROOT.glob("README*.md"), *DOCS.rglob("*.md")]
    assert [page.name for page in pages if claims.search(page.read_text("utf-8"))] == []


# ------------------------------------------------------------------- what a run of today draws


@pytest.mark.slow
@pytest.mark.parametrize("picture", ["decision.svg", "decision.fr.svg"])
def test_a_picture_is_what_the_script_draws_now(drawn: Drawing, picture: str) -> None:
    shown = read_picture((PICTURES / picture).read_text("utf-8"))
    assert mask(shown) == mask(read_picture(drawn.pictures[picture])), RENEW


@pytest.mark.parametrize(
    "name", ["terminal", "terminal.fr", "markdown", "pr-comment", "notebook", "watch"]
)
@pytest.mark.slow
def test_a_block_is_what_the_script_draws_now(drawn: Drawing, name: str) -> None:
    shown = marked_blocks()[name]
    assert mask(shown) == mask(drawn.blocks[name]), RENEW
