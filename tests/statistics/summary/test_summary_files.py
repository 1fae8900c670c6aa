"""Summary files from anyone: no genuine one is refused, any other gets one sentence or an answer."""

import io
import json
import re
import warnings
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from fisherset import GeneralizedFisherScore, JointRegressionScore, Summary, summarize
from fisherset.tables import open_table
from support.long_cases import first

N, D = 60, 5
KINDS = ("classes", "weights", "whole weights", "numbers", "sets", "a rest", "confounders")
REFUSED = r"^s\.npz (is not a usable summary|cannot be read as a summary): .*\. Write it again with "


def genuine(kind="classes", seed=0, n=N, d=D):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), np.array(list("abc"))[np.arange(n) % 3]
    X[:, 0] += np.arange(n) % 3
    if kind == "numbers":
        return summarize(X, X[:, :2] + rng.standard_normal((n, 2)), task="regression")
    if kind == "sets":
        return summarize(X, (rng.random((n, 3)) < 0.5).astype(int))
    if kind == "a rest":
        return summarize(X, y) - summarize(X[:9], y[:9])
    weights = {"weights": rng.uniform(0.5, 2, n), "whole weights": rng.integers(0, 4, n)}.get(kind)
    return summarize(X, y, sample_weight=weights, confounders=X[:, :1] if kind == "confounders" else None)


def saved(folder, kind="classes", seed=0):
    path = folder / "s.npz"
    genuine(kind, seed).save(path)
    with np.load(path) as file:
        return path, dict(file)


def described(arrays, **changes):
    about = json.loads(arrays["about"].tobytes()) | changes
    return {**arrays, "about": np.frombuffer(json.dumps(about).encode(), np.uint8)}


def from_where(arrays, **changes):
    origin = json.loads(arrays["about"].tobytes())["origin"] | changes
    return described(arrays, origin=origin)


def answer(path):
    """The selection from a file; any other error than a sentence goes through."""
    try:
        summary = Summary.load(path)
    except ValueError as error:
        if not re.match(REFUSED, str(error)):
            raise
        return None
    selector = JointRegressionScore if summary.task == "regression" else GeneralizedFisherScore
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = selector(2).fit(summary)
        except ValueError:
            return None
    return found.objective_, summary.classes.size - 1 if summary.classes.size else summary.roles.targets.size


def scaled(key, factor):
    return lambda arrays: {**arrays, key: arrays[key] * factor}


def filled(key, value):
    return lambda arrays: {**arrays, key: np.full_like(arrays[key], value)}


def without_spread(arrays):
    """The squares of two columns, and product, of which no rows can have the last."""
    XX = arrays["XX"].copy()
    XX[0, 1] = XX[1, 0] = -2 * np.sqrt(XX[0, 0] * XX[1, 1])
    return {**arrays, "XX": XX}


def indefinite(arrays):
    """Every two of three columns may be so related, the three together not."""
    XX, length = arrays["XX"].copy(), np.sqrt(arrays["squares"])
    correlation = np.array([[1, 0.9, 0.9], [0.9, 1, -0.9], [0.9, -0.9, 1]])
    XX[:3, :3] = correlation * np.outer(length[:3], length[:3])
    return {**arrays, "XX": XX}


def too_telling(arrays):
    """Class means further apart than the values."""
    TX, push = arrays["TX"].copy(), 20 * np.sqrt(arrays["squares"])
    TX[0] += push
    TX[1] -= push
    return {**arrays, "TX": TX}


def jointly_too_telling(arrays):
    """Each column may tell the classes apart so well, all together would explain more than there is."""
    squares, N = arrays["squares"], arrays["N"]
    lean = 0.8 * np.sqrt(squares * N[0] * N[1] / N[:2].sum())
    TX = np.zeros_like(arrays["TX"])
    TX[0], TX[1] = lean, -lean
    return {**arrays, "TX": TX, "NX": np.zeros_like(arrays["NX"]), "XX": np.diag(squares)}


