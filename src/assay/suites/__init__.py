"""LOAD: test files in; a Suite out, or every mistake with its place. Knows no model and no score.

json_file   bytes -> JSON value, quickly            places   the slow twin: where each value is
kinds       what one value may be                   fields   the format, as one table
case        one test object -> Case                 methods  what each eval_method asks of it
suite_file  suite.json -> SuiteSettings             load     a path -> Suite or findings
advice      what is allowed but likely a slip       schema   the same table as JSON Schema
catalogue   the suites that ship                    pick     some of a suite's tests
"""
