"""The words in which a review speaks of a finding.

In: nothing. Out: patterns by finding, for text in lower case.

SPOKEN_OF is generous: with the place named in the same piece of a review, one of these words is
enough, unless the piece finds all well. CLAIMED is strict: a piece with one of these claims that
very thing, so that it can be told to be false of a place where it is not so. Gaps are bounded and
stay within a sentence.
"""

from __future__ import annotations

import re

# Praise, doubt and comparison: what is said in such a piece is not taken for a claim.
PRAISE = re.compile(
    r"\b(?:safe|safely|secure|securely|correct|correctly|proper|properly|good|fine|well|avoids?|"
    r"avoided|prevents?|protects?|sound|already|nice|okay|ok|unlike|no (?:issues?|problems?)|"
    r"not (?:vulnerable|a problem|affected)|as in|like in|nothing wrong)\b"
    r"|\b(?:iterates|loops|goes|walks|works) (?:over|through|on) (?:a copy|a snapshot|`?list\()"
)

_WELL = (
    r"(?:fine|safe|secure|right|correct|good|okay|ok|sound|acceptable|strong|convenient|idiomatic|"
    r"harmless|intended|intentional|efficient|optimal|clean|perfect|great|excellent|appropriate|"
    r"ideal|sensible|reasonable|(?:the )?(?:best|fastest|simplest|usual) (?:way|choice|solution|"
    r"option|approach))\b"
)
# A verdict that all is well: "is fine", "needs no", "no risk", "keep it".
_APPROVAL = re.compile(
    rf"(?:\b(?:is|are|was|were|looks?|seems?|remains?|works?)|it's|that's) "
    rf"(?!(?:not|never|hardly|far|no longer|neither|nowhere)\b)(?:(?!not\b|never\b)\w{{1,15}},? )"
    rf"{{0,3}}?{_WELL}(?! (?:to (?:use|replace|switch|move|change)|only|until|as long|if)\b)"
    r"|\bwell done\b|\bgood (?:style|practice|idea|choice|job|work)\b|\bnicely\b"
    r"|\b(?:keep|leave) (?:it|this|that|as)\b|\bneeds? no\b|\bno need\b"
    r"|\bnothing (?:to (?:change|fix|improve|do|report|worry)|wrong)\b"
    r"|\bno (?:\w{1,15} ){0,3}?(?:risks?|problems?|issues?|dangers?|concerns?|changes?|faults?)\b"
    r"(?: (?:of|with|from) \w{1,15}(?: \w{0,9}inject\w*)?)?"
    r"|\b(?:does|do|is|are) ?(?:not|n't) (?:a |an )?(?:problem|issue|need|have to|matter)\b"
    r"|\bworks (?:well|too|correctly|as|for|with)\b|\bwould (?:only |just )?be (?:slower|worse)\b"
)
# A verdict that something is not, or what to do about it.
_BLAME = re.compile(
    r"\b(?:should|shouldn't|must|needs? to|ought|instead|replace\w*|renam\w+|switch|move|remove|"
    r"avoid|fix\w*|better|prefer\w*|rather|don't|do not|but|however|although|though|unless|"
    r"only if|if you|attack\w*|exploit\w*|malicious|danger\w*|risk\w*|threat\w*|insecure|unsafe|"
    r"vulnerab\w*|broken|crack\w*|weak\w*|bad|wrong\w*|incorrect\w*|bugs?|buggy|faults?|flaw\w*|"
    r"problems?|problematic|issues?|fail\w*|crash\w*|raises?|throws?|errors?|exceptions?|leak\w*|"
    r"expos\w+|steal\w*|slow|slows|inefficient\w*|expensive|wast\w+|confus\w+|mislead\w*|unclear|"
    r"hard to|critical|high|medium|severe|severity|consider|recommend\w*|suggest\w*|improve\w*|"
    r"inject\w*|quadratic|n ?\+ ?1|zerodivision\w*)\b"
    r"|(?<!to )\buse\b|(?:\b(?:not|never|hardly)|n't) (?:\w{1,15} ){0,2}?" + _WELL
)
_NEGATED = re.compile(r"(?:\b(?:not|never|hardly|nor|neither|far from)|n't) (?:\w{1,15} ){0,2}$")
_REMEDY_PRAISED = re.compile(
    r"(?:\bnone\b|\bsets?\b|bcrypt|argon2|scrypt|==|\bjson\b|\bplaceholders?\b|"
    r"\bparameteri[sz]ed quer(?:y|ies)|\benvironment variables?\b|\bnamed constant\b)[`'\"]* "
    r"(?:is|are|would be) (?:the |a |an )?(?:right|correct|better|best|safer|proper)\b"
)

