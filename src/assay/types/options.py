"""How a user wants models to be asked: what changes no answer, or belongs to a model as a whole.

In: options of the command line. Out: frozen records, for servers and for checkpoints. Refuses to
know: requests and sampling.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

OpenAIForm = Literal["auto", "chat", "completions"]

DEFAULT_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """`connections` None: 1 for Ollama, which serves one at a time, 8 for others. `num_ctx` None:
    enough for the longest prompt and its answer. `api_key_env` names the variable with the key.
    """

    timeout_s: float = DEFAULT_TIMEOUT_S
    connections: int | None = None
    num_ctx: int | None = None
    api_key_env: str | None = None
    form: OpenAIForm = "auto"
    first_pause_s: float = 0.5  # before a second try; doubled for each further one


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalOptions:
    """`device` None: the fastest there is. `dtype` None: fp32 on a CPU, else the checkpoint's own.
    `tokenizer` None: found in the checkpoint's folder or up to two above it.
    """

    device: str | None = None
    dtype: str | None = None
    tokenizer: Path | None = None
    trust_remote_code: bool = False
