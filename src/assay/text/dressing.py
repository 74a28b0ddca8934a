"""What surrounds an answer and says nothing: tokens that end a text, invisible characters, emoji,
Markdown, a next question that the model went on to ask. One place, below all checks.

`plain_reply` is what every check reads; `undress` is for those that compare whole texts.
"""

import re

from assay.text.answer_words import WORDS
from assay.text.folding import drop_invisible, fold_for_matching
from assay.text.late_pattern import late_pattern
from assay.types import Case

_BAR = "[|\uff5c]"
# A token in quotes or backticks is spoken of, and ends nothing.
_END_TOKEN = late_pattern(
    rf"(?<![`\"'«“])(?:<{_BAR}(?:im_end|im_start|endoftext|end_of_text|eot_id|eom_id|end|eos|return"
    rf"|end_of_turn|end▁of▁sentence|user|pad){_BAR}>|<end_of_turn>|<eos>|<pad>|<unk>|\[(?:EOS|PAD|SEP|INST)\]|</s>)"
)
_IN_BRACKETS = ("[EOS]", "[PAD]", "[SEP]", "INST]")
_FIRST_TOKENS = late_pattern(
    rf"\s*(?:<s>|<bos>|\[/INST\]|<start_of_turn>|<{_BAR}(?:begin_of_text|im_start|assistant|start_header_id"
    rf"|begin▁of▁sentence){_BAR}>)(?:(?:assistant|model)(?:<\|end_header_id\|>)?\s*\n)?"
)
_TERMINAL_CODE = late_pattern(r"\x1b\[[0-9;?]{0,32}[A-Za-z]")  # colours, cursor moves
# Crosses say "wrong" and stay.
EMOJI = late_pattern(
    "[\u2600-\u2716\u2719-\u274b\u274d\u274f-\u27bf\u2b00-\u2bff\U0001f000-\U0001f6aa"
    "\U0001f6ac-\U0001faff\u20e3]"
)
_UNDRESSED = late_pattern(r"[A-Za-z][A-Za-z0-9 .,;:!?'\"()%=]*")  # as most answers are: one line
_LONGEST_UNDRESSED = 2_000  # characters; no expected text is longer, and junk costs nothing
_FENCE_LINE = late_pattern(r"^[ \t]{0,3}(?:`{3,}|~{3,})[\w+-]{0,20}[ \t]*$", re.MULTILINE)
# "- 5" and "> 5" say something of the number.
_LINE_MARK = late_pattern(
    r"^[ \t]*(?:(?:>|#{1,6}|[-*+•◦▪‣●–—]|\[[ xX]?\]|[☐☑☒]|\d{1,3}[.)])[ \t]+){1,4}(?=[^\s\d])",
    re.MULTILINE,
)
_LINK = late_pattern(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{1,300}\)")
_EMPHASIS = late_pattern(
    r"(?<![\w*])(?!__[a-z][a-z0-9_]*__)(\*{1,3}|_{1,3}|`{1,2}|~~)(?=\S)([^\n]{1,300}?)(?<=\S)\1"
    r"(?![\w*])"
)
_EMPHASIS_SIGN = re.compile("[*_`~]")
_NEXT_QUESTION = late_pattern(
    rf"(?<=\S)(?:[ \t]*\n\s*|(?<=[.!?])[ \t]+)[*_#]{{0,4}}[ \t]?(?i:{WORDS['asks']})[ \t]*\d{{0,3}}"
    r"[*_]{0,2}[ \t\u00a0]?[:.)][*_]{0,2}\s*(?=([^\n]*))"
)
# What a chat or a program wraps around a text.
_TAG = late_pattern(r"</?[A-Za-z][A-Za-z0-9_]{0,20}/?>")
_AFTERWORD = late_pattern(
    rf"\n[ \t*_#]{{0,9}}(?i:{WORDS['explained']})[*_]{{0,2}}[ \u00a0]?:.*", re.DOTALL
)
_QUESTION_HEAD = late_pattern(
    rf"[\s*_#>]*(?i:{WORDS['asks']})[ \t]*\d{{0,3}}[*_]{{0,2}}[ \u00a0]?:[*_\s]*"
)


def plain_reply(text: str) -> str:
    """A reply without the tokens that begin and end it, what follows them, and what is not seen."""
    if "<" in text or ("]" in text and any(token in text for token in _IN_BRACKETS)):
        text = _without_tokens(text)
    if "\x1b" in text:
        text = _TERMINAL_CODE.sub("", text)
    return drop_invisible(text)


def _without_tokens(text: str) -> str:
    start = 0
    while token := _FIRST_TOKENS.match(text, start) or _END_TOKEN.match(text, start):
        start = token.end()
    end = _END_TOKEN.search(text, start)
    if end is None or (end[0] == "</s>" and "<s>" in text[start : end.start()]):
        return text[start:]
    return text[start : end.start()].rstrip()


def undress(text: str) -> str:
    """The words without emoji, Markdown, and list, heading and quote marks."""
    if len(text) > _LONGEST_UNDRESSED:
        return text
    return text.strip() if _UNDRESSED.fullmatch(text) else _undress(text)


def _undress(text: str) -> str:
    if not text.isascii():
        text = EMOJI.sub(" ", text)
    if "```" in text or "~~~" in text:
        text = _FENCE_LINE.sub("", text)
    text = _LINE_MARK.sub("", text)
    if "</" in text:
        text = _TAG.sub(" ", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    return (_EMPHASIS.sub(r"\2", text) if _EMPHASIS_SIGN.search(text) else text).strip()


def without_signs(text: str) -> str:
    """The text without emoji, tags and the addresses of links; what is set off stays so."""
    if not text.isascii():
        text = EMOJI.sub(" ", text)
    if "</" in text:
        text = _TAG.sub(" ", text)
    return _LINK.sub(r"\1", text) if "](" in text else text


def cut_surroundings(text: str, question: str) -> str:
    """An answer without the question repeated before it and an explanation headed as such below."""
    head = _QUESTION_HEAD.match(text) if ":" in text else None
    rest = text[head.end() :] if head else text.lstrip()
    asked = question.strip()
    added = rest[len(asked) :]
    if asked[:1].casefold() == rest[:1].casefold() and (
        added.strip() and rest.casefold().startswith(asked.casefold()) and asked
    ):
        inside_a_word = asked[-1].isalnum() and added[0].isalnum()  # "p" is not said by "Paris"
        text = text if inside_a_word else added
    return _AFTERWORD.sub("", text.strip()) if "\n" in text and ":" in text else text


def cut_next_question(text: str, test: Case) -> str:
    """An answer without the questions that follow it; the question asked may be repeated first."""
    for found in _NEXT_QUESTION.finditer(text) if "\n" in text or ". " in text else ():
        repeated = " ".join(fold_for_matching(found[1]).split())
        if repeated and repeated not in " ".join(fold_for_matching(test.question).split()):
            return text[: found.start()]
    return text
