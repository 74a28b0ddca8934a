"""What check.py of a test folder may use. It runs inside the sandbox, with the standard library.

    from assay.checking import Check, Fact, check_facts, json_block

    def check(answer, truth, files):
        block = json_block(answer)
        yield from check_facts(block, [
            Fact("total", truth["total"], f"the total is {truth['total']:,.2f} euros", weight=2),
        ])

`check` gives Check objects: at least one, at most 500, each name once, weights above 0. `truth` and
`files` are what make.py gave, as JSON holds it (tuples are lists, keys are texts). Whatever it
raises, or 50 seconds without an end, leaves the answer's evidence unscored.

Reading an answer    code_blocks, json_block, choose_code, missing_package, find_obstacle
Comparing            read_number, same_number, same_text, same_date, same_set, same;
                     compare_rows(given, expected, key): "", or why a table is not the right one
Facts of a block     Fact, check_facts, value_at; spell_keys; check_names, mentions (no inventions)
Running code         Candidate(sources).run(Step(...), ...) -> GroupResult; compare, differs

    code = choose_code(answer, ["double"])
    if code is not None:
        result = Candidate(code.sources).run("result = double(21)", Step(
            code="result = double(number)", names={"number": 4}))
        reason = compare(result, 42, 8)           # "" where both are right
        yield Check("double", not reason, reason or "2 calls are right")

Each run is a process of its own, forked from one that was started before answer, truth and check.py
were read. Never pass the truth in `names` or `code`: compare here. A group that did not come to its
end has `.why`; `.steps` are then fewer. Numbers of more than 300 digits are lost.
Candidate(sources, without=["bisect"]) withholds modules, whichever way the code asks for them.

Counting     Items (a list read item by item) and Values (compared, hashed, printed) stay in
             this process; StepResult.asked says how often a step asked. Give run(most_asked=...).
Services     run(step, replies=[{"status": 200, "body": {...}}, ...]) answers on the loopback
             interface; names={"base_url": SERVICE} (or REFUSED) has the address, .requests of the
             result what came: verb, path, headers, body, at. "hold": True keeps a reply back.
Examples     read_examples(docstring), as_steps(examples, module), holds(example, step result)
"""

from .blocks import code_blocks, json_block
from .candidate import (
    REFUSED,
    SERVICE,
    Candidate,
    GroupResult,
    Items,
    Step,
    Values,
    compare,
    differs,
    raised_instead,
)
from .code import (
    Block,
    Code,
    choose_code,
    find_function,
    find_obstacle,
    functions,
    missing_package,
    parse,
    repeats,
    takes,
)
from .comparing import (
    compare_rows,
    read_number,
    same,
    same_date,
    same_number,
    same_set,
    same_text,
    show,
)
from .examples import Example, as_steps, called, holds, read_examples
from .facts import (
    Check,
    Fact,
    check_facts,
    check_names,
    list_checks,
    mentions,
    spell_keys,
    value_at,
)
from .wire import Remote
