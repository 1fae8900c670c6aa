"""The notebook runs, and shows what people should see."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytestmark = pytest.mark.once
TOUR = Path(__file__).parents[1] / "examples" / "tour.ipynb"


def shown(cell):
    """The kinds of a cell's outputs, and its HTML."""
    data = [output.data for output in cell.outputs if output.output_type != "stream"]
    return {kind for one in data for kind in one}, "".join(one.get("text/html", "") for one in data)


def test_the_tour_runs_and_shows_results_in_html_and_figures(tmp_path):
    tour = nbformat.read(TOUR, as_version=4)
    nbclient.NotebookClient(tour, resources={"metadata": {"path": str(tmp_path)}}).execute()
    cells = {cell.source.splitlines()[-1]: cell for cell in tour.cells if cell.cell_type == "code"}
    for line, words in {
        "selector": ("Proven optimal", "worst radius", "sk-top-container"),
        "certify(X, y, FisherScore(5).fit(X, y).get_support())": (
            "of what any 5 columns can reach",
            "upper bound",
        ),
        "explain(selector, X, y)": ("best substitute", "worst radius"),
        "held_out(GeneralizedFisherScore(5), X, y)": ("majority",),
        "permutation_test(GeneralizedFisherScore(5), X, y, n_permutations=99, random_state=0)": (
            "permutations",
        ),
    }.items():
        kinds, page = shown(cells[line])
        assert {"text/plain", "text/html"} <= kinds
        assert not [word for word in words if word not in page]
    figures = [shown(cell)[0] for line, cell in cells.items() if line.endswith(";")]
    assert len(figures) == 2
    assert all("image/png" in kinds for kinds in figures)
    assert all(
        not cell.outputs for cell in nbformat.read(TOUR, as_version=4).cells if cell.cell_type == "code"
    )
