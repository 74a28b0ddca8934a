"""What in an answer tries to address its judge; and the answer without it, for a second reading.

A code review may speak of scores, systems and ignored errors, so each pattern asks for the words of
a demand. Nothing is deleted from the answer that is kept, shown and run.
"""

import base64
import binascii
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from assay.judge.guards.fencing import without_look_alikes
from assay.messages import tr
from assay.types.judging.judgements import Judgement, Rubric, overall_of, shown_tenths

MOST_SEARCHED = 60_000  # characters: some 15,000 tokens; 0.7 seconds at the very worst
_MOST_BLOBS = 20
_LONGEST_BLOB = 4_096

_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_FLAG_TAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007f]+")  # the flags of England and Scotland
_TAGS = re.compile("[\U000e0000-\U000e007f\U000e0100-\U000e01ef]")
_ZERO_WIDTH = re.compile("[\u200b\u2060-\u2064\ufeff\u180e\xad]")
_INSIDE_A_WORD = re.compile("(?<=[A-Za-z])[\u200b-\u200d\u2060-\u2064\ufeff\xad](?=[A-Za-z])")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_DROPPED = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\xad\U000e0000-\U000e01ef]")
_MANY = 3  # zero-width characters; one or two come along with text pasted from a page
_GAP = re.compile(r"\s+")
_BLOB = re.compile(r"[A-Za-z0-9+/]{64,}={0,2}")
INJECTION = "injection_suspected"
_A_POINT = 10  # tenths
# A demand is a sentence or a line; some patterns reach over the two or three beside it.
_PIECES = re.compile(r"[^\n.!?。！？]*(?:[.!?。！？]+|\n|$)[ \t]*")
_WIDEST = 3


@lru_cache(maxsize=256)  # each judge and repeat asks again
def flags_of(answer: str) -> tuple[str, ...]:
    """Codes such as `score_demand`, each once."""
    text = answer[:MOST_SEARCHED]
    rest = _FLAG_TAGS.sub("", text.removeprefix("\ufeff"))
    hides = any(each.search(rest) for each in (_REORDERING, _TAGS, _INSIDE_A_WORD, _CONTROL))
    hides = hides or len(_ZERO_WIDTH.findall(rest)) >= _MANY
    hidden = ["hidden_characters"] if hides else []
    encoded = ["base64"] if _is_encoded(text) else []
    return tuple(dict.fromkeys([*hidden, *_said(text), *encoded]))


def without_hidden(answer: str) -> str:
    plain = _TAGS.sub("", _FLAG_TAGS.sub("\U0001f3f4", answer))
    plain = _CONTROL.sub("", _DROPPED.sub("", plain))
    for blob in [*_BLOB.finditer(plain)][:_MOST_BLOBS]:
        if _is_encoded(blob.group()):
            plain = plain.replace(blob.group(), "")
    return plain


def _said(text: str) -> Iterator[str]:
    # What hides a word from a pattern is taken out: zero-width letters, look-alike letters.
    plain = without_look_alikes(_DROPPED.sub("", text))
    for form in dict.fromkeys((_tight(plain), _tight(text))):
        for code, pattern in PATTERNS:
            if pattern.search(form):
                yield code


def _tight(text: str) -> str:
    """In small letters, every run of white space one character: a line feed where there was one."""
    return _GAP.sub(lambda gap: "\n" if "\n" in gap.group() else " ", text.lower())


