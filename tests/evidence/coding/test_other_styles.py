"""Good answers that are written quite otherwise than the references."""

import pytest

from assay.evidence.diffs import patched
from assay.evidence.doc_examples import holds, read_examples
from assay.evidence.docstrings import described, invented, speaks_of_result
from assay.evidence.running import Raised, StepResult
from assay.evidence.trap_wording import states_trap
from assay.fixtures import make
from tests.evidence.coding.references import filled, gaps_of

RECURSIVE = '''
Sure! Here is the function.

```python
def <<function>>(<<sequence>>, <<wanted>>):
    """Search recursively.

    >>> <<function>>([1, 1], 1)
    0
    >>> <<function>>([], 1)
    -1
    """

    def search(low: int, high: int) -> int:
        if low > high:
            return -1
        middle = (low + high) // 2
        item = <<sequence>>[middle]
        if item == <<wanted>> and (middle == 0 or <<sequence>>[middle - 1] != <<wanted>>):
            return middle
        if item < <<wanted>>:
            return search(middle + 1, high)
        return search(low, middle - 1)

    return search(0, len(<<sequence>>) - 1)


if __name__ == "__main__":
    print(<<function>>([1, 2, 3], 2))
```

And a test:

```python
assert <<function>>([1, 2, 3], 2) == 1
```
'''

PLAIN_HTTP = """
```python
class <<error>>(RuntimeError):
    status: int | None = None
```

```python
from __future__ import annotations

import http.client
import json
import logging
import time
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

log = logging.getLogger(__name__)


@dataclass
class <<client>>:
    base_url: str
    api_key: str = field(repr=False)
    timeout: float = 5.0
    attempts: int = 3
    backoff: float = 0.5

    def <<get>>(self, id):
        return self._call("GET", f"/<<resource>>/{quote(id, safe='')}")

    def <<list>>(self, value):
        return self._call("GET", f"/<<resource>>?<<filter>>={quote(value, safe='')}")

    def <<create>>(self, record):
        return self._call("POST", "/<<resource>>", record)

    def <<update>>(self, id, changes):
        return self._call("<<update_verb>>", f"/<<resource>>/{quote(id, safe='')}", changes)

    def <<delete>>(self, id):
        self._call("DELETE", f"/<<resource>>/{quote(id, safe='')}")

    def _call(self, verb, path, body=None):
        sent = 0
        while True:
            sent += 1
            log.info("%s %s, attempt %d", verb, path, sent)
            status, content = self._once(verb, path, body)
            if 200 <= status < 300:
                return json.loads(content) if content else None
            if status < 500 or verb == "POST" or sent >= self.attempts:
                error = <<error>>(f"the service answered {status}")
                error.status = status
                raise error
            time.sleep(self.backoff * 2 ** (sent - 1))

    def _once(self, verb, path, body):
        place = urlsplit(self.base_url)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=self.timeout)
        headers = {"<<header>>": "<<prefix>>" + self.api_key, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body)
        try:
            connection.request(verb, place.path + path, body=data, headers=headers)
            reply = connection.getresponse()
            return reply.status, reply.read()
        except (OSError, http.client.HTTPException) as problem:
            raise <<error>>("no answer") from problem
        finally:
            connection.close()
```
"""

COUNTING = """
```python
from collections import Counter


def <<function>>(<<one>>):
    counts = Counter(<<one>>)
    return [i for i, e in enumerate(<<one>>) if counts[e] > 1]
```
"""


@pytest.mark.parametrize(
    ("test", "answer"), [("CT-01", RECURSIVE), ("CT-02", COUNTING), ("CT-06", PLAIN_HTTP)]
)
def test_another_good_answer_scores_full_evidence_too(examined, test, answer):
    evidence = examined(test, filled(answer, gaps_of(test, 0)))
    assert [check.explanation for check in evidence.checks if not check.passed] == []


WAIT = "time.sleep(self.backoff * 2 ** (sent - 1))"


