"""A module to review: planted faults of four kinds among sound code, some of which looks bad.

The seed draws which places are shown, which of them are faulty, how many, and in which order. A
place that is faulty at one seed is sound at another, under the same name.
"""

import json
import random
from string import Template
from typing import Any

Place = dict[str, Any]

KINDS = ("security", "performance", "correctness", "style")
MODULES = ("ast", "collections", "contextlib", "hashlib", "json", "os", "pathlib", "pickle",
           "random", "subprocess")  # fmt: skip
WORDS = {
    "thing": ("order", "booking", "shipment", "parcel", "invoice"),
    "place": ("depot", "branch", "region", "office"),
    "number": ("37", "23", "41", "19"),
    "key": ("c4f1-88d0-2ab7", "91ee-07c3-5d4a", "7b2a-e6f9-10cc"),
}
# How many faults of each kind: 7 to 9 in all.
COUNTS = ((2, 2, 2, 1), (3, 1, 2, 1), (3, 2, 2, 1), (2, 2, 3, 1), (2, 1, 3, 2), (3, 1, 3, 2))
# Places that have one fault (lines with -), and the same places without it (lines with +). First
# comes the fault's kind; kinds after a slash are accepted too. Then what is wrong, as a statement;
# and words (~) of which a review that says so has one, or one that begins with it.
PAIRS = """
## security: find_${thing}s puts the customer's text into the SQL, which allows SQL injection
~ sql inject param placeholder concat interpol escap quot bind prepar
  def find_${thing}s(connection, customers):
-     names = ", ".join(f"'{customer}'" for customer in customers)
-     query = f"SELECT id, total FROM ${thing}s WHERE customer IN ({names})"
-     return connection.execute(query).fetchall()
+     marks = ", ".join("?" for customer in customers)
+     query = f"SELECT id, total FROM ${thing}s WHERE customer IN ({marks})"
+     return connection.execute(query, customers).fetchall()
## security: SERVICE_KEY is a secret that is written into the source code
~ secret hard credential environ leak expos commit plain vault config
- SERVICE_KEY = "${key}"
+ SERVICE_KEY = os.environ["SERVICE_KEY"]
## security: pack_folder runs a shell with names put into its command, which allows shell injection
~ shell inject command escap metachar arbitrary quot
  def pack_folder(folder, archive):
-     subprocess.run(f"tar -czf {archive} {folder}", shell=True, check=True)
+     subprocess.run(["tar", "-czf", archive, "--", folder], check=True)
## security: receive_${thing} unpickles data from a request, which can run any code
~ pickl unpickl deserial arbitrary json untrust execut
  def receive_${thing}(request):
-     return pickle.loads(request.body)
+     return json.loads(request.body)
## security: read_attachment lets a name such as ../x leave the folder (path traversal)
~ travers parent escap outside leave leaves director dots
  def read_attachment(folder, requested_name):
-     path = pathlib.Path(folder) / requested_name
+     base = pathlib.Path(folder).resolve()
+     path = (base / requested_name).resolve()
+     if not path.is_relative_to(base):
+         raise PermissionError(requested_name)
      return path.read_bytes()
## security: store_password hashes passwords with MD5, which is fast to guess and has no salt
~ md5 salt weak broken bcrypt scrypt argon2 argon fast rainbow crack collision outdated
  def store_password(users, user, password):
-     users[user] = hashlib.md5(password.encode()).hexdigest()
+     salt = os.urandom(16)
+     users[user] = salt, hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1)
## performance: customer_names sends one query for each customer
~ quer each every loop round batch database one
- def customer_names(connection, customer_ids):
-     names = {}
-     for customer_id in customer_ids:
-         query = "SELECT id, name FROM customers WHERE id = ?"
-         names.update(connection.execute(query, (customer_id,)).fetchall())
-     return names
+ def customer_names(connection):
+     return dict(connection.execute("SELECT id, name FROM customers").fetchall())
## performance: unknown_codes searches a list for each code, where a set would do
~ set linear quadratic lookup membership search scan
  def unknown_codes(codes, known_codes):
-     known = list(known_codes)
+     known = set(known_codes)
      return [code for code in codes if code not in known]
## performance: rank_of_each sorts all scores again for each name
~ sort quadratic repeat again once every each
  def rank_of_each(scores):
      ranks = {}
-     for name, score in scores.items():
-         ordered = sorted(scores.values(), reverse=True)
-         ranks[name] = ordered.index(score) + 1
-     return ranks
+     for rank, score in enumerate(sorted(scores.values(), reverse=True), start=1):
+         ranks.setdefault(score, rank)
+     return {name: ranks[score] for name, score in scores.items()}
## performance: count_failures reads the whole file into memory
~ memory whole entire stream large ram
  def count_failures(log_path):
      with open(log_path, encoding="utf-8") as log:
-         lines = log.read().splitlines()
-     return sum("FAILED" in line for line in lines)
+         return sum("FAILED" in line for line in log)
## performance: drain takes items from the front of a list, which moves all others each time
~ pop deque front shift quadratic linear left
  def drain(jobs, handle):
-     waiting = list(jobs)
+     waiting = collections.deque(jobs)
      while waiting:
-         waiting.extend(handle(waiting.pop(0)))
+         waiting.extend(handle(waiting.popleft()))
## correctness/style: the default list of tag_${thing} is shared by all calls (mutable default)
~ mutable default shar persist
- def tag_${thing}(tag, tags=[]):
-     tags.append(tag)
-     return tags
+ def tag_${thing}(tag, tags=()):
+     return [*tags, tag]
## correctness/style: load_settings catches every exception with a bare except and hides it
~ bare except swallow hide hides hidden catch broad mask
  def load_settings(path):
      try:
          with open(path, encoding="utf-8") as file:
              return json.load(file)
-     except:
+     except FileNotFoundError:
          return {}
## correctness/performance: append_note does not close the file
~ close closed closes closing leak handle context descriptor flush with
  def append_note(path, note):
-     file = open(path, "a", encoding="utf-8")
-     file.write(note + "\\n")
+     with open(path, "a", encoding="utf-8") as file:
+         file.write(note + "\\n")
## correctness: mean_total divides by zero when there are no ${thing}s
~ zero empty divi
  def mean_total(${thing}s):
+     if not ${thing}s:
+         return None
      return sum(one.total for one in ${thing}s) / len(${thing}s)
## correctness/style: is_main_${place} compares texts with `is` instead of ==
~ identi equal compar operator interned
  def is_main_${place}(${place}):
-     return ${place}.code is "HQ-1"
+     return ${place}.code == "HQ-1"
## correctness: forget_inactive deletes from a dict while it iterates over it
~ iterat modif chang mutat size runtimeerror loop delet
  def forget_inactive(sessions):
-     for token in sessions:
+     for token in list(sessions):
          if not sessions[token].active:
              del sessions[token]
## style/correctness: join_names has a parameter called list, which hides the built-in
~ shadow built builtin hide hides overrid mask
- def join_names(list):
-     return ", ".join(one.name for one in list)
+ def join_names(people):
+     return ", ".join(one.name for one in people)
## style/performance: calendar is imported and never used
~ unused never remov dead
- import calendar
## style: is_overdue has the unexplained number ${number} in it (magic number)
~ magic constant unexplain literal hard hardcoded named meaning
- def is_overdue(${thing}, today):
-     return not ${thing}.paid and (today - ${thing}.sent_on).days > ${number}
+ def is_overdue(${thing}, today, days_allowed):
+     return not ${thing}.paid and (today - ${thing}.sent_on).days > days_allowed
## style: shippingLabel mixes camelCase with snake_case names
~ camel snake naming convention consisten inconsisten pep style
- def shippingLabel(customerName, streetAndNumber, postal_code):
-     return f"{customerName}\\n{streetAndNumber}\\n{postal_code}"
+ def shipping_label(customer_name, street_and_number, postal_code):
+     return f"{customer_name}\\n{street_and_number}\\n{postal_code}"
"""
# Sound code that looks bad at first sight.
DECOYS = """
def cache_tag(body):
    return hashlib.md5(body, usedforsecurity=False).hexdigest()

def read_limits(text):
    return ast.literal_eval(text)

def draw_sample(${thing}s, size, seed):
    return random.Random(seed).sample(${thing}s, size)

def remove_draft(path):
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)

def paid_share(paid, total):
    return paid / total if total else 0.0

def first_known(values):
    for value in values:
        if value is not None:
            return value
    return None
"""


