"""Recording an application's calls: what the proxy of `assay record` asks of it."""

from dataclasses import dataclass
from urllib.parse import unquote

from assay.models.address import server_name, split_server_url
from assay.types.model_spec import without_userinfo
from assay.types.recorded import Exchange
from assay.workflow.commands.recording import MOST_BYTES, CallRecording, Recorded, is_call

__all__ = ["MOST_BYTES", "CallRecording", "Exchange", "Recorded", "Upstream", "is_call"]

EXAMPLE = "http://127.0.0.1:11434"


@dataclass(frozen=True)
class Upstream:
    """The server that is recorded. `login`: user and password of its URL, which are not stored."""

    scheme: str
    host: str
    port: int | None
    path: str
    login: tuple[str, str] | None = None

    @classmethod
    def of(cls, url: str) -> "Upstream":
        """Raises UsageError for what is no server's URL."""
        parts = split_server_url(url, without_userinfo(url), EXAMPLE)
        login = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(
            scheme=parts.scheme,
            host=server_name(parts.hostname or ""),
            port=parts.port,
            path=parts.path.rstrip("/"),
            login=login if any(login) else None,
        )

    @property
    def place(self) -> str:
        """Host and port, as the header `Host` names them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.place}{self.path}"
