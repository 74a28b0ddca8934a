"""The inputs of the entries: suites, models, checkpoints, and the runs that entries share."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.oracle.registry import Scene

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
TINY = ROOT / "src" / "assay" / "builtin" / "checkpoints" / "tiny"
STORIES = SHARED / "models" / "stories260K"

WEATHER = {
    "name": "get_weather",
    "description": "Get the current weather in a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}
# A test of each eval_method that needs no judge and no model of its own.
LITTLE: dict[str, list[dict[str, Any]]] = {
    "sums": [
        {
            "id": f"sums_{number:03d}",
            "prompt": f"What is {number} plus {number}?",
            "eval_method": "exact_match",
            "expected": str(2 * number),
            "tags": ["easy"],
        }
        for number in range(1, 13)
    ],
    "words": [
        {
            "id": "words_001",
            "prompt": "Which colours does a screen mix?",
            "eval_method": "keywords",
            "expected_keywords": ["red", "green", ["blue", "azure"]],
            "forbidden_keywords": ["yellow"],
        },
        {
            "id": "words_002",
            "prompt": "Which flag of rm asks nothing?",
            "eval_method": "keywords",
            "expected_keywords": ["-f"],
        },
        {
            "id": "words_003",
            "messages": [
                {"role": "user", "content": "My hen is called Afi."},
                {"role": "assistant", "content": "A good name."},
                {"role": "user", "content": "What is she called?"},
            ],
            "eval_method": "exact_match",
            "expected": "Afi",
        },
    ],
    "choices": [
        {
            "id": "choices_001",
            "prompt": "Which one is a fruit?",
            "eval_method": "multiple_choice",
            "choices": ["stone", "mango", "chair", "river"],
            "expected": "B",
        },
        {
            "id": "choices_002",
            "prompt": "Which one is a planet?",
            "eval_method": "multiple_choice",
            "choices": ["mud", "iron", "Mars", "Lomé"],
            "expected": "C",
        },
    ],
    "shapes": [
        {
            "id": "shapes_001",
            "prompt": "Name a city of Ghana as JSON with the key city.",
            "eval_method": "format",
            "expected_format": {
                "json": True,
                "max_length": 60,
                "json_schema": {"type": "object", "required": ["city"]},
            },
        },
        {
            "id": "shapes_002",
            "prompt": "List three rivers in Markdown, bold.",
            "eval_method": "format",
            "expected_format": {"list_item_count": 3, "markdown_elements": ["list", "bold"]},
        },
        {
            "id": "shapes_003",
            "prompt": "In at most two sentences: which gas does a leaf take in?",
            "eval_method": "composite",
            "expected_keywords": [["carbon dioxide", "CO2"]],
            "expected_format": {"max_sentences": 2},
            "weights": {"keywords": 2, "format": 1},
        },
    ],
    "shell": [
        {
            "id": "shell_001",
            "prompt": "Which command lists PCI devices?",
            "eval_method": "top_k",
            "expected_any": ["lspci"],
            "match": "command",
        },
        {
            "id": "shell_002",
            "prompt": "Make the folder backup and copy notes.txt into it.",
            "eval_method": "command_sequence",
            "expected_commands": [["mkdir backup", "mkdir -p backup"], "cp notes.txt backup/"],
        },
    ],
    "tools": [
        {
            "id": "tools_001",
            "prompt": "How warm is it in Accra?",
            "eval_method": "tool_calls",
            "tools": [WEATHER],
            "expected_calls": [{"name": "get_weather", "arguments": {"city": "Accra"}}],
        },
        {
            "id": "tools_002",
            "prompt": "Say hello.",
            "eval_method": "tool_calls",
            "tools": [WEATHER],
            "expected_calls": [],
        },
    ],
}
ABOUT = {
    "title": "Little tests",
    "version": "1.0",
    "language": "en",
    "system": "You are terse.",
    "weights": {"sums": 2, "words": 1, "choices": 1, "shapes": 1, "shell": 1, "tools": 1},
    "pass_mark": 0.7,
    "licence": "CC0-1.0",
}
SUMS = {test["id"]: test["expected"] for test in LITTLE["sums"]}
CALL = {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Accra"}}]}
GOOD = {
    **SUMS,
    "words_001": "<think>Three of them.</think>Red, green and blue.",
    "words_002": "Use rm -f.",
    "words_003": "Afi",
    "choices_001": "The answer is B.",
    "choices_002": "C",
    "shapes_001": '```json\n{"city": "Accra"}\n```',
    "shapes_002": "- **Volta**\n- **Mono**\n- **Oti**",
    "shapes_003": "It takes in carbon dioxide.",
    "shell_001": {"predictions": ["lspci", "lsusb", "ls"]},
    "shell_002": "```sh\nmkdir -p backup\ncp notes.txt backup/\n```",
    "tools_001": json.dumps(CALL),
    "tools_002": "Hello.",
}
WEAK = {
    **SUMS,
    "sums_002": "five",
    "sums_003": "",
    "sums_004": "What is 4 plus 4?",
    "sums_005": "I'm sorry, but I cannot help with that.",
    "sums_006": "11",
    "sums_007": {"cut": "Let me think about seven and seven, which are both numbers, so"},
    "sums_008": "no no no no no no no no no no no no no no no no no no no no no no no no no no no",
    "words_001": "Red, green, blue and yellow.",
    "words_002": "It has none.",
    "words_003": "Afi",
    "choices_001": "A",
    "choices_002": "A",
    "shapes_001": "The city is Accra.",
    "shapes_002": "Volta, Mono and Oti.",
    "shapes_003": "A gas. It is a gas. It is some gas.",
    "shell_001": {"predictions": ["lsusb", "ls", "cat"]},
    "shell_002": "mkdir backup\nrm -rf /",
    "tools_001": '{"name": "get_weather", "arguments": {"city": "Accra"}}',
}


def write_json(file: Path, document: Any) -> None:
    """Write a document, and the folder it lies in."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", "utf-8")