def not_whole(arrays):
    return {**arrays, "N": arrays["N"] + [0.5, -0.5, 0.0], "TT": arrays["TT"] + [0.5, -0.5, 0.0]}


def asymmetric(arrays):
    return {**arrays, "XX": arrays["XX"] + np.triu(np.full((D, D), 0.1), 1)}


beyond, weights = r"beyond those of any rows \(Cauchy-Schwarz\)", "its weights do not fit its counts of rows"
squares = "its sums of squares are impossible"
TAMPERED = {
    "no rows": (filled("n_rows", 0), "its counts of rows are impossible"),
    "fewer rows than were added": (filled("n_rows", N - 1), "its counts of rows are impossible"),
    "negative rows": (filled("n_rows", -5), "its counts of rows are impossible"),
    "no counts": (filled("counts", 0), "its counts of rows are impossible"),
    "counts that overflow": (filled("counts", 2**62), "its counts of rows are impossible"),
    "other counts": (filled("counts", 2), weights),
    "no weight": (filled("n", 0.0), "its total weight is impossible"),
    "a negative weight": (filled("n", -1.0), "its total weight is impossible"),
    "another weight": (scaled("n", 1.01), "its class weights do not add up to the total weight"),
    "other weights of classes": (scaled("N", -1.0), "its class weights do not add up"),
    "other squares of classes": (scaled("TT", 2.0), "its class weights do not add up"),
    "no squared weights": (filled("weight_squares", 0.0), weights),
    "few squared weights": (scaled("weight_squares", 0.9), weights),
    "many squared weights": (filled("weight_squares", 1e6), weights),
    "broken weights": (not_whole, weights),
    "NaN": (filled("TX", np.nan), "its TX is not finite"),
    "infinity": (filled("added", np.inf), "its added is not finite"),
    "negative squares": (lambda a: scaled("squares", -1)(scaled("XX", -1)(a)), squares),
    "squares that were never added": (scaled("added", 0.5), squares),
    "negative squares that were added": (scaled("added", -1), squares),
    "no unit": (filled("unit", 0.0), "its units are no powers of two"),
    "an odd unit": (filled("unit", 3.0), "its units are no powers of two"),
    "another diagonal": (scaled("squares", 0.999), "the diagonal of its X'X is not its sums of squares"),
    "not symmetric": (asymmetric, "its X'X is not symmetric"),
    "other class sums": (scaled("TX", 1.5), "its class sums do not add up to the total sums"),
    "a correlation of 2": (without_spread, beyond),
    "three columns": (indefinite, beyond),
    "too telling": (too_telling, beyond),
    "jointly too telling": (jointly_too_telling, beyond),
    "huge sums": (lambda a: scaled("NX", 1e300)(scaled("TX", 1e300)(a)), beyond),
    "a name for all": (lambda a: described(a, names="abcde"), "its names are no list of different strings"),
    "a name twice": (lambda a: described(a, names=["a"] * D), "its names are no list of different strings"),
    "names of nothing": (
        lambda a: described(a, beside={"targets": "", "confounders": None}),
        "its names are",
    ),
    "nothing beside": (lambda a: described(a, beside=None), "does not say what targets and confounders"),
    "labels that are lists": (lambda a: described(a, labels=[[1], [2], [3]]), "its labels are no list of"),
    "labels that read alike": (lambda a: described(a, labels=[1, "1", "2"]), "its labels are no different"),
    "labels that are equal": (lambda a: described(a, labels=[1, True, 0]), "its labels are no different"),
    "labels that are missing": (
        lambda a: described(a, labels=["a", None, "b"]),
        "its labels are no different",
    ),
    "label sets of classes": (lambda a: described(a, label_sets=True), "its labels do not fit its task"),
    "weights of no kind": (
        lambda a: described(a, whole_weights="yes"),
        "of what kind its targets and weights",
    ),
    "a column too many": (filled("n_confounders", D), "its columns do not fit together"),
    "another precision": (
        lambda a: {**a, "NX": a["NX"].astype(np.float32)},
        "its NX holds float32 in place of",
    ),
    "no origin": (lambda a: described(a, origin=None), "it does not say where its rows are from"),
    "half an origin": (lambda a: described(a, origin={"target": None}), "it does not say where its rows"),
    "a target that is no name": (
        lambda a: from_where(a, target=["y"]),
        "the name of its target is no string",
    ),
    "digests of nothing": (lambda a: from_where(a, parts=[]), "its digests are no hexadecimal numbers"),
    "digests that are numbers": (lambda a: from_where(a, parts=[7]), "its digests are no hexadecimal"),
    "a digest for all": (lambda a: from_where(a, parts="0" * 32), "its digests are no hexadecimal"),
    "a digest that is no number": (
        lambda a: from_where(a, parts=["z" * 32]),
        "its digests are no hexadecimal",
    ),
    "a digest that is too long": (
        lambda a: from_where(a, parts=["0" * 33]),
        "its digests are no hexadecimal",
    ),
    "digests of more rows": (
        lambda a: from_where(a, parts=["0" * 32] * 61),
        "its digests are more than its rows",
    ),
    "complete perhaps": (lambda a: from_where(a, complete=2), "its digests are no hexadecimal"),
    "a version of yes": (lambda a: described(a, version=True), "it has version True"),
    "a version of any": (lambda a: described(a, version=[3]), r"it has version \[3\]"),
    "a version beside": (
        lambda a: described(a, version=1),
        "it has version 1; this fisherset reads versions 2 and 3",
    ),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_what_no_rows_can_have_is_refused(case, tmp_path):
    change, words = TAMPERED[case]
    path, arrays = saved(tmp_path)
    with np.errstate(over="ignore"):
        np.savez(path, **change(arrays))
    with pytest.raises(
        ValueError, match=rf"^s\.npz is not a usable summary.*{words}.*\. Write it again with summarize"
    ):
        Summary.load(path)
    with pytest.raises(ValueError, match=words):
        open_table(path, None)  # as on the command line


def test_sets_are_zeros_and_ones(tmp_path):
    path, arrays = saved(tmp_path, "sets")
    targets = np.s_[D:]
    arrays["unit"][targets] = 2.0
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="its label sets are not zeros and ones"):
        Summary.load(path)


