"""Numbers with a unit: read where all have the same, and never guessed."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from fisherset.tables import open_table, read_table, scan
from fisherset.tables.columns.units import AmbiguousError, are_dates, unit_from, unit_of
from fisherset.tables.read import pick
from support.command_line import invoke, refused

READ = {
    "kilograms": (["60 kg", "72.5 kg", "60kg"], [60, 72.5, 60]),
    "per cent": (["12%", "7 %", "-3%"], [12, 7, -3]),
    "dollars": (["$5.50", "$1,200.00", "-$3"], [5.5, 1200, -3]),
    "euros, as in Germany": (["5,50 €", "3,2 €", "1.000,00 €"], [5.5, 3.2, 1000]),
    "euros, decimals only": (["5,50 €", "3,2 €"], [5.5, 3.2]),
    "thousands and decimals": (["1,234.5", "7"], [1234.5, 7]),
    "millions": (["1,234,567", "12"], [1234567, 12]),
    "per decilitre": (["5 mg/dL", ".7 mg/dL"], [5, 0.7]),
    "degrees": (["37.2°C", "-2 °C"], [37.2, -2]),
    "codes": (["USD 5", "USD 6"], [5, 6]),
    "a minus sign": (["\N{MINUS SIGN}5 m", "+6 m"], [-5, 6]),
    "debts": (["($5.50)", "$1,200", "( $3 )"], [-5.5, 1200, -3]),
    "debts without a unit": (["(5)", "6"], [-5, 6]),
    "powers": (["1e5 kg", "2E-3 kg"], [1e5, 2e-3]),
}
NOT_READ = {
    "plain numbers": ["1", "2.5"],
    "names": ["S1", "S2"],
    "dates": ["2020-01-05", "2020-01-06"],
    "compact dates": ["20141013T000000", "20141014T000000"],
    "a debt with a sign": ["(-$5)", "$6"],
    "times": ["12:30", "12:45"],
    "versions": ["5.0.1", "3.2.2"],
    "ranges": ["10-20", "20-30"],
    "stages": ["1A", "1B", "2A", "2B"],
    "limits": ["<5 mg", "7 mg"],
    "nothing": [],
}
AMBIGUOUS = {
    "a comma": (["1,234", "2,500"], "the ',' of '1,234' may come before thousands or decimals"),
    "two units": ([f"{i} kg" for i in range(20)] + ["132 lb"], r"several units \(kg, lb\)"),
    "some without": ([f"{i} %" for i in range(20)] + ["7"], r"several units \(none, %\)"),
}


@pytest.mark.parametrize("case", READ)
def test_numbers_with_one_unit_are_read(case):
    strings, expected = READ[case]
    unit = unit_of(strings)
    assert [unit.number(text) for text in strings] == expected
    assert unit_from(unit.code) == unit


DATES = """5/13/2020|1/2/20|13.5.2020 10:30|1/1/2020 1:05 PM|13-May-2020|3 Mar 2021|May 13, 2020|2020/5/3
|20200513T000000|2020-05-13T10:30:00Z""".replace("\n", "").split("|")
NO_DATES = ["1.0.0", "1.2.20", "10-12-5", "20200513", "555-0123", "1/2", "1/2/3", "12.5", "2020", "May"]


def test_dates_of_any_form_are_told_from_identifiers(tmp_path):
    assert [text for text in DATES if not are_dates([text])] == []
    assert [text for text in NO_DATES if are_dates([text])] == []
    for text in ("{}/5/2020", "201405{:02d}T000000", "May {}, 2020"):
        table = plain().assign(sold=[text.format(i % 28 + 1) for i in range(N)])
        table.to_csv(tmp_path / "t.csv", index=False)
        with pytest.raises(
            ValueError, match=r"^Column 'sold' holds dates or times\. Convert it, or use --drop"
        ):
            read_table(tmp_path / "t.csv", "kind")


@pytest.mark.parametrize("case", NOT_READ)
def test_other_strings_are_no_quantities(case):
    assert unit_of(NOT_READ[case]) is None


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_what_can_be_read_in_several_ways_is_not_guessed(case):
    strings, expected = AMBIGUOUS[case]
    with pytest.raises(AmbiguousError, match=expected):
        unit_of(strings)


def test_the_decimal_point_of_the_file_decides():
    assert unit_of(["1,234 €", "2,500 €"], decimal=",").number("1,234 €") == 1.234
    with pytest.raises(AmbiguousError, match=r"the '\.' of '1\.234 €'"):
        unit_of(["1.234 €"], decimal=",")


@pytest.mark.parametrize(("cell", "number"), [("{}.234,5", 1000.0), ("{},5", 1.0)])
@pytest.mark.parametrize("separator", [";", ","])
def test_numbers_with_commas_are_read_where_they_are_clear(cell, number, separator, tmp_path):
    values = [i * number + (234.5 if number > 1 else 0.5) for i in range(1, 15)]
    cells = [f'"{cell.format(i)}"{separator}"{"uv"[i % 2]}"' for i in range(1, 15)]
    (tmp_path / "t.csv").write_text("\n".join([f"x{separator}kind", *cells]) + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = read_table(tmp_path / "t.csv", "kind")
        rows = scan(tmp_path / "t.csv", "kind")
    assert table.X[:, 0].tolist() == values
    assert pick(rows)[0][:, 0].tolist() == values


N = 120
RNG = np.random.default_rng(0)
WEIGHT, PRICE, SHARE = RNG.normal(70, 9, N).round(1), RNG.uniform(1, 5000, N).round(2), RNG.integers(0, 99, N)


def plain():
    kind = np.where(WEIGHT + SHARE / 9 > 75, "u", "v")
    return pd.DataFrame({"weight": WEIGHT, "price": PRICE, "share": SHARE, "kind": kind})


def with_units():
    table = plain()
    table["weight"] = [f"{value:g} kg" for value in WEIGHT]
    table["price"] = [f"${value:,.2f}" for value in PRICE]
    table["share"] = [f"{value}%" for value in SHARE]
    return table


@pytest.mark.parametrize("impute", [None, "median", "indicator"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_whole_and_by_batches_they_are_the_numbers(suffix, impute, tmp_path):
    expected, table = plain(), with_units()
    if impute is not None:
        expected.loc[::7, "weight"] = None
        table.loc[::7, "weight"] = None
    expected.to_csv(tmp_path / "plain.csv", index=False)
    path = tmp_path / f"t.{suffix}"
    table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path, index=False)
    numbers = read_table(tmp_path / "plain.csv", "kind", impute=impute)
    with pytest.warns(
        UserWarning, match=r"Column 'weight': read '[\d.]+ kg' as .*'price': .*'share': read '\d+%'"
    ):
        whole = read_table(path, "kind", impute=impute)
    with pytest.warns(UserWarning, match="read"):
        rows = scan(path, "kind", impute=impute, batch_rows=32)
    assert whole.names == numbers.names == rows.names
    np.testing.assert_array_equal(whole.X, numbers.X)
    np.testing.assert_array_equal(pick(rows)[0], numbers.X)
    units = [feature.unit for feature in whole.features if feature.kind == "number"]
    assert units == ["#.#kg", "$#,.#", "#.#%"]
    assert rows.features == whole.features


def test_the_command_selects_applies_and_sums_as_with_numbers(tmp_path):
    plain().to_csv(tmp_path / "plain.csv", index=False)
    with_units().to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "rows").mkdir()
    with_units().to_csv(tmp_path / "rows" / "t.csv", index=False)
    asked = ("-t", "kind", "-k", 2, "--json")
    expected = json.loads(invoke("select", "plain.csv", *asked, cwd=tmp_path).stdout)
    for path in ("t.csv", "rows"):
        done = invoke("select", path, *asked, "--out", f"{path}.json", cwd=tmp_path)
        assert re.search(r"note: .*Column 'weight': read '[\d.]+ kg' as [\d.]+; column 'price'", done.stderr)
        found = json.loads(done.stdout)
        assert found["objective"] == pytest.approx(expected["objective"])
        assert found["n_features_in"] == 3
    with_units().iloc[:5].to_csv(tmp_path / "new.csv", index=False)
    done = invoke("apply", "t.csv.json", "new.csv", "--out", "r.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    reduced = pd.read_csv(tmp_path / "r.csv")
    chosen = [name for name in reduced if name != "kind"]
    pd.testing.assert_frame_equal(reduced[chosen], plain()[chosen].iloc[:5], check_dtype=False)
    done = invoke("summarize", "t.csv", "-t", "kind", "--out", "s.npz", cwd=tmp_path)
    found = json.loads(invoke("select", "s.npz", "-k", 2, "--json", cwd=tmp_path).stdout)
    assert found["objective"] == pytest.approx(expected["objective"])


@pytest.mark.parametrize(
    ("cell", "said"),
    [("132 lb", "holds '132 lb'"), ("60", "holds '60'"), (60.5, "holds"), ("heavy", "holds 'heavy'")],
)
def test_another_unit_in_new_rows_is_refused(cell, said, tmp_path):
    with_units().drop(columns="share").to_csv(tmp_path / "t.csv", index=False)
    done = invoke("select", "t.csv", "-t", "kind", "-k", 2, "--out", "s.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    new = with_units().iloc[:3].assign(weight=cell)
    for suffix in ("csv", "parquet"):
        new.to_csv(tmp_path / "n.csv", index=False) if suffix == "csv" else new.to_parquet(
            tmp_path / "n.parquet"
        )
        done = invoke("apply", "s.json", f"n.{suffix}", "--out", "r.csv", cwd=tmp_path)
        assert f"Column 'weight' {said}" in refused(done)
        assert "selection was made from numbers such as '60 kg'" in done.stderr


def test_mixed_units_are_said_and_stay_strings(tmp_path):
    table = plain().assign(weight=[f"{60 + i % 20} {'kg' if i % 3 else 'lb'}" for i in range(N)])
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(UserWarning, match=r"several units \(kg, lb\), so its 40 values are categories"):
        found = read_table(tmp_path / "t.csv", "kind")
    assert len(found.names) == 42
    table["weight"] = [f"{60 + i} {'kg' if i % 3 else 'lb'}" for i in range(N)]
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=r"'weight' cannot be read as numbers: .* several units \(kg, lb\)"):
        read_table(tmp_path / "t.csv", "kind")


def test_an_odd_cell_among_quantities_is_named(tmp_path):
    table = with_units()
    table.loc[3, "weight"] = "unknown"
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(
        ValueError, match=r"Column 'weight' of t\.csv holds 'unknown' in line 5, .*--na 'unknown'"
    ):
        read_table(tmp_path / "t.csv", "kind")


def test_ambiguous_commas_of_few_values_are_said(tmp_path):
    table = plain().assign(price=["1,234" if i % 2 else "2,500" for i in range(N)])
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(
        UserWarning, match="may come before thousands or decimals, so its 2 values are categories"
    ):
        assert read_table(tmp_path / "t.csv", "kind").names[1:3] == ["price=1,234", "price=2,500"]


def test_a_target_with_a_unit_in_files_read_by_batches_is_asked_about(tmp_path):
    (tmp_path / "rows").mkdir()
    with_units().to_csv(tmp_path / "rows" / "t.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="The target 'price' holds numbers with a unit, such as '"):
            open_table(tmp_path / "rows", "price")