@pytest.mark.parametrize(
    ("wait", "right"),
    [("time.sleep(self.backoff * 2 ** (sent - 1) * (1 + __import__('random').random() / 2))", True),
     ("__import__('threading').Event().wait(self.backoff * 2 ** (sent - 1))", True),
     ("time.sleep(self.backoff * 4 ** (sent - 1))", False),
     ("time.sleep(self.backoff * 2 ** (sent - 1) + 0.3)", False)],
)  # fmt: skip
def test_waits_may_vary_a_little_and_not_grow_faster(examined, wait, right):
    assert WAIT in PLAIN_HTTP
    answer = filled(PLAIN_HTTP.replace(WAIT, wait), gaps_of("CT-06", 0))
    failed = {check.name for check in examined("CT-06", answer).checks if not check.passed}
    assert failed == (set() if right else {"growing_waits"})


@pytest.mark.parametrize(("test", "answer"), [("CT-01", RECURSIVE), ("CT-02", COUNTING)])
def test_a_wrong_name_is_named_beside_the_one_asked_for(examined, test, answer):
    gaps = gaps_of(test, 0)
    asked_for = gaps["function"]

    def said(text):
        return next(one for one in examined(test, text).checks if one.name == "name").explanation

    assert said(filled(answer, gaps)).endswith(f"is called {asked_for}")
    other = filled(answer.replace("<<function>>", "seek_out"), gaps)
    assert said(other).endswith(f"is called seek_out, and {asked_for} was asked for")
    assert said("").startswith("There is no")
    assert said("").endswith(f"called {asked_for}")


PROMISE = "Traceback (most recent call last):\n    ...\n"


@pytest.mark.parametrize(
    ("note", "promised", "true"),
    [("  # doctest: +IGNORE_EXCEPTION_DETAIL", "ValueError", True),
     ("  # doctest: +ELLIPSIS, +IGNORE_EXCEPTION_DETAIL", "builtins.ValueError: whatever", True),
     ("  # doctest: +IGNORE_EXCEPTION_DETAIL", "KeyError", False),
     ("  # doctest: -IGNORE_EXCEPTION_DETAIL", "ValueError", False),
     ("", "ValueError", False), ("", "ValueError: too small", True)],
)  # fmt: skip
def test_an_example_may_leave_out_what_an_exception_says(note, promised, true):
    (example,) = read_examples(f">>> f(0){note}\n{PROMISE}{promised}")
    raised = Raised(types=("ValueError", "Exception"), text="ValueError: too small")
    assert holds(example, StepResult(raised=raised)) is true


def test_only_the_functions_that_were_wrong_are_enough(examined):
    made = make("buggy_code", 0)
    name = next(one["name"] for one in made.facts["functions"] if one["id"] == "missing_rule")
    answer = (
        f"```python\nimport calendar\n\ndef {name}(year):\n"
        "    return 366 if calendar.isleap(year) else 365\n```"
    )
    evidence = examined("CT-03", answer)
    assert {one.name for one in evidence.checks if one.passed} == {
        "fixed:missing_rule",
        "nothing_broken",
    }
    assert "Not in the answer" in evidence.notes[0]


def test_a_diff_is_applied_to_the_module(examined):
    made = make("buggy_code", 0)
    name = next(one["name"] for one in made.facts["functions"] if one["id"] == "overwritten_sum")
    diff = (
        f"```diff\n--- a/shop.py\n+++ b/shop.py\n@@ -1,2 +1,2 @@ def {name}(sales):\n"
        "     for name, number in sales:\n-        totals[name] = number\n"
        "+        totals[name] = totals.get(name, 0) + number\n     return totals\n```"
    )
    passed = {one.name for one in examined("CT-03", diff).checks if one.passed}
    assert passed == {"fixed:overwritten_sum", "nothing_broken"}


TEXT = "def f(a):\n    if a:\n        return 1\n    return 2\n"


@pytest.mark.parametrize(
    ("diff", "result"),
    [("-    return 2\n+    return 3", TEXT.replace("2", "3")),
     ("@@ wrong numbers @@\n     if a:\n-        return 1\n+        a += 1\n+        return a",
      TEXT.replace("        return 1", "        a += 1\n        return a")),
     # Around it something is abridged; and lines are moved to the margin.
     (" def f(a):\n     ...\n-return 2\n+return 3", TEXT.replace("2", "3")),
     ("-    return 9\n+    return 3", TEXT),
     ("+import os", TEXT), ("", TEXT)],
)  # fmt: skip
def test_changes_are_made_where_they_fit(diff, result):
    assert patched(TEXT, f"```diff\n{diff}\n```") == result


