"""Random files: each command gives a right answer, or refuses in one sentence.

    FISHERSET_FUZZ=10000 python -m pytest tests/cli/test_fuzz.py -n auto

tries half as many for each command, which runs twice; `make test` twenty, `make test-long` a hundred.
"""

import tempfile
from pathlib import Path

import pytest
import typer
from hypothesis import HealthCheck, given, settings

from fisherset.cli.app import app
from support.random_files import CHECKS, file_cases
from support.random_tables import CASES

NO_TABLE = {"demo", "reproduce", "merge"}  # read no table of the user's


def test_every_command_that_reads_a_table_has_a_check():
    assert set(CHECKS) == set(typer.main.get_command(app).commands) - NO_TABLE


@pytest.mark.once
@pytest.mark.fuzz
@pytest.mark.parametrize("check", sorted(set(CHECKS.values()), key=repr), ids=lambda check: check.__name__)
def test_right_or_refused(check):
    @settings(max_examples=CASES // 2, suppress_health_check=list(HealthCheck), deadline=None)
    @given(file_cases())
    def tried(case):
        with tempfile.TemporaryDirectory() as folder:
            wrong = check(case, Path(folder))
        assert not wrong, wrong

    tried()