def test_a_regression_has_targets(tmp_path):
    path, arrays = saved(tmp_path, "numbers")
    np.savez(path, **{**arrays, "n_targets": np.int64(0), "n_confounders": np.int64(2)})
    with pytest.raises(ValueError, match="its labels do not fit its task"):
        Summary.load(path)


def packed(path, arrays, headers, method=zipfile.ZIP_STORED):
    """An archive in which some arrays are but a header that claims a shape."""
    with zipfile.ZipFile(path, "w", method) as file:
        for key, array in arrays.items():
            content = io.BytesIO()
            if key in headers:
                about = {"descr": "<f8", "fortran_order": False, "shape": headers[key]}
                np.lib.format.write_array_header_1_0(content, about)
            else:
                np.lib.format.write_array(content, array)
            file.writestr(f"{key}.npy", content.getvalue())


def test_no_array_is_made_that_the_file_does_not_hold(tmp_path):
    path, arrays = saved(tmp_path)
    packed(path, arrays, {"XX": (10**6, 10**6)})
    with pytest.raises(ValueError, match=r"its XX has the wrong shape, \(1000000, 1000000\) in place of"):
        Summary.load(path)
    packed(path, arrays, {"about": (10**13,)})
    with pytest.raises(ValueError, match="its about holds float64 in place of uint8"):
        Summary.load(path)
    d = 10**4
    wide = ("NX", "squares", "added", "offset", "unit", "whole")
    packed(path, arrays, dict.fromkeys(wide, (d,)) | {"TX": (3, d), "XX": (d, d)})
    with pytest.raises(
        ValueError, match=r"its NX claims 80\.0 kB, which it does not hold|would take .* memory"
    ):
        Summary.load(path)
    d = 3 * 10**5  # zeros, which can be packed into next to nothing
    bomb = arrays | {key: np.zeros(d) for key in wide} | {"TX": np.zeros((3, d))}
    packed(path, bomb, {"XX": (d, d)}, zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match=r"it would take 1\.4 TB of memory; .* are free"):
        Summary.load(path)


