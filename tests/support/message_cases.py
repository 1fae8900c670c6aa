"""Situations in which the command line says something that no table of bad input has: answers, notes."""

import json
import zipfile

import numpy as np
import pandas as pd

from support.table_files import frame, write_csv, write_npz
from support.workbooks import rows_of, write_xlsx


def houses(n=90):
    """Prices that two columns explain, and three do not."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(n, 5)).round(6), columns=["area", "rooms", "age", "noise", "floor"])
    table["price"] = (3 * table["area"] - 2 * table["age"] + rng.normal(size=n) / 2).round(6)
    return table


def noise(n=60, d=40):
    """Classes that no column has anything to do with."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.normal(size=(n, d)).round(6), columns=[f"gene{j}" for j in range(d)])
    return table.assign(kind=np.array(["healthy", "ill"])[np.arange(n) % 2])


def write_files(folder):
    """The files that commands below name."""
    table = frame()
    write_csv(folder / "t.csv", table)
    write_npz(folder / "t.npz", table)
    write_csv(folder / "houses.csv", houses())
    write_csv(folder / "noise.csv", noise())
    (folder / "names.txt").write_text("g0\ng2\n")
    (folder / "best.txt").write_text("g0\ng1\n")
    (folder / "groups.json").write_text(json.dumps({"one": ["g0", "g5"], "two": ["g1", "g2"]}))


def then(*commands):
    """Commands that are run first."""

    def write(folder):
        from support.command_line import invoke

        for command in commands:
            done = invoke(*command.split(), cwd=folder)
            assert done.returncode == 0, done.stderr

    return write


def table(change, source=frame):
    """A change of the table t.csv."""
    return lambda folder: write_csv(folder / "t.csv", change(source()))


def file(name, content):
    """Another file."""
    return lambda folder: (folder / name).write_bytes(
        content if isinstance(content, bytes) else content.encode()
    )


def case(situation, command, write=None, **changed):
    """A case, its command as it is typed."""
    import shlex

    return situation, shlex.split(command), write, {n.replace("__", "."): v for n, v in changed.items()}


def parquet_file(folder):
    frame().to_parquet(folder / "t.parquet", index=False)


def workbook(folder):
    write_xlsx(folder / "t.xlsx", {"rows": rows_of(frame()), "notes": [["a"], [1]]})


def archive(folder):
    with zipfile.ZipFile(folder / "t.zip", "w") as file:
        for name in ("a.csv", "b.csv", "README.md"):
            file.writestr(name, "a,kind\n1,u\n")


def readme(folder):
    (folder / "rows").mkdir()
    (folder / "rows" / "README.md").write_text("# rows\n")


def rows_and_readme(folder):
    readme(folder)
    write_csv(folder / "rows" / "part.csv", frame())


SELECT = "select t.csv -t kind -k 3"
PARTS = then("summarize a.csv -t kind --out a.npz", "summarize b.csv -t kind --out b.npz")


def parts(folder):
    """Two summaries of different rows."""
    write_csv(folder / "a.csv", frame()[:40])
    write_csv(folder / "b.csv", frame()[40:])
    PARTS(folder)


def selection(folder):
    """A selection, and a table it can be applied to."""
    then(f"{SELECT} --out s.json -q")(folder)
    write_csv(folder / "new.csv", frame()[:20].drop(columns="kind"))


def drifted(**columns):
    """A selection of all columns, and a table that is not as the first one was."""

    def write(folder):
        then("select t.csv -t kind -k 8 --out s.json -q")(folder)
        write_csv(folder / "new.csv", frame()[:20].assign(**columns))

    return write


