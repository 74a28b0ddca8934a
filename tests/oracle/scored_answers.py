"""Tests of every eval_method, each with answers that are right, wrong, odd and hostile."""

from __future__ import annotations

from typing import Any

from tests.oracle.scenes import WEATHER

NUMBER = {"eval_method": "exact_match", "expected": "12"}
TEXT = {"eval_method": "exact_match", "expected": ["Lomé", "Lome"]}
STRICT = {"eval_method": "exact_match", "expected": "ff", "normalize": "strict"}
WORDS = {
    "eval_method": "keywords",
    "expected_keywords": ["red", ["blue", "azure"], "-f"],
    "forbidden_keywords": ["yellow"],
}
STEMS = {"eval_method": "keywords", "expected_keywords": ["run"], "keyword_match": "prefix"}
CHOICE = {
    "eval_method": "multiple_choice",
    "expected": "B",
    "choices": ["stone", "mango", "chair"],
}
SHAPE = {
    "eval_method": "format",
    "expected_format": {"json": True, "min_words": 1, "max_length": 40, "starts_with": "{"},
}
MARKDOWN = {
    "eval_method": "format",
    "expected_format": {"markdown_elements": ["header", "table", "code_block"], "language": "en"},
}
MIXED = {
    "eval_method": "composite",
    "expected_keywords": ["oxygen"],
    "expected_format": {"max_sentences": 1},
    "reference": "It gives off oxygen.",
}
TOP = {"eval_method": "top_k", "expected_any": ["nvidia_drm"], "match": "module", "k": 2}
COMMANDS = {
    "eval_method": "command_sequence",
    "expected_commands": ["apt update", ["apt install curl", "apt-get install curl"]],
}
CALLS = {
    "eval_method": "tool_calls",
    "tools": [WEATHER],
    "expected_calls": [{"name": "get_weather", "arguments": {"city": "Accra"}}],
}
EWE = {"eval_method": "ewe_quality"}

SCORED: list[tuple[dict[str, Any], list[str]]] = [
    (NUMBER, ["12", "The answer is 12.0.", "twelve", "11 or 12", "12 apples, not 13", ""]),
    (TEXT, ["lome", "**Lomé**", "The capital is Lomé.", "Accra"]),
    (STRICT, ["ff", "FF", " ff"]),
    (WORDS, ["Red and azure, rm -f", "reddish blues", "red, blue, -f, and yellow"]),
    (STEMS, ["running", "rerun"]),
    (CHOICE, ["B", "The answer is (b).", "mango", "A or B", "D", "It is not A. So B.", "no idea"]),
    (SHAPE, ['{"a": 1}', '```json\n{"a": 1}\n```', '{"a": 1', "a"]),
    (
        MARKDOWN,
        ["# T\n\n| a |\n|---|\n| b |\n\n```\nx\n```\nThis is a plain English sentence.", "T"],
    ),
    (MIXED, ["It gives off oxygen.", "Oxygen. And more.", "It gives off air."]),
    (TOP, ["nvidia-drm.ko", "nouveau"]),
    (
        COMMANDS,
        [
            "sudo apt update && sudo apt-get install -y curl",
            "apt install curl",
            "apt update\napt install curl\nrm -rf / --no-preserve-root",
        ],
    ),
    (CALLS, ['{"name": "get_weather", "arguments": {"city": "Accra"}}', "It is warm."]),
    (EWE, ["Woezɔ! Ŋdi na mi katã. Aleke nèle?", "Hello, how are you?", ""]),
]
