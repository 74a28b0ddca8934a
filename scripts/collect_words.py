"""Write builtin/words/LANGUAGE.txt: the words of all our own English and French, each once.

Judging tells by them whether a line of an answer is in its task's language. They are collected by
hand (`python scripts/collect_words.py`) and kept: were they read from the texts themselves, a new
message could change a judgement.
"""

import re
from pathlib import Path

from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[1]
BUILTIN = ROOT / "src" / "assay" / "builtin"
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
LONGEST = 24
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def main() -> None:
    with (BUILTIN / "translations" / "fr" / "LC_MESSAGES" / "assay.po").open("rb") as file:
        messages = [each for each in read_po(file, locale="fr") if each.id]
    texts = {
        "en": [" ".join(one.id) if isinstance(one.id, tuple) else one.id for one in messages],
        "fr": [" ".join(one.string) if isinstance(one.string, tuple) else one.string
               for one in messages],
    }  # fmt: skip
    french = ROOT / "docs" / "fr"
    pages = list((ROOT / "docs").rglob("*.md"))
    texts["fr"] += [each.read_text("utf-8") for each in pages if french in each.parents]
    texts["en"] += [each.read_text("utf-8") for each in pages if french not in each.parents]
    for pattern in ("rubrics/**/*.toml", "rubrics/**/*.md", "suites/*/*.json", "suites/*/*/*.md"):
        ours = (each for each in BUILTIN.glob(pattern) if "ewe" not in each.parts)
        texts["en"] += [each.read_text("utf-8") for each in ours if each.name != "injections.toml"]
    for language, some in texts.items():
        plain = CODE.sub(" ", "\n".join(some)) if language == "fr" else "\n".join(some)
        words = {word.casefold() for word in WORD.findall(plain)}
        kept = sorted(word for word in words if 1 < len(word) <= LONGEST or word in "aiàyô")
        ascii_only = [word for word in kept if language != "en" or word.isascii()]
        file = BUILTIN / "words" / f"{language}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text("\n".join(ascii_only) + "\n", "utf-8")


if __name__ == "__main__":
    main()
