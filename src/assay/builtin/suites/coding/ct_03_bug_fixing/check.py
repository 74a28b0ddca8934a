"""Runs code that shows each planted bug with the corrected module, and the same for the functions
that were right. What it should find is what it finds with our own corrected module.

The values in that code come from the answer itself: whoever reads them off a report and writes a
table of them has another answer, and so other values. First they are common ones; then of every
size, length and character that a docstring leaves free, and those that the answer's code names.
`$f` is the name of the function; the code leaves what it finds in `result`, with what it was given.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from random import Random
from string import Template
from typing import Any

from assay.checking import (
    Candidate,
    Check,
    Code,
    GroupResult,
    ReportText,
    Step,
    StepResult,
    Together,
    WideDraw,
    choose_code,
    cited_in,
    differs,
    draw_for,
    find_obstacle,
    functions,
    has_name,
    is_word,
    list_checks,
    list_named,
    own_words,
    parse,
    raised_instead,
    said_of,
    show,
    words_in,
)

_BUG, _REST, _SPOILED = 4, 3, 16  # weights; to break what was right costs more, each function
_SAME = 3  # a weight: right functions whose code is as it was
# Weights of a bug in the report, which is a third of the task; words about it, beside the name of
# its function.
_EXPLAINED, _SHOWN_BY, _LEAST_WORDS = 1.6, 1.3, 5
# What a call or a value is written with. Names are those that a comprehension binds.
_INPUT = (ast.Expression, ast.Call, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set,
          ast.UnaryOp, ast.USub, ast.GeneratorExp, ast.ListComp, ast.comprehension, ast.Name,
          ast.expr_context, ast.keyword)  # fmt: skip
_BARE = 4  # nodes of a single value
_MAKERS = ("iter", "range", "list", "tuple", "set", "map", "reversed")
_WHOLE, _IN_PARTS = 1, 6  # the whole module was asked for: to leave functions out costs more
# Of all, for who makes functions right for common values alone: a function that was right already,
# or two of the others. One of them may be a slip, and is a bug that is not fixed.
MOST_FITTED, _MOST_SLIPS = 0.25, 1
_WIDE_DRAWS, _MOST_NAMED_DRAWS = 3, 8  # of the values of each function


def check(answer: str, truth: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[Check]:
    shown, original = truth["functions"], files["shop.py"]
    planted = [one for one in shown if one["planted"]]
    bugs = {f"bug_{at}": one for at, one in enumerate(planted, 1)}
    table: dict[str, tuple[float, str]] = {
        **{name: (_BUG, f"The bug in {one['name']}") for name, one in bugs.items()},
        "nothing_broken": (_REST, "The functions that were right"),
        "complete": (_WHOLE, "Functions that are missing, or have other parameters"),
        "docstrings": (1, "Docstrings that were changed"),
        "right_as_given": (_SAME, "The code of functions that were right, as it was given"),
        **{
            f"explained_{at}": (_EXPLAINED, f"The bug in {one['name']}, explained in the text")
            for at, one in enumerate(planted, 1)
        },
        **{
            f"input_{at}": (_SHOWN_BY, f"A call that shows the bug in {one['name']}, in the text")
            for at, one in enumerate(planted, 1)
        },
    }
    code = choose_code(answer, [one["name"] for one in shown], quoted=original)
    obstacle = find_obstacle(answer, code)
    if code is None and choose_code(answer, [one["name"] for one in shown]) is not None:
        unchanged = "the code of no function is changed"
        beside = f"not counted, since {unchanged}"
        yield from list_checks(table, {one: unchanged if one in bugs else beside for one in table})
        return
    if code is None or obstacle:
        yield from list_checks(table, obstacle)
        return
    trial = _RepairTrial(code, truth, original, draw_for(answer))
    found = {one["name"]: trial.reason(one) for one in shown}
    found |= trial.company()
    reasons = {name: found[one["name"]] for name, one in bugs.items()}
    rest = [one for one in shown if not one["planted"]]
    spoilt = [one["name"] for one in rest if found[one["name"]]]
    broken = "; ".join(found[name] for name in spoilt)
    fitted = [name for name, one in bugs.items() if one["name"] in trial.fitted]
    limits = {fitted[0]: MOST_FITTED} if len(fitted) > _MOST_SLIPS else {}
    if any(one["name"] in trial.fitted for one in rest):
        limits = {"nothing_broken": MOST_FITTED}
    # Leaving functions as they are is worth nothing to one who fixes little.
    too_few = ""
    if 2 * sum(map(bool, reasons.values())) > len(bugs):
        too_few = "not counted, since fewer than half of the bugs are fixed"
    reasons["nothing_broken"] = spoiled = too_few or broken
    if spoiled:
        table["nothing_broken"] = (_SPOILED * max(len(spoilt), 1), table["nothing_broken"][1])
    other = [one["name"] for one in rest if one["name"] in trial.recoded]
    reasons["right_as_given"] = too_few or ", ".join(one for one in other if one not in spoilt)
    if trial.left_out:
        table["complete"] = (_IN_PARTS, table["complete"][1])
    reasons["complete"] = too_few or ", ".join(trial.left_out)
    reasons["docstrings"] = too_few or ", ".join(trial.reworded)
    reasons |= _explain(answer, {name: one for name, one in bugs.items() if not reasons[name]},
                        original)  # fmt: skip
    unfixed = "not counted, since the bug is not fixed"
    reasons |= {one: unfixed for one in table if one not in reasons}
    told = [one for one in table if one.startswith(("explained_", "input_"))]
    reasons |= {one: too_few for one in told if too_few}
    yield from list_checks(table, reasons, limits)


def _explain(answer: str, fixed: Mapping[str, Mapping[str, Any]], original: str) -> dict[str, str]:
    """Why bugs that are fixed are not explained, or no input shows them. An explanation is text
    outside of the code that names the function with words that most others lack, in any language:
    one of them names the fault, or two are from the function's code.
    """
    text = ReportText(answer).text
    code = {
        one.name: words_in(ast.unparse(one))
        for one in functions(parse(original) or ast.Module([], []))
    }
    parts = cited_in(answer)
    names = [one["name"] for one in fixed.values()]
    said = own_words([said_of(text, name) for name in names])
    reasons = {}
    for (bug, one), words in zip(fixed.items(), said, strict=True):
        name, number = one["name"], bug.rpartition("_")[2]
        is_told = len(words & said_of(text, name, below=True)) >= _LEAST_WORDS and (
            any(is_word(word, _WORDS[one["kind"]]) for word in words)
            or len(words & (code.get(name, set()) - words_in(name))) > 1
        )
        reasons[f"explained_{number}"] = "" if is_told else (
            f"beside its name the text has no {_LEAST_WORDS} words that are not said of most "
            "others, one naming the fault or two from its code"
        )  # fmt: skip
        is_shown = any(
            _is_input(span, name) for part, spans in parts if has_name(part, name) for span in spans
        )
        reasons[f"input_{number}"] = (
            ""
            if is_shown
            else ("no item that names it has a call of it, or a value for it, in backticks")
        )
    return reasons


def _is_input(span: str, name: str) -> bool:
    """A call of the function with arguments, or what may stand between its brackets."""
    try:
        tree = ast.parse(f"({span},)", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    nodes = [*ast.walk(tree)]
    bound = {one.id for one in nodes if isinstance(one, ast.Name)
             and isinstance(one.ctx, ast.Store)}  # fmt: skip
    names = {one.id for one in nodes if isinstance(one, ast.Name)} - bound
    is_plain = all(isinstance(one, _INPUT) for one in nodes) and names <= {name, *_MAKERS}
    values = [one.value for one in nodes if isinstance(one, ast.Constant)]
    # `None` or `0` alone may be a result.
    return is_plain and bool(values) and (len(nodes) > _BARE or values[0] not in (None, 0, 1))


class _RepairTrial:
    """The corrected module beside ours."""

    def __init__(self, code: Code, truth: Mapping[str, Any], original: str, random: Random) -> None:
        tree = parse(original) or ast.Module([], [])
        given = {one.name: one for one in functions(tree)}
        own = {name: code.function(name) for name in given}
        self.left_out = [
            name
            for name, function in own.items()
            if function is None or _parameters(function) != _parameters(given[name])
        ]
        self.reworded = [
            name
            for name, function in own.items()
            if function is not None and _words(function) != _words(given[name])
        ]
        self.recoded = [
            name
            for name, function in own.items()
            if function is not None and _statements(function) != _statements(given[name])
        ]
        self.defined = code.defined
        # What the answer does not define stays as it was; ours come last, so that no code of the
        # answer sees them when it is loaded.
        unfixed = [ast.unparse(given[name]) for name in given if name not in code.defined]
        self.candidate = Candidate([*code.sources, *unfixed], alone=True)
        self.corrected: dict[str, Any] = {}
        exec(truth["corrected"], self.corrected)
        self.random, self.constants = random, truth["constants"]
        self.code = code
        # Other definitions of the answer may serve any of the nine functions.
        self.beside = [one for one in code.tree.body if getattr(one, "name", "") not in given]
        self.together = Together(self.candidate, random)
        self.fitted: set[str] = set()  # right for common values alone, or alone in a process

    def reason(self, shown: Mapping[str, Any]) -> str:
        """Why the function does not do what it should; "" where it does."""
        name, kind = shown["name"], shown["kind"]
        if name not in self.defined:
            return "the answer does not give this function" if shown["planted"] else ""
        common = _PROBES[kind](self.random, self.constants)
        draws = [WideDraw(self.random)] * _WIDE_DRAWS
        function = self.code.function(name)
        tree = ast.Module([*self.beside, *([function] if function else ())], [])
        if (named := list_named(tree, self.random)).numbers or named.texts:
            count = min(2 + len(named.numbers) + len(named.texts), _MOST_NAMED_DRAWS)
            draws += [WideDraw(self.random, named)] * count
        wide = [probe for draw in draws for probe in _WIDE[kind](draw, self.constants)]
        probes = [
            replace(probe, code=Template(probe.code).substitute(f=name))
            for probe in (
                Step(code=one) if isinstance(one, str) else one for one in [*common, *wide]
            )
        ]
        result = self.candidate.run(*probes)
        at, reason = 0, ""
        for at, step in enumerate(result.steps):
            if reason := self.differs(probes[at], step, result):
                break
        else:
            at, reason = len(result.steps), result.why
        if not reason:
            self.together.add(name, probes, result)
        if not reason or at < len(common):
            return reason
        self.fitted.add(name)
        return f"right for common values, but {reason}"

    def company(self) -> dict[str, str]:
        """Why functions that are right alone are not where all are called in one process."""
        found = self.together.reasons()
        self.fitted |= found.keys()
        return {name: f"right alone, but {reason}" for name, reason in found.items()}

    def differs(self, probe: Step, step: StepResult, result: GroupResult) -> str:
        """Why a probe does not find what it finds with our module; "" where it does."""
        names = {**self.corrected, **deepcopy(dict(probe.names))}
        try:
            exec(probe.code, names)
        except ValueError:
            if step.raised is None:
                return f"ValueError was not raised by {_shown(probe)}"
            reason = "" if "ValueError" in step.raised.types else raised_instead(step, result)
        else:
            reason = differs(step, names["result"], result)
        return reason and f"{reason} from {_shown(probe)}"


def _shown(probe: Step) -> str:
    given = "".join(f"{name} = {value!r}\n" for name, value in probe.names.items())
    return show(f"{given}{probe.code}")


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)]


def _words(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return (ast.get_docstring(function) or "").split()


def _statements(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The function without its docstring."""
    kept = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return "\n".join(map(ast.unparse, (function.args, function.returns or function.args, *kept)))


