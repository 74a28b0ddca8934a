"""Runs code that shows each planted bug with the corrected module, and the same for the functions
that were right. What it should find is what it finds with our own corrected module.

The values in that code come from the answer itself: whoever reads them off a report and writes a
table of them has another answer, and so other values. `$f` is the name of the function; the code
leaves what it finds in `result`.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from string import Template
from typing import Any

from assay.checking import (
    Candidate,
    Check,
    Code,
    ReportText,
    choose_code,
    differs,
    draw_for,
    find_obstacle,
    functions,
    is_word,
    list_checks,
    own_words,
    parse,
    raised_instead,
    said_of,
    show,
    words_in,
)

_BUG, _REST, _SPOILED = 4, 3, 12  # weights; to break what was right costs more
_EXPLAINED, _LEAST_WORDS = 3, 5  # a weight; words about a bug, beside the name of its function
_WHOLE, _IN_PARTS = 1, 6  # the whole module was asked for: to leave functions out costs more


def check(answer: str, truth: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[Check]:
    shown, original = truth["functions"], files["shop.py"]
    planted = [one for one in shown if one["planted"]]
    bugs = {f"bug_{at}": one for at, one in enumerate(planted, 1)}
    table: dict[str, tuple[float, str]] = {
        **{name: (_BUG, f"The bug in {one['name']}") for name, one in bugs.items()},
        "nothing_broken": (_REST, "The functions that were right"),
        "complete": (_WHOLE, "Functions that are missing, or have other parameters"),
        "docstrings": (1, "Docstrings that were changed"),
        "explained_half": (
            _EXPLAINED,
            "Fixed bugs that the text explains, half of all or more",
        ),
        "explained_all": (
            _EXPLAINED,
            "Fixed bugs that the text explains, all of them",
        ),
    }
    code = choose_code(answer, [one["name"] for one in shown], quoted=original)
    obstacle = find_obstacle(answer, code)
    if code is None and choose_code(answer, [one["name"] for one in shown]) is not None:
        unchanged = "the only code is what the task gave, unchanged"
        beside = f"not counted, since {unchanged}"
        yield from list_checks(table, {one: unchanged if one in bugs else beside for one in table})
        return
    if code is None or obstacle:
        yield from list_checks(table, obstacle)
        return
    trial = _RepairTrial(code, truth, original, draw_for(answer))
    reasons = {name: trial.reason(one) for name, one in bugs.items()}
    # Leaving functions as they are is worth nothing to one who fixes little.
    too_few = ""
    if 2 * sum(map(bool, reasons.values())) > len(bugs):
        too_few = "not counted, since fewer than half of the bugs are fixed"
    rest = [one for one in shown if not one["planted"]]
    reasons["nothing_broken"] = spoiled = too_few or trial.reason(*rest)
    if spoiled:
        table["nothing_broken"] = (_SPOILED, table["nothing_broken"][1])
    if trial.left_out:
        table["complete"] = (_IN_PARTS, table["complete"][1])
    reasons["complete"] = too_few or ", ".join(trial.left_out)
    reasons["docstrings"] = too_few or ", ".join(trial.reworded)
    reasons |= _explain(answer, [one for name, one in bugs.items() if not reasons[name]], len(bugs),
                        original)  # fmt: skip
    yield from list_checks(table, reasons)


def _explain(
    answer: str, fixed: Sequence[Mapping[str, Any]], bugs: int, original: str
) -> dict[str, str]:
    """Why too few bugs are explained: each is fixed, and the text outside of the code names its
    function with words that most others lack, in any language: one of them names the fault, or
    two are from the function's code.
    """
    text = ReportText(answer).text
    code = {
        one.name: words_in(ast.unparse(one))
        for one in functions(parse(original) or ast.Module([], []))
    }
    said = own_words([said_of(text, one["name"]) for one in fixed])
    told = [
        one["name"]
        for one, words in zip(fixed, said, strict=True)
        if len(words) >= _LEAST_WORDS
        and (
            any(is_word(word, _WORDS[one["kind"]]) for word in words)
            or len(words & (code.get(one["name"], set()) - words_in(one["name"]))) > 1
        )
    ]
    short = (
        f"{len(told)} of {bugs} bugs explained, each in {_LEAST_WORDS} or more words of its own, "
        "one naming the fault or two from its code"
    )
    return {
        "explained_half": "" if 2 * len(told) >= bugs else short,
        "explained_all": "" if len(told) >= bugs else short,
    }


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
        self.defined = code.defined
        # What the answer does not define stays as it was; ours come last, so that no code of the
        # answer sees them when it is loaded.
        unfixed = [ast.unparse(given[name]) for name in given if name not in code.defined]
        self.candidate = Candidate([*code.sources, *unfixed], alone=True)
        self.corrected: dict[str, Any] = {}
        exec(truth["corrected"], self.corrected)
        self.probes = {
            one["name"]: [
                Template(code).substitute(f=one["name"])
                for code in _PROBES[one["kind"]](random, truth["constants"])
            ]
            for one in truth["functions"]
        }

    def reason(self, *functions: Mapping[str, Any]) -> str:
        """Why the functions do not do what they should; "" where they do."""
        if len(functions) == 1 and functions[0]["name"] not in self.defined:
            return "the answer does not give this function"
        probes = [probe for function in functions for probe in self.probes[function["name"]]]
        result = self.candidate.run(*probes)
        if result.why:
            return result.why
        for probe, step in zip(probes, result.steps, strict=True):
            try:
                names = dict(self.corrected)
                exec(probe, names)
            except ValueError:
                if step.raised is None:
                    return "ValueError was not raised"
                reason = "" if "ValueError" in step.raised.types else raised_instead(step, result)
            else:
                reason = differs(step, names["result"], result)
            if reason:
                return f"{reason} from {show(probe)}"
        return ""


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)]


def _words(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return (ast.get_docstring(function) or "").split()


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
