# The two commands: `make demo` shows Assay at work, `make test` proves it.
# Both do all the set-up on a fresh machine (python3 with venv, make).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready
POT := $(VENV)/assay.pot

.PHONY: demo test bench check format messages cards clean

demo: $(READY)
	$(BIN)/assay demo

test: $(READY) check
	$(BIN)/pytest -n 2

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(BENCH_READY)
	$(BIN)/python benchmarks/run_all.py
	$(BIN)/python benchmarks/vs_lm_eval.py --quick

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

messages: $(READY)
	$(BIN)/pybabel -q extract -k tr -k trn:1,2 -o $(POT) src
	@echo "$(POT)"

cards: $(READY)
	@for suite in src/assay/builtin/suites/*/; do \
	  name=$$(basename $$suite); \
	  $(BIN)/assay suites $$name --format md > docs/cards/$$name.md && echo docs/cards/$$name.md; \
	done

clean:
	rm -rf $(VENV) assay-out

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

# lm-evaluation-harness and what it brings along is needed by nothing but its benchmark.
$(BENCH_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	touch $@
