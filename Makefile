# The two commands of the README, and what they stand on. Everything is made inside this folder: .venv and .tools.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test check unit grid install tools clean

help: ## what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memlsp needs Python 3.11 or later: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,languages]'
	@touch $@

install: $(VENV)/.installed ## memlsp and what its tests need, into .venv

demo: install ## the main job on a real small project
	$(BIN)/python -m memlsp.harness.demo

tools: install ## the real clients that the end-to-end tests drive
	bash tests/tools/install.sh

test: install tools check unit grid ## everything that has to hold

check: install ## format, lint, types, floors
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

unit: install
	$(BIN)/pytest --numprocesses 2 --dist loadfile

grid: install
	$(BIN)/memlsp eval edits

clean: ## takes away all that was made
	rm -rf $(VENV) .tools build dist *.egg-info
