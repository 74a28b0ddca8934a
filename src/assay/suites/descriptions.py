"""What every field of the test format is for, in one sentence.

In: nothing. Out: sentences by field, in the user's language. A test fails when a field of `fields`
has no sentence here.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.messages import tr


def common_fields() -> Mapping[str, str]:
    """The fields that every test may have."""
    return {
        "id": tr("The test's name, unique in the suite: letters, digits, '_' and '-'. The usual "
                 "form is category_001."),
        "prompt": tr("The user message sent to the model. Either this or 'messages'."),
        "messages": tr("A whole conversation that ends with a user turn. Either this or 'prompt'."),
        "system": tr("The system prompt of this test, in place of the suite's. An empty text "
                     "means none. Not together with a system message."),
        "live": tr("Ask the user turns one after the other, with the model's own replies between. "
                   "Needed where two user turns stand in a row; the last reply is marked."),
        "eval_method": tr("How the answer is marked."),
        "temperature": tr("How freely the answer is drawn."),
        "max_tokens": tr("The longest answer, in tokens (128 for a model without a chat "
                         "template)."),
        "stop": tr("A text, or several, at which the answer ends."),
        "description": tr("What the test is about, for people."),
        "reviewed": tr("Whether somebody has reviewed the test, or who and when."),
        "tags": tr("Words to find the test by."),
    }  # fmt: skip


def message_fields() -> Mapping[str, str]:
    """The fields of one message."""
    return {
        "role": tr("Who speaks: system (first only), user or assistant."),
        "content": tr("What is said."),
    }


def method_fields() -> Mapping[str, str]:
    """The fields that belong to one or more eval_methods."""
    return {
        "expected": tr("The right answer: a text or a list of accepted texts; with "
                       "multiple_choice the letter."),
        "normalize": tr("How much of the writing is evened out before comparing."),
        "expected_keywords": tr("What the answer must hold. An item is a phrase, or a list of "
                                "phrases of which one will do."),
        "forbidden_keywords": tr("What the answer must not hold; one hit scores 0."),
        "keyword_match": tr("Whether a keyword is a whole word, the start of one, or any piece of "
                            "text."),
        "choices": tr("The texts behind A, B, C and so on, appended to the prompt."),
        "score_by": tr("Whether a model that can score text compares the letters or the texts of "
                       "the choices."),
        "render": tr("Whether the choices are appended to the prompt."),
        "expected_format": tr("Rules on the shape of the answer."),
        "weights": tr("How much each part counts; a part that is not named counts 1."),
        "expected_any": tr("The accepted answers."),
        "k": tr("How many of the model's best answers are looked at."),
        "match": tr("Whether answers are compared as words, as shell commands or as kernel "
                    "modules."),
        "expected_commands": tr("The steps in order. A step is a command, or a list of commands "
                                "of which one will do."),
        "rubric": tr("What the judge marks by."),
        "requirements": tr("What the answer has to do."),
        "evaluation_points": tr("What the judge should look at."),
        "checklist": tr("Questions that the judge answers with yes or no."),
        "evidence": tr("How the answer is tried out, if it can be."),
        "fixtures": tr("Files that the trial needs."),
    }  # fmt: skip


def format_rules() -> Mapping[str, str]:
    """The rules of `expected_format`."""
    return {
        "contains_ewe": tr("The answer is in Ewe; false: it is not."),
        "contains_function_call": tr("The answer calls a function; false: it does not."),
        "json": tr("The answer holds JSON; false: it holds none."),
        "min_length": tr("The least number of characters."),
        "max_length": tr("The greatest number of characters."),
        "min_words": tr("The least number of words."),
        "max_words": tr("The greatest number of words."),
        "max_sentences": tr("The greatest number of sentences."),
        "list_item_count": tr("The exact number of list items."),
        "starts_with": tr("The text at the start of the answer."),
        "ends_with": tr("The text at the end of the answer."),
        "language": tr("The language of the answer."),
        "markdown_elements": tr("Elements of Markdown that the answer must use; each is a rule."),
    }  # fmt: skip


def composite_parts() -> Mapping[str, str]:
    """The parts that `weights` of a composite test may name."""
    return {
        "keywords": tr("The weight of the keywords."),
        "format": tr("The weight of the format rules."),
        "ewe_quality": tr("The weight of Ewe quality, which counts where contains_ewe is true or "
                          "the suite's language is ee."),
    }  # fmt: skip


def methods() -> Mapping[str, str]:
    """The eval_methods."""
    return {
        "exact_match": tr("The whole answer is one of the accepted texts: 1 or 0."),
        "keywords": tr("The share of the expected keywords found; 0 if a forbidden one appears."),
        "multiple_choice": tr("The letter that the model chose is the right one: 1 or 0."),
        "format": tr("The share of the stated rules that hold."),
        "ewe_quality": tr("How well the answer reads as Ewe, from 0 to 1."),
        "composite": tr("The mean of keywords, format and, where it applies, Ewe quality."),
        "top_k": tr("An accepted answer is among the k best: 1 or 0."),
        "command_sequence": tr("The share of the steps found in order."),
        "judge": tr("Marked by a judge against the rubric."),
    }


def suite_keys() -> Mapping[str, str]:
    """The keys of suite.json."""
    return {
        "title": tr("The suite's name for people."),
        "version": tr("The suite's version, as a text."),
        "language": tr("The language of the answers, as a tag such as ee; with ee, composite tests "
                       "also mark Ewe quality."),
        "system": tr("The system prompt of every test that has none of its own."),
        "weights": tr("How much each category counts in the suite's score; one that is not named "
                      "counts 1. Without weights all count the same."),
        "pass_mark": tr("The score from which a test counts as passed."),
        "scoring": tr("The rules of marking: 'standard', or those of an earlier benchmark."),
        "few_shot": tr("For a category, the file of worked examples shown before each question; "
                       "it lies in a folder of its own."),
        "shots": tr("How many examples are shown."),
    }  # fmt: skip
