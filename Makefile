# Every target does its own set-up: Python 3.11 or newer is all that has to be there. `make help` lists the targets.
PY ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory
export UV_PYTHON_DOWNLOADS := never

# uv from the PATH when it knows dependency groups, else the one in .uv/
FIND_UV = UV=$$(command -v uv || true); [ -n "$$UV" ] && "$$UV" pip install --help 2>/dev/null | grep -q -e --group || UV=.uv/bin/uv
LOCKED := pyproject.toml requirements.lock

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types imports notebooks docs lock bench browser clean uv

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.dev ## install everything the lock names, into .venv
	@echo "Ready: $(BIN)/workbench --help"

demo: $(VENV)/.core ## build an archive from the bundled calls and write its report to out/demo
	@$(BIN)/workbench demo out/demo

test: lint types imports notebooks browser ## all checks and all tests
	@$(BIN)/python -m pytest -n $(JOBS)

lint: $(VENV)/.dev ## style, docstrings, banned imports
	@$(BIN)/ruff check --quiet --output-format concise .
	@$(BIN)/ruff format --quiet --check .

types: $(VENV)/.dev ## mypy, strict
	@$(BIN)/mypy

imports: $(VENV)/.dev ## imports point one way
	@$(BIN)/lint-imports --no-cache >$(VENV)/imports.txt 2>&1 || { cat $(VENV)/imports.txt; exit 1; }

notebooks: $(VENV)/.dev ## marimo's own check of the notebooks
	@$(BIN)/marimo check --strict notebooks

docs: $(VENV)/.dev ## write the generated pages of docs/
	@$(BIN)/python docs/build.py

bench: $(VENV)/.dev ## measure speed against a peer, as ratios in one run
	@$(BIN)/python -m benchmarks

lock: uv ## solve requirements.lock anew
	@$(FIND_UV); "$$UV" pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
	  --all-extras --group dev pyproject.toml --output-file requirements.lock

clean: ## remove everything the other targets made
	@rm -rf $(VENV) .uv out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# ---- set-up ----------------------------------------------------------------------------------------------------------

uv:
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "This needs Python 3.11 or newer; name one with: make PY=python3.12"; exit 2; }
	@$(FIND_UV); "$$UV" --version >/dev/null 2>&1 || { \
	  echo "Fetching uv into .uv/"; \
	  rm -rf .uv && $(PY) -m venv .uv && .uv/bin/python -m pip install --quiet --quiet --disable-pip-version-check 'uv>=0.9' || { \
	  echo "Could not set up uv; install it or the package python3-venv, then try again"; rm -rf .uv; exit 2; }; }

$(VENV)/.core: $(LOCKED)
	@$(MAKE) uv
	@echo "Installing what the demo needs into $(VENV)/ (once)"
	@$(FIND_UV); "$$UV" venv --quiet --clear --python "$$(command -v $(PY))" $(VENV) && \
	  "$$UV" pip install --quiet --python $(VENV) --require-hashes --constraints requirements.lock \
	    --requirements pyproject.toml --extra charts --group build && \
	  "$$UV" pip install --quiet --python $(VENV) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(LOCKED)
	@$(MAKE) uv
	@echo "Installing the locked packages into $(VENV)/ (once)"
	@$(FIND_UV); { [ -x $(BIN)/python ] || "$$UV" venv --quiet --python "$$(command -v $(PY))" $(VENV); } && \
	  "$$UV" pip sync --quiet --python $(VENV) --require-hashes requirements.lock && \
	  "$$UV" pip install --quiet --python $(VENV) --no-deps --no-build-isolation --editable .
	@touch $(VENV)/.core $@

browser:
	@command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "Installing Chromium, which the browser tests look through"; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } >/dev/null || { \
	  echo "Chromium could not be installed"; [ -z "$$WORKBENCH_REQUIRE_BROWSER" ]; }; \
	else \
	  echo "The browser tests need Chromium: apt-get install chromium"; [ -z "$$WORKBENCH_REQUIRE_BROWSER" ]; \
	fi
