"""Whatever table there is: a right answer, or one sentence.

    FISHERSET_FUZZ=10000 python -m pytest tests/selectors/test_fuzz.py -n auto

tries so many for each public callable, instead of two hundred.
"""

import pytest
from hypothesis import HealthCheck, given, settings

from support.public_api import FACES, public
from support.random_tables import CASES, JUDGES, cases, complaint


def test_every_public_callable_has_a_judge():
    assert set(JUDGES) == public()


# accuracies, which `evaluation.compare` gives, have no slow reference
JUDGED = [face for face in FACES if face.name != "compare"]


@pytest.mark.parametrize("face", JUDGED, ids=lambda face: face.name)
def test_right_or_refused(face):
    @settings(max_examples=CASES, suppress_health_check=list(HealthCheck))
    @given(cases(weighted=face.weighted, regression=face.regression))
    def tried(case):
        wrong = complaint(face, case)
        assert not wrong, wrong

    tried()
