"""A test and a reply to a Score; a failed request has none.

The same two give the same Score for ever, or the version of a check has changed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.checks.keywords import states
from assay.checks.letters.options import most_likely
from assay.messages import tr
from assay.text.answer_words import declines_by, declines_instead
from assay.text.dressing import plain_reply
from assay.text.echo import begins_like, is_echo, is_piece, words_added
from assay.text.folding import fold_for_matching, is_blank, is_only_punctuation
from assay.text.look_alikes import fold_look_alikes, shown
from assay.types import LETTERS, Answered, Case, ChoiceLikelihoods, Context, Failed, Reply, Score
from assay.types.tests import EWEBENCH

TICK = "tick "


def score_reply(case: Case, reply: Reply) -> Score | None:
    """Score one reply; None where the request failed."""
    if isinstance(reply, Failed):
        return None
    if case.check.scored_together:
        later = tr("scored_later: scored when all answers of the task are there.")
        return Score(scorer=case.method, version=case.check.version,
                     unscored_reason="scored_later", explanation=later)  # fmt: skip
    if isinstance(reply, ChoiceLikelihoods):
        if not case.check.requests().letters:
            raise ValueError(f"likelihoods cannot be scored by {case.method!r}")
    elif not isinstance(reply, Answered):
        raise ValueError(f"a reply of kind {reply.kind!r} is a measurement and has no score")
    try:
        score = _score(case, reply)
    # A fault in a check must neither end the run nor pass for a wrong answer.
    except Exception as error:  # noqa: BLE001
        score = Score(
            unscored_reason="scorer_error",
            explanation=tr(
                "The answer could not be scored: {kind}: {error}",
                kind=type(error).__name__,
                error=error,
            ),
        )
    if not score.scorer:
        # In place: a copy would cost as much as comparing two texts.
        object.__setattr__(score, "scorer", case.method)
        object.__setattr__(score, "version", case.check.version)
    return score


def _score(case: Case, reply: Answered | ChoiceLikelihoods) -> Score:
    context = Context(case, reply)
    if isinstance(reply, ChoiceLikelihoods):
        return _as_score(case.check.score(_chosen(case, reply), context))
    if reply.reasoning_unclosed:
        return _no_answer(tr("The model was cut off while reasoning and gave no answer."))
    if case.scoring == EWEBENCH:
        from assay.checks.ewe.ewebench import score_ewebench

        score = score_ewebench(case, reply)
        if score is not None:
            unread = score.value == 0 and is_blank(reply.text)
            return replace(score, no_answer=True) if unread else score
    text = reply.text if case.check.reads_as_written else plain_reply(reply.text)
    texts = (text, *reply.predictions)
    if not case.check.scores_empty and is_blank(text) and all(map(is_blank, texts)):
        return _no_answer(tr("The answer is empty."))
    score = _as_score(case.check.score(text, context))
    if score.value is not None and not score.no_answer and not case.check.may_decline:
        if declines_instead(texts, score.value, case.check.gold) or (
            score.value == 0 and case.words and all(declines_by(case.words.declines, texts))
        ):
            return _no_answer(tr("The answer only declines."))
        if score.value < 1 and all(map(is_only_punctuation, texts)):
            return _no_answer(tr("The answer has no words."))
        asked = case.prompt
        if begins_like(text, asked):
            score = _unless_echoed(score, text, context)
        if score.value == 0 and is_piece(text, asked) and not case.check.requests().letters:
            return _no_answer(tr("The answer only repeats the question."))
    said = [*_tick_sentences(case.tags, text)] if case.tags else []
    if not text.isascii() and (signs := fold_look_alikes(text, context.language)[1]):
        said.append(tr("Look-alike letters: {signs}.", signs=shown(signs)))
    if said:
        return replace(score, explanation=" ".join([score.explanation, *said]).strip())
    return score


def _unless_echoed(score: Score, text: str, context: Context) -> Score:
    """The score, or no answer where the question is repeated. What is added may be the answer,
    where one is known; a mere repetition is right where the expected answer is one itself.
    """
    check, question = context.test.check, context.test.question
    added = words_added(text, question)
    if added is None:
        return score
    if (gold := check.gold()) is not None:
        may_repeat = not check.baselines_add_up and not check.requests().letters
        if score.value == 1.0 and may_repeat:
            if is_echo(gold, (question,)) or (added and not _is_told(gold, context)):
                return score
            # As written where it can be: the words of "uname -r" are no command.
            added = text.partition(question.strip())[2].strip() or added
        others = _others(context)
        alone = _score_part(added, context, others) if added or others else score
        if (added or others) and alone.value == 1.0:
            return alone
    return _no_answer(tr("The answer only repeats the question."))


def _is_told(gold: str, context: Context) -> bool:
    """Whether the question has the right answer in it, where a check may find it."""
    question = context.test.question
    if states(gold, fold_for_matching(question)):
        return True
    return _score_part(question, context).value == 1.0


def _others(context: Context) -> tuple[str, ...]:
    """The predictions after the first, empty where they repeat the question."""
    reply, question = context.reply, context.test.question
    later = reply.predictions[1:] if isinstance(reply, Answered) else ()
    return tuple("" if words_added(each, question) is not None else each for each in later)


def _score_part(text: str, context: Context, others: tuple[str, ...] = ()) -> Score:
    """The score of a part of the answer, beside no other predictions than these."""
    reply = context.reply
    if isinstance(reply, Answered) and reply.predictions:
        predictions = (text, *others)
        context = replace(context, reply=replace(reply, predictions=predictions))
    return _as_score(context.test.check.score(text, context))


def _chosen(case: Case, reply: ChoiceLikelihoods) -> str:
    """The most likely option: its letter, or its text where texts were compared."""
    asked = case.check.requests()
    letter = most_likely(case.id, asked, reply).letter
    return asked.options[LETTERS.index(letter)] if asked.by_text else letter


def _as_score(returned: object) -> Score:
    """What a check returned as a Score; anything else is a fault of the check."""
    if isinstance(returned, Score):
        return returned
    if isinstance(returned, bool | int | float):
        return Score(value=float(returned))
    raise TypeError(f"score() returned {returned!r}, not True, False, a number or a Score")


def _no_answer(explanation: str) -> Score:
    return Score(value=0.0, no_answer=True, explanation=explanation)


def _tick_sentences(tags: Sequence[str], answer: str) -> Iterator[str]:
    """Words that are looked for and reported without changing the score, a sentence for each tag
    such as "tick vendor: AMD | ATI". Tags and not a field: the contract names the fields of checks.
    """
    for tag in tags:
        name, colon, accepted = tag.removeprefix(TICK).partition(": ")
        if not tag.startswith(TICK) or not colon or not accepted.strip():
            continue
        words, text = [each.strip() for each in accepted.split(" | ")], fold_for_matching(answer)
        hit = next((word for word in words if states(word, text)), None)
        if hit is None:
            yield tr("Not found: {name} ({wanted}).", name=name, wanted=" / ".join(words))
        else:
            yield tr("Found: {name} ({found}).", name=name, found=hit)