# Words of which an explanation of the bug has one; of a longer word the beginning counts.
_WORDS: dict[str, tuple[str, ...]] = {
    "basket": ("default", "mutable", "shared", "sharing", "same", "none", "persist", "calls"),
    "pieces": ("last", "short", "incomplete", "range", "drop", "skip", "miss", "remain", "partial"),
    "price": ("exactly", "equal", "boundary", "inclusi", "include", "strict", "greater", "least",
              "threshold", "limit", "discount"),
    "share": ("floor", "integer", "divis", "divid", "decimal", "fraction", "truncat", "round"),
    "cleared": ("iterat", "skip", "while", "loop", "during", "modif", "mutat", "neighbo",
                "consecutive", "adjacent", "next"),
    "copied": ("shallow", "same", "shared", "share", "deep", "original", "given", "alias",
               "referenc", "inner", "nested", "mutat", "modif"),
    "versions": ("text", "string", "alphabet", "lexic", "numer", "number", "integer", "int",
                 "digit"),
    "closed": ("truth", "always", "true", "empty", "precedence", "compar", "condition", "evaluat"),
    "amount": ("except", "catch", "caught", "swallow", "error", "valueerror", "raise", "zero"),
    "mean": ("generator", "iterator", "exhaust", "consum", "twice", "empty", "used", "iterab",
             "count"),
    "totals": ("overwr", "replac", "add", "added", "sum", "accumul", "last", "assign", "total"),
    "all_fit": ("first", "early", "only", "return", "loop", "rest", "immediate"),
    "days": ("leap", "centur", "100", "400", "gregorian", "february", "hundred", "divis"),
    "run": ("last", "end", "ends", "final", "update", "longest", "loop", "max"),
}  # fmt: skip
_STATES = ("settled", "cancelled", "paid", "refunded", "returned", "rejected", "expired", "merged")
_GOODS = ("cup", "bowl", "jug", "pan", "tea", "rice", "salt", "soap", "lamp", "rope")
_PEOPLE = ("Ama", "Kofi", "Esi", "Yao", "Adzo", "Mawuli")


