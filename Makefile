# The two commands of the README, and what they stand on. Everything is made inside this folder: .venv, .tools and
# vscode-extension/node_modules.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# without bytecode on disk every started process compiles what it imports: more than half of what a short one costs
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check unit grid bench install tools postgres extension vsix workbench e2e release-dry-run site clean

EXTENSION := vscode-extension

help: ## what can be made
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 18

$(VENV)/.installed: pyproject.toml plugins/team/pyproject.toml plugins/model/pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memlsp needs Python 3.11 or later: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,languages]' --editable plugins/team --editable plugins/model
	@touch $@

install: $(VENV)/.installed ## memlsp and what its tests need, into .venv

demo: install ## the main job on a real small project
	$(BIN)/python -m benchmarks.demo

tools: install ## the real clients that the end-to-end tests drive
	bash tests/tools/install.sh

$(EXTENSION)/node_modules/.installed: $(EXTENSION)/package-lock.json
	@# npm ci empties the folder first, and through a link that of another checkout
	@test ! -L $(EXTENSION)/node_modules || { echo '$(EXTENSION)/node_modules is a link: take it away first' >&2; exit 1; }
	cd $(EXTENSION) && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

extension: $(EXTENSION)/node_modules/.installed ## the VS Code extension: types, lint, unit tests, build
	cd $(EXTENSION) && npm run --silent check && npm run --silent unit && npm run --silent build

vsix: install $(EXTENSION)/node_modules/.installed ## the VS Code extension as one file, vscode-extension/memlsp-*.vsix
	cd $(EXTENSION) && npm run --silent package

postgres: ## the PostgreSQL server that tests of the team's exchange start, where apt and root are
	bash tests/tools/install_postgres.sh

workbench: ## the real VS Code workbench that `make e2e` drives, into .tools
	bash $(EXTENSION)/e2e/install.sh

e2e: vsix workbench ## the packaged extension in the real workbench, as a person uses it
	cd $(EXTENSION) && vsix="memlsp-$$(node -p 'require("./package.json").version').vsix" && \
	  { npm run --silent e2e -- --vsix "$$vsix" || npm run --silent e2e -- --vsix "$$vsix"; }

.tools/release/.installed: release/requirements.txt
	$(PYTHON) -m venv .tools/release
	.tools/release/bin/python -m pip install --quiet --requirement release/requirements.txt
	@touch $@

release-dry-run: .tools/release/.installed $(EXTENSION)/node_modules/.installed ## every artefact of a release with its checks, in out/release; TARGETS=all for every platform
	.tools/release/bin/python -m release.dry_run --targets $(or $(TARGETS),none) --pythons $(or $(PYTHONS),3.12)

.tools/site/.installed: docs/requirements.txt
	$(PYTHON) -m venv .tools/site
	.tools/site/bin/python -m pip install --quiet --requirement docs/requirements.txt
	@touch $@

site: .tools/site/.installed ## the documentation as a site, in out/site; a link that leads nowhere is an error
	NO_MKDOCS_2_WARNING=1 .tools/site/bin/mkdocs build --strict --quiet

test: install ## everything that has to hold
	@# what is fetched is fetched while types are checked: the one waits for the network, the other for a processor
	$(MAKE) --jobs 2 --output-sync=line check tools workbench $(EXTENSION)/node_modules/.installed
	$(MAKE) unit
	$(MAKE) --jobs 2 --output-sync=target grid extension
	$(MAKE) e2e

check: install ## format, lint, types, floors, and what the documents say
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --threads 2
	$(BIN)/lint-imports
	if git rev-parse --quiet --verify HEAD >/dev/null; then $(BIN)/memlsp check --strict; fi  # not in an archive

# Long files of few tests are not left for the end. What fails beside other work and holds alone is printed.
unit: install
	$(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder || \
	  $(BIN)/pytest --last-failed --last-failed-no-failures none

grid: install
	$(BIN)/memlsp eval edits

bench: export TASKS_AGENT = $(AGENT)
bench: install ## one evaluation suite: make bench SUITE=latency ARGS="--quick"; without SUITE, the list of them
ifeq ($(strip $(SUITE)),)
	@echo 'make bench needs a suite, as in: make bench SUITE=latency ARGS="--quick". There are:' >&2
	@$(BIN)/memlsp eval >&2
	@exit 2
else
	$(BIN)/memlsp eval $(SUITE) $(ARGS)
endif

clean: ## takes away all that was made
	rm -rf $(VENV) .tools build dist *.egg-info $(EXTENSION)/node_modules $(EXTENSION)/dist $(EXTENSION)/bundled $(EXTENSION)/*.vsix
