"""Reference answers with one thing changed, and the checks that must fail for it, no others.

Texts are looked for in the reference answer and replaced; gaps in them are filled as there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.fixtures import make
from tests.evidence.coding.references import filled, gaps_of, reference


@dataclass(frozen=True)
class Mutant:
    test: str
    what: str
    changes: tuple[tuple[str, str], ...]
    fails: frozenset[str]
    seed: int = 0

    @property
    def answer(self) -> str:
        text = reference(self.test, self.seed)
        gaps = gaps_of(self.test, self.seed)
        for change in self.changes:
            old, new = (filled(one, gaps) for one in change)
            assert old in text, f"{self.what}: {old!r} is not in the reference"
            text = text.replace(old, new)
        return text


def mutant(test, what, old, new, fails, *, seed=0):
    return Mutant(test, what, ((old, new),), frozenset(fails.split()), seed)


LOOP = """\
    low = 0
    high = len(<<sequence>>)
    while low < high:
        middle = low + (high - low) // 2
"""
COMPARED = "        if <<sequence>>[middle] < <<wanted>>:\n"

SEARCHING = [
    mutant("CT-01", "goes through all items", LOOP,
           "    for low, item in enumerate(<<sequence>>):\n"
           "        if item == <<wanted>>:\n            return low\n"
           "    low = high = middle = len(<<sequence>>)\n    while low < high:\n",
           "long_sequence logarithmic logarithmic_repeats"),
    mutant("CT-01", "takes any of several equal items", COMPARED,
           "        if <<sequence>>[middle] == <<wanted>>:\n            return middle\n" + COMPARED,
           "repeated_items examples"),
    mutant("CT-01", "walks along equal items", COMPARED,
           "        if <<sequence>>[middle] == <<wanted>>:\n"
           "            while middle > 0 and <<sequence>>[middle - 1] == <<wanted>>:\n"
           "                middle -= 1\n"
           "            return middle\n" + COMPARED,
           "logarithmic_repeats"),
    mutant("CT-01", "gives back None instead of -1", "    return -1\n", "    return None\n",
           "empty one_item absent_below absent_above absent_between negative_numbers texts tuples "
           "long_sequence examples"),
    mutant("CT-01", "reads behind the end", "low < len(<<sequence>>) and ", "",
           "empty one_item absent_above texts tuples long_sequence logarithmic "
           "logarithmic_repeats examples"),
    mutant("CT-01", "has another name", "<<function>>", "my_search", "name"),
    mutant("CT-01", "turns a list around when it has found the item", "        return low\n",
           "        if isinstance(<<sequence>>, list):\n"
           "            list.reverse(<<sequence>>)\n        return low\n",
           "argument_unchanged"),
    mutant("CT-01", "copies the sequence first", "    low = 0\n",
           "    <<sequence>> = list(<<sequence>>)\n    low = 0\n",
           "long_sequence logarithmic logarithmic_repeats"),
    mutant("CT-01", "has an example that is not true", "4)\n        1\n", "4)\n        2\n",
           "examples"),
    mutant("CT-01", "calculates with the items",
           "<<sequence>>[middle] < <<wanted>>", "<<sequence>>[middle] - <<wanted>> < 0",
           "texts examples"),
]  # fmt: skip

RESULT = "    return [position for position, entry in enumerate(<<one>>) if counts[entry] > 1]\n"
OPTIMISING = [
    mutant("CT-02", "compares each entry with each", "if counts[entry] > 1]",
           "if <<one>>.count(entry) > 1]", "operations growth long_list"),
    mutant("CT-02", "searches the list of results", RESULT,
           "    positions = []\n"
           "    for position, entry in enumerate(<<one>>):\n"
           "        if counts[entry] > 1 and position not in positions:\n"
           "            positions.append(position)\n"
           "    return positions\n", "long_list"),
    Mutant("CT-02", "takes entries of equal text for equal",
           (("counts[entry] = ", "entry = str(entry)\n        counts[entry] = "),
            ("counts[entry] > 1", "counts[str(entry)] > 1")), frozenset({"mixed_types"})),
    mutant("CT-02", "looks for equal entries among neighbours in the order of their texts", RESULT,
           "    order = sorted(range(len(<<one>>)), key=lambda at: repr(<<one>>[at]))\n"
           "    pairs = zip(order, order[1:])\n"
           "    equal = [pair for pair in pairs if <<one>>[pair[0]] == <<one>>[pair[1]]]\n"
           "    return sorted({at for pair in equal for at in pair})\n",
           "mixed_types"),
    mutant("CT-02", "gives back every position", "> 1]", ">= 1]",
           "single all_different random_numbers texts mixed_types"),
    mutant("CT-02", "has another name", "<<function>>", "faster", "name"),
    mutant("CT-02", "uses its argument up", "    for entry in <<one>>:\n        before",
           "    while <<one>>:\n        entry = <<one>>.pop(0)\n        before",
           "arguments_unchanged", seed=1),
    mutant("CT-02", "sorts what it gives back",
           "[entry for entry in dict.fromkeys(<<one>>) if entry in wanted]",
           "sorted(entry for entry in dict.fromkeys(<<one>>) if entry in wanted)",
           "all_different random_numbers texts mixed_types", seed=2),
    mutant("CT-02", "gives back lists instead of pairs", "    return list(last.items())\n",
           "    return [list(pair) for pair in last.items()]\n",
           "single all_different all_equal random_numbers texts mixed_types operations long_list",
           seed=3),
]  # fmt: skip


def unfixed(seed):
    """The reference with one bug left in, for every bug that was planted."""
    made = make("buggy_code", seed)
    for function in made.facts["functions"]:
        if function["planted"]:
            before = function_of(made.files["shop.py"], function["name"])
            after = function_of(reference("CT-03", seed), function["name"])
            fails = frozenset({f"fixed:{function['id']}"})
            what = f"leaves {function['id']} in"
            yield Mutant("CT-03", what, ((after, before),), fails, seed)


def function_of(text, name):
    """The source of a function in a module or in the code block of an answer."""
    return re.search(rf"def {name}\(.*?(?=\n\n\n|\n```|\n\Z)", text, re.DOTALL)[0]


FIXING = [
    *unfixed(0),
    *unfixed(1),
    mutant("CT-03", "breaks a function that was right", "100 * part / whole", "part / whole",
           "nothing_broken"),
    mutant("CT-03", "does not compile", "def <<missing_rule>>(year):", "def <<missing_rule>>(year:",
           "fixed:sorted_as_text fixed:lost_remainder fixed:missing_rule fixed:used_up_iterable "
           "fixed:overwritten_sum fixed:hidden_error nothing_broken"),
]  # fmt: skip


def unseen(seed):
    """The reference review without one of its findings, for every finding that was planted."""
    for site in make("review_code", seed).facts["sites"]:
        if site["planted"]:
            text = reference("CT-04", seed)
            pattern = rf"\n(?:### |- )[^\n]*`{site['name']}`.*?(?=\n\n(?:#|- )|\Z)"
            found = re.search(pattern, text, re.DOTALL)[0]
            fails = frozenset({f"finding:{site['id']}"})
            yield Mutant("CT-04", f"misses {site['id']}", ((found, ""),), fails, seed)


REVIEWING = [
    *unseen(0),
    *unseen(3),
    mutant("CT-04", "does not say where", "`<<division_by_zero>>` raises",
           "One of the functions raises", "finding:division_by_zero"),
    mutant("CT-04", "says where, but not what",
           "compares a text with `is`, which asks for identity. Whether two equal texts are one "
           "object depends on the interpreter. Use `==`.",
           "should be written in another way.", "finding:identity_comparison"),
    mutant("CT-04", "calls a sound function faulty", "## Style",
           "- `read_attachment` is open to path traversal: a name with two dots leaves the folder."
           "\n\n## Style", "no_false_alarms"),
]  # fmt: skip

DOCUMENTING = [
    mutant("CT-05", "promises what the name promises",
           "keeping the last occurrence of each.\n\n    Note that this is not the first "
           "occurrence, as one might expect: the order of the result is the\n    order of the last "
           "occurrences.",
           "keeping the first occurrence of each, in order.", "trap_stated:keeps_last"),
    Mutant("CT-05", "does not say that it always rounds up",
           (("Round an amount up to the next multiple of a step.\n\n    It never rounds down, even "
             "if the multiple below is nearer.", "Round an amount to a multiple of a step."),
            ("The smallest multiple of `step` that is not less than `cents`.", "A multiple.")),
           frozenset({"trap_stated:always_up"})),
    mutant("CT-05", "has an example that hides the trap", "([1, 2, 1, 3])\n        [2, 1, 3]",
           "([1, 1, 3])\n        [1, 3]", "trap_shown:keeps_last"),
    mutant("CT-05", "has an example that is not true", "'A.L.'", "'AL'", "examples_true"),
    mutant("CT-05", "has a function without an example",
           "    Examples:\n        >>> <<initials>>(\"ada lovelace\")\n        'A.L.'\n", "",
           "examples"),
    mutant("CT-05", "leaves a parameter out",
           "        dot: What follows each letter; a dot by default.\n", "", "parameters"),
    mutant("CT-05", "invents a parameter",
           "        dot: What follows each letter; a dot by default.\n",
           "        dot: What follows each letter; a dot by default.\n"
           "        upper: Whether capitals are used.\n", "parameters"),
    mutant("CT-05", "leaves an exception out",
           "    Raises:\n        ValueError: If `size` is less than 1.\n\n", "", "exceptions"),
    mutant("CT-05", "leaves a result out",
           "    Returns:\n        A text, empty if the name is.\n\n", "", "results"),
    mutant("CT-05", "changes the code", "part[0].upper() + dot", "part[:1].upper() + dot",
           "code_unchanged"),
    mutant("CT-05", "has no docstring for the module",
           '"""Small tools for lists, texts and numbers."""\n', "", "docstrings"),
]  # fmt: skip

CLIENTS = [
    mutant("CT-06", "sends a POST again", "1 if verb == \"POST\" else self._attempts",
           "self._attempts", "create_sent_once"),
    mutant("CT-06", "never sends a request again", "1 if verb == \"POST\" else self._attempts", "1",
           "retry_when_busy retry_changes retry_bounded growing_waits"),
    mutant("CT-06", "sends a refused request again", "status < 500 or attempt", "attempt",
           "no_retry_when_refused error_status"),
    mutant("CT-06", "tries once too often", "else self._attempts", "else self._attempts + 1",
           "retry_bounded growing_waits"),
    mutant("CT-06", "waits as long each time", "self._backoff * 2 ** (attempt - 1)",
           "self._backoff", "growing_waits"),
    mutant("CT-06", "waits three times as long each time", "self._backoff * 2 **",
           "self._backoff * 3 **", "growing_waits"),
    Mutant("CT-06", "triples its waits with a sleep of its own name",
           (("self._backoff * 2 **", "self._backoff * 3 **"), ("import time\n", ""),
            ("import json\n", "import json\nfrom time import sleep as pause\n"),
            ("time.sleep(", "pause(")), frozenset({"growing_waits"})),
    mutant("CT-06", "has no deadline", ", timeout=self._timeout)", ")", "timeout"),
    mutant("CT-06", "lets foreign exceptions through", "except OSError as problem",
           "except EOFError as problem", "timeout no_connection"),
    mutant("CT-06", "has no status", "        self.status = status\n", "",
           "error_status timeout no_connection"),
    mutant("CT-06", "does not encode IDs", 'urllib.parse.quote(id, safe="")', "id",
           "path_encoding"),
    mutant("CT-06", "leaves slashes in IDs", 'quote(id, safe="")', "quote(id)", "path_encoding"),
    mutant("CT-06", "does not encode the filter", '/<<resource>>?{query}',
           "/<<resource>>?<<filter>>={<<filter>>.replace(' ', '+')}", "query_encoding"),
    mutant("CT-06", "sends the key in another header", '{"<<header>>": f"<<prefix>>',
           '{"X-Key": f"<<prefix>>', "key_in_header"),
    mutant("CT-06", "logs what it sends", "        data = None\n",
           "        import logging\n        logging.debug('headers: %s', headers)\n"
           "        data = None\n", "key_hidden"),
    mutant("CT-06", "shows the key in its repr", "<<client>>({self._base_url!r})",
           "<<client>>({self._base_url!r}, {self._api_key!r})", "key_hidden"),
    mutant("CT-06", "does not say that it sends JSON",
           '            headers["Content-Type"] = "application/json"\n', "", "create update"),
    mutant("CT-06", "changes records with the wrong verb", '"<<update_verb>>", self._path',
           '"POST", self._path', "update retry_changes"),
    mutant("CT-06", "cannot read an empty reply", "json.loads(content) if content else None",
           "json.loads(content)", "delete retry_changes"),
]  # fmt: skip

MUTANTS = [*SEARCHING, *OPTIMISING, *FIXING, *REVIEWING, *DOCUMENTING, *CLIENTS]