def _numbers(random: Random, count: int) -> list[int]:
    return [random.randrange(1, 50) for _ in range(count)]


def _basket(random: Random, _: Mapping[str, Any]) -> list[str]:
    one, two, three, old = random.sample(_GOODS, 4)
    return [
        f"$f({one!r})\n$f({two!r})\nresult = $f({three!r})",
        f"given = [{old!r}]\nresult = [$f({one!r}, given), $f({two!r}, given) is given, given]",
    ]


def _pieces(random: Random, _: Mapping[str, Any]) -> list[str]:
    size = random.randrange(2, 6)
    lengths = (size * 3 - random.randrange(1, size), size * random.randrange(1, 4), 1, 0)
    return [f"result = $f({_numbers(random, length)}, {size})" for length in lengths]


def _price(random: Random, constants: Mapping[str, Any]) -> list[str]:
    least = constants["least"]
    pieces = (least, least - 1, least + 1, least + random.randrange(2, 90), random.randrange(least))
    # Prices that give whole cents, however a percentage is rounded.
    return [f"result = $f({number}, {100 * random.randrange(1, 90)})" for number in pieces]


def _share(random: Random, constants: Mapping[str, Any]) -> list[str]:
    wholes = [random.choice((64, 128, 7, 48, 96)) for _ in range(4)]
    return [
        *(f"result = $f({random.randrange(1, whole, 2)}, {whole})" for whole in wholes),
        "result = $f(5, 5)",
        f"result = $f({random.randrange(4)}, 0)",
    ]


