"""Names that fill the slots of commands: files, users, hosts, ports and so on.

In: the name of a slot, a random source. Out: a value, drawn from thousands of combinations where
that matters, and the ways it is spoken of.
"""

from __future__ import annotations

import random

from wording import sections

_LINES = sections("names.txt")
NAMES = {name: " ".join(lines).split() for name, lines in _LINES.items()}
# How a name is spoken of in a wording; the command has it bare.
SPOKEN = {name[8:]: lines for name, lines in _LINES.items() if name.startswith("spoken: ")}
_MODES = [line.split(" | ") for line in _LINES["modes"]]
_STEMS = NAMES["stems"]
_SEPARATORS = ((":", "a colon", "colon-separated"), (",", "a comma", "comma-separated"))
_ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 10: "ten", 2: "two"}
_LARGER = (12, 15, 20, 25, 30, 40, 50, 100, 200, 250, 500, 750, 1000)


class Values:
    """One value per slot, drawn when it is first asked for."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._kept: dict[str, str] = {}

    def of(self, slot: str) -> str:
        """The value of a slot; slots that belong together, as `mode` and `modetext`, agree."""
        kept, draw = self._kept, self._draw
        if slot in kept:
            return kept[slot]
        if slot in ("sep", "sepname", "sepadj"):
            kept["sep"], kept["sepname"], kept["sepadj"] = draw.choice(_SEPARATORS)
        elif slot in ("digit", "ordinal"):
            digit = draw.randint(1, 7)
            kept["digit"], kept["ordinal"] = str(digit), _ORDINALS[digit]
        elif slot in ("mode", "modetext"):
            kept["mode"], *texts = draw.choice(_MODES)
            kept["modetext"] = draw.choice(texts)
        elif slot in ("num", "numword", "num2"):
            number = draw.choice((*_NUMBERS, *_NUMBERS, *_LARGER))
            kept["num"], kept["num2"] = str(number), str(number + draw.randint(1, 90))
            kept["numword"] = draw.choice((_NUMBERS.get(number, str(number)), str(number)))
        else:
            kept[slot] = _one(slot.rstrip("2"), draw)
        return kept[slot]


def _one(slot: str, draw: random.Random) -> str:
    if slot in _MADE:
        return _MADE[slot](draw)
    return draw.choice(NAMES[slot])


def _stem(draw: random.Random) -> str:
    stem = draw.choice(_STEMS)
    shape = draw.random()
    if shape < 0.2:
        return f"{stem}{draw.choice('-_')}{draw.choice(_STEMS)}"
    return f"{stem}{draw.choice(('', '-', '_'))}{draw.randint(1, 99)}" if shape < 0.4 else stem


def _file(draw: random.Random) -> str:
    if draw.random() < 0.9:
        return f"{_stem(draw)}.{draw.choice(NAMES['ext'])}"
    return f"/etc/{draw.choice(_STEMS)}.conf"


def _path(draw: random.Random) -> str:
    if draw.random() < 0.35:
        return draw.choice(NAMES["directories"])
    if draw.random() < 0.5:
        return f"{draw.choice(NAMES['directories'])}/{_stem(draw)}"
    return "/".join(draw.choice(_STEMS) for _ in range(draw.randint(2, 3)))


def _host(draw: random.Random) -> str:
    if draw.random() < 0.35:
        return draw.choice(NAMES["domains"])
    name = draw.choice(NAMES["hosts"])
    name += draw.choice(("", str(draw.randint(1, 9)), "0" + str(draw.randint(1, 9))))
    return f"{name}.{draw.choice(NAMES['domains'])}" if draw.random() < 0.25 else name


def _word(draw: random.Random) -> str:
    return draw.choice((_stem(draw), draw.choice(_STEMS), draw.choice(_STEMS).upper()))


def _service(draw: random.Random) -> str:
    return draw.choice(NAMES["services"]) + (".service" if draw.random() < 0.12 else "")


def _mount_point(draw: random.Random) -> str:
    made = (f"/mnt/{draw.choice(_STEMS)}", f"/media/{draw.choice(_STEMS)}")
    return draw.choice((*NAMES["mount points"], *made))


def _partition(draw: random.Random) -> str:
    if draw.random() < 0.25:
        return f"/dev/nvme{draw.randint(0, 1)}n1p{draw.randint(1, 5)}"
    return f"/dev/{draw.choice(('sd', 'sd', 'vd'))}{draw.choice('abcdefg')}{draw.randint(1, 6)}"


def _pid(draw: random.Random) -> str:
    several = (draw.randint(100, 9999), draw.randint(1000, 9999), draw.randint(10000, 32000))
    return str(draw.choice(several))


def _private(draw: random.Random) -> str:
    return f"192.168.{draw.randint(0, 99)}.{draw.randint(1, 254)}"


def _ip(draw: random.Random) -> str:
    if draw.random() < 0.4:
        return ".".join(str(draw.randint(1, 254)) for _ in range(4))
    return _private(draw)


def _site(draw: random.Random) -> str:
    host = draw.choice(("", "", "www.", "api.", "docs.")) + draw.choice(NAMES["domains"])
    return f"https://{host}" + draw.choice(("", "", "/", f"/{draw.choice(_STEMS)}"))


def _url(draw: random.Random) -> str:
    domain, stem = draw.choice(NAMES["domains"]), _stem(draw)
    return f"https://{domain}/{stem}.{draw.choice(NAMES['endings of downloads'])}"


def _message(draw: random.Random) -> str:
    event, outcome = draw.choice(_LINES["events"]), draw.choice(_LINES["outcomes"])
    return f'"{event} {outcome}"'


_MADE = {
    "file": _file,
    "stem": _stem,
    "dir": _stem,
    "path": _path,
    "target": lambda draw: draw.choice((_path, _stem))(draw),
    "word": _word,
    "upper": lambda draw: draw.choice(_STEMS).upper(),
    "host": _host,
    "service": _service,
    "iface": lambda draw: draw.choice(NAMES["interfaces"]) + str(draw.randint(0, 9)),
    "part": _partition,
    "mountpoint": _mount_point,
    "port": lambda draw: draw.choice((*NAMES["ports"], str(draw.randint(1024, 65000)))),
    "pid": _pid,
    "ip": _ip,
    "cidr": lambda draw: f"{_private(draw)}/24",
    "site": _site,
    "url": _url,
    "quoted": lambda draw: _message(draw),
    "hour": lambda draw: str(draw.randint(10, 23)),
}