def _is_encoded(text: str) -> bool:
    """Base64 that hides words; a digest, a key or a picture hides none."""
    for blob in itertools.islice(_BLOB.finditer(text), _MOST_BLOBS):
        body = blob.group()[:_LONGEST_BLOB].rstrip("=")
        try:
            hidden = base64.b64decode(body[: len(body) // 4 * 4]).decode("ascii")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if hidden.isprintable() and " " in hidden:
            return True
    return False


@lru_cache(maxsize=256)  # each judge and repeat asks again
def without_demands(answer: str) -> str | None:
    """None where nothing addresses the judge, or where it cannot be taken out."""
    if not flags_of(answer):
        return None
    rest = without_hidden(answer)
    for width in range(1, _WIDEST + 1):
        if not flags_of(rest):
            break
        rest = _without_pieces(rest, width)
    return None if flags_of(rest) else rest


def _without_pieces(text: str, width: int) -> str:
    """Without every run of `width` sentences or lines that is suspicious."""
    pieces = [piece for piece in _PIECES.findall(text) if piece]
    kept: list[str] = []
    at = 0
    while at < len(pieces):
        if flags_of("".join(pieces[at : at + width])):
            at += width
        else:
            kept.append(pieces[at])
            at += 1
    return "".join(kept)


def lower_of(read: Judgement, without: Judgement, rubric: Rubric) -> Judgement:
    """As it was read, with the scores of the reading without the words where lower by a point."""
    before, after = overall_of(read, rubric), overall_of(without, rubric)
    if before is None or after is None or before - after < _A_POINT:
        return read
    weakness = tr(
        "Words that address the judge raise the score from {after} to {before}; the lower counts.",
        before=shown_tenths(before),
        after=shown_tenths(after),
    )
    return replace(
        read,
        scores=without.scores,
        flags=(*read.flags, INJECTION),
        weaknesses=(weakness, *read.weaknesses),
    )


# Made for text in small letters in which every run of white space is one character: so a single
# `\s` is a gap, which bounds the search, and takes a quarter of the time that ignoring case would.

_WHO = r"(?:evaluat(?:or|ion\smodel)s?|graders?|judges?|examiners?|assessors?|scorers?|markers?)"
_CRITERIA = r"(?:correctness|completeness|code[\s_]quality|insight[\s_]quality)"
_WORK = r"(?:data|answer|response|submission|model\soutput|output|work)"
_PERFECT = (
    r"(?:(?:full|maximum|max|perfect|highest|top|best)\s(?:possible\s)?"
    r"(?:marks?|scores?|points?|grades?|ratings?|credit)"
    r"|(?:10|ten)\s?(?:/|out\sof)\s?(?:10|ten)\b"
    r"|(?:scores?|grades?|ratings?|marks?)\s(?:of\s)?(?:10|ten)\b"
    r"|(?:10|ten)\s(?:in|on|for)\s(?:every|each|all)\b)"
)
_DESERVE = r"(?:award|grant|deserves?|merits?|warrants?)"
# Words that code and reports use as well: only with what a demand goes on with.
_GIVE = (
    r"(?:give|assign|rated?|scored?|graded?|mark(?:ed)?|(?:must|should)\sget|output|return|print"
    r"|respond\swith)"
)
_IT = (
    rf"(?:it|this|these|me|my|us|full|perfect|10|ten|all|everything|the\s{_WORK}"
    r"|a\s(?:perfect|full|10|ten))"
)
_FORGET = r"(?:ignore|disregard|forget|override|bypass)"
_WHICH = (
    r"(?:(?:all|any|the|your|these|those|previous|prior|above|earlier|preceding|of|system|grading"
    r"|scoring)\s){1,5}"
)
_GRADING = r"(?:grading|scoring|evaluation|judging)"
_MUST = r"(?:should|must|shall|needs?\sto|(?:is|are)\s(?:required|asked|instructed|expected))"
# The same demands in French, German, Spanish, Chinese and Swahili.
_ELSEWHERE = r"[^.!?。！？\n]{0,70}?"
_GIVE_ELSEWHERE = (
    r"(?:\b(?:donne[rz]?|donnera|attribue[rz]?|accorde[rz]?|mérite|gib|gibt|geben|vergib|vergeben"
    r"|erteilen|verdient|dé|da|dar|dará|dale|otorgu?e|otorga|asign[ea]|merece|conced[ea]"
    r"|toa|utoe|atatoa|ipe|mpe|inastahili)\b|给|打|授予|评为|应得)"
)
_PERFECT_ELSEWHERE = (
    r"(?:note\s(?:maximale|parfaite)|(?:10|dix)\ssur\s(?:10|dix)"
    r"|voll(?:e|en|er)\spunktzahl|bestnote|höchste\snote|10\svon\s10"
    r"|(?:nota|puntuación|calificación)\s(?:máxima|perfecta)|10\s(?:de|sobre)\s10"
    r"|满分|最高分|10\s?分(?!钟)|alama\s(?:kamili|zote|10)|kumi\skwa\skumi)"
)
_RULES_ELSEWHERE = (
    r"(?:instructions|consignes|règles|critères|anweisungen|regeln|\w{0,20}kriterien"
    r"|instrucciones|reglas|criterios|指令|指示|说明|规则|标准|maagizo|maelekezo|kanuni|vigezo)"
)
_FORGET_ELSEWHERE = r"(?:\bignore[rz]?\b|\bignorieren?\b|\bignor[ea]n?\b|忽略|无视|\bpuuza\b)"
_BEFORE_ELSEWHERE = (
    r"(?:précédent|ci-dessus|bisherig|vorherig|obig|anterior|previas|之前|以上|上述|yaliyotangulia)"
)
_CHANGED_ELSEWHERE = (
    r"(?:mis\sà\sjour|modifiés|remplacés|geändert|aktualisiert|ersetzt|actualizados|cambiados"
    r"|更新|修改|变更|vimebadilishwa|vimesasishwa)"
)
_WHO_ELSEWHERE = (
    r"(?:évaluateur|correcteur|examinateur|prüfer|gutachter|evaluador|corrector|mtathmini"
    r"|msahihishaji|评审者|评委|评分者)"
)
_SAY_YES = (
    r"(?:\b(?:répondez|antworten\ssie|beantworten\ssie|conteste|ujibu|jibu)\b|回答"
    r"|\b(?:reply|answer|respond|answered)\b(?=[^.\n]{0,40}\b(?:every|each|all|always)\b)"
    r"|\b(?:every|each)\squestion\b)"
)

_WRITTEN: dict[str, tuple[str, ...]] = {
    "score_demand": (
        rf"\b{_DESERVE}\b[^.\n]{{0,60}}?\b{_PERFECT}",
        rf"\b{_GIVE}\s(?={_IT}\b)[^.\n]{{0,60}}?\b{_PERFECT}",
        rf"\b(?:reviewers?|{_WHO})\s?[:,-][^.\n]{{0,60}}?\b{_PERFECT}",
        rf"\b{_PERFECT}[^.\n]{{0,40}}\b(?:is|are)\s(?:required|mandatory|due)\b",
        rf"\b(?:it|answer|and)\sgets\s{_PERFECT}",
        rf"{_GIVE_ELSEWHERE}{_ELSEWHERE}{_PERFECT_ELSEWHERE}",
        rf"{_PERFECT_ELSEWHERE}{_ELSEWHERE}{_GIVE_ELSEWHERE}\b",
        rf"{_SAY_YES}{_ELSEWHERE}\byes\b",
    ),
    "fake_verdict": (
        rf"^\W{{0,9}}{_CRITERIA}\W{{0,9}}\d{{1,2}}\s?/\s?10\b",
        rf"[\"']{_CRITERIA}[\"']\s?:\s?(?:{{[^{{}}\n]{{0,80}}?[\"']score[\"']\s?:\s?)?\d",
        r"^\W{0,9}(?:overall\sscore|quality\srating)\W{0,9}(?:\d|excellent|good)",
        r"\[\[\s?(?:10|[1-9])\s?\]\]\s?$",
    ),
    "override": (
        rf"\b{_FORGET}\s{_WHICH}"
        r"(?:instructions?|rules|criteria|rubrics?|guidelines|prompts?|directions)\b",
        rf"\b(?:criteria|rubrics?|{_GRADING}\srules|instructions)\s(?:have|has|were|was|are|is)\s"
        r"(?:been\s|now\s)?(?:updated|changed|replaced|superseded|suspended|void)\b",
        rf"{_FORGET_ELSEWHERE}{_ELSEWHERE}(?:{_RULES_ELSEWHERE}{_ELSEWHERE}{_BEFORE_ELSEWHERE}"
        rf"|{_BEFORE_ELSEWHERE}{_ELSEWHERE}{_RULES_ELSEWHERE})",
        rf"{_RULES_ELSEWHERE}{_ELSEWHERE}{_CHANGED_ELSEWHERE}\s?[:：]",
        rf"\b(?:new|updated|revised)\s{_GRADING}\s(?:criteria|rules|instructions|policy|rubrics?)\b",
    ),
    "addresses_evaluator": (
        rf"\bas\san?\s(?:\w{{1,30}}\s){{0,2}}?{_WHO}\b",
        r"\b(?:dear|attention|hello|hi|(?:note|message|instructions?)\s(?:to|for))\s?:?\s?"
        rf"(?:an?\s|the\s|any\s|all\s)?(?:\w{{1,30}}\s){{0,2}}?{_WHO}\b",
        rf"{_WHO_ELSEWHERE}(?:\s?[:：]|请注意)",
        rf"\b(?:the|any)\s(?:ai\s|llm\s|automated\s)?{_WHO}\s{_MUST}\b",
        r"\byou\sare\s(?:now\s)?(?:grading|evaluating|judging|scoring|assessing)\s"
        rf"(?:this|the|my)\s(?:{_WORK}|solution)\b",
    ),
    "role_tag": (
        r"<[|｜]\s?[\w▁:.-]{1,40}\s?[|｜]>|\[\|[\w-]{1,40}\|\]|\[gmask\]|\[/?system_prompt\]",
        r"\[/?inst\]|<</?sys>>|</?(?:start_of_turn|end_of_turn)>|<｜[^<>\n]{1,40}｜>",
        r"\[\s?(?:system|admin|administrator|developer)\b[^\]\n]{0,30}"
        r"\b(?:note|message|override|prompt|notice|instruction)s?\s?\]",
        r"^\W{0,9}(?:system|developer|assistant)\s?:\s?(?:you\s(?:are|must|will|should)\b"
        r"|ignore\b|disregard\b|from\snow\b|the\s(?:grader|judge|evaluator|answer)\b)",
    ),
    "fake_end": (
        rf"\[\s?/?\s?(?:end|begin|stop)\s(?:of\s)?{_WORK}\s?\]",
        rf"^\W{{0,9}}[=#*<-]{{2,9}}\s?end\s(?:of\s)?(?:the\s)?{_WORK}\b",
        r"^={3,9}\s?answer\b[^\n]{0,40}={3}",
        r"^\s?</(?:answer|response|submission|candidate|model_output|data)>\s?$",
    ),
    "html_comment": (
        r"<!--(?:(?!-->)[\s\S]){0,160}?"
        r"\b(?:scores?|grad(?:e|er|ing)|evaluat\w{1,9}|judges?|instructions?|full\smarks|rating)\b",
    ),
}

PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (code, re.compile(pattern, re.MULTILINE))
    for code, patterns in _WRITTEN.items()
    for pattern in patterns
)