def write_text(file: Path, text: str) -> None:
    """Write a text, and the folder it lies in."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def write_suite(folder: Path, categories: dict[str, list[dict[str, Any]]], **about: Any) -> None:
    """Write a suite."""
    for category, tests in categories.items():
        write_json(folder / f"{category}.json", tests)
    if about:
        write_json(folder / "suite.json", about)


# ---------------------------------------------------------------------------------- scripted models


def build_little(folder: Path) -> None:
    """A suite, a model that is good at it, one that is weak, and one that always fails."""
    write_suite(folder / "little", LITTLE, **ABOUT)
    write_json(folder / "good.json", {"answers": GOOD, "default": "I do not know."})
    write_json(
        folder / "weak.json",
        {"answers": WEAK, "default": "I do not know.", "fail": {"sums_009": "no route to host"}},
    )
    write_json(folder / "slow.json", {"answers": GOOD, "default": "B", "delay_s": 0.3})
    write_text(
        folder / "pass.toml", '[[suite]]\nname = "little"\nmin = 0.5\ncategories = ["sums"]\n'
    )
    write_text(folder / "high.toml", '[[suite]]\nname = "little"\nmin = 0.99\n')


FIRST = "Accra is the capital of Ghana. It lies on the coast.\n"


def build_judged(folder: Path) -> None:
    """A suite for a judge, with evidence for one of its tests, two models and two judges."""
    criteria = ("correctness", "completeness", "code_quality")
    rubric = ['title = "Marks"', "version = 1"]
    for key in criteria:
        rubric += [
            "[[criterion]]",
            f'key = "{key}"',
            f'label = "{key.replace("_", " ").title()}"',
            f"weight = {4 if key == 'correctness' else 3}",
            f'questions = ["Is the {key} of the answer good?", "Is it hardly to be improved?"]',
            'anchors = {"10" = "a", "8-9" = "b", "6-7" = "c", "4-5" = "d", "1-3" = "e", "0" = "f"}',
        ]
    tests = [
        {
            "id": f"talk_{number:03d}",
            "description": f"Text {number} about a city",
            "prompt": f"Write {number} sentences about Accra.",
            "eval_method": "judge",
            "rubric": "marks",
            "checklist": ["The country is named."],
        }
        for number in (1, 2, 3)
    ]
    write_suite(folder / "talk", {"cities": tests}, title="Talk", version="1")
    write_text(folder / "talk" / "marks" / "rubric.toml", "\n".join(rubric) + "\n")
    answers = {f"talk_{number:03d}": FIRST * number for number in (1, 2)}
    write_json(
        folder / "able.json",
        {"answers": {**answers, "talk_003": "I cannot help with that."}},
    )
    write_json(folder / "poor.json", {"answers": {}, "default": "Accra is a fish."})
    marks = {"correctness": 9, "completeness": 7, "code_quality": 8}
    low = {"correctness": 3, "completeness": 4, "code_quality": 2}
    write_json(
        folder / "judge.json",
        {
            "answers": {
                "judge:scripted:poor.json/talk_001": json.dumps(low),
                "judge:scripted:poor.json/talk_002": json.dumps(low),
                "judge:talk_002": "I would rather not say.",
            },
            "default": json.dumps(marks),
        },
    )
    write_json(
        folder / "mild.json", {"answers": {}, "default": json.dumps(dict.fromkeys(marks, 8))}
    )

    write_text(folder / "evaluation.txt", EVALUATION)


# The overall score is wrong on purpose: 4 · 0.4 + 2 · 0.3 + 6 · 0.3 is 4.0.
EVALUATION = """\
TEST ID: talk_001 (Text 1 about a city)
MODEL: scripted:poor.json
TASK: A sentence about Accra

