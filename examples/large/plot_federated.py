"""
Summaries: three hospitals and one panel
========================================

Three hospitals select six measurements of tumour cells together, and no row leaves its hospital: each sends
the sums of its rows, :func:`fisherset.summarize`, and the sums are added. The answer is that of the pooled
rows, with its certificate.
"""

# %%
# Three hospitals
# ---------------
# A screening centre that sees mostly benign tumours, a clinic that sees mostly malignant ones, and a small
# practice. A third of the rows of each is left for testing.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fisherset import GeneralizedFisherScore, Summary, certify, summarize

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
shares = {"screening": (0.10, 0.62), "clinic": (0.78, 0.18), "practice": (0.12, 0.20)}  # malignant, benign
rng = np.random.default_rng(0)
hospital = np.empty(y.size, dtype=object)
for column, label in enumerate(("malignant", "benign")):
    rows = np.flatnonzero(y == label)
    hospital[rows] = rng.choice(list(shares), rows.size, p=[share[column] for share in shares.values()])
test = np.arange(y.size) % 3 == 0

# %%
# Each sends a file
# -----------------
# A file holds counts, class means and correlations: a few kilobytes, whatever the number of patients. The
# page :doc:`/scale` says what can be read off it, and when it must not be sent.

found, summaries = {}, {}
with tempfile.TemporaryDirectory() as folder:
    for name in shares:
        rows, file = (hospital == name) & ~test, Path(folder) / f"{name}.npz"
        summarize(X[rows], y[rows]).save(file)  # at the hospital
        found[name] = GeneralizedFisherScore(6).fit(X[rows], y[rows])
        print(f"{name}: {rows.sum()} rows, a file of {file.stat().st_size / 1000:.0f} kB")
        summaries[name] = Summary.load(file)  # at the centre
everything = sum(summaries.values())
found["together"] = GeneralizedFisherScore(6).fit(everything)
print(everything)

# %%
# The same as from the pooled rows
# --------------------------------
# And where the clinic withdraws its consent, its sums are subtracted: the answer is as if it had never been
# asked.

pooled = GeneralizedFisherScore(6).fit(X[~test], y[~test])
same = np.array_equal(found["together"].support_, pooled.support_)
apart = abs(found["together"].objective_ - pooled.objective_)
print(f"the set of the pooled rows: {same}; F differs by {apart:.0e}")
never = ~test & (hospital != "clinic")
subtracted = GeneralizedFisherScore(6).fit(everything - summaries["clinic"])
forgotten = np.array_equal(subtracted.support_, GeneralizedFisherScore(6).fit(X[never], y[never]).support_)
print(f"without the clinic, as if it had never been asked: {forgotten}")

# %%
# Four panels
# -----------
# Left the measurements of each panel. Right F of each on the rows of all hospitals: a hospital that selects
# from its own rows selects for its own patients. The sum of the summaries is enough to grade them, too.

grades = {name: certify(everything, None, selector.support_) for name, selector in found.items()}
reached = [100 * grade.objective / found["together"].upper_bound_ for grade in grades.values()]
supports = np.array([selector.support_ for selector in found.values()])
ever = np.flatnonzero(supports.any(axis=0))
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), width_ratios=[1.3, 1], layout="constrained")
colours = ("#999999", "#999999", "#999999", "#0072B2")
for place, (support, colour) in enumerate(zip(supports, colours, strict=True)):
    rows = np.flatnonzero(support[ever])
    left.plot(np.full(rows.size, place), rows, "s", color=colour, markersize=10)
left.set_yticks(range(ever.size), X.columns[ever], fontsize=8)
left.set_xticks(range(4), list(found))
left.set_xlim(-0.5, 3.5)
left.set_title("the six measurements of each", fontsize=10)
right.barh(list(grades), reached, color=colours)
right.bar_label(right.containers[0], fmt="%.1f", padding=4)
right.set(xlabel="F on the rows of all, % of the upper bound", xlim=(80, 102))
right.invert_yaxis()
right.grid(visible=False, axis="y")
plt.show()

# %%
# A classifier on them does well on the test rows of all hospitals, whichever panel it is: the task is an
# easy one.


def accuracy(support):
    model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    model.fit(X.loc[~test, support], y[~test])
    return balanced_accuracy_score(y[test], model.predict(X.loc[test, support]))


scores = {name: accuracy(selector.support_) for name, selector in found.items()}
print(", ".join(f"{name} {score:.1%}" for name, score in scores.items()))
