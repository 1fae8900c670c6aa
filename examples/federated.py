"""Three hospitals, one panel: each sends a summary of its samples, and no sample ever leaves it.

    python examples/federated.py federated.svg

The cells of 569 breast tumours, measured in 30 ways, lie in three hospitals: a screening centre that sees
mostly benign ones, a clinic that sees mostly malignant ones, and a small practice. Each chooses six
measurements from its own samples, and then all together: every hospital writes the sums of its rows into a
file (`summarize(X, y).save`), the files are added (`Summary.load`, `+`), and the selection is made from
the sum. It is, to the last digit that counts, the one that pooled rows would give, with its certificate.
Then the clinic withdraws its consent: its sums are subtracted, and the answer is as if it had never been
asked. A file holds counts, class means and correlations, a few kilobytes whatever the number of patients;
docs/scale.md says what can be read off it, and when it must not be sent.
Needs the extra `cli`, for matplotlib.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fisherset import GeneralizedFisherScore, Summary, summarize
from fisherset.plots.style import line_style, styled

K = 6
HOSPITALS = {"screening": (0.10, 0.62), "clinic": (0.78, 0.18), "practice": (0.12, 0.20)}


def split(seed=0):
    """Table, labels, and the hospital of each sample, by the shares of malignant and benign ones it sees."""
    data = load_breast_cancer(as_frame=True)
    y = data.target_names[data.target]
    rng = np.random.default_rng(seed)
    shares = np.array(list(HOSPITALS.values()))
    at = np.empty(y.size, dtype=int)
    for column, label in enumerate(("malignant", "benign")):
        rows = np.flatnonzero(y == label)
        at[rows] = rng.choice(len(HOSPITALS), rows.size, p=shares[:, column])
    return data.data, y, np.array(list(HOSPITALS))[at]


def accuracy(X, y, test, support):
    """Of a classifier on some columns, trained on all samples that are not for testing."""
    model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    model.fit(X.loc[~test, support], y[~test])
    return balanced_accuracy_score(y[test], model.predict(X.loc[test, support]))


def main(out="federated.svg"):
    X, y, hospital = split()
    test = np.arange(y.size) % 3 == 0  # of every hospital
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name in HOSPITALS:  # at each hospital
            rows = (hospital == name) & ~test
            files[name] = Path(folder) / f"{name}.npz"
            summarize(X[rows], y[rows]).save(files[name])
            found[name] = GeneralizedFisherScore(K).fit(X[rows], y[rows])
            size = files[name].stat().st_size / 1000
            counts = ", ".join(f"{np.sum(y[rows] == label)} {label}" for label in np.unique(y))
            print(f"{name}: {counts}; its file has {size:.0f} kB")
        summaries = {name: Summary.load(file) for name, file in files.items()}  # at the centre
    everything = sum(summaries.values())
    found["together"] = GeneralizedFisherScore(K).fit(everything)
    pooled = GeneralizedFisherScore(K).fit(X[~test], y[~test])
    same = bool(np.array_equal(found["together"].support_, pooled.support_))
    apart = abs(found["together"].objective_ - pooled.objective_)
    print(f"together: {everything}; the set of the pooled rows: {same}, F apart by {apart:.0e}")
    print(f"  {', '.join(found['together'].get_feature_names_out())}; gap {found['together'].gap_:.1%}")

    left = GeneralizedFisherScore(K).fit(everything - summaries["clinic"])
    never = ~test & (hospital != "clinic")
    without = GeneralizedFisherScore(K).fit(X[never], y[never])
    forgotten = bool(np.array_equal(left.support_, without.support_))
    print(f"without the clinic: as if it had never been asked: {forgotten}")

    scores = {name: accuracy(X, y, test, selector.support_) for name, selector in found.items()}
    for name, score in scores.items():
        print(f"  panel of {name}: balanced accuracy {score:.1%} on samples of all hospitals")
    with styled():
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        left_ax, right_ax = figure.subplots(1, 2, width_ratios=[1.4, 1])
        draw_panels(left_ax, found, X.columns)
        right_ax.barh(range(len(scores)), [100 * score for score in scores.values()], color="#4477aa")
        right_ax.set_yticks(range(len(scores)), list(scores))
        right_ax.set(xlabel="balanced accuracy, all hospitals (%)", xlim=(80, 100))
        right_ax.invert_yaxis()
        figure.savefig(out, metadata={"Date": None})
    return {"same": same, "apart": apart, "forgotten": forgotten, "scores": scores}


def draw_panels(ax, found, names):
    """Which measurements each panel has."""
    columns = np.flatnonzero(np.any([selector.support_ for selector in found.values()], axis=0))
    for place, (name, selector) in enumerate(found.items()):
        chosen = np.flatnonzero(selector.support_[columns])
        look = {**line_style(place), "linestyle": "", "markersize": 8}
        ax.plot(np.full(chosen.size, place), chosen, **look, label=name)
    ax.set_yticks(range(columns.size), names[columns], fontsize=8)
    ax.set_xticks(range(len(found)), list(found))
    ax.set_title(f"the {K} measurements chosen", fontsize=10)


if __name__ == "__main__":
    main(*sys.argv[1:])
