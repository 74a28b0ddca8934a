"""The words in which a review speaks of a finding.

In: nothing. Out: patterns by finding, for text in lower case. Refuses to know: where a finding is.

SPOKEN_OF is generous: with the place named in the same piece of a review, one of these words is
enough. CLAIMED is strict: a piece with one of these claims that very thing, so that it can be told
to be false of a place where it is not so. Gaps are bounded and stay within a sentence.
"""

from __future__ import annotations

import re

# Praise, doubt and comparison: what is said in such a piece is not taken for a claim.
PRAISE = re.compile(
    r"\b(?:safe|safely|secure|securely|correct|correctly|proper|properly|good|fine|well|avoids?|"
    r"avoided|prevents?|protects?|sound|already|nice|okay|ok|unlike|no (?:issues?|problems?)|"
    r"not (?:vulnerable|a problem|affected)|as in|like in|nothing wrong)\b"
)

_SPOKEN_OF = {
    "sql_injection": r"inject|parameteri[sz]ed|placeholder|prepared statement|bound parameter",
    "secret_in_source": (
        r"hard-? ?coded|hard-?coding|(?:in|into|to|from) (?:the |our |your )?(?:source|code|repo)|"
        r"environment|version control|plain ?text|secrets? manager|\bvault|os\.environ|leak|expos|"
        r"commit|checked in|embedded|rotat|\bgit\b"
    ),
    "shell_injection": r"shell ?= ?true|inject|arbitrary (?:shell )?command|metacharacter",
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
    "division_by_zero": r"zerodivision|(?:by|of) zero|\bempty\b|\bno (?:elements|items|entries)\b",
    "identity_comparison": (
        r"identity|`is`|\bis operator|==|equality|intern(?:ed|ing)|syntaxwarning"
    ),
    "changed_while_read": (
        r"(?:while|during|when) (?:\w+ )?(?:iterat|loop|travers|being iterated)|runtimeerror|"
        r"chang\w+ size|(?:modif|delet|mutat|remov)\w*[^.]{0,50}(?:iterat|loop)|list\(sessions"
    ),
    "shadowed_builtin": r"shadow|built-? ?in|overrid|\bhides?\b|\bmasks?\b",
    "unused_import": r"unused|never used|not used|isn't used|unnecessary|not needed|unneeded",
    "magic_number": r"magic|named constant|constant|hard-? ?coded|unexplained|configur|literal",
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
    "whole_file_read": r"(?:entire|whole) (?:log )?(?:file )?[^.]{0,20}(?:in|into) memory",
    "mutable_default": r"mutable default",
    "swallowed_exception": r"bare `?except|swallow",
    "file_left_open": r"(?:not|never) (?:\w+ ){0,2}closed|left open|unclosed",
    "division_by_zero": r"zerodivision|division by zero|divid\w+ by zero",
    "identity_comparison": r"\bidentity\b",
    "changed_while_read": r"(?:while|during) (?:\w+ )?iterat|chang\w+ size",
}

# In front of a claim: it is said not to be so.
DENIED = re.compile(
    r"\b(?:no|not|never|nor|against|without|free (?:of|from)|safe from|immune to|rules? out)\b"
    r"[^.;,|]{0,25}$|n't [^.;,|]{0,25}$"
)

SPOKEN_OF = {name: re.compile(pattern) for name, pattern in _SPOKEN_OF.items()}
CLAIMED = {name: re.compile(pattern) for name, pattern in _CLAIMED.items()}
# Claims that can be true only where the stock has them, whatever else a site looks like.
NOWHERE_ELSE = frozenset(
    {"sql_injection", "shell_injection", "unsafe_pickle", "weak_hash", "mutable_default"}
)
# What a constant or an import is called in a sentence.
ALSO_CALLED = {
    "secret_in_source": re.compile(r"\b(?:service|api|secret)[ _-]?key\b", re.IGNORECASE),
}
