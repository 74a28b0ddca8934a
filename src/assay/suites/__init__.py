"""LOAD: test files in; a Suite out, or every mistake with its place. Knows no model and no score.

A suite is loaded from top to bottom; each line calls only lines below it.

    catalogue      a name on the command line -> the files that it means
    load           files -> Suites, or the findings of all of them at once
    reading        one suite, file by file: ids that stand twice, examples for few-shot prompts
    suite_file       suite.json -> SuiteSettings
    case             one test object -> Case
    conversation       what is asked: prompt or messages, system prompt, live turns
    methods            what each eval_method asks of a test as a whole, and its Check
    advice             what is allowed but likely a slip: warnings
    fields         the format itself, as one table: which field is of which kind
    containers     kinds that hold others: lists and objects
    kinds          kinds of single values: each checks a value and writes its JSON Schema
    notes          mistakes by path while a file is read; findings with line and column after
    json_file      bytes -> JSON value, quickly, or why not
    places         the slow twin of the JSON parser: where in a text each value stands
    wording        names and values from a file, as parts of a sentence; "did you mean"

A gate is loaded the same way, and so are the texts that a checkpoint reads:

    gate_file      a TOML file -> Gate, or the findings of all of it at once
    gate_format    the format itself, as one table, and its JSON Schema
    toml_file      bytes -> TOML document, or why not
    toml_places    where in a text each table, key and value stands
    held_out       plain text, JSON lines or token ids -> documents with their digests

Beside it: `fetching` makes test files of benchmarks by others; `pick` takes some of a Suite's
tests; `schema` writes `fields` as JSON Schema with the sentences of `descriptions`.
"""
