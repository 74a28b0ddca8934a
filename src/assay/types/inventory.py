"""What was found on this machine to be asked: GGUF files, and servers that answer or do not.
Empty, None: not told.
"""

from dataclasses import dataclass
from typing import Literal

FileStore = Literal["folder", "LM Studio", "Ollama"]
ServerKind = Literal["Ollama", "llama.cpp", "vLLM", "OpenAI-compatible", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFound:
    """A GGUF file, by what stands at its beginning. `digest`: where its store names it. `why_not`:
    it cannot be asked.
    """

    spec: str
    path: str
    store: FileStore
    size_bytes: int
    architecture: str = ""
    quantisation: str = ""
    parameters: str = ""
    context: int | None = None
    digest: str = ""
    why_not: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedFound:
    """A model of a server. `digest`: what the server says; Ollama's stands for more than weights.
    `loaded`: it is in memory.
    """

    name: str
    spec: str
    size_bytes: int | None = None
    parameters: int | None = None
    quantisation: str = ""
    context: int | None = None
    digest: str = ""
    loaded: bool | None = None
    thinks: bool | None = None
    tools: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFound:
    """An address that was looked at. `named_by`: a variable, or the port. `kind` "" and no problem:
    nobody is there; with one: what answers is no server of models, or does not let us in.
    `slots`: requests answered at once, each in a `context` of tokens. `file`: as the server was
    given it, `digest` of it; `template`: the SHA-256 of its chat template.
    """

    url: str
    named_by: str
    kind: ServerKind = ""
    version: str = ""
    problem: str = ""
    hint: str = ""
    slots: int | None = None
    context: int | None = None
    template: str = ""
    file: str = ""
    digest: str = ""
    thinks: bool | None = None
    tools: bool | None = None
    models: tuple[ServedFound, ...] = ()
    more_models: int = 0

    @property
    def is_there(self) -> bool:
        return bool(self.kind or self.problem)
