"""Runs a checkpoint's chat template, as transformers does, and tries its tokenizer: a program of
its own within limits, which loads nothing of Assay. A line of JSON in, a line out.
"""

import json
import sys
from datetime import datetime
from functools import lru_cache
from typing import Any

MOST_CHARACTERS = 4_000_000  # of a prompt
MOST_GROWTH = 20  # characters, or tokens, for each one of a text
# What makes a careless pattern try every way to split a text: runs of one character.
TRIED = (
    "The answer is 42: `sudo apt-get install nginx` costs 3,50 €. Ŋkeke ƒe dɔ́ wɔm nyuie; été.",
    *(character * 1_000 + "!" for character in "aA1 \n.-_=é中"),
    "ab" * 500 + "!",
    "a b " * 250,
)


def limit_memory(most_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows: time and output are limited, memory is not
        return
    resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def try_tokenizer(file: str) -> dict[str, Any]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(file)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    for text in TRIED:
        ids = tokenizer.encode(text).ids
        most = MOST_GROWTH * len(text) + 1_000
        if len(ids) > most or len(tokenizer.decode(ids)) > most:
            raise ValueError(f"it makes {len(ids):,} tokens of {len(text):,} characters")
    return {"tokens": tokenizer.get_vocab_size()}


@lru_cache(maxsize=4)
def template_of(source: str) -> Any:
    from jinja2 import TemplateError, nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """`{% generation %}` marks what an assistant wrote, for training; here it is plain text."""

        tags = {"generation"}  # noqa: RUF012 - the name and kind that jinja reads

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body).set_lineno(line)

    def refuse(message: str) -> None:
        raise TemplateError(message)

    def as_json(value: object, ensure_ascii: bool = False, **form: Any) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, **form)

    jinja = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    jinja.filters["tojson"] = as_json
    jinja.globals["raise_exception"] = refuse
    jinja.globals["strftime_now"] = lambda form: datetime.now().strftime(form)  # noqa: DTZ005
    return jinja.from_string(source)


def render(source: str, values: dict[str, Any]) -> dict[str, Any]:
    pieces: list[str] = []
    length = 0
    for piece in template_of(source).generate(**values):
        length += len(piece)
        if length > MOST_CHARACTERS:
            raise ValueError(f"it writes more than {MOST_CHARACTERS:,} characters")
        pieces.append(piece)
    return {"text": "".join(pieces)}


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    try:
        if "tokenizer" in asked:
            return try_tokenizer(asked["tokenizer"])
        return render(asked["template"], asked["values"])
    except MemoryError:
        return {"error": "it takes too much memory"}
    except BaseException as error:  # noqa: BLE001 - a panic of the Rust library is no Exception
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return {"error": lines[0][:500]}


if __name__ == "__main__":
    limit_memory(int(sys.argv[1]))
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)  # noqa: T201