@pytest.mark.parametrize(
    "docstring",
    [
        "Pad.\n\nArgs:\n    text (str): What.\n    width: How wide,\n        in letters.\n"
        "    fill (str, optional): With what.\n\nReturns:\n    str: The text.",
        "Pad.\n\nParameters\n----------\ntext : str\n    What.\nwidth : int\n    How wide.\n"
        "fill : str, optional\n    With what.\n\nReturns\n-------\nstr\n    The text.",
        "Pad.\n\n:param text: What.\n:param int width: How wide.\n:param fill: With what.\n"
        ":return: The text.",
        "Pad.\n\nParameters\n----------\ntext\n    What.\nwidth, fill\n    How wide, with what.\n\n"
        "Returns\n-------\nstr",
        "Pad.\n\n**Parameters:**\n\n- text (str): what\n- width: how wide\n- fill: with what\n\n"
        "**Returns:** the text\n\n**Example:**",
        "Pad.\n\nParameters:\n- text: what\n- width: how wide\n- fill: with what\n"
        "Returns: the text\nRaises: nothing\n",
        "Pad.\n\n@param text: What.\n@param width: How wide.\n@param fill: With what.\n"
        "@return: Text.",
        "Pad.\n\n**Parameters**\n- `text`: what\n- `width`: how wide\n- `fill`: with what\n\n"
        "Returns the text.",
    ],
)
def test_docstrings_are_read_in_every_usual_style(docstring):
    assert all(described(docstring, name) for name in ("text", "width", "fill"))
    assert not described(docstring, "letters")
    assert invented(docstring, ("text", "width", "fill")) == []
    assert speaks_of_result(docstring)


STATED = {
    "keeps_last": "Remove duplicates. If an item occurs several times, only its last occurrence "
    "is kept.",
    "leaves_extremes_out": "Mean after removing the minimum and the maximum value.",
    "always_up": "Rounds cents up to a multiple of step (ceiling).",
    "end_excluded": "Check low <= value < high; the upper bound is exclusive.",
    "first_wins": "Merge two dicts. Values in `settings` take precedence over those in `changes`.",
    "both_ends_count": "Inclusive number of days.",
}
NOT_STATED = {
    "keeps_last": "Remove duplicates while preserving the order of the first occurrence.",
    "leaves_extremes_out": "Calculate the arithmetic mean of the values, at least three.",
    "always_up": "Round a price to the nearest multiple of step.",
    "end_excluded": "Check whether value is greater than or equal to low and less than or equal to "
    "high. Both bounds are inclusive.",
    "first_wins": "Merge settings with changes; changes override settings.",
    "both_ends_count": "Number of days that lie between start and end.",
}


@pytest.mark.parametrize("trap", STATED)
def test_a_trap_counts_as_stated_only_where_it_is(trap):
    assert states_trap(trap, STATED[trap])
    assert not states_trap(trap, NOT_STATED[trap])
    assert not states_trap(trap, "")


