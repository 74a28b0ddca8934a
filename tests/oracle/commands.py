"""Entries about commands beside `run`, exit codes, options, and what the store holds."""

from __future__ import annotations

from tests.oracle.registry import Collection

COMMANDS = Collection("little")
_add = COMMANDS.add

# ------------------------------------------------------------------------------------------- help

_add("help", "`assay --help` lists the commands.", "assay --help", "assay", scene="empty")
_add("help-fr", "The same in French.", "assay --lang fr --help", scene="empty")
_add("help-run", "`assay run --help` lists every option of run.", "assay run --help", scene="empty")
_add(
    "options",
    "Every command with its arguments, options and choices.",
    "call options_of_commands",
    scene="empty",
)
_add(
    "misspelt",
    "A misspelt command, option, suite, method or model is exit 2 with a proposal.",
    "assay rum",
    "assay run scripted:good.json -s littel",
    "assay run scripted:god.json -s little",
    "assay run scripted:good.json --repaets 2",
    "assay report 2031",
    "assay run scripted:good.json -s little -c sumz --json",
    scene="little",
)

_add(
    "mistakes-fr",
    "Mistakes in French.",
    "assay rum --lang fr",
    "assay run scripted:good.json -s littel --lang fr",
    "assay report latest --lang fr",
)

# ------------------------------------------------------------------------------------------ suites

_add(
    "suites",
    "All suites that ship.",
    "assay suites",
    "assay suites --json | keys",
    scene="empty",
)
_add("suite-card", "The card of one suite, and its tests.", "assay suites little")
_add("suite-json", "The same as JSON.", "assay suites little --json")
_add("suite-shipped", "The card of a suite that ships.", "assay suites example --format md")
_add(
    "validate",
    "Valid files: nothing on stdout, exit 0.",
    "assay validate little",
    "assay validate little pass.toml high.toml",
)
_add(
    "new-suite",
    "A starter suite is valid and can be run.",
    "assay new-suite law --samples",
    "ls law",
    "assay validate law law/generation/gate.toml",
    "assay run scripted:law/answers/right.json -s law --json | pick models.0.suites.0.score",
)
_add(
    "new-suite-from-csv",
    "A table becomes a suite; mistakes of a table name their lines.",
    "sh -c \"printf 'prompt,expected,category\\nWhat is 1+1?,2,sums\\nCapital of Togo?,Lomé|Lome,"
    "cities\\n' > good.csv\"",
    "assay new-suite made --from good.csv",
    "cat made/*.json",
    "sh -c \"printf 'prompt,expected,eval_method\\nWhat?,,exact_match\\nWho?,x,exact\\n'"
    ' > bad.csv"',
    "assay new-suite wrong --from bad.csv",
    "ls wrong",
)
_add(
    "new-test",
    "A starter test, and a starter test with a checker.",
    "assay new-suite --test colours --method keywords --suite mine",
    "assay new-suite --test monthly --judged --suite mine",
    "ls mine",
    "assay validate mine",
)
_add(
    "fetch",
    "custom_os_eval is written as four files; mmlu comes from a folder, or is refused.",
    "assay fetch custom_os_eval --benchmarks benchmarks",
    "ls benchmarks",
    "assay fetch mmlu --from nowhere --benchmarks benchmarks",
)
for kind in ("tests", "suite", "gate", "report", "selection"):
    _add(f"schema-{kind}", f"The JSON Schema of {kind}.", f"assay schema {kind}", scene="empty")
_add(
    "schema-others",
    "The schemas that only Python gives, and a kind that there is not.",
    "call tool schema samples",
    "call tool schema review",
    "call tool schema quants",
    "assay schema gates",
    scene="empty",
)

# ------------------------------------------------------------------------------- options of run

