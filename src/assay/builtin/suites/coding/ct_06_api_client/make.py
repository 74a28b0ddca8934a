"""A small HTTP service, described for somebody who writes a client for it.

The seed draws the names, the update verb and the header of the description; and for the hidden
probes, which the prompt never shows, the key, IDs, records, statuses and numbers of attempts.
"""

import random
from string import Template
from typing import Any

# Singular, plural, a field, the parameter it is filtered by, and values of that.
RESOURCES = (
    ("parcel", "parcels", "weight", "state", ("on the way", "lost & found", "50%/Zoë")),
    ("ticket", "tickets", "subject", "queue", ("first line", "billing & tax", "A+B=C")),
    ("booking", "bookings", "seats", "hall", ("east wing", "foyer & bar", "Saal #2/ü")),
    ("invoice", "invoices", "amount", "debtor", ("north office", "Mensah & Sons", "50%?")),
    ("device", "devices", "label", "room", ("lab 2", "store & forward", "été+1")),
)
# Header and what is written before the key.
HEADERS = (("Authorization", "Bearer "), ("X-Api-Key", ""), ("X-Access-Token", ""))
VERBS = ("PUT", "PATCH")
METHODS = {
    "get": ("get", "fetch", "read"),
    "list": ("list", "find", "search"),
    "create": ("create", "add", "new"),
    "update": ("update", "change", "edit"),
    "delete": ("delete", "remove", "discard"),
}

DESCRIPTION = Template("""\
Classes to write: `$client` and its exception `$error`.

    $client(base_url, api_key, timeout=5.0, attempts=3, backoff=0.5)

| method | request | returns |
|---|---|---|
| `$get(id)` | GET /$resource/ID | the record, a dict |
| `$list($filter)` | GET /$resource?$filter=VALUE | the records, a list of dicts |
| `$create(record)` | POST /$resource | the new record, a dict |
| `$update(id, changes)` | $update_verb /$resource/ID | the changed record, a dict |
| `$delete(id)` | DELETE /$resource/ID | None |

- The paths come after `base_url`, which has no slash at its end, such as `http://host:8080/v1`.
- IDs and filter values are texts with any characters: blanks, slashes, `&`, letters beyond
  ASCII. They are percent-encoded (a blank is %20), so that an ID is always one segment of the path.
- Bodies are JSON in UTF-8, in both directions, with `Content-Type: application/json`. Successful
  replies have a status from 200 to 299; the reply to DELETE is 204 and has no body.
- Every request has the header `$header: ${prefix}KEY`, where KEY is `api_key`.
- A status from 500 to 599 means that the service is busy. Requests other than POST are then sent
  again, until `attempts` requests have been sent in all; a POST is sent only once. The client waits
  `backoff` seconds before the second request, twice as long before the third, and so on.
- A status from 400 to 499 is the fault of the request, which is not sent again.
- A request that failed for good raises `$error`. Its attribute `status` is the last status
  received, an int.
- No answer within `timeout` seconds, or no connection at all: the request is not sent again, and
  `$error` is raised with `status` None, whatever came before.
- The key never appears in what the client prints or logs, at any level, in the text of an
  exception, or in the `repr()` of the client.
""")


def make(seed: int) -> dict[str, Any]:
    """The description; in `truth` its names and what the probes use."""
    rng = random.Random(f"web_service:{seed}")
    one, many, field, parameter, values = rng.choice(RESOURCES)
    header, prefix = HEADERS[seed % len(HEADERS)]
    names = {
        "client": one.capitalize() + rng.choice(("Client", "Service", "Api")),
        "error": one.capitalize() + rng.choice(("Error", "Failure")),
        "resource": many,
        "filter": parameter,
        "update_verb": VERBS[seed % len(VERBS)],
        "header": header,
        "prefix": prefix,
    }
    for method, verbs in METHODS.items():
        names[method] = f"{rng.choice(verbs)}_{many if method == 'list' else one}"

    def record() -> dict[str, str]:
        text = f"{rng.choice(('Zoë', 'Kofi', 'Ünal'))} {rng.randrange(1000)}"
        return {"id": f"{rng.choice('ABC')}{rng.randrange(100, 1000)}", field: text}

    hidden = {
        "key": f"{rng.randrange(16**28):028x}",
        "records": [record() for _ in range(rng.randrange(4, 8))],
        "odd_id": rng.choice("AB") + rng.choice((" 4/ü?x", "/../é 7", "#1 & 2/ß", "%2F/ñ;v")),
        "values": list(values),
        "attempts": rng.choice((4, 5)),
        "refusals": rng.sample((400, 403, 404, 409, 422, 429), 3),
        "busy": rng.sample((500, 502, 503, 504, 507), 4),
    }
    return {"files": {"service.md": DESCRIPTION.substitute(names)}, "truth": {**names, **hidden}}
