"""Draw the picture of the README and the start page again: `python docs/pictures.py`."""

import runpy
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt

from fisherset.plots.style import STYLE

ROOT = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    matplotlib.use("agg")
    matplotlib.rcParams.update(STYLE)
    runpy.run_path(str(ROOT / "examples" / "basics" / "plot_digits.py"))
    plt.gcf().savefig(ROOT / "docs" / "digits.svg", metadata={"Date": None})