EVALUATION:
Correctness: 4/10 - a city is no fish
Completeness: 2/10 - the country is missing
Code Quality: 6/10 - short

OVERALL SCORE: 7.5/10
QUALITY RATING: GOOD

DETAILED ASSESSMENT:
It is about Accra.

STRENGTHS:
- short

WEAKNESSES:
- wrong

VERDICT: Not usable.
"""


# -------------------------------------------------------------------------------------- checkpoints

HELD_OUT_CHARACTERS = 12_000
GATE = """\
[perplexity]
max = 60

[[suite]]
name = "quiz"
min = 0.2

# Without speed, which is another one on every machine.
[score]
weights = { perplexity = 0.5, "suite:quiz" = 0.5 }
"""
QUIZ = {
    "choose": [
        {
            "id": f"choose_{number:03d}",
            "prompt": f"Which of these belongs to a computer? (question {number})",
            "eval_method": "multiple_choice",
            "choices": options,
            "expected": "ABCD"[right],
            "score_by": way,
        }
        for number, (options, right, way) in enumerate(
            [
                (["a keyboard", "a goat"], 0, "letter"),
                (["a river", "a mouse", "a leaf"], 1, "text"),
                (["rain", "soup", "a network card", "bread"], 2, "text"),
                (["a kernel", "a song", "a tree", "a shoe"], 0, "letter"),
            ],
            start=1,
        )
    ],
    "drivers": [
        {
            "id": f"drivers_{number:03d}",
            "prompt": f"The driver of the {card} is",
            "eval_method": "keywords",
            "expected_keywords": ["the"],
            "max_tokens": 12,
            "temperature": 0,
        }
        for number, card in enumerate(["network card", "sound card"], start=1)
    ],
    "beams": [
        {
            "id": "beams_001",
            "prompt": "Which command lists PCI devices? Answer:",
            "eval_method": "top_k",
            "expected_any": ["lspci"],
            "match": "command",
            "max_tokens": 6,
        }
    ],
}


def build_checkpoints(folder: Path) -> None:
    """The shipped checkpoints, a short text, a gate that needs no speed, a small suite."""
    shutil.copytree(TINY, folder / "tiny")
    text = ROOT / "src" / "assay" / "builtin" / "texts" / "held_out_english.txt"
    write_text(folder / "text.txt", text.read_text("utf-8")[:HELD_OUT_CHARACTERS])
    write_suite(folder / "quiz", QUIZ)
    write_text(folder / "train.py", TRAIN)
    write_text(folder / "gate.toml", GATE)
    write_text(
        folder / "speed.toml", "[speed]\nmin_tokens_per_s = 0.001\n\n[memory]\nmax_mb = 900\n"
    )
    write_text(folder / "strict.toml", GATE.replace("max = 60", "max = 20"))


# A training that takes no time: the first round gets a worse checkpoint than the second.
TRAIN = """\
import pathlib
import shutil
import sys

out = pathlib.Path(sys.argv[1])
source = "step_005600" if out.name.endswith("01") else "step_008000"
shutil.copytree(f"tiny/{source}", out / f"step_{sys.argv[2]}")
for name in ("tokenizer.json", "tokenizer_config.json"):
    shutil.copy(f"tiny/{name}", out)