@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"format": ' * 50_000, b"\xff\xfe", b"", b"1" * 5000])
def test_descriptions_that_cannot_be_read(text, tmp_path):
    path, arrays = saved(tmp_path)
    np.savez(path, **{**arrays, "about": np.frombuffer(text, np.uint8)})
    with pytest.raises(ValueError, match=r"it is damaged or truncated\. Write it again with summarize"):
        Summary.load(path)


@pytest.mark.parametrize("seed", range(8))
def test_flipped_bits_get_a_sentence_or_an_answer(seed, tmp_path):
    rng = np.random.default_rng(seed)
    path, _ = saved(tmp_path, KINDS[seed % len(KINDS)], seed)
    content = path.read_bytes()
    for _ in range(60):
        data = bytearray(content)
        # half of them in the directory at the end
        at = rng.integers(len(data)) if rng.random() < 0.5 else len(data) - 1 - rng.integers(1300)
        data[at] ^= 1 << rng.integers(8)
        path.write_bytes(data)
        answer(path)
        with suppress(ValueError):
            open_table(path, None)


ALL, LAST = slice(None), slice(39, None)
EXTREME = [0.0, -1.0, 1e300, -1e300, np.inf, np.nan, 5e-324, 1e-300, 1e9, 2.0**60]


@pytest.mark.filterwarnings("ignore:(overflow|invalid)")
@pytest.mark.parametrize("seed", first(4, range(8)))
def test_changed_numbers_get_a_sentence_or_a_possible_answer(seed, tmp_path):
    rng = np.random.default_rng(100 + seed)
    path, arrays = saved(tmp_path, KINDS[seed % len(KINDS)], seed)
    for _ in range(60):
        key = rng.choice([key for key in arrays if key != "about"])
        changed = arrays[key].copy()
        at = tuple(rng.integers(size) for size in changed.shape)
        if changed.dtype.kind == "i":
            changed[at] = rng.choice([-(2**62), -1, 0, 1, 2, 10**6, 2**62])
        elif rng.random() < 0.5:
            changed[at] = rng.choice(EXTREME)
        else:
            changed[at] *= rng.choice([-1, 0.5, 2, 1.01, 1e3])
        np.savez(path, **{**arrays, key: changed})
        found = answer(path)
        assert found is None or found[0] <= found[1] * (1 + 1e-6)


def column(rng, n):
    """Values of a column, most of them such as make rounding large."""
    values = rng.standard_normal(n)
    forms = (
        lambda: values,
        lambda: np.full(n, rng.choice([0.1, 1e9, 0.0, 1e200])),
        lambda: values + 10.0 ** rng.uniform(0, 12),
        lambda: values * 10.0 ** rng.uniform(-100, 100),
        lambda: (values + 5) * 1e200,
        lambda: np.exp(10 * values),
        lambda: 1e6 + 1e-6 * values,
        lambda: rng.integers(0, 3, n).astype(float),
    )
    return forms[rng.integers(len(forms))]()