@pytest.mark.parametrize(
    ("trap", "said"),
    [("always_up", "It always rounds *up*, never to the nearest multiple."),
     ("always_up", "Rounds towards positive infinity."),
     ("always_up", "The lowest multiple of step >= cents."),
     ("always_up", "Amounts are never rounded down."),
     ("keeps_last", "Unlike others, which keep the first occurrence, it keeps the last one."),
     ("keeps_last", "The last one is kept, whereas one expects the first occurrence to be kept."),
     ("end_excluded", "Returns False when value equals `high`."),
     ("end_excluded", "Note that high itself is not considered to be between."),
     ("leaves_extremes_out", "Not a plain average: the extreme values are removed first."),
     ("leaves_extremes_out", "The lowest and highest values are not included."),
     ("both_ends_count", "The end day is counted as well."),
     ("both_ends_count", "An inclusive count rather than one that is exclusive of an end."),
     ("both_ends_count", "The result is one more than the difference."),
     ("first_wins", "Only keys that are not in settings are taken from changes."),
     ("first_wins", "Despite its name, `changes` does not change existing keys."),
     # By contrast: what is denied, expected or done by others is not claimed.
     ("keeps_last", "The last one of several equal items is kept (the first one is removed)."),
     ("keeps_last", "It does not retain the first appearance but the last one."),
     ("keeps_last", "It doesn't keep first occurrences: later copies win."),
     ("keeps_last", "One might expect the first occurrence to be kept, but it is the last."),
     ("keeps_last", "Although you would expect the first one to stay, the last one stays."),
     ("keeps_last", "People may think the first copy survives; it is the last one that does."),
     ("keeps_last", "The name suggests that the first occurrence is kept, but the last one is."),
     ("keeps_last", "The last one stays; most similar functions keep the first occurrence."),
     ("keeps_last", "Previous occurrences of an item are discarded."),
     ("keeps_last", "Drops all earlier duplicates."),
     ("keeps_last", "Each item stands where it appears last."),
     ("always_up", "It does not go to the nearest multiple but to the next greater one."),
     ("always_up", "Rounds towards the higher multiple, even if the lower one is nearer."),
     ("always_up", "What is left over lifts the amount to the following multiple."),
     ("leaves_extremes_out", "The mean of what lies between the extremes."),
     ("end_excluded", "It includes low, but not high."),
     ("end_excluded", "The lower bound belongs to it but not the upper one."),
     ("end_excluded", "False for `value == high`."),
     ("end_excluded", "If value == high the result is False, if value == low it is True."),
     ("end_excluded", "high is not included but low is."),
     ("end_excluded", "A half open interval."),
     ("first_wins", "If both have the same key, the value of the first mapping is used."),
     ("both_ends_count", "The last day is not left out but counted."),
     ("both_ends_count", "Contrary to a difference, the end is included, not excluded."),
     ("both_ends_count", "The first day is counted too."),
     ("both_ends_count", "It is one higher than the difference.")],
)  # fmt: skip
def test_a_trap_can_be_stated_in_many_ways(trap, said):
    assert states_trap(trap, said)


@pytest.mark.parametrize(
    ("trap", "said"),
    [("always_up", "Rounds half up to the nearest multiple."),
     ("keeps_last", "Removes later duplicates; the first one stays."),
     ("keeps_last", "Keeps the first occurrence rather than the last occurrence."),
     ("keeps_last", "Unlike those which keep the last occurrence, it keeps the first occurrence."),
     ("both_ends_count", "Counts the number of days from start to end."),
     ("both_ends_count", "Days from start to end; the end is not counted."),
     ("first_wins", "Gives back a new mapping; settings and changes are never modified."),
     ("keeps_last", "The first one of several equal items is kept (the last one is removed)."),
     ("keeps_last", "It does not retain the last appearance but the first one."),
     ("keeps_last", "It doesn't keep the last occurrence."),
     ("keeps_last", "One might expect the last occurrence to be kept, but it is the first."),
     ("keeps_last", "Although you would expect the last one to stay, the first one stays."),
     ("keeps_last", "The name suggests that the last occurrence is kept, but the first one is."),
     ("keeps_last", "The first one stays; most similar functions keep the last occurrence."),
     ("keeps_last", "Subsequent occurrences of an item are discarded."),
     ("keeps_last", "Drops all later duplicates."),
     ("keeps_last", "An item that has occurred earlier is dropped."),
     ("always_up", "It does not round up but to the nearest multiple."),
     ("always_up", "Rounds up or down to the nearest multiple."),
     ("always_up", "You might expect it to round up, but it takes the nearest multiple."),
     ("leaves_extremes_out", "It does not leave the lowest and highest values out."),
     ("end_excluded", "It includes high, but not low."),
     ("end_excluded", "True for `value == high`, and not half open."),
     ("end_excluded", "high is not excluded but included."),
     ("end_excluded", "The half-open interval (low, high]."),
     ("first_wins", "If both have the same key, the value of the second mapping is used."),
     ("both_ends_count", "The last day is not counted but left out, so it is excluded."),
     ("both_ends_count", "The end is excluded, not included."),
     ("both_ends_count", "It is not inclusive.")],
)  # fmt: skip
def test_what_only_sounds_like_it_does_not_state_a_trap(trap, said):
    assert not states_trap(trap, said)


@pytest.mark.parametrize("trap", STATED)
def test_wordings_are_matched_in_linear_time(trap):
    """Words that begin a pattern, over and over, and never end it."""
    for word in ("last ", "keep ", "drop lowest ", "high ", "settings ", "both ", "round a "):
        assert states_trap(trap, word * 4_000) in (True, False)
