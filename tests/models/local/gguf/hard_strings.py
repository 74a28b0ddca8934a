"""Strings that tokenizers disagree about, the same ones every time."""

import random

PIECES = (
    # digits beside white space, of several scripts, and numbers that are no digits
    *("1", "42", "2026", "1234567", "3.14", "1,000", "0x1F", "v2.0.1", "٣٤",
      "१२", "５", "²", "½", "Ⅷ"),
    *(" ", "  ", "   ", " " * 17, "\t", "\t\t", "\n", "\n\n", "\r\n", " \n ", "\u00a0",
      "\u2003", "\u3000"),
    # words of English, French, Ewe, German, Greek, Russian, Arabic, Hindi, Thai
    *("the", " answer", "Don't", "I'LL", "we've", "'s", "'S", "l’été", "œuvre", "naïve", "Ŋkeke",
      "ƒe dɔ́ wɔm", "gbɔgblɔ", "Straße", "ΑΒΓ", "Привет", "مرحبا", "नमस्ते", "สวัสดี"),
    *("中文", "日本語テスト", "한국어", "e\u0301", "ﬁ", "\u200d", "\u200b", "\ufeff", "\u0300"),
    *("🙂", "👩‍👩‍👧", "🇹🇬", "👍🏽", "❤️", "🤷‍♀️", "∑", "→", "€", "…", "“", "”", "—"),
    *("\x00", "\x01", "\x1b[0m", "\x7f", "\u2028", "\x85", "\x0b", "\x0c"),
    *("def f(x):\n    return x+1", "#include <stdio.h>", "</div>", "a_b.c", "x=y==z", "!!", "?!...",
      "http://a.b/c?d=1", "C:\\dir", "{{}}", "<|", "|>", "##", "--", "\\n", "`ls -la`",
      "$HOME", "@", "_"),
)  # fmt: skip


def hard_strings(count: int = 1_000, seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    made = [
        *PIECES,
        *(f"{a}{b}" for a, b in zip(PIECES, draw.sample(PIECES, len(PIECES)), strict=True)),
    ]
    while len(made) < count:
        made.append("".join(draw.choices(PIECES, k=draw.randint(2, 12))))
    return made[:count]