@pytest.mark.parametrize("seed", first(16, range(60)))
def test_no_genuine_summary_is_refused(seed, tmp_path):
    """Of parts, their sum, and what is left when they are taken out again one by one."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.choice([40, 300])), int(rng.integers(1, 20))
    X = np.column_stack([column(rng, n) for _ in range(d)])
    if seed % 3 == 0:
        X[:, -1] = X[:, 0]
    y, task = np.array(list("abcdefgh"))[rng.integers(0, 1 + seed % 8, n)], "classification"
    if seed % 5 == 1:
        y, task = rng.standard_normal((n, 2)) * 10.0 ** rng.uniform(-5, 5) + 1e6, "regression"
    elif seed % 5 == 2:
        y = (rng.random((n, 3)) < 0.5).astype(int)
    weights = (
        None,
        rng.uniform(0.5, 2, n),
        10.0 ** rng.uniform(-3, 3, n),
        rng.integers(0, 4, n) + np.where(np.arange(n) % 9 == 0, 1e7, 0),
        np.where(rng.random(n) < 0.2, 0.0, 0.3),
    )[rng.integers(5)]
    Z = np.column_stack([column(rng, n)]) if seed % 4 == 0 else None
    parts = [
        summarize(
            X[rows],
            y[rows],
            task=task,
            sample_weight=None if weights is None else weights[rows],
            confounders=None if Z is None else Z[rows],
        )
        for rows in np.array_split(rng.permutation(n), 4)
    ]
    total = sum(parts)
    rests = [total]
    for part in parts[:-1]:
        rests.append(rests[-1] - part)
    for number, summary in enumerate([*parts, *rests]):
        path = tmp_path / f"{number}.npz"
        summary.save(path)
        again = Summary.load(path)
        assert_array_equal(again.gathered.XX, summary.gathered.XX)
        assert again.gathered.moments.weight_squares == summary.gathered.moments.weight_squares


def test_a_summary_of_many_rows_is_not_refused(tmp_path):
    rng = np.random.default_rng(0)
    X = np.array([0, 30, 1e9]) + rng.standard_normal((10**6, 3))
    X[:, 2] = X[:, 1] - 1e-7 * X[:, 0]
    y = np.arange(10**6) % 4
    whole = summarize(X, y)
    for summary in (whole, whole - summarize(X[: 10**6 - 8], y[: 10**6 - 8])):
        summary.save(tmp_path / "s.npz")
        assert Summary.load(tmp_path / "s.npz").n_samples == summary.n_samples


@pytest.mark.parametrize("n", first(1, [60, 400]))
def test_rows_one_by_one_are_not_refused(tmp_path, n):
    rng = np.random.default_rng(0)
    X, y = np.array([0, 1e3, 1e6, 1e-6]) + rng.standard_normal((n, 4)), np.arange(n) % 2
    total = sum(summarize(X[[i]], y[[i]]) for i in range(n))
    for i in range(n - 10):
        total = total - summarize(X[[i]], y[[i]])
    total.save(tmp_path / "s.npz")
    assert Summary.load(tmp_path / "s.npz").n_samples == 10


def test_a_heavy_row_must_not_take_the_digits_of_the_others_with_it():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 4)), np.arange(40) % 2
    weights = np.r_[rng.uniform(0.9, 1.1, 39), 1e9]
    for heavy in (1e9, 1e8, 1e6):
        weights[39] = heavy
        whole, last = (summarize(X[some], y[some], sample_weight=weights[some]) for some in (ALL, LAST))
        with pytest.raises(ValueError, match=r"weights that are left must not be lost .* remaining rows"):
            whole - last
    weights = np.r_[np.ones(39), 64.0]
    whole, last = (summarize(X[some], y[some], sample_weight=weights[some]) for some in (ALL, LAST))
    found, expected = (GeneralizedFisherScore(2).fit(*table) for table in ([whole - last], [X[:39], y[:39]]))
    assert_array_equal(found.support_, expected.support_)
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-6)


def test_sums_that_would_not_be_finite_are_refused():
    one, other = [[1e-200], [1.1e-200]], 1e290 * np.random.default_rng(0).standard_normal((3, 1))
    few, more = summarize(one, ["a", "b"]), summarize(other, ["a", "b", "a"])
    with pytest.raises(
        ValueError, match=r"whose sums float64 holds; those of column 0 leave its range when added"
    ):
        few + more
    with pytest.raises(
        ValueError, match=r"those of column 'x' leave .* Divide it by the same number everywhere"
    ):
        few.named(["x"]) + more.named(["x"])
