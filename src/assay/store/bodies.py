"""Dataclasses as JSON text in a column of the store, and hashes of content."""

import json
import re
import secrets
import time
from dataclasses import replace
from functools import cache, lru_cache
from hashlib import sha256
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from assay.errors import StoreCorrupt
from assay.messages import tr
from assay.types import Case, Reply, Suite, ToRead, Work


def stored_work(work: Work) -> Work:
    """A held-out text may have gigabytes, and is read by every checkpoint: its digest is stored."""
    return replace(work, text="", tokens=None) if isinstance(work, ToRead) else work


def digest_of(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def content(suite: Suite) -> Suite:
    """What tells versions of a suite apart: its path and the form of its files do not count."""
    return replace(suite, path="", source="")


def content_hash(suite: Suite) -> str:
    """Equal where scores and what is asked are equal: an author's remarks do not count, so that
    reviewing a test, or naming a licence, makes no new version of its suite.
    """
    bare = replace(
        content(suite),
        title="",
        version="",
        licence="",
        elsewhere={},
        categories=tuple(
            replace(each, cases=tuple(map(without_remarks, each.cases)))
            for each in suite.categories
        ),
        few_shot={
            name: tuple(map(without_remarks, shown[: suite.shots]))
            for name, shown in suite.few_shot.items()
        },
    )
    # A suite without words of its own has the hash that it had before there were any.
    return digest_of(without_later(to_json(bare, Suite)).replace(',"words":null', ""))


def without_later(suite: str) -> str:
    """The text of a suite as it was before turns had calls of tools, if no turn has one."""
    return suite.replace(',"called":null', "")


def without_remarks(case: Case) -> Case:
    """A test without what its author says about it: nothing of that is asked or scored."""
    return replace(case, system=case.system or None, description="", reviewed=None, tags=())


def new_run_id() -> str:
    """20261115T101500Z-1a2b3c: sorts by time, and two runs of one second differ."""
    return utc_now().replace("-", "").replace(":", "") + "-" + secrets.token_hex(3)


def utc_now() -> str:
    """Now, in UTC, whole seconds: 2026-11-15T10:15:00Z."""
    return _written(int(time.time()))


@lru_cache(maxsize=1)  # asked for twice with every reply, and the same for a second
def _written(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Made once for each type: making one takes longer than using it. Told by their `kind`, replies
    are read in a tenth of the time that trying every type takes.
    """
    told: Any = Annotated[kind, Field(discriminator="kind")]
    return TypeAdapter(told if kind in (Reply, Work) else kind)


_SURROGATES = re.compile("[\ud800-\udfff]")


def to_json(value: object, kind: Any) -> str:
    """Halves of surrogate pairs, which a check may repeat from an answer, have no encoding: each
    becomes U+FFFD.
    """
    serializer = adapter(kind).serializer
    try:
        return serializer.to_json(value).decode()
    except PydanticSerializationError:
        text = json.dumps(serializer.to_python(value, mode="json"), ensure_ascii=False)
        return _SURROGATES.sub("\ufffd", text)


def read_back(kind: Any, text: str) -> Any:
    """JSON text as a dataclass. Raises StoreCorrupt where it is none."""
    try:
        return adapter(kind).validate_json(text)
    except ValidationError as error:
        raise StoreCorrupt(
            tr("the store holds a record that cannot be read: {text}", text=text[:80]),
            hint=tr("move the store away, or choose another folder with --out"),
        ) from error