_SPOKEN_OF = {
    "sql_injection": r"inject|parameteri[sz]ed|placeholder|prepared statement|bound parameter",
    "secret_in_source": (
        r"hard-? ?coded|hard-?coding|(?:in|into|to|from) (?:the |our |your )?(?:source|code|repo)|"
        r"environment|version control|plain ?text|secrets? manager|\bvault|os\.environ|leak|expos|"
        r"commit|checked in|embedded|rotat|\bgit\b"
    ),
    "shell_injection": (
        r"shell ?= ?true|inject|arbitrary (?:shell )?command|metacharacter|shell command|shlex|"
        r"(?:without|into|to|by|through) (?:a |the )?shell\b|command execution|"
        r"attackers?[^.]{0,40}(?:command|execut)|list of arguments|(?:as|pass) a list|"
        r"arguments? list"
    ),
    "unsafe_pickle": r"pickle|deseriali[sz]|arbitrary code|remote code",
    "path_traversal": (
        r"travers|\.\./|outside (?:of )?(?:the )?|escap|absolute path|arbitrary file|any file"
    ),
    "weak_hash": (
        r"md5|\bsalt|bcrypt|scrypt|argon2|pbkdf2|weak hash|broken hash|key derivation|fast hash"
    ),
    "query_in_loop": (
        r"n ?\+ ?1|(?:query|queries|round[- ]?trips?|database|select)[^.]{0,60}"
        r"(?:loop|\beach\b|\bevery\b|\bper\b|iteration)|(?:loop|\beach\b|\bevery\b|\bper\b)[^.]{0,60}"
        r"(?:query|queries|round[- ]?trip|database)|(?:single|one) query|batch|where id in|"
        r"executemany"
    ),
    "list_membership": (
        r"\bsets?\b|o\(n|linear (?:search|scan|time|look)|quadratic|membership|hash"
    ),
    "repeated_sorting": (
        r"sort[^.]{0,80}(?:loop|\beach\b|\bevery\b|iteration|repeat|once|again|outside|\bper\b)|"
        r"(?:loop|\beach\b|\bevery\b|iteration|repeated|redundant)[^.]{0,80}sort|quadratic|o\(n"
    ),
    "whole_file_read": (
        r"memory|(?:entire|whole) (?:log|file)|line by line|iterat\w+ over|stream|at once|lazily|"
        r"large (?:log|file)"
    ),
    "mutable_default": (
        r"mutable|default (?:argument|parameter|value|list)|shared? (?:between|across|among|by)|"
        r"same list|persist|accumulat|(?:across|between) (?:all |different )?calls|"
        r"(?:created|evaluated|made|instantiated) (?:only |just )?once|default[^.]{0,20}= ?\[\]"
    ),
    "swallowed_exception": (
        r"bare `?except|`?except:|swallow|silen|\bhid(?:e|es|ing|den)\b|\bmask|"
        r"catch(?:es|ing)? (?:all|every|any)|broad|keyboardinterrupt|specific exception"
    ),
    "file_left_open": (
        r"(?:not|never|n't|without|forget\w*) (?:\w+ ){0,3}clos|left open|leak|context manager|"
        r"`?with`? (?:statement|open|block)|\bwith open|unclosed|flushed"
    ),
    "division_by_zero": (
        r"zerodivision|(?:by|of) (?:zero|0)\b|\bempty\b|"
        r"\bno (?:elements|items|entries|records|orders|bookings|shipments|parcels|invoices)\b|"
        r"\b(?:len|length|count|number|divisor|denominator)\b[^.]{0,40}\b(?:0|zero)\b"
    ),
    "identity_comparison": (
        r"identity|`is`|\bis operator|==|equality|intern(?:ed|ing)|syntaxwarning"
    ),
    "changed_while_read": (
        r"(?:while|during|when) (?:\w+ )?(?:iterat|loop|travers|being iterated)|runtimeerror|"
        r"chang\w+ size|(?:modif|delet|mutat|remov)\w*[^.]{0,50}(?:iterat|loop)|list\(sessions"
    ),
    "shadowed_builtin": (
        r"shadow|built-? ?in|overrid|\bhides?\b|\bmasks?\b|"
        r"[`'\"]list[`'\"] as (?:a |the )?(?:parameter|argument|variable|name)|"
        r"\b(?:parameter|argument|variable|called|named|name)(?: name)?:? [`'\"]list\b|"
        r"\b(?:called|named) list\b|\brenam\w*[^.]{0,20}\blist\b"
    ),
    "unused_import": r"unused|never used|not used|isn't used|unnecessary|not needed|unneeded",
    "magic_number": (
        r"magic|named constant|constant|hard-? ?coded|unexplained|configur|literal|"
        r"\bwh(?:at|y) [^.?]{0,30}\b\d{2}\b|\b\d{2}\b[^.]{0,20}\bmeans?\b|"
        r"\b(?:give|get|need|have|deserve)s?\b[^.]{0,20}\ba (?:\w{1,15} )?name\b|unnamed|"
        r"bare number"
    ),
    "mixed_naming": (
        r"snake[_ -]?case|camel[_ -]?case|mixedcase|pep ?-?8|naming|inconsisten|convention"
    ),
}
_CLAIMED = {
    "sql_injection": r"sql[- ]?injection",
    "secret_in_source": r"hard-? ?coded (?:secret|key|credential|password|token|service)",
    "shell_injection": r"(?:shell|command)[- ]injection",
    "unsafe_pickle": r"\bpickle|(?:insecure|unsafe) deseriali[sz]",
    "path_traversal": r"(?:path|directory) traversal",
    "weak_hash": r"\bmd5\b|unsalted|without (?:a )?salt|no salt|weak hash",
    "query_in_loop": r"n ?\+ ?1|quer(?:y|ies) (?:inside|in|within) (?:a|the) loop",
    "list_membership": r"(?:use|convert\w*[^.]{0,30} to|into) a (?:`?set`?|hash set)|linear search",
    "repeated_sorting": r"sort\w* (?:\w+ ){0,4}(?:inside|in|within|on|for) (?:the|a|every|each)",
    "whole_file_read": (
        r"(?:entire|whole|complete|full) (?:log )?(?:file )?[^.]{0,20}(?:in|into) memory|"
        r"(?:read|load|slurp)\w* (?:in )?(?:the |an? )?(?:entire|whole|complete|full) (?:log|file)"
    ),
    "mutable_default": r"mutable default",
    "swallowed_exception": r"bare `?except|swallow",
    "file_left_open": (
        r"(?:\bnot|never|n't) (?:\w{1,15} ){0,2}clos(?:ed|es?)\b|left open|unclosed|"
        r"(?:file|resource|handle|descriptor)s? leak|"
        r"leak\w* (?:an? |the )?(?:file|handle|descriptor)"
    ),
    "division_by_zero": r"zerodivision|division by zero|divid\w+ by zero",
    "identity_comparison": r"\bidentity\b",
    "changed_while_read": (
        r"(?:while|during) (?:\w{1,15} ){0,2}(?:iterat|loop)|chang\w+ size|\bruntimeerror\b"
    ),
}