def make(seed: int) -> dict[str, Any]:
    """The numbered listing, and in `truth` what a reviewer should find in it."""
    rng = random.Random(f"review_code:{seed}")
    words = {gap: rng.choice(choices) for gap, choices in WORDS.items()}
    pairs = read_pairs(Template(PAIRS).substitute(words))
    decoys = Template(DECOYS).substitute(words).strip().split("\n\n")
    places: list[Place] = []
    spare: list[str] = []
    for kind, count in zip(KINDS, rng.choice(COUNTS), strict=True):
        of_kind = [pair for pair in pairs if pair[0]["kinds"][0] == kind]
        rng.shuffle(of_kind)
        places += [faulty for faulty, _ in of_kind[:count]]
        spare += [sound for _, sound in of_kind[count:] if sound]
    sound = rng.sample(spare, 3) + rng.sample(decoys, rng.choice((3, 4)))
    places += [{"source": source, "kinds": [], "says": ""} for source in sound]
    rng.shuffle(places)
    text = lay_out(places, words["thing"])
    numbered = [f"{number:3} | {line}".rstrip() for number, line in enumerate(text.split("\n"), 1)]
    return {
        "files": {"review.txt": "\n".join(numbered)},
        "truth": {"places": places, **write_blocks(places)},
    }


