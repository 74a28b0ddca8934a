"""Several refusals at once."""

import pytest

from assay.errors import InvalidFiles, Refusals, UsageError, in_one_line, raise_all


def test_the_same_mistake_for_two_models_is_told_once():
    with pytest.raises(UsageError):
        raise_all(
            [UsageError("no device 'x'", hint="cpu"), UsageError("no device 'x'", hint="cpu")]
        )


def test_mistakes_that_differ_are_all_told():
    errors = [UsageError("one"), UsageError("two"), UsageError("one", hint="otherwise")]
    with pytest.raises(Refusals) as caught:
        raise_all(errors)
    assert list(caught.value.errors) == errors


def test_files_with_other_findings_are_other_mistakes():
    one, other = InvalidFiles("1 mistake", ["a"]), InvalidFiles("1 mistake", ["b"])
    with pytest.raises(Refusals) as caught:
        raise_all([one, other])
    assert list(caught.value.errors) == [one, other]


def test_one_line_holds_all_mistakes_each_with_what_to_do_about_it():
    assert in_one_line(UsageError("no device 'x'")) == "no device 'x'"
    several = Refusals([UsageError("one\nis odd", hint="mend it"), UsageError("two", hint="go")])
    assert in_one_line(several) == "one is odd: mend it; two: go"


def test_nothing_wrong_raises_nothing():
    raise_all([])
