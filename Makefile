# The two commands: `make demo` shows Assay at work, `make test` proves it.
# Both do all the set-up on a fresh machine (python3 with venv, make).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready
POT := $(VENV)/assay.pot
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Three on two cores: a worker waits half of its time for a process that its test started.
WORKERS ?= 3
# The tests start some four hundred processes. Without bytecode on disk each would compile the
# package, and torch, once more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test tests bubblewrap bench check rules types format messages cards clean

demo: $(READY)
	$(BIN)/assay demo

# First what is done in a second; then the types beside the tests, as mypy keeps one core busy.
test: rules
	$(MAKE) --no-print-directory -j 2 tests types

# Tests of a file stay with one worker, which makes what they share once, until another is idle.
tests: $(READY) bubblewrap
	$(BIN)/pytest -n $(WORKERS) --dist worksteal

# The first choice for running code that models write; without it those tests are skipped.
bubblewrap:
	@sh scripts/set_up_bubblewrap.sh

check: rules types

rules: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(READY)
	$(BIN)/mypy

bench: $(BENCH_READY)
	$(BIN)/python benchmarks/run_all.py
	$(BIN)/python benchmarks/vs_lm_eval.py --quick

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

messages: $(READY)
	$(BIN)/pybabel -q extract -k tr -k trn:1,2 -k message -k message_n:1,2 -o $(POT) src
	@echo "$(POT)"

cards: $(READY)
	@for suite in src/assay/builtin/suites/*/; do \
	  name=$$(basename $$suite); \
	  $(BIN)/assay suites $$name --format md > docs/cards/$$name.md && echo docs/cards/$$name.md; \
	done

clean:
	rm -rf $(VENV) assay-out

# The pip that Python brings takes 24 s longer to look through the lists of files than the newest;
# where there is no newer one, it will do.
# Bytecode is made when a module is first loaded: compiling all of torch and transformers takes
# 50 s, and most of it is never used.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	-$(PIP_INSTALL) --upgrade pip
	$(PIP_INSTALL) --no-compile -c constraints.txt -e '.[dev]'
	touch $@

# lm-evaluation-harness and what it brings along is needed by nothing but its benchmark.
$(BENCH_READY): $(READY)
	$(PIP_INSTALL) --no-compile -c constraints.txt -e '.[bench]'
	touch $@
