"""The words and signs around a letter that show whether it is a choice.

Those named *_BEFORE end at the letter, those named *_AFTER begin behind it; both see a short piece
of folded text (NFKC, casefold, straight apostrophes), so every repetition is bounded.
"""

import re

from assay.text.answer_words import WORDS as _WORDS
from assay.text.commitment import NOUN_GROUP, SAYS
from assay.text.late_pattern import late_pattern
from assay.text.structure import UNSPACED

_OPEN = r"[\s*_`\"'“”„«»(\[{$\\<>~|#-]{0,12}"
_CLOSE = r"[*`\"'”»)\]}$.:]{0,8}"
_IS = _WORDS["is"]
_NOUN = _WORDS["noun"]
_FILL = "(?:" + _WORDS["fill"] + r"(?!\w)" + _OPEN + r"){0,5}"
_TO_LETTER = _OPEN + _FILL + r"\Z"

TICK = late_pattern(r"[\[(][xX✓✔][\])]|[☑☒✅✔✓🗹]")
# A line with a ticked box, or with a tick at its end.
TICKED = late_pattern(
    r"^[ \t]*(?:[-*•][ \t]+)?(?:\[[xX✓✔]\]|\([xX✓✔]\)|[☑☒✅✔✓🗹])\ufe0f?[ \t]*(\S.{0,400})$"
    r"|^(?![ \t]*[☐❌✗✘])(.{0,400}\S)[ \t]*[☑✅✔✓]\ufe0f?[ \t]*$",
    re.MULTILINE,
)
# "the second option", "la deuxième", "option 2".
_OPTION = r"(?:option|choice|answer|proposition|réponse|choix|possibilité|ŋuɖoɖo\w*|tiatia)"
_RIGHT = r"(?:the\s|la\s|le\s)?(?:correct|right|best|answer|bonne|juste|réponse|nyuitɔ|ŋuɖoɖo)"
ORDINALS = [
    late_pattern(
        rf"(?<!\w)(?:{words})(?:\s+(?:{_OPTION}|one|{_WORDS['or']})(?!\w)|[\s.!*_)\"'»]{{0,9}}\Z"
        rf"|(?=e?\s+(?:ye\s+)?{_WORDS['is']}\s+{_RIGHT}))"
        rf"|(?<!\w){_OPTION}\s+(?:{words}(?!\w)|(?:n°|no\.?|number|numéro|\#)?\s?{place}(?![\w.,]\w))"
    )
    for place, words in enumerate(_WORDS["ordinals"][3:-1].split(";"), start=1)
]
COUNTS = late_pattern(
    rf"{_WORDS['ordinals'].replace(';', '|')}|{_OPTION}"
)  # how each of them begins
# "☐ A ☑ B ☐ C": a box behind another text of its line, and with one of its own.
BOX_IN_LINE = late_pattern(r"(?<=\w )(?:\[[ xX✓✔]\]|[☐☑☒])(?=[ \t]*\S)")
LETTER = late_pattern(
    rf"(?<![^\W{UNSPACED}])(?<!\\)(?<!\w[-./+'])"
    r"[A-Za-z]"
    rf"(?![^\W{UNSPACED}]|[+#\u0300-\u036f]|[-/]\w|\.\w(?!\w))"
)
WHOLE = late_pattern(
    r"(?:\d{1,2}[.)]\s{0,3})?[\s*_`\"'“”„«»‘(\[{$\\<>~|#-]{0,12}(?:(?i:boxed|text|textbf|"
    + _NOUN
    + r")[\s*{(:]{0,6}){0,2}([A-Za-z])[\s*_`\"'“”«»’)\]}$\\<>~|.,:;!?]{0,12}"
)
# "<b>" is markup where it is closed; "<B>" alone is the letter in brackets.
LETTER_TAG = late_pattern(r"<([A-Za-z])>(?!.{0,200}</\1>)", re.DOTALL)
# "A: B" is an answer headed "A", not option A.
HEADED_BY_A = late_pattern(r"\AA\s?:\s{0,3}(?=[(*]{0,3}[A-Za-z][)*.]{0,4}\Z)")
TABLE_ROW = late_pattern(r"^[ \t]*\|(.{0,400})\|[ \t]*$", re.MULTILINE)
MARKUP_TAG = late_pattern(r"</?[A-Za-z][A-Za-z0-9_]{0,20}(?:\s[^<>]{0,80})?/?>")
UNDERSCORED = late_pattern(r"(?<!\w)_{1,3}([^\s_](?:[^_\n]{0,60}[^\s_])?)_{1,3}(?!\w)")

