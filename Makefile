# Two commands do all set-up: `make` builds the shipped microscopes, `make test` passes the tests.
VENV ?= .venv
PYTHON ?= python3

build: $(VENV)/installed
	$(VENV)/bin/seqgen build

test: $(VENV)/installed-test
	$(VENV)/bin/pytest -n 2 --dist loadfile

check: $(VENV)/installed
	$(VENV)/bin/seqgen check

lint: $(VENV)/installed-test
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy

docs: $(VENV)/installed
	$(VENV)/bin/python docs/generate.py

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --editable .
	touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(VENV)/bin/pip install --quiet --editable '.[test]'
	touch $@

.PHONY: build test check lint docs
