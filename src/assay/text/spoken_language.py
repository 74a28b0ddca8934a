"""Which language a text is in, as far as its script or its commonest words say so.

In Latin script a few large languages are told apart by words that hardly any other of them has.
What cannot be told is None: a bare command, a number, a word.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

FEWEST_WORDS, SHARE_OF_WORDS = 6, 0.2
MARGIN = 1.4  # times as many common words as of the next language
FEWEST_LETTERS, SHARE_OF_LETTERS = 4, 0.6
_WORDS_OF = {
    "eng": """the of and to in is that it for was with as are this be by on not you i have or at
from an which can your we""",
    "fra": """le la les de des du et est un une que dans pour qui sur pas au en il elle ce vous je
ne par avec sont se""",
    "deu": """der die das und ist nicht ein eine einen zu den dem von mit für auf sich auch es ich
sie wird sind als bei nach""",
    "spa": """el los las del y una por con para como más pero su al lo está son es que de la en un
se no""",
    "por": """os as do da dos das uma não com em para mais ao são que de um se por na no""",
    "ita": """il gli di che non per una con sono della nel lo un al ai dal alla del dei si da come
anche le la""",
    "nld": """de het een en van ik dat die niet is op te zijn voor met aan er om ook als bij""",
}
COMMON_WORDS: Mapping[str, frozenset[str]] = {
    code: frozenset(words.split()) for code, words in _WORDS_OF.items()
}
# As prompts in these languages name them, with whatever ending: "ins Englische".
_NAMES = {
    "eng": "english anglais englisch inglés ingles inglês engels",
    "fra": "french français francais französisch francés francês frances frans",
    "deu": "german allemand deutsch alemán alemão alemã tedesc duits",
    "spa": "spanish espagnol spanisch español espanhol spagnol spaans castellano castillan",
    "por": "portugues portugais portugiesisch portugués português portoghes portugees",
    "ita": "italian italien italiaans",
    "nld": "dutch néerlandais niederländisch neerland nederlands holand olandes",
    "cjk": "chines chinois japanes japonais japanisch japonés japonês giappones japans",
    "arabic": "arabic arabe arabisch árabe arabo",
    "hangul": "korean coréen koreanisch coreano koreaans",
    "cyrillic": "russian russe russisch ukrain bulgar serb ruso russo",
    "greek": "greek grec griechisch grieg grego greco grieks",
    "devanagari": "hindi nepali marathi", "hebrew": "hebr hébr", "thai": "thai thaï tailand",
}  # fmt: skip
_NAMES |= dict.fromkeys(("hiragana", "katakana"), _NAMES["cjk"])
_WORD = re.compile(r"[^\W\d_]+")
_FENCED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_LONGEST = 4_000  # characters that are looked at


def language_of(text: str) -> str | None:
    """`eng`, `fra` and such, or a script that is not Latin, such as `cjk`; None: not known."""
    prose = _FENCED.sub(" ", text[:_LONGEST])
    letters = [sign for sign in prose if sign.isalpha()]
    scripts = Counter(_script(sign) for sign in letters)
    if len(letters) >= FEWEST_LETTERS:
        script, count = scripts.most_common(1)[0]
        if script != "latin" and count >= SHARE_OF_LETTERS * len(letters):
            return script
    words = [word.casefold() for word in _WORD.findall(prose)]
    if len(words) < FEWEST_WORDS:
        return None
    found = {code: sum(word in common for word in words) for code, common in COMMON_WORDS.items()}
    (first, most), (_, second), *_ = sorted(found.items(), key=lambda each: -each[1])
    return first if most >= SHARE_OF_WORDS * len(words) and most > MARGIN * second else None


def names_language(prompt: str, code: str) -> bool:
    """Whether a prompt names it, as one does that asks for a translation."""
    names = tuple(_NAMES.get(code, "").split())
    words = _WORD.findall(prompt[:_LONGEST])
    return bool(names) and any(word.casefold().startswith(names) for word in words)


def _script(sign: str) -> str:
    return unicodedata.name(sign, "unknown").split()[0].casefold()