# A lower-case letter ends its clause: "answer: b", "(b)", "b."; not "b cells".
CLOSES = late_pattern(r"[*`\"'”»)\]}$]{0,8}(?:\s*\Z|\s*\n|[.,;:!?](?!\w)|[)\]}$])|[*`\"'”»]{1,3}\s")
WORD_FOLLOWS = late_pattern(r"[ \t]+[^\W\d_]")
IS_AFTER = late_pattern(rf"\W{{0,6}}\s*{_WORDS['is']}(?!\w)")
CONNECTIVE = late_pattern(_WORDS["connective"] + r"(?!\w)")

_LETTER_CHAIN = r"(?:\s*(?:,|and|or|et|ou|und|oder|y|o|&|/)\s*\(?[a-z]\)?(?![\w'])){0,6}"
_WRONG = _WORDS["wrong"] + r"(?!\w)"
# The option's own text between letter and judgement: "A) Lyon is wrong", "A: Lyon - incorrect".
_OWN_TEXT = (
    r"(?:[).:][*`]{0,2}(?:[ \t]+(?!(?:because|since|as|so|and|or|but|not|car|et|ou|mais|is|est)\b)"
    r"[^\W\d_][\w'-]{1,20}){1,5}(?=[ \t]+(?:is|est|ist|es)\s|[ \t]*[-–—:(]))?"
)
NEGATED_AFTER = late_pattern(
    _OWN_TEXT + _CLOSE + _LETTER_CHAIN + r"(?:\s*\([^()\n]{0,40}\))?[ \t]*"
    r"(?:"
    r"(?:[-–—,:(]\s*)?(?:(?:is|are|was|were|would be|looks|seems|est|sont|ist|sind|es|son|nye)\s+)?"
    r"(?:(?:also|clearly|definitely|obviously|therefore|simply|both|all|aussi|clairement|auch)\s+)?"
    + _WRONG
    + r"(?![ \t]+(?:answers?|options?|choices?|ones?)(?!\w))"
    r"|(?:is|are|was|were|does|do|would|will|could|can)\s+not(?!\w)"
    r"|(?:isn't|aren't|wasn't|weren't|doesn't|don't|can't|cannot|couldn't|won't|wouldn't)(?!\w)"
    r"|n'(?:est|a|était)\s+pas|ne\s+\w+\s+pas|(?:ist|sind)\s+nicht|no\s+(?:es|son)(?!\w)|menye"
    r")"
)
NEGATED_BEFORE = late_pattern(r"(?<!\w)" + _WORDS["negated"] + r"(?!\w)" + _TO_LETTER)
_CHOOSE = r"(?<!\w)" + _WORDS["choose"] + r"(?!\w)\s*:?"
# "Answer B", "Réponse B", or "Answer" as a heading and B below it: only these need no verb.
_DIRECT = (
    r"(?<!\w)(?:answer|ans|réponse|reponse|antwort|respuesta|ŋuɖoɖo)"
    r"(?:[ \t*_`\"'(\[]{1,6}|[ \t*_`#]{0,6}\n[\s*_`\"'(\[]{0,8})\Z"
)
CUE_BEFORE = late_pattern(
    "(?:" + NOUN_GROUP + SAYS + "|" + _CHOOSE + r"|\\boxed\s?\{|\#{4})" + _TO_LETTER
    + "|" + _DIRECT
)  # fmt: skip
CUE_AFTER = late_pattern(
    _OWN_TEXT + _CLOSE + r"(?:\s*\([^()\n]{0,60}\))?\s*,?\s*"
    r"(?:(?:" + _IS + r"|seems|looks|appears to be)\s+|[-–—(]\s*(?=correct|right|true|juste|vrai))"
    r"(?:(?:the|la|le|die|el|clearly|definitely|indeed|most|only|likely|probably|bien)\s+){0,3}"
    r"(?:correct|right|true|best|accurate|answer|bonne|correcte?|juste|vraie?|exacte?|réponse"
    r"|meilleure|richtige?|korrekt|antwort|correct[ao]|respuesta|ŋuɖoɖo)(?:\w{0,3})(?!\w)"
)
HINT_BEFORE = late_pattern(r"(?<!\w)" + _WORDS["hint"] + r"[ \t]*[,:]?[ \t]*" + _TO_LETTER)