def _cleared(random: Random, _: Mapping[str, Any]) -> list[str]:
    lists = [_numbers(random, random.randrange(6, 12)) for _ in range(3)]
    # Neighbours that both have to go: a loop over the list that it changes skips the second.
    calls = [(given, random.choice(given)) for given in lists]
    calls += [([8, 8, 3, 3, 5, 5, 8, 3, 3], 5), ([], 5)]
    code = "given = {}\n$f(given, {})\nresult = given"
    return [code.format(given, limit) for given, limit in calls]


def _copied(random: Random, _: Mapping[str, Any]) -> list[str]:
    one, two, three = random.sample(_PEOPLE, 3)
    plan = {one: _numbers(random, 3), two: []}
    return [
        f"given = {plan}\ncopied = $f(given)\ncopied[{one!r}].append(99)\n"
        f"copied[{three!r}] = [4]\nresult = [given, copied]",
        f"result = $f({{{three!r}: {_numbers(random, 2)}}})",
    ]


def _versions(random: Random, constants: Mapping[str, Any]) -> list[str]:
    found = []
    for _ in range(3):
        one, two = random.randrange(1, 9), random.randrange(2, 9)
        later = two + random.randrange(10, 90)
        parts = [(one, two, 4), (one, later, 0), (one, two, 12), (one + 10, 1, 0)]
        random.shuffle(parts)
        found.append([constants["between"].join(map(str, version)) for version in parts])
    return [f"result = $f({versions})" for versions in found]


