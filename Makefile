# fillpath: `make help` lists what can be asked for. Needs make and Python 3.11 to 3.13; the rest is installed
# into .venv from requirements.lock.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help figures test lint lock clean

SUITE ?= $(or $(FILLPATH_SUITE),embedded)
PAPER ?= $(FILLPATH_PAPER)
DEVICE ?= $(FILLPATH_DEVICE)
LIMIT ?= $(FILLPATH_LIMIT)
FRESH ?= $(FILLPATH_FRESH)
export FILLPATH_SUITE := $(SUITE)
export FILLPATH_PAPER := $(PAPER)
export FILLPATH_DEVICE := $(DEVICE)
export FILLPATH_LIMIT := $(LIMIT)
export FILLPATH_FRESH := $(FRESH)

ifeq ($(filter $(SUITE),embedded small papers),)
$(error SUITE=$(SUITE): expected embedded, small or papers)
endif
ifneq ($(filter-out cpu gpu,$(DEVICE)),)
$(error DEVICE=$(DEVICE): expected cpu or gpu)
endif

FITS := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c '$(FITS)' 2>/dev/null && echo $$p && break; done)
PY := .venv/bin/python
# The stamp names what was installed and is made last: an interrupted or outdated installation is redone.
STAMP := .venv/.installed-$(shell cat requirements.lock pyproject.toml | cksum | tr ' ' '-')

help: ## this text
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/make \1\t\2/' | expand -t 16

figures: $(STAMP) ## measure and draw: SUITE=embedded|small|papers PAPER=gsofa DEVICE=cpu|gpu LIMIT=2h FRESH=1
	@$(PY) -m benchmarks.launch figures

test: $(STAMP) ## run the tests
	@$(PY) -m pytest -q

lint: $(STAMP) ## ruff, mypy --strict, snakefmt
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(PY) -m snakefmt --check --compact-diff Snakefile

lock: ## pin all dependencies anew for Python 3.11 to 3.13 (needs uv)
	@uv pip compile --universal --generate-hashes --python-version 3.11 --extra dev --no-header \
		pyproject.toml -o requirements.lock

# Named one by one: results/ and the cache of downloads are out of reach.
clean: ## remove what can be made again without measuring or downloading
	@rm -rf .fillpath .snakemake reports/site .pytest_cache .hypothesis .mypy_cache .ruff_cache
	@find benchmarks fetch fillpath impl reports tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP):
	@$(if $(PYTHON),$(PYTHON) -c '$(FITS)',false) || \
		{ echo "fillpath needs Python 3.11, 3.12 or 3.13: make PYTHON=/path/to/python3.12" >&2; exit 2; }
	@$(PY) -c '$(FITS)' 2>/dev/null && $(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	@echo "installing into .venv (a few minutes the first time)"
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@rm -f .venv/.installed-*
	@touch $@
