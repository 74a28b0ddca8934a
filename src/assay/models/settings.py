"""How a user wants servers to be asked: what changes no answer, or belongs to a model as a whole.

In: options of the command line. Out: a frozen record. Refuses to know: requests and sampling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

OpenAIForm = Literal["auto", "chat", "completions"]

DEFAULT_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """`connections` None: 1 for Ollama, which serves one at a time, 8 for others. `num_ctx` None:
    enough for the longest prompt and its answer. `api_key_env` names the variable with the key.
    """

    timeout_s: float = DEFAULT_TIMEOUT_S
    connections: int | None = None
    num_ctx: int | None = None
    api_key_env: str | None = None
    form: OpenAIForm = "auto"
    first_pause_s: float = 0.5  # before a second try; doubled for each further one