def read_pairs(text: str) -> list[tuple[Place, str]]:
    """Each place twice: with its fault, what that is and its kinds; and the sound source."""
    pairs: list[tuple[Place, str]] = []
    for part in text.split("## ")[1:]:
        heading, words, *lines = part.splitlines()
        kinds, _, says = heading.partition(": ")
        faulty = "\n".join(line[2:] for line in lines if line[0] != "+")
        sound = "\n".join(line[2:] for line in lines if line[0] != "-")
        place: Place = {"source": faulty, "kinds": kinds.split("/"), "says": says}
        pairs.append((place | {"words": words[2:].split()}, sound))
    return pairs


def lay_out(places: list[Place], thing: str) -> str:
    """The module: imports, constants, functions. Writes the lines of each place into it."""
    sources = [place["source"] for place in places]
    imports = {f"import {name}" for name in MODULES if f"{name}." in "".join(sources)}
    imports |= {source for source in sources if source.startswith("import ")}
    functions = [source for source in sources if source.startswith("def ")]
    constants = [one for one in sources if one not in functions and one not in imports]
    top = [f'"""Store and report the {thing}s of a company."""', "\n".join(sorted(imports))]
    text = "\n\n\n".join(["\n\n".join([*top, *constants]), *functions])
    for place in places:
        first = text[: text.index(place["source"])].count("\n") + 1
        # The empty lines around a function belong to no other place.
        around = place["source"] in functions
        place["line"] = first
        place["lines"] = [first - around, first + place["source"].count("\n") + around]
    places.sort(key=lambda place: place["line"])
    return text


def write_blocks(places: list[Place]) -> dict[str, str]:
    faulty = [place for place in places if place["kinds"]]
    right = [(one["line"], one["kinds"][0], one["says"]) for one in faulty]
    other = [next(kind for kind in KINDS if kind not in one["kinds"]) for one in faulty]
    blocks = {
        "right": right,
        "first_two": right[:2],
        "without_reasons": [(line, kind, " ") for line, kind, _ in right],
        "all_kinds": [
            (one["line"], kind, "It may go wrong") for one in places[:3] for kind in KINDS
        ],
        "all_security": [(one["line"], "security", "This is not safe") for one in places],
        "every_place": [(one["line"], (*one["kinds"], "security")[0], "This is not safe enough")
                        for one in places],
        "other_kinds": [(one["line"], kind, one["says"])
                        for one, kind in zip(faulty, other, strict=True)],
    }  # fmt: skip
    listed = "\n".join(
        f"- Line {line} ({kind}): {why}. It should be changed." for line, kind, why in right
    )
    return {"prose": listed, **{name: write_block(some) for name, some in blocks.items()}}


def write_block(findings: list[tuple[int, str, str]]) -> str:
    rows = [{"line": line, "kind": kind, "why": why} for line, kind, why in findings]
    return f"```json\n{json.dumps({'findings': rows}, indent=2)}\n```"