"""
RUN_CHECKPOINTS = (
    "assay run tiny -s quiz --gate gate.toml --text text.txt --threads 1 --device cpu --json"
)


def build_stories(folder: Path) -> None:
    """A model of 1 MB as a GGUF file and as a checkpoint, with the same small suite."""
    shutil.copy(STORIES / "gguf" / "stories260K-f32.gguf", folder / "stories.gguf")
    shutil.copy(folder / "stories.gguf", folder / "other.gguf")
    (folder / "stories").mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(STORIES / name, folder / "stories" / name)
    write_suite(folder / "quiz", QUIZ)
    write_text(folder / "text.txt", STORY * 12)


STORY = (
    "Once upon a time there was a little girl who had a red ball. She played with it in the park"
    " every day. One day the ball fell into the water, and her friend helped her to get it back.\n"
)


# ------------------------------------------------------------------------------------------ servers

ANSWERS = {
    "1 plus 1": "2",
    "2 plus 2": {"text": "4", "thinking": "Two and two."},
    "Which one is a fruit": {
        "text": "B",
        "logprobs": {" B": -0.1, " A": -2.5, " C": -3.0, "D": -9},
    },
    "How warm is it": json.dumps(CALL),
    "*": "I do not know.",
}


def build_served(folder: Path) -> None:
    """A small suite for a server: text, a choice, tools, a schema, two turns."""
    few = {name: LITTLE[name][:2] for name in ("sums", "choices", "tools")}
    few["turns"] = [
        {
            "id": "turns_001",
            "messages": [
                {"role": "user", "content": "What is 1 plus 1?"},
                {"role": "user", "content": "And what is 2 plus 2?"},
            ],
            "live": True,
            "eval_method": "exact_match",
            "expected": "4",
            "stop": ["END"],
            "temperature": 0.7,
        }
    ]
    write_suite(folder / "few", few, **{**ABOUT, "weights": {}})
    write_suite(folder / "one", {"sums": LITTLE["sums"][:1]})
    write_suite(folder / "pick", {"choices": [{**LITTLE["choices"][0]}]})
    write_text(folder / "prompts.txt", "What is 1 plus 1?\nName a river.\n")


# ------------------------------------------------------------------------------ plugins and gates

PLUGIN = '''"""A check, a model, a measure and a report format."""

import re

import assay


@assay.check("regex")
class Regex:
    """The answer matches a regular expression."""

    pattern: str

    def score(self, answer: str) -> bool:
        if self.pattern == "raise":
            raise ValueError("the check itself is broken")
        return re.search(self.pattern, answer) is not None


@assay.model("echo")
class Echo:
    def __init__(self, name: str) -> None:
        self.name = name

    def generate(self, messages, *, temperature, max_tokens, seed, stop):
        if self.name == "broken":
            raise RuntimeError("the model is broken")
        return messages[-1].content


@assay.measure("brevity", unit="words", better="lower")
class Brevity:
    """Mean words of an answer to two short prompts."""

    def requests(self):
        return [assay.Ask("Say hello."), assay.Ask("Name a bright colour.")]

    def value(self, replies):
        return [len(reply.text.split()) for reply in replies]


@assay.report_format("tsv")
def tsv(report):
    rows = [(m.model, s.suite, s.score.value) for m in report.models for s in m.suites]
    return "\\n".join("\\t".join(map(str, row)) for row in rows)
'''


def build_plugins(folder: Path) -> None:
    """A plugin of every kind, one that cannot be loaded, a suite and a gate that need the first."""

    def pattern_test(number: int, pattern: str) -> dict[str, Any]:
        prompt = f"Say the number {number}."
        return {
            "id": f"regex_{number:03d}",
            "prompt": prompt,
            "eval_method": "regex",
            "pattern": pattern,
        }

    write_text(folder / "plugin.py", PLUGIN)
    write_text(folder / "broken.py", "import assay\n\n1 / 0\n")
    write_suite(
        folder / "patterns", {"regex": [pattern_test(1, "number 1"), pattern_test(2, "^[0-9]+$")]}
    )
    write_suite(folder / "fails", {"regex": [pattern_test(1, "raise")]})
    write_text(folder / "brief.toml", "[measure.brevity]\nmax = 2\n")


ALL_TABLES = """\
[perplexity]
max = { tiny = 60, small = 30, medium = 20, large = 15 }

[text.law]
max = 40

[[suite]]
name = "quiz"
categories = ["choose"]
min = 0.2

