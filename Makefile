# 'make demo' shows the main job, 'make test' checks everything.

VENV := .venv
BIN := $(VENV)/bin
PYTHONS := python3.11 python3.12 python3.13 python3.14 python3
# Only errors are shown: notes about caches, versions and index locations help nobody here.
PIP := $(BIN)/python -m pip install -qq --no-input --disable-pip-version-check --root-user-action=ignore

# Start-up stays fast also where Python is told not to write what it compiles.
COMPILE := $(BIN)/python -m compileall -q harness mock_llm

.PHONY: demo setup test test-npm-clients test-agents clean

demo: $(VENV)/demo.stamp
	@$(COMPILE)
	@$(BIN)/qa run ttsr-near-duplicate-loop

test: setup
	@$(COMPILE)
	@echo "ruff check, ruff format --check"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@echo "mypy --strict"
	@$(BIN)/mypy
	@$(BIN)/python -m tests.sdk.environments
	@echo "pytest"
	@$(BIN)/pytest --quiet

# The npm client libraries against the mock server; 'make test' does this too where Node.js is there.
test-npm-clients: setup
	@$(BIN)/pytest --quiet tests/sdk/test_npm_clients.py

# Every agent CLI that is installed, which takes about a minute for each; 'make test' tries pi, codex and gemini.
test-agents: setup
	@TTSR_QA_EVERY_AGENT=1 $(BIN)/pytest --quiet tests/e2e/test_agents_real.py tests/e2e/test_pi.py

setup: $(VENV)/test.stamp

clean:
	rm -rf $(VENV) .qa .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Tests need all that the demo needs, so their stamp serves both.
$(VENV)/test.stamp: pyproject.toml $(VENV)/python.stamp
	@echo "installing qa and its tests into $(VENV) ..."
	@$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/demo.stamp

$(VENV)/demo.stamp: pyproject.toml $(VENV)/python.stamp
	@echo "installing qa into $(VENV) (once, about half a minute) ..."
	@$(PIP) -e .
	@touch $@

# A command of that name is not enough: version switchers leave names behind that start nothing.
$(VENV)/python.stamp:
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { \
	  for candidate in $(PYTHONS); do \
	    $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	    $$candidate -m venv --clear $(VENV) && exit; \
	    echo "'$$candidate -m venv' failed; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; \
	  done; \
	  echo "no Python 3.11 or newer on PATH (tried: $(PYTHONS))" >&2; exit 1; }
	@touch $@