def _closed(random: Random, constants: Mapping[str, Any]) -> list[str]:
    closed = {constants["one"], constants["two"]}
    others = [state for state in (*_STATES, "open", "shipped", "") if state not in closed]
    states = [*closed, *random.sample(others, 4)]
    return [f"result = bool($f({state!r}))" for state in sorted(states)]


def _amount(random: Random, constants: Mapping[str, Any]) -> list[str]:
    point = constants["point"]
    amounts = [f"{random.randrange(200)}{point}{random.randrange(100):02}" for _ in range(4)]
    wrong = [random.choice(_GOODS), f"{random.choice(_GOODS)}{point}{random.choice(_GOODS)[:2]}"]
    return [f"result = $f({text!r})" for text in (*amounts, *wrong)]


def _mean(random: Random, _: Mapping[str, Any]) -> list[str]:
    some = [_numbers(random, 2 ** random.randrange(1, 4)) for _ in range(2)]
    return [
        f"result = $f(number for number in {some[0]})",
        f"result = $f(iter({some[1]}))",
        f"result = $f({some[1]})",
        "result = $f(iter([]))",
        "result = $f([])",
    ]


def _totals(random: Random, constants: Mapping[str, Any]) -> list[str]:
    names = random.sample([name for name in _GOODS if name != constants["skipped"]], 2)
    sales = [(name, random.randrange(1, 9)) for name in (*names, constants["skipped"]) * 3]
    random.shuffle(sales)
    return [f"result = dict($f({sales[random.randrange(3) :]}))", "result = dict($f([]))"]


def _all_fit(random: Random, _: Mapping[str, Any]) -> list[str]:
    limit = random.randrange(10, 40)
    around = ((-1, 1), (1, -1), (0,), (-2, -1), (1, 3), (), (-1, 0), (1, 0))
    weights = [[limit + one for one in some] for some in around]
    return [f"result = bool($f({some}, {limit}))" for some in weights]


def _days(random: Random, _: Mapping[str, Any]) -> list[str]:
    hundreds = random.sample((1700, 1800, 1900, 2100, 2200, 2300, 2500), 2)
    years = [*hundreds, random.choice((1600, 2000, 2400)), *random.sample(range(1901, 2096), 3)]
    return [f"result = $f({year})" for year in years]


def _run(random: Random, constants: Mapping[str, Any]) -> list[str]:
    gap = constants["gap"]
    lists = []
    for length in random.sample(range(2, 8), 2):
        start = random.randrange(20)
        run = [start + gap * at for at in range(length)]
        lists += [[90, *run], [*run, 90], run, [*run[:2], 99, *run]]
    return [f"result = $f({values})" for values in (*lists, [4], [])]


_PROBES: dict[str, Callable[[Random, Mapping[str, Any]], list[str]]] = {
    "basket": _basket,
    "pieces": _pieces,
    "price": _price,
    "share": _share,
    "cleared": _cleared,
    "copied": _copied,
    "versions": _versions,
    "closed": _closed,
    "amount": _amount,
    "mean": _mean,
    "totals": _totals,
    "all_fit": _all_fit,
    "days": _days,
    "run": _run,
}


