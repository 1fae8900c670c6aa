"""Time, memory and quality of fisherset beside other selectors, on the same tables.

    python benchmarks/peers.py --write docs/benchmarks.md [--shapes ...] [--methods ...] [--ks 10,50,200]

Each selector runs in a process of its own (`contestant.py`): the lower of two calls, the peak of
the resident memory above the loaded table, at most 120 s. Quality is F at joint's own gamma, as a
share of the best any selection of that size can reach, and the accuracy of 1-nearest-neighbour and
logistic regression on rows not selected on. Results are kept in a JSON file as they come, so that a
stopped run goes on. dorothea is looked for in FISHERSET_DATA. adelie needs numpy below 2: name the
interpreter of another environment with --adelie. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from scipy import ndimage, sparse
from sklearn.datasets import load_digits, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from contestant import METHODS
from fisherset import GeneralizedFisherScore, fisher_criterion
from fisherset._files import write_whole
from fisherset.datasets import load
from fisherset.evaluation import halves

HERE = Path(__file__).parent
CAP = 120.0  # seconds for both calls
TEST = 2000  # rows to judge on
FITTED = 5000  # most rows the classifiers are fitted on
DENSE_ONLY = ("fastcan", "abess", "adelie", "MultiTaskLasso", "mrmr")
BEGIN, END = "<!-- begin: peers.py -->", "<!-- end: peers.py -->"


def made(n, d, c):
    X, y = make_classification(
        n + TEST, d, n_informative=30, n_redundant=30, n_classes=c, n_clusters_per_class=1, random_state=0
    )
    return X[:n], y[:n], X[n:], y[n:]


def images(n=60_000):
    """28 x 28 images of digits: scikit-learn's, enlarged, moved about and with noise."""
    rng = np.random.default_rng(0)
    digits = load_digits()
    large = np.array([ndimage.zoom(image, 2.5, order=1) for image in digits.images])  # 20 x 20
    chosen = rng.integers(0, len(large), n + TEST)
    X = np.zeros((n + TEST, 28, 28))
    for row, (place, down, right) in enumerate(zip(chosen, *rng.integers(2, 7, (2, n + TEST)), strict=True)):
        X[row, down : down + 20, right : right + 20] = large[place]
    X = np.clip(X + (X > 0) * rng.normal(scale=2.0, size=X.shape), 0, 16).reshape(len(X), -1)
    y = digits.target[chosen]
    return X[:n], y[:n], X[n:], y[n:]


def words(n=20_000, d=50_000, c=5):
    """Counts of words with Zipf's frequencies, 0.2 % of them not nought; each class has 300 of its own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, c, n + TEST)
    frequency = np.tile(1 / (np.arange(d) + 20.0), (c, 1))
    for own in frequency:
        own[rng.choice(d, 300, replace=False)] *= 4
    frequency /= frequency.sum(axis=1, keepdims=True)
    drawn = np.empty((n + TEST, 110), dtype=int)
    for label in range(c):
        rows = np.flatnonzero(y == label)
        drawn[rows] = rng.choice(d, size=(rows.size, 110), p=frequency[label])
    row = np.repeat(np.arange(n + TEST), 110)
    X = sparse.csr_matrix((np.ones(row.size), (row, drawn.ravel())), shape=(n + TEST, d))
    X.sum_duplicates()
    return X[:n], y[:n], X[n:], y[n:]


def dorothea():
    X, y, *_ = load("dorothea")
    train, test = halves(y, 0)
    everything = sparse.csr_matrix(X, dtype=np.float64)
    return everything, y, everything[test], y[test], everything[train], y[train]


SHAPES = {
    "2000 x 2000 x 5": lambda: made(2000, 2000, 5),
    "200 x 10000 x 4": lambda: made(200, 10_000, 4),
    "200000 x 500 x 10": lambda: made(200_000, 500, 10),
    "60000 x 784 x 10 images": images,
    "20000 x 50000 x 5 sparse": words,
    "dorothea, 1150 x 100000 x 2 sparse": dorothea,
}


def save(folder, X, y):
    folder.mkdir(exist_ok=True)
    np.save(folder / "y.npy", y)
    if sparse.issparse(X):
        for part in ("data", "indices", "indptr"):
            np.save(folder / f"{part}.npy", getattr(X, part))
        np.save(folder / "shape.npy", np.array(X.shape))
    else:
        np.save(folder / "X.npy", X)


def run(python, method, folder, k):
    """What the contestant reports, or the reason why it does not."""
    command = [python, str(HERE / "contestant.py"), method, str(folder), str(k)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=CAP + 30, check=False)
    except subprocess.TimeoutExpired:
        return {"reason": f"> {CAP:.0f} s"}
    if done.returncode:
        return {"reason": (done.stderr.strip().splitlines() or ["stopped"])[-1][:60]}
    return json.loads(done.stdout.splitlines()[-1])


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def accuracies(train, test, columns):
    A, B = (dense(X[:, columns]) for X, _ in (train, test))
    scaler = StandardScaler().fit(A[:FITTED])
    A, B = scaler.transform(A[:FITTED]), scaler.transform(B)
    models = KNeighborsClassifier(1), LogisticRegression(max_iter=300)
    return [model.fit(A, train[1][:FITTED]).score(B, test[1]) for model in models]


def judge(found, table, k, reference):
    """Add F at joint's gamma, its share of the bound, and the accuracies to what a contestant found."""
    X, y, X_test, y_test, *fit = table
    columns = np.array(found.pop("columns"))[:k]
    value = fisher_criterion(X, y, columns, gamma=reference.gamma_)
    train = tuple(fit) if fit else (X, y)
    found.update(F=value, share=value / reference.upper_bound_, n=int(columns.size))
    found["accuracy"] = accuracies(train, (X_test, y_test), columns)
    return found


