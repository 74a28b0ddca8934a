"""What a reader sees of a report, and what stands together in it."""

import pytest

from assay.checking import describes
from assay.checking.visible import visible_text

HIDDEN = [
    "<!-- 9234 -->", "<!-- 9234", "~~9234~~", "<del>9234</del>", "<span hidden>9234</span>",
    "<p style='display:none'>9234</p>", '<font color="white">9234</font>', "![9234](x.png)",
    "<div hidden><div>x</div> 9234</div>", "<details>9234</details>", "<![CDATA[9234]]>",
    "<?x 9234 ?>", "<noscript>9234</noscript>", "<script>9234</script>", "[x](y '9234')",
    "[//]: # (9234)", "$\\phantom{9234}$", "9234\b\b\b\b", "\x1b[8m9234\x1b[0m", "\u202e9234",
    "<img alt='9234'>", "<input value='9234'>", "<span size=0>9234</span>",
    "<style>.x{opacity:0}</style><b class=x>9234</b>", "<span hidden>9234",
    "9234 <style>*{display:none}</style>", "9234 <p style='position:fixed;inset:0'>",
    "<dialog>9234</dialog>", "<select>9234", "<x-hidden>9234", "<b hidden>9234</b>",
    "<textarea><!--</textarea><div hidden>--></textarea> 9234", "<!--><details>-->9234",
    "<i x='<!--'></i><div hidden y='-->'>9234</div>", "\\`<details>` 9234", "``<details>` 9234",
    "<table>\n`<details>` 9234", "<div title='</div>' hidden>9234", "&#x202e;9234",
    "$$\n\\color{white} 9234\n$$", "\\[ 9234 \\]", "[](x '\n9234\n')", "[a]: b '\n9234\n'",
    "![\n9234\n](x)", "<sub>" * 30 + "\n\n9234\n\n" + "</sub>" * 30, "[^q]: x\n\n    9234",
    "See[^1].\n\n[^1]: 9234", "[\n9234\n]: /u", '> [a]: /u "\n9234\n"', "    9234",
    '- [a]: /u "\n  9234\n  "', "<!-- x --> `<div hidden>`\n\n9234", "```text\n9234\n```",
    "```x```\n\n<div hidden>\n\n``` `\n\n9234\n\n```x```", "~x\n9234\ny~", "92\u203334", "92³4",
    "<small>x\n\n9234</small>", "<small><b>x</small></b>\n\n9234", "<div>x\n\n9234\n\n</div>",
    "<div title='>\n'>x</div>\n\n9234 '>", "<x y=a' z='>x</x>\n\n9234'>", "</p></div>\n\n9234",
    "<svg></svg>\n\n9234", "<plaintext></plaintext>\n\n9234", "~~<details>~~\n\n9234",
    "[^1]: x\n9234", "- [^1]: x y\n  9234", "1. [^1]: x\n\n       9234", "> [^1]: x\n> 9234",
    "[^1]: x\n[^1]: x\n9234", "| a | b |\n|---|---|\n| 9234 | <small>x</small> |",
]  # fmt: skip
SHOWN = [
    "9234", "**9234**", "9&#50;34", "a < b, and 9234 > c", "`<script>` and 9234", "92\u200b34",
    "<b>9234</b>", "x<br>9234", "x<br/>9234", "<table><tr><td>9234</td></tr></table>",
    "[9234](https://example.org)", "| total | 9234 |", "<!-- note --> 9234", "９２３４",
    "Ann Lee <ann@lee.example> wrote 9234", "<https://example.org/> has 9234", "~5 or ~6, and 9234",
    "<" * 3000 + "9234", "# \n" * 6000 + "9234", "if a <3 then 9234",
    "\n<small>Source: *sales.csv*.</small>\n\n9234", "[^1]: The middle of all.\n\n9234",
    "\n<div align='center'>\n<b>x</b><br>\n</div>\n\n9234", "![a](b) <img src='b'>\n\n9234",
    "- x <sup>1</sup>\n- 9234", "\n- [^1]: x\n- 9234", "[^1]: x\n\n9234", "[a]: b\n9234",
    "\n| a | b |\n|---|---|\n| x | y<sup>2</sup> |\n| 9234 | z |", "\n[^1]: x y\n- 9234",
]  # fmt: skip


@pytest.mark.parametrize("text", HIDDEN)
def test_what_no_reader_sees_is_not_there(text):
    assert "9234" not in visible_text(f"A text.\n\n{text}\n")


@pytest.mark.parametrize("text", SHOWN)
def test_what_a_reader_sees_is_there(text):
    assert "9234" in visible_text(f"A text.\n{text}\n")


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("- `mean_of`: a generator is used up by counting it first.", True),
        ("### mean_of\n\nCounting uses up every generator before the sum.", True),
        ("- `mean_of`: wrong.", False),
        ("- `mean_of`: it weighs as much as six bananas do.", False),
        ("- `mean_of` is fine.\n- `other`: a generator is used up by counting it first.", False),
    ],
)
def test_a_text_describes_what_it_names_with_a_word_for_it(text, is_said):
    assert describes(text, "mean_of", ("generator", "exhaust"), 5) is is_said
