"""The commonest foreign files from end to end: chosen from, applied to a second file, rows by name."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from fisherset import GeneralizedFisherScore
from support.anndata_files import write_cells
from support.command_line import invoke

N, GENES = 60, [f"g{j}" for j in range(8)]


def samples(seed=0):
    """Genes of samples with names, two of which tell three tissues apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(N) % 3
    X = rng.normal(size=(N, len(GENES))).round(4)
    X[:, 0] += y
    X[:, 1] -= 2 * (y == 1)
    names = [f"S{seed}-{i:02d}" for i in range(N)]
    table = pd.DataFrame(X.round(4), columns=GENES, index=pd.Index(names, name="sample"))
    table["tissue"] = np.array(["colon", "lung", "brüst"])[y]
    return table


def spreadsheet(path, table):
    table.to_csv(path, sep=";", decimal=",", encoding="utf-8-sig", lineterminator="\r\n")


def latin(path, table):
    table.to_csv(path, encoding="latin-1")


def question_marks(path, table):
    holed = table.astype(object)
    holed.iloc[3, 4] = "?"
    holed.iloc[17, 5] = "?"
    holed.to_csv(path)


def packed(path, table):
    path.write_bytes(gzip.compress(table.to_csv().encode()))


def labels_apart(path, table):
    table.drop(columns="tissue").to_csv(path)
    table[["tissue"]].iloc[::-1].to_csv(path.with_name("meta.csv"))


def genes_as_rows(path, table):
    table.drop(columns="tissue").T.to_csv(path, sep="\t", index_label="gene")
    table[["tissue"]].iloc[::-1].to_csv(path.with_name("meta.csv"))


def series_matrix(path, table):
    """A series matrix as the Gene Expression Omnibus offers it."""
    quoted = ['"' + name + '"' for name in table.index]
    lines = [
        '!Series_title\t"Tissues"',
        "",
        "!Sample_title\t" + "\t".join(quoted),
        "!Sample_characteristics_ch1\t" + "\t".join(f'"tissue: {value}"' for value in table["tissue"]),
        "!series_matrix_table_begin",
        '"ID_REF"\t' + "\t".join(quoted),
        *(f'"{gene}"\t' + "\t".join(map(str, table[gene])) for gene in GENES),
        "!series_matrix_table_end",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def index_column(path, table):
    table.to_parquet(path)


def arrays(path, table):
    np.savez(path, X=table[GENES].to_numpy(), y=table["tissue"].to_numpy(dtype=str))


def cells(path, table):
    obs = {"tissue": pd.Categorical(table["tissue"].astype(object))}
    write_cells(path, table[GENES].to_numpy(), obs, rows=list(table.index), names=GENES)


ID, META = ("--id", "sample"), ("--labels", "meta.csv", "--on", "sample")
# name of the file, how it is written, what is said of it, whether rows have names, and columns theirs
FOREIGN = {
    "semicolons and commas from a spreadsheet": ("t.csv", spreadsheet, ID, True, True),
    "a GEO series matrix": ("t.txt", series_matrix, (), True, True),
    "latin-1": ("t.csv", latin, ID, True, True),
    "question marks for what is missing": (
        "t.csv",
        question_marks,
        (*ID, "--na", "?", "--impute", "median"),
        True,
        True,
    ),
    "packed": ("t.csv.gz", packed, ID, True, True),
    "labels apart": ("t.csv", labels_apart, META, True, True),
    "genes as rows": ("t.tsv", genes_as_rows, ("--transpose", *META), True, True),
    "an index column": ("t.parquet", index_column, (), True, True),
    "arrays": ("t.npz", arrays, (), False, False),
    "cells with names": ("t.h5ad", cells, (), True, True),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_from_end_to_end(case, tmp_path):
    name, write, said, named_rows, named_columns = FOREIGN[case]
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, seed in ((old, 0), (new, 1)):
        folder.mkdir()
        write(folder / name, samples(seed))
    target = () if name.endswith(".npz") else ("-t", "tissue")
    files = ("--out", "s.json", "--report", "r.html", "--write", "w.csv")
    done = invoke("select", name, *target, *said, "-k", 2, "--gamma", N, *files, cwd=old)
    assert done.returncode == 0, done.stderr
    chosen = json.loads((old / "s.json").read_text())
    genes = GENES if named_columns else [f"x{j}" for j in range(len(GENES))]
    table = samples(0)
    expected = GeneralizedFisherScore(2, gamma=N).fit(table[GENES], table["tissue"])
    assert {feature["name"] for feature in chosen["features"]} == {
        genes[j] for j in expected.get_support(indices=True)
    }
    assert chosen["objective"] == pytest.approx(expected.objective_, rel=1e-9)
    assert "tissue" in (old / "r.html").read_text(encoding="utf-8") or not target

    asked = [part for part in said if part not in ("--impute", "median")]
    if "--labels" in asked:  # the new samples have none yet
        (new / "meta.csv").unlink()
        place = asked.index("--labels")
        asked = asked[:place] + asked[place + 4 :]
    done = invoke("apply", old / "s.json", name, *asked, "--out", "a.csv", cwd=new)
    assert done.returncode == 0, done.stderr
    for folder, seed, file in ((old, 0, "w.csv"), (new, 1, "a.csv")):
        found, truth = pd.read_csv(folder / file), samples(seed)
        columns = [feature["name"] for feature in chosen["features"]]
        own = [GENES[genes.index(column)] for column in columns]
        np.testing.assert_allclose(found[columns], truth[own], rtol=1e-12)
        if named_rows:
            assert found.iloc[:, 0].tolist() == truth.index.tolist()
