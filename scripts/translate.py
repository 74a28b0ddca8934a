"""Bring the catalogues up to date with the source: `make messages`.

New messages are added without a translation (no guesses), messages that are gone are dropped, and
the compiled catalogue is written beside the text. Ends with 1 while a translation is missing, and
lists what is.
"""

import datetime
import io
import sys
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir, extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from assay.suites.test_format.fields import methods

ROOT = Path(__file__).parents[1]
CATALOGUES = ROOT / "src" / "assay" / "builtin" / "translations"
# The functions that take a message, and which of their arguments are it.
FUNCTIONS = {
    "tr": None,
    "trn": (1, 2),
    "message": None,
    "message_n": (1, 2),
    "Doc": None,
    "_": None,
    "ngettext": (1, 2),
}
HEADER = "# How to add to it: docs/reference/languages.md"
NO_DATE = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)  # else every update changes the files


def collected() -> Catalog:
    """Every message of the source, of its templates, of click, and what each check does."""
    catalogue = Catalog()
    readers = [("**.py", "python"), ("**.j2", "jinja2")]
    found = extract_from_dir(ROOT / "src", readers, keywords=FUNCTIONS)
    for _, _, message, comments, context in found:
        catalogue.add(message, auto_comments=comments, context=context)
    for check in methods().values():  # the first sentence of their docstrings
        catalogue.add(check.description)
    words = ROOT / "scripts" / "click_words.py"
    for _, message, _, _ in extract_from_file("python", words, keywords=FUNCTIONS):
        catalogue.add(message)
    return catalogue


def brought_up_to_date(path: Path, template: Catalog) -> Catalog:
    """The catalogue at `path` with the messages of the template, sorted."""
    with path.open("rb") as file:
        catalogue = read_po(file, locale=path.parents[1].name)
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    catalogue.header_comment, catalogue.project, catalogue.version = HEADER, "Assay", ""
    catalogue.creation_date = catalogue.revision_date = NO_DATE
    return catalogue


def texts_of(catalogue: Catalog) -> tuple[bytes, bytes]:
    """The catalogue as text and as what gettext reads."""
    text, compiled = io.BytesIO(), io.BytesIO()
    write_po(text, catalogue, no_location=True, sort_output=True, omit_header=False, width=100)
    write_mo(compiled, catalogue)
    return text.getvalue(), compiled.getvalue()


def missing_from(catalogue: Catalog) -> list[Message]:
    return [each for each in catalogue if each.id and (each.fuzzy or not all(_strings(each)))]


def _strings(message: Message) -> tuple[str, ...]:
    return message.string if isinstance(message.string, tuple) else (message.string,)


def main() -> int:
    template, code = collected(), 0
    for path in sorted(CATALOGUES.glob("*/LC_MESSAGES/assay.po")):
        catalogue = brought_up_to_date(path, template)
        text, compiled = texts_of(catalogue)
        path.write_bytes(text)
        path.with_suffix(".mo").write_bytes(compiled)
        missing = missing_from(catalogue)
        print(f"{path}: {len(catalogue)} messages, {len(missing)} not translated")
        for each in missing:
            print(f"  {each.id}")
        code = code or bool(missing)
    return code


if __name__ == "__main__":
    sys.exit(main())
