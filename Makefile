PYTHON ?= python3
VENV := .venv/bin
export PYTHONUTF8 := 1
# Images of containers often set it: each of the hundreds of processes that tests start would compile the hub anew.
unexport PYTHONDONTWRITEBYTECODE

# Debian packages that tests call; a test that needs one says so with the fixture `needs_program`.
DEBIAN_PACKAGES := chromium libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui fonts-noto-cjk \
	fonts-liberation nginx-light openssl espeak-ng ffmpeg
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# Tests that take long, or need more than `make test` installs: `make test-all` runs them.
LATER := tests/patterns tests/eval/gate tests/eval/lab tests/soak tests/server/http/test_schema.py tests/backends tests/clients tests/wheel
BROWSER := tests/dashboard/browser
PYTEST := $(VENV)/python -m pytest -m "not soak" -n auto --maxprocesses=4 --dist=worksteal

.DEFAULT_GOAL := help
.PHONY: help demo test test-unit test-deps test-all soak lint fmt gate bench bench-mcp bench-beside docs docs-reference clean

help:  ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: .venv/installed-ocr,office  ## install, ingest the samples, ask four questions
	$(VENV)/khub ingest eval/samples --collection demo
	$(VENV)/khub query "What does error code E-4012 mean?" --collection demo --top-k 2
	$(VENV)/khub query "P6 员工去上海出差，住宿标准是每晚多少？" --collection demo --top-k 2
	$(VENV)/khub query "Until when does Beacon 4.2 LTS receive security fixes?" --collection demo --top-k 2
	$(VENV)/khub query "What is BM25?" --collection demo --top-k 2
	@echo "Now your own files: $(VENV)/khub ingest YOUR-FOLDER, then $(VENV)/khub query 'YOUR QUESTION' (see README.md)"

# A stamp for each set of extras: nothing is installed again until what decides about the packages has changed.
.venv/installed-%: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "$(PYTHON) is no Python 3.11 or newer: name one, for example: make demo PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "$(PYTHON) has no venv and ensurepip: install them (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@echo "Installing knowledge-hub ($*) into .venv: about a minute, more where the network is slow ..."
	@$(VENV)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	@$(VENV)/python -m pip install -qq --disable-pip-version-check -e ".$(patsubst %,[%],$(filter-out core,$*))" -c constraints.txt
	@touch $@

test: lint  ## linters, types, tests with coverage (at least 80 %)
	@$(PYTEST) $(addprefix --ignore=,$(LATER) $(BROWSER)) \
		--cov=components --cov=server --cov=dashboard --cov-report=term --cov-fail-under=80

test-unit: .venv/installed-test  ## unit tests alone
	@$(VENV)/python -m pytest -m unit $(addprefix --ignore=,$(LATER) $(BROWSER))

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

test-all: test .venv/installed-test,eval,ocr,speech,backends  ## the tests, and those of the optional parts and of eval/lab
	@$(PYTEST) tests/components/ocr tests/components/converters/speech $(LATER)
	@$(PYTEST) --postgres tests/components/catalog
	@$(PYTEST) $(BROWSER)
	@$(VENV)/python -m tests.conformance.run
	@$(VENV)/python -m tests.conformance.inspector

soak: .venv/installed-test  ## minutes of torture
	@$(VENV)/python -m pytest -m soak

lint: .venv/installed-test  ## ruff and mypy
	$(VENV)/python -m ruff check .
	$(VENV)/python -m ruff format --check .
	@$(VENV)/python -m tests.typed_tree
	$(VENV)/python -m mypy

fmt: .venv/installed-test  ## mend format and imports
	@$(VENV)/python -m ruff format .
	@$(VENV)/python -m ruff check --fix .

gate: .venv/installed-test,eval,ocr  ## the golden questions against eval/gate/thresholds.yaml, and against the baseline
	@$(VENV)/python -m khub.eval.gate $(if $(GATE_TABLE),--table "$(GATE_TABLE)")

bench: .venv/installed-test  ## speed and memory of ingest and query, written to eval/results
	@$(VENV)/python -m khub.eval.bench.foundation

bench-mcp: .venv/installed-test  ## the MCP server: purity, start, speed, memory, clients that vanish; written to eval/results
	@$(VENV)/python -m khub.eval.bench.mcp

bench-beside: .venv/installed-bench  ## the hub beside LangChain and plain Haystack at three sizes (an hour), written to eval/results
	@$(VENV)/python -m khub.eval.lab.comparison --resume

docs: .venv/installed-docs  ## the documentation as a site, in site/
	@$(VENV)/zensical build --strict

docs-reference: .venv/installed-core  ## docs/reference anew, from the code
	@$(VENV)/python -m docs.generate

clean:  ## remove .venv and caches; your data stay
	rm -rf .venv build dist site *.egg-info .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
