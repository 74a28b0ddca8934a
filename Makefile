# `make demo` shows Assay at work, `make test` runs the tests of a commit, `make check` the linters
# and types, `make test-all` what else guards a release. All do the set-up on a fresh machine
# (python3 with venv, make). `make demo` installs the light core, shows scripted models, and only
# then installs PyTorch for the checkpoints.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One stamp for each set of packages: pip, the light core, PyTorch, and what the tests need.
PIP := $(VENV)/.pip
CORE := $(VENV)/.core
LOCAL := $(VENV)/.local
DEV := $(VENV)/.dev
AROUND_VENV := .venv-around
AROUND := $(AROUND_VENV)/.around
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check
INSTALL := $(PIP_INSTALL) --quiet --no-compile -c constraints.txt
WORKERS ?= 2
# The tests start some four hundred processes. Without bytecode on disk each would compile the
# package, and torch, once more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo demo-models demo-checkpoints test test-all slow-tests test-around oracle faults release-check packages bench check rules types format messages cards shown docs dist clean

# Two makes: the second installs PyTorch after the first has shown what needs none.
demo:
	@$(MAKE) --no-print-directory demo-models
	@$(MAKE) --no-print-directory demo-checkpoints

demo-models: $(CORE)
	$(BIN)/assay demo --part models

demo-checkpoints: $(LOCAL)
	$(BIN)/assay demo --part checkpoints

# What a contributor runs before each commit. Tests of a file stay with one worker, which makes what
# they share once, until another is idle.
test: $(DEV) packages
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not slow"

# What guards a release beside `make test`.
test-all: slow-tests test-around oracle

slow-tests: $(DEV) packages
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m slow

test-around: $(AROUND)
	$(AROUND_VENV)/bin/pytest tests_around

# What takes longer than a release check of every push: by hand, before a release.
release-check: test-all faults

# Plants forty small faults, one after another, and runs the tests that should notice each.
faults: $(DEV)
	$(BIN)/python -m tests.faults

# What commands print over fixed inputs, compared with the texts in tests/oracle/entries.
oracle: $(DEV)
	$(BIN)/python -m tests.oracle

# Bubblewrap for code that models write, a browser for the pages; tests without them are skipped.
packages:
	@sh scripts/set_up_packages.sh

check: rules types

rules: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(DEV)
	$(BIN)/mypy

bench: $(DEV) $(AROUND)
	$(BIN)/python benchmarks/run_all.py
	$(AROUND_VENV)/bin/python benchmarks/vs_lm_eval.py --quick

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

messages: $(DEV)
	$(BIN)/python scripts/translate.py

cards: $(DEV)
	@for suite in src/assay/builtin/suites/*/; do \
	  name=$$(basename $$suite); \
	  $(BIN)/assay suites $$name --format md > docs/reference/cards/$$name.md && echo docs/cards/$$name.md; \
	done

# What pages and pictures show of runs, drawn and written again: after a change of what is printed.
shown: $(DEV)
	$(BIN)/python scripts/draw_decision.py
	$(BIN)/python -m tests.transcripts

docs: $(DEV)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo site/index.html

# The sdist and the wheel in dist/, tried in an empty environment outside the checkout.
dist:
	$(PYTHON) scripts/check_wheel.py

clean:
	rm -rf $(VENV) $(AROUND_VENV) assay-out site dist

# The pip that Python brings takes 24 s longer to look through the lists of files than the newest;
# where there is no newer one, it will do.
$(PIP):
	$(PYTHON) -m venv $(VENV)
	-$(PIP_INSTALL) --quiet --upgrade pip
	@touch $@

# Bytecode is made when a module is first loaded: compiling all of torch and transformers takes
# 50 s, and most of it is never used.
$(CORE): $(PIP) pyproject.toml constraints.txt
	$(INSTALL) -e .
	@touch $@

$(LOCAL): $(CORE)
	@sh scripts/announce_torch.sh $(BIN)/python
	$(PIP_INSTALL) --no-compile -c constraints.txt -e '.[local]'
	@touch $@

# The development set contains the two others.
$(DEV): $(PIP) pyproject.toml constraints.txt
	$(INSTALL) -e '.[dev]'
	@touch $(CORE) $(LOCAL) $@

# lm-evaluation-harness and what it brings along; other tools of the field later.
$(AROUND): pyproject.toml constraints-around.txt
	test -x $(AROUND_VENV)/bin/python || $(PYTHON) -m venv $(AROUND_VENV)
	-$(AROUND_VENV)/bin/python -m pip install --disable-pip-version-check --quiet --upgrade pip
	$(AROUND_VENV)/bin/python -m pip install --disable-pip-version-check --quiet --no-compile \
	  -c constraints-around.txt -e '.[around]'
	@touch $@
