"""Why a model cannot be asked at all, and what the user can do about it.

In: the Fault that ended opening or probing, and its words, clean of secrets already. Out:
ModelUnavailable.
"""

from __future__ import annotations

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.http.faults import Fault
from assay.models.openai.key import Key

PLAIN_HTTP = ("WRONG_VERSION_NUMBER", "record layer failure")  # OpenSSL's words for it


def unavailable(name: str, url: str, key: Key, fault: Fault, why: str) -> ModelUnavailable:
    """The fault as a sentence with a hint."""
    if fault.status in (401, 403):
        return ModelUnavailable(
            tr("{url} lets us not in: {why}", url=url, why=why), hint=key.how_to_set()
        )
    if fault.cause == "unreachable":
        return _unreachable(name, url, why)
    if fault.cause == "timeout":
        hint = tr("a longer --timeout gives the server time to load the model")
    elif fault.cause in ("rate_limited", "server_error"):
        hint = tr("the server is busy or broken: ask it again later, or look at its own log")
    else:
        hint = tr("check that {url} is an OpenAI-compatible server", url=url)
    return ModelUnavailable(tr("cannot use openai:{name}: {why}", name=name, why=why), hint=hint)


def _unreachable(name: str, url: str, why: str) -> ModelUnavailable:
    if any(words in why for words in PLAIN_HTTP):
        plain = url.replace("https://", "http://", 1)
        return ModelUnavailable(
            tr("no secure connection to {url}: {why}", url=url, why=why),
            hint=tr(
                "the server speaks plain http: try openai:{name}@{plain}", name=name, plain=plain
            ),
        )
    return ModelUnavailable(
        tr("no server answers at {url}: {why}", url=url, why=why),
        hint=tr(
            "start it, or name its address as in openai:{name}@http://HOST:PORT/v1 or "
            "OPENAI_BASE_URL",
            name=name,
        ),
    )
