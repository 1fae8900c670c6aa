"""`fisherset demo`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fisherset._format import certificate_sentence, enumerated
from fisherset.cli import options
from fisherset.cli.commands.compare import compared, page_of, show
from fisherset.cli.files import PAGE, Outputs
from fisherset.cli.options import option
from fisherset.cli.terminal import Screen

SIZES = (5, 10, 20, 30)


@options.command
def demo(
    report: Path = option(Path("fisherset-demo.html"), "HTML report to write.", metavar="FILE"),
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
    as_json: bool = options.AS_JSON,
) -> None:
    """Compare all methods on handwritten digits and find a hidden pair of columns, in under a minute.

    Examples
    --------
      fisherset demo
    """
    outputs = Outputs((report, PAGE), force=force)
    from sklearn.datasets import load_digits

    from fisherset.cli.answer import leakage_warnings
    from fisherset.cli.request import plain_request
    from fisherset.report import Remark
    from fisherset.tables import Feature, LabelledTable

    screen = Screen(quiet or as_json)
    with outputs:
        X, y = load_digits(return_X_y=True)
        features = [Feature(f"pixel_{j // 8}_{j % 8}", f"pixel_{j // 8}_{j % 8}") for j in range(64)]
        request = plain_request(LabelledTable(X, y, features, "digit", Path("handwritten digits")))
        screen.lines(f"Handwritten digits: {len(y)} images of 8 x 8 pixels. Which pixels to look at?")
        found = compared(request, SIZES, quiet or as_json)
        pair, leakage = find_pair(), leakage_warnings(request)
        show(found, request, leakage, quiet=quiet, as_json=as_json, pair=pair._asdict())
        screen.lines("", *pair.lines)
        noted = [*leakage, Remark(" ".join(pair.lines), warns=False)]
        outputs.write(report, lambda: page_of(request, SIZES[1], found, noted))
    screen.lines(f"The page: {report.resolve()}")


class HiddenPair(NamedTuple):
    """A pair of columns of a made table that separates two classes, and the pairs that are selected."""

    shape: tuple[int, int]
    hidden: list[int]
    fisher: list[int]
    joint: list[int]
    accuracy: dict[str, float]  # on the held-out half, with each of the two selected pairs
    gap: float
    optimal: bool

    @property
    def lines(self) -> list[str]:
        """Lines for the terminal."""
        rows, columns = self.shape
        return [
            f"A hidden pair: columns {_and(self.hidden)} of a made table ({rows} x {columns}) separate two "
            f"classes, but only together.",
            f"The Fisher score selects {_and(self.fisher)}: {100 * self.accuracy['fisher']:.1f} % accuracy. "
            f"GFS (joint) selects {_and(self.joint)}: {100 * self.accuracy['joint']:.1f} %.",
            certificate_sentence(2, self.gap, 1.0, optimal=self.optimal),
        ]


def find_pair() -> HiddenPair:
    """Look for the pair one by one and jointly, on half of the rows."""
    from sklearn.neighbors import KNeighborsClassifier

    from fisherset import FisherScore, GeneralizedFisherScore
    from fisherset.datasets import make_combination
    from fisherset.evaluation import halves, holdout_accuracy

    X, y, hidden = make_combination()
    train, test = halves(y, 0)
    joint = GeneralizedFisherScore(2).fit(X[train], y[train])
    selectors = {"fisher": FisherScore(2).fit(X[train], y[train]), "joint": joint}
    chosen = {name: selector.get_support(indices=True) for name, selector in selectors.items()}
    return HiddenPair(
        shape=(len(y), X.shape[1]),
        hidden=hidden.tolist(),
        fisher=chosen["fisher"].tolist(),
        joint=chosen["joint"].tolist(),
        accuracy={
            name: holdout_accuracy(KNeighborsClassifier(1), X, y, columns, train, test)
            for name, columns in chosen.items()
        },
        gap=float(joint.gap_),
        optimal=bool(joint.optimal_),
    )


def _and(columns: list[int]) -> str:
    return enumerated([str(column) for column in columns])
