"""Confounders of a scan, and columns of strings by name: as in memory with indicators made by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    certify,
    explain,
    near_best,
    scan,
    summarize,
)

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
RNG = np.random.default_rng(3)
N = 150
KIND = RNG.choice(["u", "v", "w"], N)
BESIDE = pandas.DataFrame({"age": RNG.normal(50, 9, N), "site": RNG.choice(["a", "b", "c"], N)})
CANDIDATES = pandas.DataFrame(RNG.normal(size=(N, 6)), columns=list("pqrstz"))
CANDIDATES["p"] += KIND == "u"
CANDIDATES["q"] += 2.0 * (BESIDE["site"] == "a") + (KIND == "v")
TABLE = pandas.concat([CANDIDATES, BESIDE], axis=1).assign(kind=KIND, dose=CANDIDATES["r"] + BESIDE["age"])
INDICATORS = pandas.DataFrame({f"site={value}": (BESIDE["site"] == value).astype(float) for value in "abc"})


@pytest.fixture(params=["csv", "parquet"])
def path(request, tmp_path):
    file = tmp_path / f"rows.{request.param}"
    TABLE.to_csv(file, index=False) if request.param == "csv" else TABLE.to_parquet(file, index=False)
    return file


def assert_same(fitted, expected):
    assert_array_equal(fitted.support_, expected.support_)
    assert fitted.gamma_ == pytest.approx(expected.gamma_)
    assert_allclose([fitted.objective_, fitted.upper_bound_], [expected.objective_, expected.upper_bound_])


@pytest.mark.parametrize("confounders", [["age"], ["site"], ["site", "age"], ["age", "site"]])
@pytest.mark.parametrize("batch_rows", [None, 13])
def test_confounders_from_the_table(path, confounders, batch_rows):
    def opened(target, dropped):
        drop = [dropped, *(set(BESIDE) - set(confounders))]
        return scan(path, target, drop=drop, confounders=confounders, batch_rows=batch_rows)

    rows = opened("kind", "dose")
    assert rows.names == list(CANDIDATES)
    expected = GeneralizedFisherScore(2).fit(CANDIDATES, KIND, confounders=BESIDE[confounders])
    assert_same(GeneralizedFisherScore(2).fit(rows), expected)
    assert_same(GeneralizedFisherScore(2).fit(summarize(rows)), expected)  # age first or last
    numbers = JointRegressionScore(2).fit(CANDIDATES, TABLE["dose"], confounders=BESIDE[confounders])
    assert_same(JointRegressionScore(2).fit(opened("dose", "kind")), numbers)
    given = {"gamma": expected.gamma_, "confounders": BESIDE[confounders]}
    found, known = explain(expected, rows), explain(CANDIDATES, KIND, expected.support_, **given)
    assert_allclose(found.drops, known.drops)
    assert_allclose(found.exchanged, known.exchanged)


def test_passes_instead_of_one(path, monkeypatch):
    monkeypatch.setattr("fisherset.statistics.measure.gathering_bytes", lambda roles: 2**62)
    monkeypatch.setattr("fisherset.statistics.measure._worth_collecting", lambda *_: False)
    rows = scan(path, "kind", drop=["dose"], confounders=["site", "age"], batch_rows=40)
    fitted = GeneralizedFisherScore(2).fit(rows)
    assert fitted.n_passes_ > 1
    assert_same(fitted, GeneralizedFisherScore(2).fit(CANDIDATES, KIND, confounders=BESIDE))


def test_confounders_with_missing_values(tmp_path):
    holey = TABLE.assign(age=TABLE["age"].where(TABLE.index != 4), site=TABLE["site"].where(TABLE.index != 9))
    holey.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match="'site' has missing values"):
        scan(tmp_path / "rows.parquet", "kind", confounders=["site"])
    with pytest.raises(ValueError, match="confounders must not contain NaN"):
        GeneralizedFisherScore(1).fit(
            scan(tmp_path / "rows.parquet", "kind", drop=["site"], confounders=["age"])
        )
    most = holey["site"].value_counts().idxmax()
    filled = holey.assign(age=holey["age"].fillna(holey["age"].median()), site=holey["site"].fillna(most))
    rows = scan(
        tmp_path / "rows.parquet", "kind", drop=["dose"], confounders=["site", "age"], impute="median"
    )
    expected = GeneralizedFisherScore(2).fit(CANDIDATES, KIND, confounders=filled[["site", "age"]])
    assert_same(GeneralizedFisherScore(2).fit(rows), expected)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("age", r"confounders must be a list of names; got 'age'\. Write \['age'\]\."),
        (["age", "age"], "each once, .* got 'age'"),
        (["kind"], "neither target, weights nor candidates; got 'kind'"),
        (["agee"], "has no column 'agee'. Did you mean 'age'"),
    ],
)
def test_refused_confounders(path, given, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        scan(path, "kind", confounders=given)


def test_confounders_cannot_be_given_beside_a_scan(path):
    with pytest.raises(ValueError, match=r"columns in scan\(\.\.\., confounders=\['age'\]\)"):
        GeneralizedFisherScore(2).fit(scan(path, "kind"), confounders=BESIDE["age"])
    with pytest.raises(ValueError, match="neither target, weights nor candidates; got 'age'"):
        scan(path, "kind", columns=["age", "p"], confounders=["age"])


def test_summaries_of_other_categories_do_not_add_up(tmp_path):
    parts = [TABLE[TABLE["site"] != other] for other in "ab"]
    sums = []
    for number, part in enumerate(parts):
        part.to_parquet(tmp_path / f"{number}.parquet")
        sums.append(summarize(scan(tmp_path / f"{number}.parquet", "kind", confounders=["site"])))
    with pytest.raises(ValueError, match="confounders"):
        sums[0] + sums[1]


def test_single_scores_are_adjusted_too(path):
    rows = scan(path, "kind", drop=["dose"], confounders=["site", "age"])
    scores = explain(CANDIDATES, KIND, list(CANDIDATES), confounders=BESIDE).fisher_scores
    for table in (rows, summarize(rows)):
        assert_allclose(FisherScore(2).fit(table).scores_, scores)
    with pytest.raises(TypeError, match="needs the rows together"):
        GeneralizedFisherScoreCV([2]).fit(rows)


# A column of strings by its name.


@pytest.mark.parametrize("given", ["site", ["site"], ["site", "age"], ["age"]])
def test_adjusting_for_a_column_means_all_its_values(path, given):
    names = [given] if isinstance(given, str) else given
    rows = scan(path, "kind", drop=["dose"])
    frame = pandas.concat([CANDIDATES, TABLE[["age"]], INDICATORS], axis=1)
    beside = BESIDE[names]
    kept = frame[[name for name in frame if name.split("=")[0] not in names]]
    expected = GeneralizedFisherScore(2).fit(kept, KIND, confounders=beside)
    for fitted in (
        GeneralizedFisherScore(2, adjust_for=given).fit(rows),
        GeneralizedFisherScore(2, adjust_for=given).fit(frame, KIND),
        GeneralizedFisherScore(2, adjust_for=given).fit(summarize(rows)),
    ):
        assert set(fitted.get_feature_names_out()) == set(expected.get_feature_names_out())
        assert_allclose(fitted.objective_, expected.objective_)
    by_group = GeneralizedFisherScore(2, adjust_for=given, groups=rows.groups).fit(rows)
    mapped = {"place": ["site"], "years": ["age"]}
    own = {"site": "place", "age": "years"}
    of_groups = GeneralizedFisherScore(2, adjust_for=[own[name] for name in names], groups=mapped).fit(rows)
    assert_allclose(by_group.objective_, of_groups.objective_)
    assert_array_equal(by_group.support_, of_groups.support_)


def test_columns_of_strings_kept_and_excluded_whole(path):
    rows = scan(path, "kind", drop=["dose"])
    kept = GeneralizedFisherScore(4, keep=["site"]).fit(rows)
    assert {"site=a", "site=b", "site=c"} < set(kept.get_feature_names_out())
    out = GeneralizedFisherScore(7, exclude=["site"]).fit(rows)
    assert not any(name.startswith("site") for name in out.get_feature_names_out())
    with pytest.raises(ValueError, match=r"'sit=a' is none of them\. Did you mean 'site=a'\?"):
        GeneralizedFisherScore(2, adjust_for=["sit=a"]).fit(rows)


# A fitted selector remembers that it was adjusted.


def test_explaining_without_the_confounders_of_the_fit(path):
    fitted = GeneralizedFisherScore(2).fit(scan(path, "kind", drop=["dose"], confounders=["site", "age"]))
    bare = scan(path, "kind", drop=["dose", "site", "age"])
    for function in (explain, certify, near_best):
        with pytest.raises(ValueError, match=r"Pass it again, as scan\(\.\.\., confounders=\.\.\.\)"):
            function(fitted, bare)
        with pytest.raises(
            ValueError, match=rf"as {function.__name__}\(selector, X, y, confounders=\.\.\.\)"
        ):
            function(fitted, CANDIDATES, KIND)
    known = certify(fitted, CANDIDATES, KIND, confounders=BESIDE)
    assert known.objective == pytest.approx(fitted.objective_)
    assert str(known).startswith("Proven optimal after adjustment")


def test_annotations_of_cells_as_confounders():
    obs = TABLE[["kind", "age"]].assign(site=pandas.Categorical(TABLE["site"]), text=TABLE["site"])
    parts = {"X": CANDIDATES.to_numpy(), "obs": obs, "var_names": CANDIDATES.columns, "layers": {}}
    data = type("AnnData", (), parts)()
    expected = GeneralizedFisherScore(2).fit(CANDIDATES, KIND, confounders=BESIDE)
    for confounders in (["site", "age"], ["age", "text"]):
        rows = scan(data, "kind", confounders=confounders, batch_rows=40)
        assert_same(GeneralizedFisherScore(2).fit(rows), expected)
        assert sorted(rows.confounder_names)[0] == "age"
        assert rows.fit_arguments == ("confounders",)
    with pytest.raises(ValueError, match="adata has no column 'agee' in obs"):
        scan(data, "kind", confounders=["agee"])
