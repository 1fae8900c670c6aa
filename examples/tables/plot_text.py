"""
Words that tell topics apart
============================

Texts as TF-IDF are wide and sparse, and a sparse table stays sparse: nothing is made dense. Words of one
story occur together, and a one-by-one ranking spends its places on them.
"""

# %%
# A small newspaper
# -----------------
# The corpus is made here, so that nothing has to be fetched: 1500 notes in five sections. A note has three
# words of a story, one of another story of its section, and many words that occur everywhere.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import MultinomialNB

from fisherset import FisherScore, GeneralizedFisherScore, selection_path

STORIES = {
    "sport": [
        "goal striker penalty referee league",
        "serve racket court umpire volley",
        "sprint relay baton lane hurdle",
    ],
    "cooking": [
        "oven flour dough yeast crust",
        "pan onion garlic butter simmer",
        "rice wok ginger soy noodle",
    ],
    "weather": [
        "storm thunder hail gale lightning",
        "frost snow ice blizzard sleet",
        "drought heat dust sunshine river",
    ],
    "finance": [
        "share dividend index broker bond",
        "loan interest mortgage credit deposit",
        "tariff export customs freight quota",
    ],
    "music": [
        "violin cello quartet bow sonata",
        "guitar drum amplifier riff chorus",
        "opera aria soprano tenor libretto",
    ],
}
COMMON = ["day", "year", "people", "time", "week", "town", "new", "first", "last", "good", "report", "says"]
rng = np.random.default_rng(0)
FILLER = ["".join(rng.choice(list("aeioulnrst"), 6)) for _ in range(6000)]


def note(section):
    stories = [story.split() for story in STORIES[section]]
    main = stories[rng.choice(3, p=[0.6, 0.25, 0.15])]
    stray = [word for story in stories for word in story]
    drawn = [*rng.choice(main, 3), *rng.choice(stray, 1), *rng.choice(COMMON, 15), *rng.choice(FILLER, 15)]
    if rng.random() < 0.2:  # a word of another section
        drawn += list(rng.choice(STORIES[rng.choice(list(STORIES))][0].split(), 1))
    return " ".join(drawn)


y = rng.choice(list(STORIES), 1500)
vectorizer = TfidfVectorizer()
X = vectorizer.fit_transform([note(section) for section in y])
words = vectorizer.get_feature_names_out()
print(f"{X.shape[0]} notes, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.2%} of the table is not zero")

# %%
# Twenty words
# ------------
# The selectors take the sparse matrix as it is. The half of the notes that selects also trains; the other
# half tests.

half = np.arange(y.size) % 2 == 0
choices = {"one by one": FisherScore(20), "together": GeneralizedFisherScore(20)}
for name, selector in choices.items():
    selector.fit(X[half], y[half])
    print(f"{name}: {', '.join(words[selector.support_])}")

sizes = [5, 10, 15, 20, 25, 30, 40]
best_first = np.argsort(choices["one by one"].ranking_)
sets = {
    "one by one": {k: best_first[:k] for k in sizes},
    "together": {step.k: step.features for step in selection_path(X[half], y[half], sizes)},
}


def accuracy(features):
    model = MultinomialNB().fit(X[half][:, features], y[half])
    return 100 * model.score(X[~half][:, features], y[~half])


fig, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.6), width_ratios=[1, 1.3], layout="constrained")
for (name, found), look, colour in zip(sets.items(), ("s--", "o-"), ("#D55E00", "#0072B2"), strict=True):
    left.plot(sizes, [accuracy(found[k]) for k in sizes], look, color=colour, label=name)
left.set(xlabel="number of words", ylabel="accuracy on the other half (%)")
left.set_title("naive Bayes on the selected words", fontsize=10)
left.legend(loc="lower right")

selected = choices["together"].get_support(indices=True)
sections = list(STORIES)
means = np.vstack([np.asarray(X[y == section][:, selected].mean(axis=0)) for section in sections])
order = np.lexsort([-means.max(axis=0), means.argmax(axis=0)])
image = right.imshow(means[:, order].T, cmap="Blues", aspect="auto")
right.set_xticks(range(len(sections)), sections)
right.set_yticks(range(len(selected)), words[selected][order], fontsize=8)
right.set_title("the 20 words selected together, mean TF-IDF", fontsize=10)
right.grid(visible=False)
fig.colorbar(image, ax=right, shrink=0.8)
plt.show()
