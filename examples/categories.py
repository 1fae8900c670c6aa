"""Text categories: the questions of a survey, chosen whole or by single answers.

    python examples/categories.py categories.svg

A survey asks twelve questions with answers in words, of which each becomes an indicator of its own.
Who wants a shorter survey has to drop questions, not answers: `groups` makes the indicators of a
question come together or not at all, and `n_features_to_select` counts questions. Without it the
indicators chosen come from many questions, all of which would have to be asked; and what the district
tells with all of its ten answers, no one of them tells.

The table is made here, so that the example needs no file: 2000 people, who go by bus, bike or car.
Half of them choose the questions and train, the other half tests. Needs the extra `cli`, for matplotlib.
"""

import sys

import numpy as np
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder

from fisherset import GeneralizedFisherScore, fisher_criterion, selection_path
from fisherset.plots.style import line_style, styled

K = 3
MODES = np.array(["bus", "bike", "car"])
# question: number of answers, and how far apart the modes are in them
QUESTIONS = {
    "district": (10, 1.1),
    "job": (8, 0.9),
    "distance": (4, 0.9),
    "household": (5, 0.6),
    "licence": (2, 1.0),
    "garage": (2, 0.9),
    "season ticket": (2, 0.9),
    "weather": (3, 0.5),
    "news": (6, 0.0),
    "coffee": (4, 0.0),
    "phone": (5, 0.0),
    "music": (8, 0.0),
}


def survey(n=2000, seed=0):
    """Answers as a table of texts, and how each person goes to work."""
    rng = np.random.default_rng(seed)
    mode = rng.integers(0, len(MODES), n)
    columns = []
    for answers, apart in QUESTIONS.values():
        liking = np.exp(apart * rng.standard_normal((len(MODES), answers)))[mode]
        drawn = (liking.cumsum(axis=1) < rng.uniform(0, liking.sum(axis=1))[:, None]).sum(axis=1)
        columns.append(np.array([f"answer {a + 1}" for a in range(answers)])[drawn])
    return np.column_stack(columns), MODES[mode]


def main(out="categories.svg"):
    answers, y = survey()
    encoder = OneHotEncoder(drop="if_binary", sparse_output=False)
    X = encoder.fit_transform(answers)
    indicators = encoder.get_feature_names_out(list(QUESTIONS))  # such as "district_answer 1"
    question = np.array([name.partition("_")[0] for name in indicators])  # all that `groups` needs
    X, held_out, y, truth = train_test_split(X, y, test_size=0.5, random_state=0)

    def accuracy(features):
        model = LogisticRegression(max_iter=1000).fit(X[:, features], y)
        return float(model.score(held_out[:, features], truth))

    whole = GeneralizedFisherScore(K, groups=question).fit(X, y)
    gamma = whole.gamma_  # the same for both, so that their F can be compared
    asked = [name for name, rank in zip(whole.groups_, whole.ranking_, strict=True) if rank <= K]
    print(f"{K} questions, chosen whole: {', '.join(asked)}; {whole.support_.sum()} indicators")
    print(
        f"  F = {whole.objective_:.3f}, and no {K} questions reach more than {whole.upper_bound_:.3f};",
        end=" ",
    )
    print(f"accuracy {accuracy(whole.support_):.1%}")
    single = GeneralizedFisherScore(int(whole.support_.sum()), gamma=gamma).fit(X, y)
    touched = np.unique(question[single.support_])
    print(f"as many single answers, from {touched.size} questions that would all have to be asked")
    print(f"  F = {single.objective_:.3f}; accuracy {accuracy(single.support_):.1%}")

    # accuracy against the number of questions to be asked; of the sets of answers the best for each
    curves = {"whole questions": {}, "single answers": {}}
    for step in selection_path(X, y, range(1, 9), groups=question):
        curves["whole questions"][step.k] = accuracy(step.features)
    for step in selection_path(X, y, range(1, 31)):
        few = np.unique(question[step.features]).size
        found = max(accuracy(step.features), curves["single answers"].get(few, 0.0))
        curves["single answers"][few] = found
    for name, curve in curves.items():
        print(f"{name}: " + ", ".join(f"{few} asked {share:.1%}" for few, share in curve.items()))

    columns = {name: np.flatnonzero(question == name) for name in QUESTIONS}
    value = {name: fisher_criterion(X, y, own, gamma=gamma) for name, own in columns.items()}
    best = {
        name: max(fisher_criterion(X, y, j, gamma=gamma) for j in own[:, None])
        for name, own in columns.items()
    }
    with styled():
        figure = Figure(figsize=(9.5, 3.8), layout="constrained")
        draw(*figure.subplots(1, 2), value, best, asked, curves)
        figure.savefig(out, metadata={"Date": None})
    return {
        "table": (X, y, question),
        "whole": whole,
        "asked": asked,
        "touched": touched,
        "curves": curves,
        "value": value,
        "best": best,
    }


def draw(left, right, value, best, asked, curves):
    """F of each question, and accuracy against the number of questions asked."""
    rows = np.arange(len(QUESTIONS))[::-1]
    left.barh(rows, list(value.values()), color=line_style(0)["color"], alpha=0.45, label="all answers")
    left.barh(rows, list(best.values()), 0.35, color=line_style(1)["color"], label="best single answer")
    left.set_yticks(rows, [f"{name} ({count})" for name, (count, _) in QUESTIONS.items()])
    for label, name in zip(left.get_yticklabels(), QUESTIONS, strict=True):
        label.set_fontweight("bold" if name in asked else "normal")
    left.set_xlabel("Fisher criterion F")
    left.set_title(f"questions (number of answers); bold: the {K} chosen", fontsize=10)
    left.set_axisbelow(True)
    left.grid(visible=False, axis="y")
    for place, (name, curve) in enumerate(curves.items()):
        shares = [100 * share for share in curve.values()]
        right.plot(list(curve), shares, **line_style(place), label=name)
    right.set(xlabel="number of questions that have to be asked", ylabel="accuracy (%)")
    right.set_title("logistic regression, the other half of the people", fontsize=10)
    for ax in (left, right):
        ax.legend(loc="lower right", fontsize=9)


if __name__ == "__main__":
    main(*sys.argv[1:])
