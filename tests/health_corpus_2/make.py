"""Makes broken.json from the written material, and checks both files.

Comes in: healthy.json (written by hand, never changed here) and the files in written/. Goes out:
broken.json, byte for byte the same on every run.
"""

import json
import random
from collections import Counter
from pathlib import Path

import loops
import nonsense
import repetitions
from material import HERE, load_healthy

KINDS = {"loop": loops.KINDS, "repetition": repetitions.KINDS, "nonsense": nonsense.KINDS}
EACH = 200
# An answer is at most 160 tokens long. Texts of a few unbroken strings count by characters.
WORDS = range(20, 191)
CHARACTERS = range(120, 1301)
# Two texts of a sub-kind that begin with the same so many characters would be nearly one text.
ALIKE = 60
HEALTHY_WORDS = range(12, 191)


def fits(text: str) -> bool:
    """Whether a broken text is as long as a generated answer may be."""
    words = len(text.split())
    return len(text) in CHARACTERS and (words in WORDS or words < WORDS.start)


def broken_texts() -> list[dict[str, str]]:
    """Every broken text, in a fixed order."""
    texts: list[dict[str, str]] = []
    for kind, subs in KINDS.items():
        number = 0
        for sub, (make, count) in subs.items():
            rng = random.Random(f"second set, {kind}, {sub}")
            beginnings: set[str] = set()
            while len(beginnings) < count:
                prompt, text = make(rng)
                if text[:ALIKE] in beginnings or not fits(text):
                    continue
                beginnings.add(text[:ALIKE])
                number += 1
                texts.append(
                    {
                        "id": f"{kind}_{number:03d}",
                        "kind": kind,
                        "sub": sub,
                        "prompt": prompt,
                        "text": text,
                    }
                )
    return texts


def check(healthy: list[dict[str, str]], broken: list[dict[str, str]]) -> None:
    """Stop with the reason where a file breaks the rules of the README."""
    counts = Counter(text["kind"] for text in broken)
    if len(healthy) != EACH or counts != dict.fromkeys(KINDS, EACH):
        raise SystemExit(f"wrong counts: {len(healthy)} healthy, {dict(counts)}")
    everything = [text["text"] for text in healthy + broken]
    if len(set(everything)) != len(everything):
        raise SystemExit("two texts are the same")
    for at, passage in enumerate(healthy, 1):
        if passage["id"] != f"healthy_{at:03d}":
            raise SystemExit(f"{passage['id']} stands in place {at}")
        if len(passage["text"].split()) not in HEALTHY_WORDS:
            raise SystemExit(f"{passage['id']} has the wrong length")


def main() -> None:
    """Write broken.json and print the counts."""
    healthy, broken = load_healthy(), broken_texts()
    check(healthy, broken)
    target: Path = HERE / "broken.json"
    target.write_text(json.dumps(broken, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for form, count in sorted(Counter(passage["form"] for passage in healthy).items()):
        print(f"healthy     {form:<28}{count:>4}")
    for (kind, sub), count in Counter((text["kind"], text["sub"]) for text in broken).items():
        print(f"{kind:<12}{sub:<28}{count:>4}")


if __name__ == "__main__":
    main()
