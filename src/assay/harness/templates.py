"""Templates of task files that nobody has looked at: Jinja's sandbox, with an end."""

from typing import Any

from jinja2 import nodes
from jinja2.sandbox import SandboxedEnvironment
from jinja2.visitor import NodeTransformer

from assay.messages import tr

# Counted and not timed, so that the same file is refused on every machine.
MOST_STEPS = 1_000_000  # of all loops and macros of a text together
LONGEST = 10_000_000  # characters, items or bits


class EndlessTemplate(ValueError):
    """It takes more steps, or makes something larger, than any prompt needs."""


class Confined(SandboxedEnvironment):
    """Each turn of a loop and each call of a macro is counted, and nothing grows beyond what a
    prompt may hold.
    """

    intercepted_binops = frozenset(("+", "*", "**"))
    steps = 0

    def step(self) -> str:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise EndlessTemplate(tr("a template takes more than {most} steps", most=MOST_STEPS))
        return ""

    def from_string(self, *given: Any, **named: Any) -> Any:
        """The harness makes a template anew for each document, and each has all steps."""
        self.steps = 0
        return super().from_string(*given, **named)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if size_of(operator, left, right) > LONGEST:
            raise EndlessTemplate(tr("a template makes something too large"))
        return self.small(super().call_binop(context, operator, left, right))

    def small(self, made: Any) -> Any:
        if hasattr(made, "__len__") and len(made) > LONGEST:
            raise EndlessTemplate(tr("a template makes something too large"))
        return made

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template: nodes.Template = _Counted().visit(super()._parse(source, name, filename))
        return template


class _Counted(NodeTransformer):
    """What repeats tells of each step, and what makes a text or list shows it."""

    def repeats(self, node: nodes.For | nodes.Macro | nodes.CallBlock) -> nodes.Node:
        self.generic_visit(node)
        node.body.insert(0, nodes.Output([_call("step")]))
        return node

    def makes(self, node: nodes.Expr) -> nodes.Node:
        self.generic_visit(node)
        return _call("small", node)

    def keeps(self, node: nodes.FilterBlock | nodes.AssignBlock) -> nodes.Node:
        """Its filter is a part of it, and no expression."""
        kept = node.filter
        node.filter = None
        self.generic_visit(node)
        node.filter = kept
        return node

    visit_For = visit_Macro = visit_CallBlock = repeats
    visit_Concat = visit_Filter = makes
    visit_FilterBlock = visit_AssignBlock = keeps


def _call(name: str, *given: nodes.Expr) -> nodes.Call:
    return nodes.Call(nodes.EnvironmentAttribute(name), list(given), [], None, None)


def size_of(operator: str, left: Any, right: Any) -> float:
    """Of what comes out, at most: of texts and lists their length, of whole numbers their bits."""
    if operator == "**":
        whole = isinstance(left, int) and isinstance(right, int)
        return left.bit_length() * float(max(right, 0)) if whole else 0.0
    for one, other in ((left, right), (right, left)):
        if hasattr(one, "__len__") and isinstance(other, int):
            return len(one) * float(max(other, 0))
    return 0.0