[[suite]]
name = "quiz2"
above_guessing = true

[speed]
min_tokens_per_s = 0.01

[generation]
max_failures = 3
seeds = 1

[memory]
max_mb = 4000

[accuracy]
min_top1 = 0.1
min_top5 = 0.9

[endings]
min = 0.5

[tokenizer]
max_tokens_per_word = 9
"""
CLASSES = """\
[perplexity]
max = { tiny = 60, small = 5, medium = 4, large = 3 }

[size]
class = "medium"

[score]
weights = { perplexity = 0.5, "suite:quiz" = 0.5 }

[[suite]]
name = "quiz"
min = 0.1
"""


def build_gates(folder: Path) -> None:
    """One checkpoint, two texts, and gates with every table."""
    build_checkpoints(folder)
    shutil.rmtree(folder / "tiny" / "step_000160")
    shutil.rmtree(folder / "tiny" / "step_005600")
    text = (folder / "text.txt").read_text("utf-8")
    write_text(folder / "law.txt", text[: HELD_OUT_CHARACTERS // 2])
    shutil.copytree(folder / "quiz", folder / "quiz2")
    for number, file in enumerate(sorted((folder / "quiz2").glob("*.json"))):
        renamed = file.read_text("utf-8").replace('"id": "', f'"id": "q{number}')
        file.write_text(renamed, "utf-8")
    write_text(folder / "all.toml", ALL_TABLES)
    write_text(folder / "classes.toml", CLASSES)


CHECKER = """\
from assay.checking import Candidate, Check, choose_code, compare


def check(answer, truth, files):
    code = choose_code(answer, ["double"])
    yield Check("code", code is not None, "there is a function double")
    for number in (3,):
        reason = "there is no code"
        if code is not None:
            candidate = Candidate(code.sources)
            reason = compare(candidate.run(f"result = double({number})"), 2 * number)
        yield Check(f"double_{number}", not reason, reason or "right")
"""
RIGHT = "```python\ndef double(number):\n    return 2 * number\n```\n"


def build_code(folder: Path) -> None:
    """Tests whose answers are code, each with the same checker, and one model with five answers."""
    answers = {
        "right": RIGHT,
        "wrong": RIGHT.replace("2 *", "3 *"),
        "crash": RIGHT.replace("return 2 * number", "raise SystemExit(3)"),
        "endless": RIGHT.replace("return 2 * number", "while True: pass"),
        "none": "I would double it.",
    }
    for name in answers:
        test = folder / "code" / name
        write_json(
            test / "test.json",
            {
                "id": f"code_{name}",
                "category": "code",
                "prompt": "Write a Python function double(number).",
                "eval_method": "judge",
                "rubric": "coding",
                "description": "Doubling",
            },
        )
        write_text(test / "check.py", CHECKER)
        write_text(test / "reference.md", RIGHT)
    write_json(
        folder / "code.json", {"answers": {f"code_{name}": text for name, text in answers.items()}}
    )


HOSTILE_GATES = (
    "empty", "unknown_table", "unknown_key", "not_a_number", "wrong_kind", "suite_twice",
    "not_toml", "outside", "deep",
)  # fmt: skip
HOSTILE_GGUF_NAMES = (
    "cut", "version", "fields", "entries", "lists", "text", "place", "not_gguf",
)  # fmt: skip


def build_nothing(folder: Path) -> None:
    """An empty folder."""


SCENES = {
    "empty": Scene(build_nothing),
    "little": Scene(build_little),
    "scored": Scene(build_little, ("assay run scripted:good.json scripted:weak.json -s little",)),
    "pair": Scene(
        build_little,
        (
            "assay run scripted:good.json scripted:weak.json -s little"
            " -c words -c tools -c shell -c shapes",
        ),
    ),
    "judged": Scene(
        build_judged,
        ("assay run scripted:able.json scripted:poor.json -s talk --judge scripted:judge.json",),
    ),
    "ollama": Scene(build_served, server="ollama", answers=ANSWERS),
    "openai": Scene(build_served, server="openai", answers=ANSWERS),
    "checkpoints": Scene(build_checkpoints, (RUN_CHECKPOINTS,)),
    "plugins": Scene(build_plugins),
    "gates": Scene(build_gates),
    "code": Scene(build_code),
    "stories": Scene(build_stories, needs_shared=True),
}
