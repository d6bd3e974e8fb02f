# fillpath: `make help` lists what can be asked for. Needs make and Python 3.11 to 3.13; the rest is installed
# into .venv from requirements.lock, and CuPy with it where there is an NVIDIA GPU.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install figures page nightly test thorough gpu peers lint lock clean

PACKS ?= $(or $(FILLPATH_PACKS),packs)
SUITE ?= $(or $(FILLPATH_SUITE),$(if $(filter gpu,$(MAKECMDGOALS)),small,embedded))
PAPER ?= $(FILLPATH_PAPER)
FIGURE ?= $(FILLPATH_FIGURE)
DEVICE ?= $(FILLPATH_DEVICE)
PROCESSES ?= $(FILLPATH_PROCESSES)
LIMIT ?= $(FILLPATH_LIMIT)
FRESH ?= $(FILLPATH_FRESH)
PROFILE ?= $(or $(FILLPATH_PROFILE),default)
export FILLPATH_SUITE := $(SUITE)
export FILLPATH_PAPER := $(PAPER)
export FILLPATH_FIGURE := $(FIGURE)
export FILLPATH_DEVICE := $(DEVICE)
export FILLPATH_PROCESSES := $(PROCESSES)
export FILLPATH_LIMIT := $(LIMIT)
export FILLPATH_FRESH := $(FRESH)
export FILLPATH_PROFILE := $(PROFILE)
export FILLPATH_PACKS := $(abspath $(PACKS))
# Python keeps what it compiled, also where a container's image forbids it: each process would compile anew.
export PYTHONDONTWRITEBYTECODE :=

ifeq ($(filter $(SUITE),embedded small papers),)
$(error SUITE=$(SUITE): expected embedded, small or papers)
endif
ifneq ($(filter-out cpu gpu,$(DEVICE)),)
$(error DEVICE=$(DEVICE): expected cpu or gpu)
endif
ifneq ($(filter-out none 12 13,$(FILLPATH_CUDA)),)
$(error FILLPATH_CUDA=$(FILLPATH_CUDA): expected none, 12 or 13)
endif
# For which CUDA there is CuPy: by the driver, unless it was said.
CUDA := $(or $(FILLPATH_CUDA),$(shell sh profiles/cuda-choice 2>/dev/null),none)
ifeq ($(CUDA)-$(filter gpu,$(MAKECMDGOALS)),none-gpu)
$(error make gpu: no NVIDIA GPU with a driver that CUDA 12 or 13 runs on, or FILLPATH_CUDA=none)
endif

FITS := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c '$(FITS)' 2>/dev/null && echo $$p && break; done)
PY := .venv/bin/python
INSTALL = $(PY) -m pip install --quiet --disable-pip-version-check
CUPY := $(if $(filter-out none,$(CUDA)),requirements-cuda$(CUDA).lock)
# One CUDA at a time: both CuPys are one folder, and that of CUDA 12 would load NVRTC 13, which is newer than its
# driver. So this goes: what the locks for CUDA name and the one that is kept does not.
KEPT := $(or $(CUPY),requirements.lock)
FOREIGN = $(shell awk -F== '/^[a-z]/ { if (FILENAME == "$(KEPT)") keep[$$1]; else if (!($$1 in keep)) print $$1 }' \
	$(KEPT) requirements-cuda12.lock requirements-cuda13.lock)
# The stamp names what was installed and is made last: an interrupted or outdated installation is redone.
STAMP := .venv/.installed-$(shell cat requirements.lock $(CUPY) pyproject.toml | cksum | tr ' ' '-')

help: ## this text
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/make \1\t\2/' | expand -t 16

install: $(STAMP) ## set up .venv from the lock files; the targets below do so themselves

figures: $(STAMP) ## measure and draw: SUITE=embedded|small|papers PAPER=gsofa FIGURE=gsofa.fig10 DEVICE=cpu|gpu PROCESSES=5 LIMIT=2h FRESH=1 PROFILE=slurm
	@$(PY) -m benchmarks.runs.launch

page: $(STAMP) ## draw all figures and the page from the records in results/, measuring nothing: reports/index.html
	@$(PY) -m fillpath page --draw

test: $(STAMP) ## run the everyday tests: every property once
	@$(PY) -m pytest -q --numprocesses 2 --dist worksteal

