"""
A pipeline with grid search
===========================

The selectors are scikit-learn's kind of estimator: they go into pipelines, their parameters into searches,
and names of columns come out at the end.
"""

# %%
# The number of features and gamma, with the model
# ------------------------------------------------
# ``tol=None`` leaves out the certificate during the search, in which nobody reads it.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from fisherset import GeneralizedFisherScore

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
model = Pipeline(
    [
        ("scale", StandardScaler()),
        ("select", GeneralizedFisherScore(tol=None)),
        ("classify", LogisticRegression()),
    ]
).set_output(transform="pandas")
sizes = [1, 2, 3, 4, 6, 8, 12, 16]
grid = {"select__n_features_to_select": sizes, "select__gamma": ["scale", 1000.0]}
search = GridSearchCV(model, grid, cv=5).fit(X_train, y_train)
print(search.best_params_)
print(f"accuracy on the test rows: {search.score(X_test, y_test):.1%}")
print(", ".join(search.best_estimator_[:-1].get_feature_names_out()))

# %%
# In the place of SelectKBest
# ---------------------------
# One line differs.

model.set_params(select=SelectKBest())
other = GridSearchCV(model, {"select__k": sizes}, cv=5).fit(X_train, y_train)

fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
scores = search.cv_results_
curves = {
    "GeneralizedFisherScore": (scores["mean_test_score"], scores["param_select__gamma"] == "scale"),
    "GeneralizedFisherScore, gamma = 1000": (
        scores["mean_test_score"],
        scores["param_select__gamma"] != "scale",
    ),
    "SelectKBest(f_classif)": (other.cv_results_["mean_test_score"], np.full(len(sizes), True)),
}
looks = zip(curves.items(), ("o-", "^-.", "s--"), ("#0072B2", "#009E73", "#D55E00"), strict=True)
for (name, (means, rows)), look, colour in looks:
    ax.plot(sizes, 100 * np.asarray(means)[np.asarray(rows)], look, color=colour, label=name)
ax.set(xlabel="number of features", ylabel="accuracy in cross-validation (%)", xticks=sizes)
ax.legend(loc="lower right")
plt.show()

# %%
# The certificate of the final set
# --------------------------------
# The set that the search settled on, fitted with its certificate:

best = {name.removeprefix("select__"): value for name, value in search.best_params_.items()}
selector = GeneralizedFisherScore(**best).fit(X_train, y_train)
print(f"F = {selector.objective_:.4f}, upper bound {selector.upper_bound_:.4f}, gap {selector.gap_:.2%}")
