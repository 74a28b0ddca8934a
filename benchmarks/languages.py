"""How often the format rule `language` is right, on sources that its model never saw.

    python benchmarks/languages.py [--texts DIR]

Four times the model is made again without one source (FLORES, the Declaration of Human Rights,
African Storybook, MediaWiki messages), and the lines of that source are read: whole, and as answers
of one to eight words in a row. A language whose every text is of that source is left out then. The
constants of the rule were chosen with these texts in view (docs/decisions/ewe.md).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from assay.checks.ewe import language
from assay.checks.format import Format, Rules
from assay.stats.estimates import proportion

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

import make_language_model as maker

WORDS = (1, 2, 3, 5, 8)
MOST = 100  # lines of one language and source for each length
ASKED_INSTEAD = ("ewe", "fra", "eng", "twi", "fon")  # the rule must not hold for these


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--texts", type=Path, default=maker.TEXTS)
    lines = maker.read_lines(parser.parse_args().texts)
    by_length: dict[str, Counter[str]] = defaultdict(Counter)
    by_language: dict[str, Counter[str]] = defaultdict(Counter)
    agree: Counter[str] = Counter()
    for source in maker.LICENCES:
        model = maker.train(lines, without_sources=[source])
        language.shipped_model = lambda model=model: model
        held_out = [each for each in lines if each.source == source]
        for code in sorted({each.language for each in held_out} & set(model.languages)):
            texts = [each.text for each in held_out if each.language == code]
            for name, answer in answers(texts, f"{source}/{code}"):
                count(by_length[name], answer, code)
                if name == "whole":
                    count(by_language[code], answer, code)
                    agree["n"] += 1
                    is_ewe = rule("ewe", answer) == "holds"
                    agree["same"] += is_ewe == language.contains_ewe(answer)
    show("words", by_length)
    show("language, whole lines", by_language)
    print(f"`language: ee` and `contains_ewe` agree: {figure(agree['same'], agree['n'])}")


def answers(texts: list[str], seed: str) -> Iterator[tuple[str, str]]:
    draw = random.Random(seed)
    for length in WORDS:
        longest = [max(language.sentences(text), key=len, default="").split() for text in texts]
        fit = [words for words in longest if len(words) >= length]
        for words in draw.sample(fit, min(MOST, len(fit))):
            at = draw.randrange(len(words) - length + 1)
            yield str(length), " ".join(words[at : at + length])
    for text in draw.sample(texts, min(MOST, len(texts))):
        if language.sentences(text):
            yield "whole", text


def rule(asked: str, answer: str) -> str:
    score = Format(expected_format=Rules(language=asked)).score(answer)
    return {None: "open", 1.0: "holds", 0.0: "broken"}[score.value]


def count(into: Counter[str], answer: str, code: str) -> None:
    into.update(("n", rule(code, answer)))
    for asked in ASKED_INSTEAD:
        if asked != code:
            into.update(("asked instead", f"instead {rule(asked, answer)}"))


def show(head: str, rows: dict[str, Counter[str]]) -> None:
    print(f"| {head} | n | holds | broken | left open | holds for another language |")
    print("|---|---|---|---|---|---|")
    for name, of in rows.items():
        cells = [figure(of[kind], of["n"]) for kind in ("holds", "broken", "open")]
        other = figure(of["instead holds"], of["asked instead"])
        print(f"| {name} | {of['n']} | {' | '.join(cells)} | {other} |")
    print()


def figure(part: int, n: int) -> str:
    share = proportion(part, n)
    return f"{part / n:.1%} [{share.low:.1%}–{share.high:.1%}]"


if __name__ == "__main__":
    main()