_add(
    "run-limit",
    "`--limit` is a seeded sample, spread over the categories, the same each time.",
    "assay run scripted:good.json -s little --limit 8 --json | pick models.0.suites.0.categories",
    "sql SELECT DISTINCT test_id FROM requests ORDER BY test_id",
    "assay run scripted:good.json -s little --limit 8 --seed 1 --json"
    " | pick models.0.suites.0.categories",
)
_add(
    "run-repeats",
    "`--repeats`: a test is one row with each of its repeats.",
    "assay run scripted:good.json -s little -c words --repeats 3 --json"
    " | pick models.0.suites.0.tests",
    "ls assay-out/runs",
)
_add(
    "run-system-max-tokens",
    "`--system` and `--max-tokens` change what is asked, and so the request ids.",
    "assay run scripted:good.json -s little/words.json --json | pick models.0.suites.0.score",
    "assay run scripted:good.json -s little/words.json --system Short. --json | pick headline",
    "assay run scripted:good.json -s little/words.json --max-tokens 9 --json | pick headline",
    "sql SELECT test_id, turn, repeat, id FROM requests ORDER BY test_id, id",
)
_add(
    "run-again",
    "The same command asks nothing twice; --fresh asks again.",
    "assay run scripted:good.json -s little --json | pick run",
    "assay run scripted:good.json -s little --json | pick run",
    "sql SELECT count(*) FROM replies",
    "assay run scripted:good.json -s little --fresh --json | pick run",
    "sql SELECT count(*) FROM replies",
)
_add(
    "run-gate",
    "A gate over a served model: exit 0 if it passes, 1 if not; the criteria are in the JSON.",
    "assay run scripted:good.json -s little -c sums --gate pass.toml",
    "assay run scripted:weak.json -s little -c words --gate high.toml --json"
    " | pick models.0.decision",
    "assay run scripted:weak.json -s little -c words --gate high.toml",
)
_add(
    "run-decide",
    "`--decide` stops when the gate is decided; n is what was asked.",
    "assay run scripted:good.json -s little --gate pass.toml --decide",
)
_add(
    "run-interrupted",
    "A Ctrl-C is exit 130, loses no reply, and the same command continues.",
    "interrupt assay run scripted:slow.json -s little -c words -c choices",
    "assay run scripted:slow.json -s little -c words -c choices --json"
    " | pick models.0.suites.0.score",
    "sql SELECT count(*), count(DISTINCT request_id) FROM replies",
)
_add(
    "run-refusals",
    "Mistakes are all shown at once, before the first request.",
    "assay run scripted:good.json",
    "assay run scripted:good.json absent/ openai:x -s little -s nowhere/",
    "assay run",
    "assay run scripted:good.json -s little --repeats 0",
    "ls assay-out",
)
_add(
    "ask",
    "Own prompts, answers side by side.",
    "sh -c \"printf 'What is 1 plus 1?\\nName a river.\\n' > prompts.txt\"",
    "assay ask prompts.txt scripted:good.json scripted:weak.json",
    "assay ask prompts.txt scripted:good.json --json",
)
_add(
    "benchmark-script",
    "`run_benchmark.py` asks the category files of a folder as Ewe.",
    'sh -c "mkdir tests; cp little/words.json little/sums.json tests"',
    "python REPOSITORY/run_benchmark.py --tests tests --model scripted:good.json"
    " --category words -v",
    "python REPOSITORY/run_benchmark.py --tests little --model scripted:good.json --category",
)
_add(
    "analyze-results",
    "`analyze-results.sh` prints performance.md of a run.",
    "sh REPOSITORY/analyze-results.sh | lines 1 40",
    scene="pair",
    environment={"PYTHON": ""},
)
_add(
    "demo-models",
    "`assay demo` shows scripted models, offline.",
    "assay demo --part models",
    "ls assay-out/demo",
    scene="empty",
)
_add(
    "doctor",
    "What this machine can do, as a document of these keys.",
    "assay doctor --json | keys",
    scene="empty",
)

# ------------------------------------------------------------------------------------------- store

_add(
    "store-rows",
    "What the store holds after a run: requests with their ids, replies, scores.",
    "sql SELECT suite, test_id, turn, repeat, id FROM requests"
    " ORDER BY fingerprint, suite, test_id",
    "sql SELECT kind, count(*) FROM replies GROUP BY kind",
    "sql SELECT model, suite, test_id, repeat, value FROM scores ORDER BY model, suite, test_id",
    scene="pair",
)
_add(
    "store-bodies",
    "One request, one reply and one score as they are stored.",
    "sql SELECT body FROM requests WHERE test_id = 'tools_001' ORDER BY id LIMIT 1",
    "sql SELECT body FROM replies ORDER BY id LIMIT 1",
    "sql SELECT body FROM scores WHERE test_id = 'words_001' ORDER BY model LIMIT 1",
    "sql SELECT position, spec, slug, fingerprint FROM run_models ORDER BY position",
    scene="pair",
)
_add(
    "store-of-another-version",
    "A store that another version wrote is refused with a sentence.",
    "python -c \"import sqlite3; sqlite3.connect('assay-out/assay.db').execute("
    "'PRAGMA user_version = 99')\"",
    "assay report latest",
    "assay runs --json",
    scene="pair",
)

# ------------------------------------------------------------------------------------------ viewer

_add("view-runs", "The viewer's first page.", "get /", scene="pair")
_add("view-run", "The page of a run.", "get /runs/{run}", scene="pair")
_add(
    "view-refusals",
    "What the viewer does not have.",
    "get /runs/nothing",
    "get /nothing",
    scene="pair",
)
_add("view-leaderboard", "The leaderboard as a page.", "get /leaderboard", scene="pair")

# ------------------------------------------------------------------------------------------ Python

_add("python-names", "The public functions and their arguments.", "call public_functions")
_add("python-run", "assay.run and its result.", "call run_from_python")
_add("python-score", "assay.score over answers of every eval_method.", "call scores_by_method")
_add(
    "python-mistakes",
    "Functions refuse mistakes with an error that has a hint and an exit code.",
    """call mistake_of run '{"models": ["scripted:none.json"], "suites": ["little"]}'""",
    """call mistake_of run '{"models": [], "suites": ["little"]}'""",
    """call mistake_of compute_weighted_score '{"metrics": {"perplexity": -1}}'""",
    """call mistake_of report '{"run": "latest"}'""",
)
_add(
    "agent-suites",
    "list_suites and validate_tests.",
    "call tool list_suites | keys",
    "call tool validate_tests little",
)
_add("agent-mcp", "The tools over MCP, and how they refuse.", "call tools_over_mcp", scene="pair")
