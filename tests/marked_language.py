"""A language in which every letter of a message is marked: what is left in plain letters did not
come from the catalogue. It takes the place of French, so that numbers are French as well.
"""

import contextlib
import io
import json
import re
import string
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

MARKED = {
    **{ord("a") + place: 0x1D68A + place for place in range(26)},
    **{ord("A") + place: 0x1D670 + place for place in range(26)},
    ord(":"): "꞉",
    ord(";"): "；",
}
# Punctuation that code puts after a message: French has a space before it.
LOOSE = re.compile(r"[\U0001d670-\U0001d6a3][:;](?=\s|$)", re.MULTILINE)
PLAIN = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]{2,}")


def write_marked_catalogue(template: Catalog, folder: Path) -> None:
    """A compiled catalogue of the template as the French below `folder`."""
    catalogue = Catalog(locale="fr")
    for message in template:
        if message.id:
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            marked = tuple(map(mark, ids))
            catalogue.add(message.id, marked if len(marked) > 1 else marked[0])
    place = folder / "fr" / "LC_MESSAGES"
    place.mkdir(parents=True)
    with (place / "assay.mo").open("wb") as file:
        write_mo(file, catalogue)


def mark(sentence: str) -> str:
    """Every letter that is not the name of a gap."""
    if "%(" in sentence:
        parts = re.split(r"(%\(\w+\)s)", sentence)
        return "".join(p if n % 2 else p.translate(MARKED) for n, p in enumerate(parts))
    try:
        parts = list(string.Formatter().parse(sentence))
    except ValueError:  # braces that are no gaps: a message that is not filled
        return sentence.translate(MARKED)
    if any(gap is not None and not gap.isidentifier() for _, gap, _, _ in parts):
        return sentence.translate(MARKED)
    return "".join(
        text.replace("{", "{{").replace("}", "}}").translate(MARKED) + _gap(gap, form, turned)
        for text, gap, form, turned in parts
    )


def _gap(name: str | None, form: str | None, turned: str | None) -> str:
    if name is None:
        return ""
    return "{" + name + (f"!{turned}" if turned else "") + (f":{form}" if form else "") + "}"


def run_commands(catalogues: Path, commands: list[list[str]]) -> Iterator[tuple[int, str, str]]:
    """Exit code, stdout and stderr of each, in one process that speaks the marked language. GET is
    a command too, of the viewer: its code is the status.
    """
    from assay import messages
    from assay.interfaces import cli

    messages.speak("fr", catalogues)
    for words in commands:
        if words[0] == "GET":
            page = _viewer().get(words[1])
            yield page.status_code, page.text, ""
            continue
        streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "oe"]
        out, errors = streams
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            try:
                cli.main([*words, "--lang", "fr"], catalogues=catalogues)
            except SystemExit as ended:
                code = int(ended.code or 0)
        yield code, *(each.buffer.getvalue().decode() for each in streams)


@cache
def _viewer() -> Any:
    from starlette.testclient import TestClient

    from assay.api.viewing import Viewing
    from assay.interfaces.web.app import make_app
    from assay.interfaces.web.security import Access

    app = make_app(Viewing(Path("assay-out")), Access("127.0.0.1", 80))
    return TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)


if __name__ == "__main__":  # words of commands as JSON come in, what they print goes out
    json.dump(list(run_commands(Path(sys.argv[1]), json.load(sys.stdin))), sys.stdout)
