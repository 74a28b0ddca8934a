"""Entries about servers: what is sent to them, and what is made of their answers and faults."""

from __future__ import annotations

from tests.oracle.registry import Collection

OLLAMA = "ollama:smollm2:135m-instruct-q4_1@{server}"
CALLER = "ollama:llama3.2:3b@{server}"
OPENAI = "openai:test-model@{server}"

SERVED = Collection("ollama")
_add = SERVED.add

_add(
    "ollama-run",
    "A run over Ollama's native API.",
    f"assay run {CALLER} -s few",
    f"assay run {CALLER} -s few --json | pick models.0.suites.0.tests",
)
_add(
    "ollama-requests",
    "The bodies that Ollama is sent: sampling, tools, turns, stops.",
    f"assay run {CALLER} -s few --json | pick exit_code",
    "sent",
)
_add(
    "ollama-options",
    "Options of run that change what Ollama is sent.",
    f"assay run {OLLAMA} -s one --sampling server --num-ctx 512 --think off --seed 7 --json"
    " | pick exit_code",
    "sent /api/chat",
    f"assay run {OLLAMA} -s one --system Short. --max-tokens 5 --repeats 2 --json | pick exit_code",
    "sent /api/chat",
)
_add(
    "ollama-choice",
    "A question with choices, and what is sent for it.",
    f"assay run {OLLAMA} -s pick --json | pick models.0.suites.0.tests",
    "sent",
)
_add(
    "ollama-ids",
    "Request ids over Ollama hang on the model's digest, not on its address.",
    f"assay run {CALLER} -s few --json | pick exit_code",
    "sql SELECT test_id, turn, repeat, id FROM requests ORDER BY test_id, turn",
)
_add(
    "ollama-faults",
    "A 503 is asked again; a cut stream is a failed request, never a score.",
    f"assay run {OLLAMA} -s one --json | pick models.0.suites.0.tests",
    faults=({"kind": "http_503", "times": 2},),
)
_add(
    "ollama-cut",
    "An answer whose connection breaks for ever is failed: exit 3.",
    f"assay run {OLLAMA} -s one --timeout 5",
    faults=({"kind": "closes_mid_chunk", "times": None},),
)
for fault in ("html", "garbage", "auth_401", "http_404", "empty_body", "wrong_shape"):
    _add(
        f"ollama-{fault.replace('_', '-')}",
        f"What is said of a server whose answers have the fault {fault}.",
        f"assay run {OLLAMA} -s one --timeout 5 --json | pick models.0.suites.0.tests",
        faults=({"kind": fault, "times": None},),
    )
_add(
    "ollama-missing",
    "A missing model names those that are there; a missing server says what to do.",
    "assay run ollama:llama9@{server} -s one",
    "assay run ollama:llama9@http://127.0.0.1:1 -s one",
)
_add(
    "ollama-url",
    "A server named by its address alone.",
    "assay run {server} -s one",
)
_add(
    "ollama-ask",
    "Own prompts to a server.",
    f"assay ask prompts.txt {OLLAMA}",
    "sent /api/chat",
)
_add(
    "record",
    "An application's calls become a suite that can be run; keys are removed.",
    "call record_calls {server}",
    "ls recorded",
    "cat recorded/*.json",
    "assay validate recorded",
)
_add(
    "openai-run",
    "A run over an OpenAI-compatible server.",
    f"assay run {OPENAI} -s few",
    f"assay run {OPENAI} -s few --json | pick models.0.suites.0.tests",
    scene="openai",
)
_add(
    "openai-requests",
    "The bodies that an OpenAI-compatible server is sent.",
    f"assay run {OPENAI} -s few --json --connections 1 | pick exit_code",
    "sent",
    scene="openai",
)
_add(
    "openai-options",
    "Options of run that change what such a server is sent; the key is in a header only.",
    f"assay run {OPENAI} -s one --sampling server --seed 7 --api-key-env MY_KEY --json"
    " | pick exit_code",
    "sent /v1/chat/completions",
    f"assay run {OPENAI} -s one --api completions --json | pick exit_code",
    "sent /v1/completions",
    "sql SELECT count(*) FROM replies WHERE body LIKE '%sesame%'",
    scene="openai",
    environment={"MY_KEY": "sk-open-sesame"},
)
_add(
    "openai-choice",
    "A question with choices over an OpenAI-compatible server.",
    f"assay run {OPENAI} -s pick --json | pick models.0.suites.0.tests",
    "sent",
    scene="openai",
)
_add(
    "openai-refused",
    "A field that the server rejects is told, and left out.",
    f"assay run {OPENAI} -s one",
    "sent /v1/chat/completions",
    scene="openai",
    flags={"features": {"seed": "reject"}},
)
