"""Mirror images of chosen pixels."""

import numpy as np
import pytest

from fisherset.paper.tables import SIDE, as_image, mirror_share


def at(row, column):
    return column * SIDE + row  # column by column


def test_pixels_are_stored_column_by_column():
    image = as_image(np.arange(SIDE * SIDE))
    assert image[3, 5] == at(3, 5)


def test_share_of_pairs():
    pair = [at(4, 0), at(4, 31)]
    assert mirror_share(pair) == 1.0
    assert mirror_share([*pair, at(9, 2), at(2, 9)]) == 0.5
    assert mirror_share([at(0, 0), at(31, 0)]) == 0.0  # upside down is no mirror image
    assert mirror_share([]) == 0.0


def test_chance_is_what_the_page_says():
    rng = np.random.default_rng(0)
    shares = [mirror_share(rng.choice(1024, 100, replace=False)) for _ in range(2000)]
    assert 100 * np.mean(shares) == pytest.approx(9.7, abs=0.2)  # 99 / 1023
