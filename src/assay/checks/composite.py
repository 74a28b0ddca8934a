"""composite: the weighted mean of keywords, format, chrF and, where it applies, Ewe quality."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from assay.checks.format import ExpectedFormat, Format, Rules
from assay.checks.keywords import ExpectedKeywords, Keywords
from assay.files.fields import Doc, OneOrMore, Weight
from assay.messages import tr
from assay.plugins import check
from assay.text.folding import fold_whole_answer
from assay.text.look_alikes import fold_look_alikes
from assay.types import LANGUAGES, AnswerCheck, Case, Context, FieldProblem, Score, ScorePart

PARTS = ("keywords", "format", "chrf", "ewe_quality")
_EWE = "ewe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weight of each part; None counts 1."""

    keywords: Annotated[Weight | None, Doc("The weight of the keywords.")] = None
    format: Annotated[Weight | None, Doc("The weight of the format rules.")] = None
    chrf: Annotated[Weight | None, Doc("The weight of the likeness to 'reference'.")] = None
    ewe_quality: Annotated[
        Weight | None,
        Doc(
            "The weight of Ewe quality, which counts where contains_ewe is true or the suite's "
            "language is ee."
        ),
    ] = None


@check("composite")
class Composite(AnswerCheck):
    """The mean of keywords, format, likeness to a reference and, where it applies, Ewe quality."""

    version = 9
    baselines_add_up = True

    expected_keywords: ExpectedKeywords = ()
    expected_format: ExpectedFormat | None = None
    reference: Annotated[
        OneOrMore,
        Doc(
            "A good translation, or several: the answer is compared with the nearest by chrF, the "
            "F-score of character n-grams."
        ),
    ] = ()
    weights: Annotated[
        Weights | None, Doc("How much each part counts; a part that is not named counts 1.")
    ] = None

    def score(self, answer: str, context: Context, /) -> Score:
        parts = [*self._parts(context, answer)]
        if not parts and self.format:  # too short to see whether its only rule holds
            return self.format.score(answer, context)
        parts = _halved_without_keywords(parts)
        weights = [self._weight(part.name) for part in parts]
        total = sum(weights)
        if total <= 0:
            raise ValueError("the weights of the parts that apply add up to nothing")
        mean = sum(part.value * weight for part, weight in zip(parts, weights, strict=True)) / total
        return Score(
            # The sum of parts can pass 1 by a rounding error.
            value=min(1.0, max(0.0, mean)),
            extracted=", ".join(f"{part.name} {part.value:.2f}" for part in parts),
            explanation=" ".join(
                tr(
                    "{name} {value:.2f} (weight {weight:g}): {reasons}",
                    name=part.name,
                    value=part.value,
                    weight=weight,
                    reasons=part.explanation,
                )
                for part, weight in zip(parts, weights, strict=True)
            ),
            parts=tuple(parts),
        )

    def _weight(self, part: str) -> float:
        weight: float | None = getattr(self.weights, part, None)
        return 1.0 if weight is None else weight

    def _parts(self, context: Context, answer: str) -> Iterator[ScorePart]:
        if self.keywords:
            yield _part("keywords", self.keywords.score(answer, context))
        if self.format and (shape := self.format.score(answer, context)).value is not None:
            yield _part("format", shape)
        if self.reference:
            yield _likeness(fold_look_alikes(answer, context.language)[0], self.reference)
        if self.ewe_applies(context.test.language):
            from assay.checks.ewe.quality import read_ewe

            ewe = read_ewe(answer)
            yield ScorePart(name="ewe_quality", value=ewe.value(), explanation=ewe.explanation())

    @property
    def keywords(self) -> Keywords | None:
        found = self.expected_keywords
        return Keywords(expected_keywords=found) if found else None

    @property
    def format(self) -> Format | None:
        rules = self.expected_format
        return Format(expected_format=rules) if rules and rules.can_fail else None

    def ewe_applies(self, language: str | None) -> bool:
        """Whether the answer is meant to be Ewe: the test says so, or only the suite does."""
        rules = self.expected_format or Rules()
        if rules.contains_ewe is not None:
            return rules.contains_ewe
        if rules.language is not None and LANGUAGES.get(rules.language, rules.language) != _EWE:
            return False
        return LANGUAGES.get(language or "") == _EWE

    def gold(self) -> str | None:
        return self.reference[0] if self.reference else None

    def baselines(self) -> Iterable[str]:
        return self.keywords.baselines() if self.keywords else ()

    def problems(self, test: Case, /) -> Iterator[FieldProblem]:
        yield from self.expected_format.problems() if self.expected_format else ()
        present = self._present(test)
        if not present:
            message = tr(
                "the test checks nothing; 'composite' needs 'expected_keywords', 'reference' or a "
                "rule in 'expected_format', or a suite of language 'ee'"
            )
            yield FieldProblem((), message)
        elif not any(map(self._weight, present)):
            message = tr("the test checks nothing; every part that it has weighs 0")
            yield FieldProblem(("weights",), message)

    def advice(self, test: Case, /) -> Iterator[FieldProblem]:
        yield from self.keywords.advice(test) if self.keywords else ()
        present = self._present(test)
        for part in PARTS if self.weights else ():
            if part not in present and getattr(self.weights, part) is not None:
                message = tr("'{part}' has a weight, but the test has no such part", part=part)
                yield FieldProblem(("weights", part), message, about_key=True)

    def _present(self, test: Case) -> set[str]:
        rules = self.expected_format
        has_rules = rules is not None and rules.can_fail
        ewe = self.ewe_applies(test.language)
        is_there = (self.expected_keywords, has_rules, self.reference, ewe)
        return {part for part, there in zip(PARTS, is_there, strict=True) if there}


def _halved_without_keywords(parts: list[ScorePart]) -> list[ScorePart]:
    """Where keywords are expected and none is found, the other parts are worth half."""
    first = parts[0] if parts else None
    if first is None or first.name != "keywords" or first.value > 0:
        return parts
    said = tr("Halved, because no keyword was found.")
    return [first, *(_half(part, said) for part in parts[1:])]


def _half(part: ScorePart, said: str) -> ScorePart:
    explanation = f"{part.explanation} {said}".strip()
    return ScorePart(name=part.name, value=part.value / 2, explanation=explanation)


def _part(name: str, score: Score) -> ScorePart:
    assert score.value is not None
    return ScorePart(name=name, value=score.value, explanation=score.explanation)


def _likeness(answer: str, reference: Sequence[str]) -> ScorePart:
    """The chrF of sacrebleu, on what folding leaves: capitals are no mistranslation."""
    from sacrebleu.metrics.chrf import CHRF  # takes longer to load than a small suite

    metric = CHRF(lowercase=True)
    scored = metric.sentence_score(fold_whole_answer(answer), [*map(fold_whole_answer, reference)])
    explanation = tr(
        "chrF {points:.1f} against “{reference}” ({signature}).",
        points=scored.score,
        reference="” / “".join(reference),
        signature=metric.get_signature(),
    )
    return ScorePart(name="chrf", value=min(1.0, scored.score / 100), explanation=explanation)
