"""Random tables: each public callable gives a right answer, or refuses in one sentence.

    FISHERSET_FUZZ=10000 python -m pytest tests/public/test_fuzz.py -n auto

tries so many for each public callable; `make test` forty, `make test-long` two hundred.
"""

import pytest
from hypothesis import HealthCheck, given, settings

from support.public_api import PUBLIC_CALLS, public
from support.random_tables import CASES, CHECKS, cases, complaint


def test_every_public_callable_has_a_check():
    assert set(CHECKS) == public()


# accuracies, which `evaluation.compare` gives, have no slow reference
CHECKED = [call for call in PUBLIC_CALLS if call.name != "compare"]


@pytest.mark.once
@pytest.mark.fuzz
@pytest.mark.parametrize("call", CHECKED, ids=lambda call: call.name)
def test_right_or_refused(call):
    @settings(max_examples=CASES, suppress_health_check=list(HealthCheck))
    @given(cases(weighted=call.weighted, regression=call.regression))
    def tried(case):
        wrong = complaint(call, case)
        assert not wrong, wrong

    tried()