def _put(value: object) -> str:
    """A value as the code of a probe has it."""
    return repr(value).replace("$", "$$")


def _call(*given: object) -> Step:
    """A call, with what the function leaves of its arguments."""
    names = {f"given_{at}": one for at, one in enumerate(given)}
    return Step(code=f"result = [$f({', '.join(names)}), {', '.join(names)}]", names=names)


def _many(draw: WideDraw, count: int) -> list[int | float]:
    """Whole numbers, or numbers with decimals; sums of either are exact."""
    if draw.random.random() < 0.6:
        return [draw.whole() for _ in range(count)]
    return [draw.whole(-(10**6), 10**6) + 0.25 * draw.random.randrange(4) for _ in range(count)]


def _wide_basket(draw: WideDraw, constants: Mapping[str, Any]) -> list[str | Step]:
    one, two, three = (_put(text) for text in (draw.text(), constants["gift"], draw.text()))
    given = [*draw.texts(draw.length(60)), *draw.random.sample(_GOODS, 2)]
    again = draw.random.choice(given)
    return [
        f"$f({one})\n$f({two})\nresult = $f({three})",
        f"for number in range({draw.length(200)}):\n    $f(str(number))\nresult = $f({one})",
        Step(
            code=f"result = [$f({three}, given) is given, $f({_put(again)}, given)]",
            names={"given": given},
        ),
    ]