thorough: $(STAMP) ## run the other tests: all cards, orders, seeds and kernel variants, large inputs, stress
	@$(PY) -m pytest -q --numprocesses 2 --dist worksteal --timeout 900 -m thorough

gpu: $(STAMP) ## all that a GPU machine should run, in four tiers, or a list of cases: SUITE=small|papers PACKS=folder LIST=file LIMIT=9m
	@$(PY) -m fillpath gpu $(if $(LIST),"$(LIST)")

nightly: $(STAMP) ## measure the default branch's new commits and their base, and say what became slower: SUITE=small LIMIT=6h BRANCH=name
	@$(PY) -m fillpath nightly $(if $(filter undefined,$(origin BRANCH)),,--branch "$$BRANCH")

# Free software, LGPL and freer; others come by their names alone, and nothing else installs any.
PEERS ?= klu superlu_dist mpi apxchol approx_chol
PEERS_KNOWN := klu superlu_dist mpi apxchol approx_chol pardiso umfpack cholmod cudss12 cudss13
# The requirements that extras of pyproject.toml consist of, a line each.
EXTRAS := import sys, tomllib; extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; \
	named = dict.fromkeys(line for name in sys.argv[1:] for line in extras[name]); print(*named, sep="\n")
peers: $(STAMP) ## install other people's libraries that are free software, or those named: PEERS=pardiso
	@$(if $(filter-out $(PEERS_KNOWN),$(PEERS)),echo "PEERS=$(PEERS): expected some of $(PEERS_KNOWN)" >&2; exit 2,:)
	@mkdir -p .fillpath
	@$(PY) -c '$(EXTRAS)' $(PEERS) | awk -F'[^a-z0-9-]' 'NR == FNR { named[$$1]; next } /^[a-z]/ { take = $$1 in named } take' \
		- requirements-peers.lock > .fillpath/peers.lock
	@echo "installing into .venv, where there is one for this Python: $$(sed -n 's/==\([^ ]*\).*/ \1/p' .fillpath/peers.lock | paste -sd, | sed 's/,/, /g')"
	@$(INSTALL) --only-binary :all: --no-deps --require-hashes -r .fillpath/peers.lock
	@$(PY) -m fillpath doctor | grep -E '^(no )?peer  '

lint: $(STAMP) ## ruff, mypy --strict, snakefmt
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@$(PY) -m snakefmt --check --compact-diff Snakefile

LOCK := uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-header
lock: ## pin all dependencies anew for Python 3.11 to 3.13 (needs uv)
	@$(LOCK) --extra amg --extra dev --extra slurm pyproject.toml -o requirements.lock >/dev/null
	@for cuda in 12 13; do $(LOCK) --only-binary :all: --constraints requirements.lock \
		--group pyproject.toml:cuda$$cuda -o requirements-cuda$$cuda.lock >/dev/null || exit 1; done
	@$(PY) -c '$(EXTRAS)' $(PEERS_KNOWN) | $(LOCK) --no-deps --constraints requirements.lock - \
		-o requirements-peers.lock >/dev/null

# Named one by one: results/ and the cache of downloads are out of reach.
clean: ## remove what can be made again without measuring or downloading
	@rm -rf .fillpath .snakemake reports/index.html reports/site .pytest_cache .hypothesis .mypy_cache .ruff_cache
	@find benchmarks commands fetch fillpath impl reports tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP):
	@$(if $(PYTHON),$(PYTHON) -c '$(FITS)',false) || \
		{ echo "fillpath needs Python 3.11, 3.12 or 3.13: make PYTHON=/path/to/python3.12" >&2; exit 2; }
	@$(PY) -c '$(FITS)' 2>/dev/null && $(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	@echo "installing into .venv (a few minutes the first time)"
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(INSTALL) --no-build-isolation --no-deps -e .
	@$(PY) -m pip uninstall --quiet --yes $(FOREIGN) 2>/dev/null
	@$(if $(CUPY),echo "and CuPy for CUDA $(CUDA) (2 GB more)",$(if $(FILLPATH_CUDA),:,sh profiles/cuda-choice >/dev/null))
	@$(if $(CUPY),$(INSTALL) --only-binary :all: --require-hashes -r $(CUPY),:)
	@rm -f .venv/.installed-*
	@touch $@