ANSWERS = [
    case("classes", f"{SELECT} --out s.json --report r.html --write small.csv"),
    case("all columns of the result", f"{SELECT} --wide"),
    case("several sizes", "select t.csv -t kind -k 2,4,6"),
    case("the size by cross-validation", "select t.csv -t kind -k auto"),
    case("exact search", f"{SELECT} --solver exact"),
    case("numbers", "select houses.csv -t price --task regression -k 2"),
    case("groups", "select t.csv -t kind -k 2 --groups groups.json --keep two"),
    case("required, excluded, adjusted for", f"{SELECT} --keep g3 --exclude g1 --adjust-for flag"),
    case("weights", f"{SELECT} --class-weight balanced"),
    case("names only", f"{SELECT} --format names"),
    case("CSV", f"{SELECT} --format csv"),
    case("nothing but files", f"{SELECT} -q --out s.json"),
    case("a list", "certify t.csv -t kind --features names.txt"),
    case("the best list", "certify t.csv -t kind --features best.txt --exact"),
    case("sets nearly as good", "alternatives t.csv -t kind -k 2 --within 0.05"),
    case("methods", "compare t.csv -t kind -k 2,4 --methods fisher,joint --repeats 2"),
    case("trust in a selection", "trust t.csv -t kind -k 3 --pairs 5 --permutations 19"),
    case("trust in a selection of noise", "trust noise.csv -t kind -k 4 --pairs 5 --permutations 19"),
    case(
        "trust in numbers",
        "trust houses.csv -t price --task regression -k 2 --pairs 5 --permutations 19 --report r.html",
    ),
    case("another table", "apply s.json new.csv --out small.csv", selection),
    case("a summary", "summarize t.csv -t kind --out s.npz"),
    case("summaries", "merge a.npz b.npz --out all.npz", parts),
    case("a selection from a summary", "select a.npz -k 2", parts),
]
NOTES = [
    case("one of several sheets", "select t.xlsx -t kind -k 3 --format names", workbook),
    case("a folder with a README", "select rows -t kind -k 3 --format names", rows_and_readme),
    case("no -k", "select t.csv -t kind"),
    case("trust with strata of one row", "trust t.csv -t kind -k 2 --pairs 2 --permutations 19 --strata g0"),
    case("trust after adjustment", "trust t.csv -t kind -k 2 --pairs 2 --permutations 19 --adjust-for flag"),
    case("no -k, many required", "select t.csv -t kind --keep g0,g1,g2,g3,g4"),
    case(
        "a copy of the target",
        SELECT,
        table(lambda t: t.assign(copy=t["kind"].map({"low": 5, "middle": 1, "high": 2}))),
    ),
    case(
        "a copy of the target, for another program",
        f"{SELECT} --format names",
        table(lambda t: t.assign(copy=t["kind"])),
    ),
    case("a row number", SELECT, table(lambda t: t.assign(Id=np.arange(1, len(t) + 1)))),
    case(
        "an index of pandas", SELECT, table(lambda t: t.sort_values("kind").reset_index(names="Unnamed: 0"))
    ),
    case("identifiers", SELECT, table(lambda t: t.assign(sample=[f"S{i}" for i in t.index]))),
    case("units", SELECT, table(lambda t: t.assign(share=[f"{i} %" for i in range(len(t))]))),
    case("nothing but noise", "select noise.csv -t kind -k 4"),
    case("nothing but noise in a list", "certify noise.csv -t kind --features gene1,gene2"),
    case("few numbers as classes", SELECT, table(lambda t: t.assign(kind=np.arange(len(t)) % 12))),
    case("a time limit", f"{SELECT} --solver exact --time-limit 1e-9"),
    case("a time limit, for another program", f"{SELECT} --solver exact --time-limit 1e-9 --format names"),
    case("more sets than are listed", "alternatives t.csv -t kind -k 2 --within 0.5 --max-sets 3"),
    case("a constant column", SELECT, table(lambda t: t.assign(g1=1.0))),
    case(
        "a table larger than memory",
        SELECT,
        fisherset__tables__read__free_memory=lambda: 20_000.0,
    ),
    case("another table: new values", "apply s.json new.csv --out o.csv", drifted(colour="mauve")),
    case("another table: missing values", "apply s.json new.csv --out o.csv", drifted(g0=np.nan)),
    case("another table: infinite values", "apply s.json new.csv --out o.csv", drifted(g0=np.inf)),
    case("another table: new labels", "apply s.json new.csv --out o.csv", drifted(kind="other")),
    case("another table: new values, strict", "apply s.json new.csv --out o.csv --strict", drifted(colour=1)),
    case("another table: no column", "apply s.json new.csv --out o.csv", lambda f: missing_column(f)),
]


