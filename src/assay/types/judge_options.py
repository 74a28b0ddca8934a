"""How a user wants answers to be judged.

In: options. Out: JudgeOptions, and the options again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.types.judgements import JudgeFormChoice, Layout
from assay.types.model_spec import without_secrets

SandboxChoice = Literal["auto", "weak"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """No judges: nothing is judged. `layout` None: the form's own default. `use_case` is told to
    the judge. Code in answers is run only where it is allowed.
    """

    judges: tuple[str, ...] = ()
    form: JudgeFormChoice = "auto"
    layout: Layout | None = None
    repeats: int = 1
    use_case: str = ""
    allow_code_execution: bool = False
    sandbox: SandboxChoice = "auto"
    allow_self_judging: bool = False

    @property
    def key(self) -> list[object]:
        """What another value of would be another run for; nothing where nothing is judged."""
        if not self.judges:
            return []
        return [
            self.form, self.layout, self.repeats, self.use_case, self.allow_code_execution,
            self.sandbox,
        ]  # fmt: skip

    @property
    def in_vain(self) -> str:
        """The options that do nothing, as no judge is named; "" where there are none."""
        given = [] if self.judges else [each for each in self.options() if each.startswith("--")]
        return ", ".join(given)

    def options(self) -> Iterator[str]:
        """As they are typed."""
        for judge in self.judges:
            yield from ("--judge", without_secrets(judge))
        given = {
            "--judge-form": self.form if self.form != "auto" else None,
            "--judge-layout": self.layout,
            "--judge-repeats": self.repeats if self.repeats != 1 else None,
            "--use-case": self.use_case or None,
            "--sandbox": self.sandbox if self.sandbox != "auto" else None,
        }
        for option, value in given.items():
            if value is not None:
                yield from (option, str(value))
        if self.allow_code_execution:
            yield "--allow-code-execution"
        if self.allow_self_judging:
            yield "--allow-self-judging"