# "B is larger than A": what another one is compared with is not what is told.
COMPARED_BEFORE = late_pattern(r"(?<!\w)(?:" + _WORDS["compares"] + r")(?!\w)" + _TO_LETTER)

# "The answer is A … but it is B": a later letter takes the place of an announced one.
CORRECTS = late_pattern(
    r"(?<!\w)(?:but (?:it's|it is|it was|i choose)|mais c'est|(?:no|wait|actually|non)[,:. ]{1,4})"
    r"[ \t]*(?:(?:it's|it is|c'est|es ist)[ \t]+)?[*_`\"'(\[$]{0,4}\Z",
    re.IGNORECASE,
)
SO = late_pattern(r"(?<!\w)(?:so|donc|but|mais|it's|c'est|ke)(?!\w)", re.IGNORECASE)
JOINS = late_pattern(
    rf"(?:{_WORDS['or']}|{_WORDS['and']}|possibly|maybe|perhaps|option|either|soit|both|peut|être|{_WORDS['article']})"
)
BARE_CUE = late_pattern(rf"[\s*_`#]{{0,9}}{_NOUN}[\s*_`#:：.]{{0,9}}")
# What ends the clause of a letter or an option: a stop, a bracket, the end.
ENDS = late_pattern(r"(?:'\w{1,6})?[*_`\"'”»)\]$}]{0,6}[ \t]*(?:\Z|[.!;\n,。](?!\w)|[)\]])")
PUNCTUATED = late_pattern(r"[*_`\"'”»)\]$}]{0,6}[ \t]*(?:\Z|[.,;:!)\]]|[-–—(])")
IN_BRACKETS = late_pattern(r"\([^()]{0,60}\Z")
BRACKETED = late_pattern(r"[*_`\"']{0,3}[)\].]")
OPENING = late_pattern(
    r"[ \t*_`\"'(\[{$#>•-]{0,8}[A-Za-z][*`\"']{0,4}(?:"
    r"[)\].:,;]|[*`\"'$}]{0,6}[ \t]*(?:[-–—]|\Z|\s))"
)
# "A) Lyon" and no more: a line of a list of the options.
OPTION_LINE = late_pattern(
    r"[*_`\"'(\[]{0,4}[A-Za-z][*`\"']{0,3}[)\].:][*`\"']{0,3}(?:\s+[\w'’.-]+){0,2}[*_`.\s]{0,4}"
)
OPTION_LINE_BEGIN = late_pattern(r"[\s*_`(\[#>•-]{0,8}([A-Za-z])[*`]{0,3}[)\].:]")
ELIDED = late_pattern(r"'\w")  # "D'accord"; elsewhere a suffix may follow
LETTER_FOLLOWS = late_pattern(r"[ \t]+\w{1,5}[ \t]+[A-Z](?![\w'])")  # "A au B"
