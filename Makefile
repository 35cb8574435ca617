# Everything here is also there without make: python -m server.setup install|demo|test|lint
PYTHON ?= python3
SETUP := $(PYTHON) -m server.setup
VENV := .venv/bin

# Debian packages that tests call; a test that needs one says so with the fixture `needs_program`.
DEBIAN_PACKAGES := chromium libreoffice-writer-nogui fonts-noto-cjk fonts-liberation
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.DEFAULT_GOAL := help
.PHONY: help demo test test-unit test-deps test-all soak lint fmt gate bench bench-mcp bench-beside clean

help:  ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo:  ## install, ingest the samples, ask four questions
	@$(SETUP) demo

test:  ## linters, types, tests with coverage (at least 80 %)
	@$(SETUP) test

test-unit:  ## unit tests alone
	@$(SETUP) test -m unit

test-deps:  ## Debian packages that tests need
ifeq ($(strip $(DEBIAN_PACKAGES)),)
	@echo "The tests need no Debian packages."
else
	@if [ -f /etc/debian_version ]; then \
		$(SUDO) apt-get update -q && $(SUDO) apt-get install -qy --no-install-recommends $(DEBIAN_PACKAGES); \
	else \
		echo "Not Debian: install the like of: $(DEBIAN_PACKAGES)"; \
	fi
endif

test-all: test  ## the tests, and those of the optional parts
	@$(SETUP) install --extras test,eval,ocr
	@$(VENV)/pytest tests/components/evaluators tests/components/ocr tests/eval/gate
	@$(VENV)/python -m tests.conformance.run
	@$(VENV)/python -m tests.conformance.inspector

soak:  ## minutes of torture
	@$(SETUP) test -m soak

lint:  ## ruff and mypy
	@$(SETUP) lint

fmt:  ## mend format and imports
	@$(SETUP) install --extras test
	@$(VENV)/ruff format .
	@$(VENV)/ruff check --fix .

gate:  ## the golden questions against eval/gate/thresholds.yaml, and against the baseline
	@$(SETUP) install --extras test,eval,ocr
	@$(VENV)/python -m eval.gate $(if $(GATE_TABLE),--table "$(GATE_TABLE)")

bench:  ## speed and memory of ingest and query, written to eval/results
	@$(SETUP) install --extras test
	@$(VENV)/python -m eval.bench.foundation

bench-mcp:  ## the MCP server: purity, start, speed, memory, clients that vanish; written to eval/results
	@$(SETUP) install --extras test
	@$(VENV)/python -m eval.bench.mcp

bench-beside:  ## the hub beside LangChain and plain Haystack at three sizes (an hour), written to eval/results
	@$(SETUP) install --extras bench
	@$(VENV)/python -m eval.bench.comparison.command --resume

clean:  ## remove .venv and caches; your data stay
	rm -rf .venv build dist *.egg-info .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
