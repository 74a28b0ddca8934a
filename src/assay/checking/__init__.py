"""What check.py of a test folder may use. It runs inside the sandbox, with the standard library.

    from assay.checking import Check, Fact, check_facts, json_block

`docs/how-to/write-a-checker.md` has a list of it all, with examples.
"""

from .blocks import code_blocks, json_block, missing_block, objects_with
from .candidate import (
    REFUSED,
    SECOND,
    SERVICE,
    Candidate,
    GroupResult,
    Items,
    Step,
    StepResult,
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
    DOLLARS,
    EUROS,
    KILOGRAMS,
    PERCENT,
    PIECES,
    compare_rows,
    is_untouched,
    read_number,
    same,
    same_date,
    same_number,
    same_set,
    same_text,
    show,
)
from .describing import cited_in, describes, has_name, is_word, own_words, said_of, words_in
from .drawing import KINDS, WideDraw
from .examples import Example, as_steps, called, holds, read_examples
from .facts import (
    Check,
    Fact,
    check_facts,
    check_names,
    list_checks,
    mentions,
    share_of,
    spell_keys,
    value_at,
)
from .hidden import Named, draw_for, list_named
from .reporting import LEAST_TOLD, ReportText, check_report, state_lines
from .together import Together
from .wire import Remote
