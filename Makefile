# What can be done here: `make` prints it. Everything that needs the packages sees to them itself.

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help install test test-fast fuzz chaos spec lint format demo up bench bench-scan bench-recall lock clean

VENV := .venv
PYTHON := $(shell command -v python3.11 || command -v python3)
INSTALLED := $(VENV)/.installed
BIN := $(VENV)/bin

help: ## print this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(INSTALLED) ## make .venv with the locked packages, the tidegate command and tidegate_client

$(INSTALLED): requirements-dev.txt pyproject.toml client/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e . -e ./client
	@touch $@

demo: $(INSTALLED) ## run the whole pipeline on a made-up office, and look at what came of it
	$(BIN)/tidegate demo

up: $(INSTALLED) ## run everything on this machine until Ctrl-C (data in .tidegate)
	$(BIN)/tidegate up

test: $(INSTALLED) ## run all tests: on noida-db, and on Apache Kafka where Java and Maven are there
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

test-fast: $(INSTALLED) ## run the tests that need no broker and start no process
	$(BIN)/python -m pytest -m "not broker and not processes"

N := 300000
bench: $(INSTALLED) ## measure it beside other engines: writes bench/RESULTS.md (make bench N=60000 for a quick look; needs Java and Maven)
	$(BIN)/python -m bench.pipeline --new --outcomes $(N) --command "make bench N=$(N)"

bench-scan: $(INSTALLED) ## measure the scanner beside others: writes bench/SCAN.md and a chart
	$(BIN)/python -m bench.scan

bench-recall: $(INSTALLED) ## measure recall beside other engines, up to a million rules: writes bench/RECALL.md
	$(BIN)/python -m bench.recall

fuzz: $(INSTALLED) ## look for texts that break the scanner, for some ten minutes
	$(BIN)/python -m pytest tests/agents/scan/test_properties.py --hypothesis-profile fuzz

chaos: N := 25
chaos: BROKER := kafka
chaos: $(INSTALLED) ## kill, stop and start its parts N times, drawn from SEED, on BROKER (kafka or noida-db), and count again
	$(BIN)/python -m tests.chaos "$(N)" "$(SEED)" "$(BROKER)"

spec: $(INSTALLED) ## write docs/spec.md: every rule, its code and its tests
	$(BIN)/python -m tests.rules

lint: $(INSTALLED) ## check style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(INSTALLED) ## put the code in shape
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

LOCK := $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras \
	--no-header --no-emit-index-url --no-emit-find-links --no-emit-options --no-emit-trusted-host

lock: ## bring the locked packages up to date with pyproject.toml
	@test -x $(BIN)/pip-compile || { echo "run make install first" >&2; exit 1; }
	$(LOCK) --extra dev --extra meaning --output-file requirements-dev.txt pyproject.toml
	$(LOCK) --constraint requirements-dev.txt --no-annotate --output-file requirements.txt pyproject.toml

clean: ## remove what was made: packages, data, caches
	rm -rf $(VENV) .tidegate .bench .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