def contest(shapes, methods, ks, adelie, results, path):
    for name in shapes:
        wanted = [(k, method) for k in ks for method in methods if f"{name}/{k}/{method}" not in results]
        if not wanted:
            continue
        table = SHAPES[name]()
        X, y = table[:2]
        references, too_slow = {}, set()
        with tempfile.TemporaryDirectory() as folder:
            save(Path(folder), X, y)
            for k, method in wanted:
                if k not in references:
                    references[k] = GeneralizedFisherScore(k).fit(X, y)
                if sparse.issparse(X) and method in DENSE_ONLY:
                    found = {"reason": "dense only"}
                elif method in too_slow:  # more features take no less time
                    found = {"reason": f"> {CAP:.0f} s"}
                else:
                    found = run(adelie if method == "adelie" else sys.executable, method, folder, k)
                if found.get("seconds", 0.0) > CAP:
                    found = {"reason": f"> {CAP:.0f} s"}
                if "columns" in found:
                    found = judge(found, table, k, references[k])
                elif ">" in found["reason"]:
                    too_slow.add(method)
                results[f"{name}/{k}/{method}"] = found
                write_whole(path, json.dumps(results, indent=0))
                print(name, k, method, found.get("reason") or f"{found['seconds']:.3f} s", flush=True)


def as_table(results, name, k, methods):
    """One Markdown table, times and memory as ratios to f_classif's."""
    base = results[f"{name}/{k}/f_classif"]
    lines = [
        f"**{name}, k = {k}** (f_classif {base['seconds']:.3f} s, {base['peak'] / 2**20:.0f} MB)\n",
        "| method | time / f_classif | memory / f_classif | F, % of the bound | 1-NN | logistic |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for method in methods:
        found = results.get(f"{name}/{k}/{method}", {"reason": "not run"})
        if "reason" in found:
            lines.append(f"| {method} | {found['reason']} | | | | |")
            continue
        nearest, logistic = found["accuracy"]
        few = f" ({found['n']} columns)" if found["n"] < k else ""
        time, memory = (found[what] / base[what] for what in ("seconds", "peak"))
        lines.append(
            f"| {method}{few} | {time:.2f} | {memory:.2f} | "
            f"{found['share']:.2%} | {nearest:.1%} | {logistic:.1%} |"
        )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES))
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--ks", default="10,50,200")
    parser.add_argument("--adelie", default=sys.executable, help="interpreter that has adelie")
    parser.add_argument("--results", type=Path, default=Path("peers.json"))
    parser.add_argument("--write", type=Path, help="page whose marked part is replaced")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results = json.loads(options.results.read_text()) if options.results.exists() else {}
    ks = [int(k) for k in options.ks.split(",")]
    contest(options.shapes, options.methods, ks, options.adelie, results, options.results)
    text = "\n".join(
        as_table(results, name, k, METHODS)
        for name in SHAPES
        for k in (10, 50, 200)
        if f"{name}/{k}/f_classif" in results
    )
    print(text)
    if options.write:
        page = options.write.read_text()
        head, rest = page.split(BEGIN)
        write_whole(options.write, f"{head}{BEGIN}\n\n{text}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
