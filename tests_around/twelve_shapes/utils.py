"""Functions that the task files of this folder name, in the manner of lm-evaluation-harness's."""

import re

from lm_eval.api.task import ConfigurableTask


def process_docs(dataset):
    def one(doc):
        context = doc["ctx"][0].upper() + doc["ctx"][1:]
        return {
            "query": f"{doc['activity']}: {context}".replace(" [title]", "."),
            "choices": [re.sub(r"\[.*?\]", "", text).strip() for text in doc["endings"]],
            "gold": int(doc["label"]),
        }

    return dataset.map(one)


def three_choices(doc):
    choices = list(doc["wrong"])
    choices.insert(doc["label"], doc["right"])
    return choices


def contexts(doc):
    before = doc["sentence"].split("_")[0]
    return [before + doc["option1"], before + doc["option2"]]


def which_context(doc):
    return {"1": 0, "2": 1}[doc["answer"]]


def behind_pronoun(doc):
    return doc["sentence"].split("_")[1].strip()


def entailment_results(doc, results):
    best = max(range(len(results)), key=lambda number: results[number][0])
    right = best == doc["label"]
    return {"acc": 1.0 if right else 0.0, "f1": (best, doc["label"])}


def macro_f1(pairs):
    """The mean over three classes."""
    total = 0.0
    for kind in range(3):
        hits = sum(told == kind == right for told, right in pairs)
        told, right = sum(one == kind for one, _ in pairs), sum(one == kind for _, one in pairs)
        total += 2 * hits / (told + right) if told + right else 0.0
    return total / 3


def joined(doc):
    text = doc["page"].replace(" @-@ ", "-").replace(" @,@ ", ",").replace(" 's", "'s")
    return re.sub(r" ([.,;])", r"\1", text)


def page_results(doc, results):
    (value,) = results
    words, size = len(re.split(r"\s+", doc["page"])), len(doc["page"].encode())
    return {
        "word_perplexity": (value, words),
        "byte_perplexity": (value, size),
        "bits_per_byte": (value, size),
    }


class Endings(ConfigurableTask):
    """A task that is a Python class."""

    VERSION = 1

    def __init__(self, config=None):
        told = {key: value for key, value in (config or {}).items() if key != "class"}
        super().__init__(config={**told, "metadata": {"version": self.VERSION}})

    def doc_to_text(self, doc, doc_to_text=None):
        return doc["ctx"]

    def doc_to_choice(self, doc, doc_to_choice=None):
        return doc["endings"][:2]

    def doc_to_target(self, doc, doc_to_target=None):
        return int(doc["label"]) % 2