# In front of a claim: it is said not to be so.
DENIED = re.compile(
    r"\b(?:no|not|never|nor|cannot|against|without|free (?:of|from)|safe from|immune to|"
    r"rules? out)\b[^.;,|]{0,25}$|n't [^.;,|]{0,25}$"
)

SPOKEN_OF = {name: re.compile(pattern) for name, pattern in _SPOKEN_OF.items()}
CLAIMED = {name: re.compile(pattern) for name, pattern in _CLAIMED.items()}
# Claims that can be true only where the stock has them, whatever else a site looks like.
NOWHERE_ELSE = frozenset(
    {"sql_injection", "shell_injection", "unsafe_pickle", "weak_hash", "mutable_default"}
)
# Claims that are false of sound code, save of the sites named.
FALSE_IF_SOUND: dict[str, frozenset[str]] = {
    "file_left_open": frozenset(),
    "changed_while_read": frozenset(),
    "whole_file_read": frozenset({"path_traversal", "swallowed_exception"}),
}
# What a constant or an import is called in a sentence.
ALSO_CALLED = {
    "secret_in_source": re.compile(r"\b(?:service|api|secret)[ _-]?key\b", re.IGNORECASE),
}


def finds_all_well(text: str) -> bool:
    """Whether a text approves, and neither blames anything nor says what to change."""
    approvals = [
        one
        for one in _APPROVAL.finditer(text)
        if not _NEGATED.search(text[max(0, one.start() - 40) : one.start()])
    ]
    if not approvals or _REMEDY_PRAISED.search(text):
        return False
    ends = [0, *(one.end() for one in approvals)]
    starts = [*(one.start() for one in approvals), len(text)]
    rest = " ".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    return not any(
        not DENIED.search(rest[max(0, found.start() - 80) : found.start()])
        for found in _BLAME.finditer(rest)
    )
