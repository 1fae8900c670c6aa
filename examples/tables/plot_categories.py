"""
Groups: categories selected as a whole
======================================

A survey asks twelve questions with answers in words, and each answer becomes an indicator of its own. To
shorten the survey one has to drop questions, not answers: with ``groups`` the indicators of a question are
selected together or not at all, and ``n_features_to_select`` counts questions.
"""

# %%
# A survey
# --------
# 2000 people go to work by bus, bike or car. Eight questions have to do with it, four do not. One half of
# the people selects the questions and trains, the other half tests.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder

from fisherset import GeneralizedFisherScore, fisher_criterion, selection_path

MODES = np.array(["bus", "bike", "car"])
QUESTIONS = {  # number of answers, and how far apart the modes are in them
    "district": (10, 1.1), "job": (8, 0.9), "distance": (4, 0.9), "household": (5, 0.6),
    "licence": (2, 1.0), "garage": (2, 0.9), "season ticket": (2, 0.9), "weather": (3, 0.5),
    "news": (6, 0.0), "coffee": (4, 0.0), "phone": (5, 0.0), "music": (8, 0.0),
}  # fmt: skip

rng = np.random.default_rng(0)
mode = rng.integers(0, len(MODES), 2000)
columns = []
for answers, apart in QUESTIONS.values():
    liking = np.exp(apart * rng.standard_normal((len(MODES), answers)))[mode]
    drawn = (liking.cumsum(axis=1) < rng.uniform(0, liking.sum(axis=1))[:, None]).sum(axis=1)
    columns.append(np.array([f"answer {a + 1}" for a in range(answers)])[drawn])

encoder = OneHotEncoder(drop="if_binary", sparse_output=False)
X = encoder.fit_transform(np.column_stack(columns))
indicators = encoder.get_feature_names_out(list(QUESTIONS))  # such as "district_answer 1"
question = np.array([name.partition("_")[0] for name in indicators])  # all that `groups` needs
X, X_test, y, y_test = train_test_split(X, MODES[mode], test_size=0.5, random_state=0)


def accuracy(features):
    model = LogisticRegression(max_iter=1000).fit(X[:, features], y)
    return model.score(X_test[:, features], y_test)


# %%
# Three questions, or as many single answers
# ------------------------------------------
# Single answers come from many questions, and all of these would have to be asked.

whole = GeneralizedFisherScore(3, groups=question).fit(X, y)
n, gamma = int(whole.support_.sum()), whole.gamma_
asked = [name for name, rank in zip(whole.groups_, whole.ranking_, strict=True) if rank <= 3]
print(f"3 questions: {', '.join(asked)}; {n} indicators, accuracy {accuracy(whole.support_):.1%}")
print(f"    F = {whole.objective_:.3f}, upper bound {whole.upper_bound_:.3f}")
single = GeneralizedFisherScore(n, gamma=gamma).fit(X, y)
touched = np.unique(question[single.support_])
print(f"{n} single answers of {touched.size} questions: accuracy {accuracy(single.support_):.1%}")
print(f"    F = {single.objective_:.3f}, upper bound {single.upper_bound_:.3f}")

# %%
# Accuracy against the number of questions that have to be asked
# --------------------------------------------------------------
# What the district tells, it tells with all of its ten answers; no one of them tells much.

curves = {"whole questions": {}, "single answers": {}}
for step in selection_path(X, y, range(1, 9), groups=question):
    curves["whole questions"][step.k] = accuracy(step.features)
for step in selection_path(X, y, range(1, 31)):
    few = np.unique(question[step.features]).size
    curves["single answers"][few] = max(accuracy(step.features), curves["single answers"].get(few, 0.0))

own = {name: np.flatnonzero(question == name) for name in QUESTIONS}
value = {name: fisher_criterion(X, y, own[name], gamma=gamma) for name in QUESTIONS}
best = {name: max(fisher_criterion(X, y, [j], gamma=gamma) for j in own[name]) for name in QUESTIONS}

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
rows = np.arange(len(QUESTIONS))[::-1]
left.barh(rows, list(value.values()), color="#0072B2", alpha=0.45, label="all answers")
left.barh(rows, list(best.values()), 0.35, color="#D55E00", label="best single answer")
left.set_yticks(rows, [f"{name} ({count})" for name, (count, _) in QUESTIONS.items()])
for label, name in zip(left.get_yticklabels(), QUESTIONS, strict=True):
    label.set_fontweight("bold" if name in asked else "normal")
left.set_xlabel("Fisher criterion F")
left.set_title("questions (number of answers); bold: the 3 selected", fontsize=10)
left.grid(visible=False, axis="y")
for (name, curve), look, colour in zip(curves.items(), ("o-", "s--"), ("#0072B2", "#D55E00"), strict=True):
    right.plot(list(curve), [100 * share for share in curve.values()], look, color=colour, label=name)
right.set(xlabel="number of questions that have to be asked", ylabel="accuracy (%)")
right.set_title("logistic regression, the other half of the people", fontsize=10)
for ax in (left, right):
    ax.legend(loc="lower right", fontsize=9)
plt.show()