def _wide_pieces(draw: WideDraw, _: Mapping[str, Any]) -> list[str | Step]:
    found, kinds = list[str | Step](), (draw.whole, draw.text, lambda: None, lambda: 0)
    for size in (draw.length(40, 1), draw.length(300, 1), 1):
        length = size * draw.length(2_000 // size) + draw.random.choice((0, 0, 1, size - 1))
        some = [draw.random.choice(kinds)() for _ in range(min(length, 40))]
        found.append(_call((some * length)[:length], size))
    return found


def _wide_price(draw: WideDraw, constants: Mapping[str, Any]) -> list[str | Step]:
    least, prices = constants["least"], [100 * draw.whole(0, 10**5) for _ in range(3)]
    pieces = (draw.whole(least, 10**6), draw.whole(0, 10**6), draw.whole(0, least))
    return [_call(*both) for both in zip(pieces, prices, strict=True)]


def _wide_share(draw: WideDraw, _: Mapping[str, Any]) -> list[str | Step]:
    wholes = [draw.number() for _ in range(3)]
    return [_call(draw.number(), 0), *(_call(draw.number(), whole) for whole in wholes)]


def _wide_cleared(draw: WideDraw, _: Mapping[str, Any]) -> list[str | Step]:
    given = _many(draw, draw.length(300, 1))
    given += draw.random.choices(given, k=draw.length(9))
    return [_call(given, limit) for limit in (draw.number(), draw.random.choice(given))]


def _wide_copied(draw: WideDraw, _: Mapping[str, Any]) -> list[str | Step]:
    plan = {name: _many(draw, draw.length(60)) for name in draw.texts(draw.length(30))}
    code = (
        "copied = $f(given)\nfor days in copied.values():\n    days += [1, 2]\n"
        "copied['another'] = []\nresult = [given, copied]"
    )
    return [Step(code=code, names={"given": plan})]


def _wide_versions(draw: WideDraw, constants: Mapping[str, Any]) -> list[str | Step]:
    pool = [draw.whole(0, 10**12) for _ in range(4)]
    pool += [10 * pool[0], pool[0] + 1, draw.random.randrange(10)]
    parts = [draw.random.choices(pool, k=3) for _ in range(draw.length(90))]
    return [_call([constants["between"].join(map(str, version)) for version in parts])]


def _wide_closed(draw: WideDraw, constants: Mapping[str, Any]) -> list[str | Step]:
    one, two = constants["one"], constants["two"]
    texts = [one, two, one[:-1], two[1:], one + two, *_STATES, *(draw.text() for _ in range(6))]
    return [f"result = [bool($f(one)) for one in {_put(texts)}]"]


def _wide_amount(draw: WideDraw, constants: Mapping[str, Any]) -> list[str | Step]:
    point = constants["point"]
    one, cents = draw.whole(0, 10**15), f"{draw.random.randrange(100):02}"
    letters = "".join(letter for letter in draw.text() if letter.isalpha())
    right = [f"{one}{point}{cents}", f"{draw.whole(0, 10**4)}{point}{draw.whole(10, 99)}"]
    wrong = ["", point, str(one), f"{one}{point}", f"{point}{cents}", letters,
             f"{one}{point}{cents}{point}{cents}", f"{one}{point}{letters}x"]  # fmt: skip
    return [f"result = $f({_put(text)})" for text in (*right, *draw.random.sample(wrong, 3))]


def _wide_mean(draw: WideDraw, _: Mapping[str, Any]) -> list[str | Step]:
    forms = ("{}", "iter({})", "tuple({})", "map(abs, {})", "(one for one in {})",
             "dict.fromkeys({})", "reversed({})", "frozenset({})")  # fmt: skip
    chosen = draw.random.sample(forms, 3)
    lists = [_put(_many(draw, draw.length(300))) for _ in chosen]
    found = [f"result = $f({form.format(some)})" for form, some in zip(chosen, lists, strict=True)]
    return [*found, f"result = $f(range({draw.length(10**4)}))", _call(_many(draw, 3))]


def _wide_totals(draw: WideDraw, constants: Mapping[str, Any]) -> list[str | Step]:
    skipped = constants["skipped"]
    names = [*draw.texts(draw.length(40, 1)), skipped, f"{skipped}s", skipped[:-1]]
    count = draw.length(300, 1)
    chosen = draw.random.choices(names, k=count)
    sales = [*zip(chosen, _many(draw, count), strict=True)]
    code = "found = $f(given)\nresult = [found if isinstance(found, dict) else dict(found), given]"
    return [Step(code=code, names={"given": sales})]


def _wide_all_fit(draw: WideDraw, _: Mapping[str, Any]) -> list[str | Step]:
    found = []
    for way in (-1, 1):
        limit = draw.number()
        weights = [limit + way * draw.length(10**6, 1) for _ in range(draw.length(300, 1))]
        other = [*weights]
        other[draw.random.randrange(len(other))] = limit + draw.random.choice((-way, 0))
        found += [(weights, limit), (other, limit)]
    return [
        Step(code="result = [bool($f(given, limit)), given]",
             names={"given": some, "limit": limit})
        for some, limit in found
    ]  # fmt: skip


def _wide_days(draw: WideDraw, _: Mapping[str, Any]) -> list[str | Step]:
    hundreds = [100 * draw.random.randrange(16, 99) - draw.random.randrange(4) for _ in range(4)]
    years = [*hundreds, *(draw.whole(1583, 9_980) for _ in range(5))]
    years += [draw.random.randrange(1583, 9_980) for _ in range(3)]
    return [f"result = [$f(year) for year in {years}]"]


def _wide_run(draw: WideDraw, constants: Mapping[str, Any]) -> list[str | Step]:
    gap, values = constants["gap"], list[int | float]()
    for _ in range(draw.length(9, 1)):
        start = draw.number()
        step = draw.random.choice((gap, gap, gap, 0, -gap, 2 * gap))
        values += [start + step * at for at in range(draw.length(90, 1))]
    return [_call(values), _call(values[:1] * draw.length(9))]


_WIDE: dict[str, Callable[[WideDraw, Mapping[str, Any]], list[str | Step]]] = {
    "basket": _wide_basket,
    "pieces": _wide_pieces,
    "price": _wide_price,
    "share": _wide_share,
    "cleared": _wide_cleared,
    "copied": _wide_copied,
    "versions": _wide_versions,
    "closed": _wide_closed,
    "amount": _wide_amount,
    "mean": _wide_mean,
    "totals": _wide_totals,
    "all_fit": _wide_all_fit,
    "days": _wide_days,
    "run": _wide_run,
}
