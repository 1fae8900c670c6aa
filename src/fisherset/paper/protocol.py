"""What section 4 of the paper does: data sets, sizes, splits, gammas, classifier."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from sklearn.neighbors import KNeighborsClassifier

GAMMAS = (50.0, 100.0, 200.0, 300.0, 400.0, 500.0)
FOLDS = 5
CURVE = (5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100)  # sizes of Figures 1 and 3
CLASSIFIER = KNeighborsClassifier(n_neighbors=1)


@dataclass(frozen=True)
class Study:
    """One data set of the paper."""

    key: str
    title: str
    files: tuple[str, ...]  # names for `load`, the first to be had
    ks: tuple[int, ...]  # numbers of features, the last one that of the table


# The UCI sets: half of the features. ORL, USPS: 100.
STUDIES = {
    study.key: study
    for study in (
        Study("ionosphere", "ionosphere", ("ionosphere",), (17,)),
        Study("sonar", "sonar", ("sonar",), (30,)),
        Study("protein", "protein", ("protein",), (10,)),
        Study("soybean", "soybean", ("soybean",), (17,)),
        Study("orl", "ORL", ("orl",), CURVE),
        Study("usps", "USPS", ("usps2007_smoothed", "usps2007"), CURVE),
    )
}
UCI = ("ionosphere", "sonar", "protein", "soybean")

# Each table and figure, and the data sets behind it
PARTS = {
    "table1": tuple(STUDIES),
    "table2": UCI,
    "table3": ("orl",),
    "figure1": ("orl",),
    "figure2": ("orl",),
    "table4": ("usps",),
    "figure3": ("usps",),
}


@dataclass(frozen=True)
class Protocol:
    """What a result depends on besides the data; runs are comparable only where it is the same."""

    standardize: str = "all"  # "all": before the split, as in the paper; "train": on the training part only
    seed: int = 0

    def __post_init__(self) -> None:
        if self.standardize not in ("all", "train"):
            raise ValueError(f'standardize must be "all" or "train"; got {self.standardize!r}.')
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"seed must be a whole number of at least 0; got {self.seed!r}.")

    def as_dict(self) -> dict[str, Any]:
        sizes = {key: list(study.ks) for key, study in STUDIES.items()}
        return {
            **asdict(self),
            "gammas": list(GAMMAS),
            "folds": FOLDS,
            "classifier": str(CLASSIFIER),
            "sizes": sizes,
        }


def parts_from(only: str | Iterable[str] | None) -> tuple[str, ...]:
    """The parts asked for, in the paper's order; all of them when None."""
    if only is None:
        return tuple(PARTS)
    names = only.split(",") if isinstance(only, str) else list(only)
    wanted = [name.strip().lower() for name in names if name.strip()]
    unknown = [name for name in wanted if name not in PARTS]
    if unknown or not wanted:
        got = f"got {', '.join(map(repr, unknown))}" if unknown else "got none"
        raise ValueError(f"only must name parts among {', '.join(PARTS)}; {got}.")
    return tuple(part for part in PARTS if part in wanted)


def studies_of(parts: Iterable[str]) -> list[Study]:
    """The data sets that have to be run for some parts, in the paper's order."""
    needed = {key for part in parts if part != "table1" for key in PARTS[part]}
    return [study for study in STUDIES.values() if study.key in needed]
