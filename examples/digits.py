"""Why joint selection matters: pixels of handwritten digits, one by one and together.

Half of scikit-learn's digits train, the other half tests a 1-nearest-neighbour classifier.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from fisherset import FisherScore, GeneralizedFisherScore, certify


def accuracy(selector, X, y, X_test, y_test):
    model = KNeighborsClassifier(1).fit(selector.transform(X), y)
    return model.score(selector.transform(X_test), y_test)


def main():
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, train_size=0.5, stratify=y, random_state=0)
    print("Handwritten digits, 8 x 8 pixels, 10 classes: which pixels to look at?")
    print(f"{len(y)} images to choose from, {len(y_test)} others to test 1-nearest-neighbour on.\n")
    print(f"{'pixels':>6}  {'method':<17} {'accuracy':>8}  {'F(A)':>7}  {'upper bound':>11}  {'gap':>6}")
    for k in (10, 20, 30):
        one_by_one = FisherScore(k).fit(X, y)
        jointly = GeneralizedFisherScore(k).fit(X, y)
        grade = certify(X, y, one_by_one.support_)
        rows = [
            ("Fisher ranking", one_by_one, grade.objective, grade.upper_bound, grade.gap),
            ("joint selection", jointly, jointly.objective_, jointly.upper_bound_, jointly.gap_),
        ]
        for name, selector, objective, bound, gap in rows:
            score = accuracy(selector, X, y, X_test, y_test)
            print(f"{k:>6}  {name:<17} {score:>8.1%}  {objective:>7.4f}  {bound:>11.4f}  {gap:>6.1%}")
    print("\nF(A) is the Fisher criterion of the chosen set. No set of that many pixels exceeds the")
    print("upper bound; the gap says how far below the best set the chosen one can be at most.")


if __name__ == "__main__":
    main()
