# Every target says what it does, may be repeated, and is quick the second time:
# installs leave a stamp in .venv that only pyproject.toml or constraints.txt make stale.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8080
# pytest-xdist workers for `make test`, and further arguments to pytest
WORKERS ?= auto
ARGS ?=

# A process keeps to neighbouring tests, which share fixtures, until it has to take work from another.
PYTEST = -n $(WORKERS) --dist worksteal --benchmark-disable --durations 20

VENV := .venv
BIN := $(VENV)/bin
EXTRAS := postgres,redis,analysis,cluster,fit,docs,dev
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt
# the tables of softmax playouts are compiled into the kernels
KERNELS := $(wildcard hearts/kernels/*.py hearts/kernels/*/*.py) hearts/data/softmax.npz
# strict: a broken link or a page without a place in the navigation fails (with --quiet it would not)
SITE := mkdocs build --strict
# mkdocs-material would print an advertisement for its successor
export NO_MKDOCS_2_WARNING := 1
# for the tests, so that no test reads a developer's settings
UNSET_SETTINGS = $(foreach name,$(filter HEARTS_%,$(.VARIABLES)),-u $(name))

.PHONY: help setup run test test-thorough check docs bench load queries strength fuzz screenshots lock clean clean-cache

help: ## list the targets
	@echo "usage: make TARGET"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

setup: $(VENV)/.installed $(VENV)/.kernels ## create .venv and install the service; afterwards .venv/bin/hearts exists
	@echo "make setup: ready; try $(BIN)/hearts --help"

run: $(VENV)/.installed $(VENV)/.kernels ## set up, create or upgrade the database, serve on HOST=127.0.0.1 PORT=8080
	@exec $(BIN)/hearts serve --host $(HOST) --port $(PORT)

test: $(VENV)/.installed-all $(VENV)/.kernels ## install what the tests need and run them (WORKERS=auto ARGS=…)
	@tests/install_system_packages
	@echo "make test: running the tests"
	@env $(UNSET_SETTINGS) $(BIN)/python -m pytest $(PYTEST) $(ARGS)

test-thorough: $(VENV)/.installed-train $(VENV)/.kernels ## run the long tests that make test leaves out (about five minutes)
	@tests/install_system_packages
	@env $(UNSET_SETTINGS) $(BIN)/python -m pytest $(PYTEST) -m thorough $(ARGS)

check: $(VENV)/.installed-all ## ruff, mypy --strict, import-linter, names and sizes, the documentation site
	@failed=; \
	for tool in "ruff check --output-format concise ." mypy lint-imports "python -m tests.house" "$(SITE)"; do \
	  echo "make check: $$tool"; $(BIN)/$$tool || failed="$$failed $${tool%% *}"; \
	done; \
	[ -z "$$failed" ] || { echo "make check: failed:$$failed"; exit 1; }

docs: $(VENV)/.installed-all ## build the documentation site into build/site
	@$(BIN)/$(SITE)
	@echo "make docs: open build/site/index.html (its search needs a web server: python3 -m http.server -d build/site)"

bench: $(VENV)/.installed $(VENV)/.kernels ## measure the kernels
	@$(BIN)/hearts bench

load: $(VENV)/.installed-all $(VENV)/.kernels ## measure the service under load, and print a table
	@env $(UNSET_SETTINGS) $(BIN)/python -m tests.load $(ARGS)

queries: $(VENV)/.installed-all $(VENV)/.kernels ## time listings and statistics over a million plays, on both databases
	@tests/install_system_packages
	@env $(UNSET_SETTINGS) $(BIN)/python -m tests.queries $(ARGS)

strength: $(VENV)/.installed-all $(VENV)/.kernels ## play short fixed tournaments, and fail if the engine has lost strength
	@env $(UNSET_SETTINGS) $(BIN)/python -m tests.strength $(ARGS)

fuzz: $(VENV)/.installed-all $(VENV)/.kernels ## send the service what its OpenAPI document allows, and what not
	@env $(UNSET_SETTINGS) $(BIN)/python -m tests.fuzz $(ARGS)

screenshots: $(VENV)/.installed-all $(VENV)/.kernels ## make the pictures of the pages in docs/screens, and time the pages
	@tests/install_system_packages
	@env $(UNSET_SETTINGS) $(BIN)/python -m tests.web.screenshots $(ARGS)

lock: ## resolve the newest versions that pyproject.toml allows and write constraints.txt
	@echo "make lock: installing everything into a temporary environment"
	@set -e; place=$$(mktemp -d); trap 'rm -rf "$$place"' EXIT; \
	$(PYTHON) -m venv "$$place/venv"; \
	"$$place/venv/bin/python" -m pip install -qq --disable-pip-version-check --editable '.[$(EXTRAS),train]'; \
	"$$place/venv/bin/python" -m pip check; \
	{ echo "# The versions that were tested together, all extras. Written by make lock."; \
	  "$$place/venv/bin/python" -m pip freeze --exclude-editable | sed 's/+cpu$$//'; } > "$$place/constraints.txt"; \
	if grep -nE '://| @ ' "$$place/constraints.txt"; then \
	  echo "make lock: the lines above name a place instead of a version"; exit 1; fi; \
	cp "$$place/constraints.txt" constraints.txt
	@echo "make lock: constraints.txt names $$(grep -c == constraints.txt) versions"

clean: clean-cache ## remove .venv and all caches (var/ with the database stays)
	@echo "make clean: removing .venv, build leftovers and caches"
	@rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

clean-cache: ## remove numba's compiled kernels
	@echo "make clean-cache: removing compiled kernels"
	@find hearts models server tests $(NUMBA_CACHE_DIR) \( -name '*.nbi' -o -name '*.nbc' \) -delete 2>/dev/null || true
	@rm -f $(VENV)/.kernels

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) --version 2>&1)."; \
	  echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "make: creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Could not create $(VENV); on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	@echo "make: installing the service into $(VENV)"
	@$(INSTALL) --editable .
	@touch $@

$(VENV)/.installed-all: pyproject.toml constraints.txt | $(BIN)/python
	@echo "make: installing the service and everything the tests need into $(VENV)"
	@$(INSTALL) --editable '.[$(EXTRAS)]'
	@touch $@ $(VENV)/.installed

# PyTorch is large, and only training needs it
$(VENV)/.installed-train: $(VENV)/.installed-all
	@echo "make: installing PyTorch into $(VENV)"
	@$(INSTALL) --editable '.[$(EXTRAS),train]'
	@touch $@

# numba does not notice a change in another file that a cached kernel calls, so any change clears it all;
# compiled here, and not when the service is asked for its first move
$(VENV)/.kernels: $(KERNELS) | $(VENV)/.installed
	@$(MAKE) --no-print-directory clean-cache
	@$(BIN)/hearts compile
	@touch $@