def missing_column(folder):
    """A table without two columns of the selection."""
    selection(folder)
    write_csv(folder / "new.csv", frame()[["g2", "g3"]])


def saved(content):
    """A damaged selection."""
    return file("s.json", content)


def labelled(labels, **change):
    """A table without its target, and labels of its rows."""

    def write(folder):
        names = [f"S{i}" for i in range(90)]
        table = frame().drop(columns="kind").assign(sample=names, **change)
        write_csv(folder / "t.csv", table)
        write_csv(folder / "l.csv", labels(frame()[["kind"]].assign(sample=names)))

    return write


LABELS = "select t.csv --labels l.csv --on sample -t kind -k 2"
REFUSALS = [
    case("an unknown command", "selct t.csv"),
    case("an unknown option", "select t.csv --traget kind"),
    case("an option without its value", "select t.csv -t"),
    case("an unknown value", f"{SELECT} --task Regression"),
    case("an unknown format", f"{SELECT} --format JSON"),
    case("two formats", f"{SELECT} --json --format csv"),
    case("several sizes of trust", "trust t.csv -t kind -k 2,3"),
    case("trust in a summary", "select a.npz -k 2 --trust", parts),
    case("no number", f"{SELECT} --time-limit soon"),
    case("no file", "select"),
    case("a URL", "select https://example.org/t.csv -t kind"),
    case("a URL of labels", "select t.csv --labels s3://bucket/l.csv -t kind"),
    case("a sheet of a text", f"{SELECT} --sheet rows"),
    case("no header of Parquet", "select t.parquet --no-header -t 3 -k 2", parquet_file),
    case("no header, no such column", "select t.csv --no-header -t -20 -k 2"),
    case("no such sheet", "select t.xlsx --sheet Rows -t kind -k 2", workbook),
    case("several tables in an archive", "select t.zip -t kind -k 2", archive),
    case("nested JSON", "select t.json -t kind -k 2", file("t.json", '[{"a": [1, 2], "kind": "u"}]')),
    case("JSON that is no table", "select t.json -t kind -k 2", file("t.json", "3")),
    case("a folder without a table", "select rows -t kind -k 2", readme),
    case("no such pattern", "select 'x*.csv' -t kind"),
    case("a name in capitals", "select t.csv -t KIND -k 2"),
    case("a column in capitals", f"{SELECT} --keep G0"),
    case("a suffix", f"{SELECT} --out s.csv"),
    case("a page as PDF", f"{SELECT} --report r.pdf"),
    case("a page of the demo as PDF", "demo --report r.pdf"),
    case("a file of others", f"{SELECT} --report r.html", file("r.html", "mine")),
    case("two outputs that are one file", f"{SELECT} --report r.html --write r.html"),
    case("-k with an empty part", "select t.csv -t kind -k 2,"),
    case("-k with a zero", "select t.csv -t kind -k 0,2"),
    case("limits of several sizes", "select t.csv -t kind -k 2,4 --solver exact --time-limit 1"),
    case("an unknown solver", f"{SELECT} --solver Exact"),
    case("a bad memory limit", f"{SELECT} --max-memory lots"),
    case("a small memory limit", f"{SELECT} --max-memory 1kB"),
    case("a bad separator", f"{SELECT} --sep ab"),
    case("a wrong separator", f"{SELECT} --sep ';'"),
    case("a bad decimal point", f"{SELECT} --decimal x"),
    case("an unknown encoding", f"{SELECT} --encoding utf-9"),
    case("--on without --labels", f"{SELECT} --on sample"),
    case("an unknown column of names", f"{SELECT} --id sample"),
    case("labels without the column", LABELS, labelled(lambda t: t.rename(columns={"sample": "Sample"}))),
    case("labels of other rows", LABELS, labelled(lambda t: t.assign(sample="x"))),
    case("labels of some rows", LABELS, labelled(lambda t: t[:50])),
    case("labels of rows twice", LABELS, labelled(lambda t: pd.concat([t, t[:3]]))),
    case("labels that are missing", LABELS, labelled(lambda t: t.assign(kind=t["kind"].where(t.index > 5)))),
    case("one row", SELECT, table(lambda t: t[:1])),
    case("two rows", SELECT, table(lambda t: t[:2])),
    case("a class of one row", SELECT, table(lambda t: t[:3])),
    case("no features but the target", SELECT, table(lambda t: t[["kind"]])),
    case("an unknown class weight", f"{SELECT} --class-weight none"),
    case("a list without names", "certify t.csv -t kind --features ,"),
    case("a name twice", "certify t.csv -t kind --features g0,g0"),
    case("an unknown name", "certify t.csv -t kind --features g0,G9"),
    case("no such list", "certify t.csv -t kind --features lists.txt"),
    case("two tables from one stream", "certify - -t kind --features -"),
    case("no target", "certify t.csv --features g0"),
    case("gamma by cross-validation", "certify t.csv -t kind --features g0 --gamma auto"),
    case("an unknown method", "compare t.csv -t kind --methods Fishre"),
    case("a summary in place of rows", "compare a.npz", parts),
    case("a page of a summary", "select a.npz -k 2 --report r.html", parts),
    case("rows of a summary", "select a.npz -k 2 --write r.csv", parts),
    case("a cross-validated summary", "select a.npz -k auto", parts),
    case("numbers of a summary of classes", "select a.npz -k 2 --task regression", parts),
    case("a column of a summary", "select a.npz -k 2 --drop g0", parts),
    case("another target of a summary", "select a.npz -t g0 -k 2", parts),
    case("a summary of a summary", "summarize a.npz --out c.npz", parts),
    case("a summary twice", "merge a.npz a.npz --out c.npz", parts),
    case("a summary of other columns", "merge a.npz c.npz --out d.npz", lambda f: other_columns(f)),
    case("rows that are not in a summary", "merge a.npz --without b.npz --out d.npz", parts),
    case("no rows left of a summary", "merge a.npz --without a.npz --out d.npz", parts),
    case("no such summary", "merge a.npz --out d.npz"),
    case("a table as a summary", "merge t.npz --out d.npz"),
    case("a summary that exists", "summarize t.csv -t kind --out a.npz", parts),
    case("no selection", "apply s.json t.csv --out o.csv"),
    case("no JSON", "apply s.json t.csv --out o.csv", saved("{")),
    case("another JSON", "apply s.json t.csv --out o.csv", saved('{"features": []}')),
    case(
        "a selection of the future",
        "apply s.json t.csv --out o.csv",
        saved('{"format": "fisherset selection", "version": 9}'),
    ),
    case(
        "a selection without features",
        "apply s.json t.csv --out o.csv",
        saved('{"format": "fisherset selection", "version": 1}'),
    ),
    case(
        "a selection with null",
        "apply s.json t.csv --out o.csv",
        saved('{"format": "fisherset selection", "version": 1, "features": null}'),
    ),
    case("a suffix of tables", "apply s.json new.csv --out o.docx", selection),
    case("an unknown part of the paper", "reproduce --only table9 --out o"),
]


def other_columns(folder):
    """Summaries of different columns."""
    parts(folder)
    write_csv(folder / "c.csv", frame().drop(columns="g0"))
    then("summarize c.csv -t kind --out c.npz")(folder)
