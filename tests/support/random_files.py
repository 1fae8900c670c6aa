"""Odd little files, what the commands should see in them, and whether what they answer is right.

A case is a table in the words of its author: columns of a kind, with odd names and odd texts. From
that follow the file, the numbers a command must make of it (written out here once more, plainly)
and the reasons it has to refuse. A command answers rightly, or refuses for one of these reasons.
"""

import csv
import json
import re
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from pyarrow import csv as arrow_csv
from pyarrow import feather, parquet
from sklearn.datasets import dump_svmlight_file

from support.command_line import invoke
from support.random_tables import CLOSE, FEW_SETS, check_criterion, truth_of

NAMES = ["a", "b", "size", "a=b", "a,b", 'q"x', "<b>&", "größe", " lead", "=1+1", "1", "two\nlines", "nan"]
TEXTS = ["red", "blue", "a,b", 'q"x', "<script>", "é", "=1+1", " lead", "two\nlines", "a=b", "x\ty", "NA"]
TARGETS = ["kind", "the, kind", "=t", "<i>"]
LABELS = ["low", "high", "a,b", 'q"x', "<b>", "é", "07", "=1", "NA"]
NULLS = {"", "NA"}  # what a text file cannot hold as a text
FORMATS = {".csv": ",", ".tsv": "\t", ".parquet": None, ".feather": None, ".npz": None, ".svmlight": None}

# The reason for a refusal, and the words that give it.
REASONS = {
    "missing": "ha(ve|s) missing values",
    "nothing": "(are|is) empty",
    "infinite": "infinite values",
    "rounded": "(whole numbers|integers) beyond",
    "numbers as text": "holds? numbers stored as text",
    "mixed": "numbers? everywhere else",
    "dates": "holds? dates or times",
    "lists": "holds? neither numbers nor (texts|strings)",
    "names": "the same name",
    "no labels": "is missing in",
    "classes": "class|identifier|continuous|different integer in each",
    "empty": "no features: only the target",
    "drop": "--drop names columns",
    "k": "-k must|but -k is",
    "keep": "--keep(:| must| takes)",
    "exclude": "--exclude(:| must| takes)|must not overlap",
    "overlap": "must not overlap",
    "nothing left": "leave at least one to select",
    "groups": "groups must not|a group must not|contains the target|names columns not in",
    "not whole": "names only a part of",
    "not kept": "must include the columns of --keep",
    "excluded": "must not overlap",
    "gamma": "gamma (must|takes)",
    "few rows": "Half of the rows|samples|labels",
}


@dataclass(frozen=True)
class Column:
    """Values as they were meant: numbers, truth values, texts, None."""

    name: str
    kind: str
    values: list

    def features(self, impute, split):
        """Name and numbers of each feature it becomes, and what is wrong with it."""
        if self.kind in ("dates", "lists", "numbers as text", "mixed"):
            return [], {self.kind}
        present = [value for value in self.values if value is not None]
        if not present:
            return [], {"nothing"}
        gaps = len(present) < len(self.values)
        made = self._of_texts(present, impute) if self.kind == "texts" else self._of_numbers(present)
        if len(made) == 2 and not gaps and not split:
            made = made[1:]  # which tells both apart
        if gaps and impute == "indicator":
            made.append((f"{self.name}=missing", [float(value is None) for value in self.values]))
        faults = {"missing"} if gaps and impute is None else set()
        if self.kind == "infinite" and any(map(np.isinf, present)):
            faults.add("infinite")
        if any(isinstance(value, int) and int(float(value)) != value for value in present):
            faults.add("rounded")
        return made, faults

    def _of_numbers(self, present):
        fill = median(map(float, present))
        return [(self.name, [fill if value is None else float(value) for value in self.values])]

    def _of_texts(self, present, impute):
        commonest = min(set(present), key=lambda text: (-present.count(text), text))
        filled = [commonest if value is None and impute == "median" else value for value in self.values]
        return [
            (f"{self.name}={text}", [float(value == text) for value in filled])
            for text in sorted(set(present))
        ]


@dataclass(frozen=True)
class FileCase:
    """A file to be written, a request, and what follows from both."""

    columns: list
    target: str
    labels: list
    suffix: str
    impute: Any
    drop: Any
    k: Any
    gamma: str
    faults: set = field(compare=False)
    features: dict = field(compare=False, repr=False)  # name -> numbers
    units: list = field(compare=False)  # what each feature is chosen with
    split: bool = False
    keep: Any = None
    exclude: Any = None
    groups: Any = None  # a mapping, "prefix" or None

    @property
    def codes(self):
        return np.unique(np.array([str(label) for label in self.labels]), return_inverse=True)[1]

    @property
    def floats(self):
        return np.column_stack(list(self.features.values()))

    weights, regression = None, False

    @property
    def labels_of_units(self):
        return list(dict.fromkeys(self.units))

    def named(self, name):
        """The units that a name of a group, a column or a feature stands for."""
        if isinstance(self.groups, dict) and name in self.groups:
            return {name} & set(self.units)
        if self.groups == "prefix" and name in self.units:
            return {name}
        columns = [column for column in self.columns if column.name == name and column.name != self.drop]
        made = [part for column in columns for part, _ in column.features(self.impute, self.split)[0]]
        made = made or ([name] if self.split and name in self.features else [])
        return {self.units[list(self.features).index(part)] for part in made}

    @property
    def kept(self):
        return set() if self.keep is None else self.named(self.keep)

    @property
    def excluded(self):
        return set() if self.exclude is None else self.named(self.exclude)

    @property
    def n_allowed(self):
        return len(self.labels_of_units) - len(self.excluded)

    @property
    def count(self):
        return int(self.k) if self.k is not None else max(1, len(self.kept), self.n_allowed // 2)

    def places(self, units):
        return [j for j, unit in enumerate(self.units) if unit in units]

    def allowed_sets(self, k):
        """All sets of k units that keep and exclude allow, as columns."""
        free = [unit for unit in self.labels_of_units if unit not in self.kept | self.excluded]
        return [self.places(self.kept | set(some)) for some in combinations(free, k - len(self.kept))]

    @property
    def options(self):
        given = [f"--gamma={self.gamma}"]
        given += [] if self.is_matrix else [f"--target={self.target}"]
        given += [] if self.impute is None else [f"--impute={self.impute}"]
        return given + ([] if self.drop is None else [f"--drop={self.drop}"])

    @property
    def choice(self):
        """The options of commands that choose, or grade what was chosen."""
        given = ["--split-texts"] if self.split else []
        given += [] if self.keep is None else [f"--keep={self.keep}"]
        given += [] if self.exclude is None else [f"--exclude={self.exclude}"]
        return given + ([] if self.groups is None else [f"--groups={self.groups_file}"])

    @property
    def groups_file(self):
        return self.groups if self.groups == "prefix" else "groups.json"

    @property
    def is_matrix(self):
        return self.suffix in (".npz", ".svmlight")

    def write(self, path, rows=None):
        """The file, or one with the rows in another order; and that of the groups."""
        if isinstance(self.groups, dict):
            path.with_name("groups.json").write_text(json.dumps(self.groups), encoding="utf-8")
        rows = range(len(self.labels)) if rows is None else rows
        columns = [(column.name, [column.values[i] for i in rows]) for column in self.columns]
        write_file(path, columns, self.target, [self.labels[i] for i in rows])


def write_file(path, columns, target, labels):
    """By means other than those of the commands."""
    if path.suffix in (".csv", ".tsv"):
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=FORMATS[path.suffix])
            writer.writerow([name for name, _ in columns] + [target])
            values = [[_cell(value) for value in column] for _, column in columns]
            writer.writerows(zip(*values, map(_cell, labels), strict=True))
        return
    if path.suffix in (".parquet", ".feather"):
        names = [name for name, _ in columns] + [target]
        table = pa.table([pa.array(values) for _, values in columns] + [pa.array(labels)], names=names)
        (parquet.write_table if path.suffix == ".parquet" else feather.write_feather)(table, path)
        return
    X = np.array([[np.nan if value is None else float(value) for value in values] for _, values in columns]).T
    classes, y = np.unique(np.array([str(label) for label in labels]), return_inverse=True)
    if path.suffix == ".npz":
        names = np.array([name for name, _ in columns], dtype=str)
        np.savez(path, X=X, y=y.astype(np.int32), classes=classes, feature_names=names)
    else:
        dump_svmlight_file(X, np.array(labels), str(path), zero_based=True)


def _cell(value):
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value


# What the whole numbers of a column, -8 to 8, become.
KINDS = {
    "ordinary": lambda v: [x / 8 + 0.25 for x in v],
    "whole": lambda v: v,
    "constant": lambda v: [v[0] / 4] * len(v),
    "offset": lambda v: [x / 8 + 1e6 for x in v],
    "huge": lambda v: [x * 1e299 for x in v],
    "tiny": lambda v: [x * 1e-299 for x in v],
    "flags": lambda v: [x > 0 for x in v],
    "texts": lambda v: [TEXTS[x % len(TEXTS)] if abs(x) < 7 else "red" for x in v],
    "few texts": lambda v: [TEXTS[x % 3] for x in v],
    "holes": lambda v: [None if x > 4 else x / 8 for x in v],
    "text holes": lambda v: [None if x > 4 else TEXTS[x % 4] for x in v],
    "infinite": lambda v: [float("inf") if x == max(v) else x / 8 for x in v],
    "large": lambda v: [2**53 + x for x in v],
    "mixed": lambda v: ["x" if i == 0 else f"{x}.5" for i, x in enumerate(v)],
    "numbers as text": lambda v: [f"{x}.5" for x in v],
    "dates": lambda v: [date(2020, 1, 9 + x) for x in v],
    "lists": lambda v: [[x] for x in v],
}
NUMBERS = ["ordinary", "whole", "constant", "offset", "huge", "tiny", "flags"]
USUAL = [*NUMBERS, "texts", "few texts"]
ONLY_ARROW = ("numbers as text", "dates", "lists")


@st.composite
def file_cases(draw):
    """Any case; most can be answered."""
    n, d = draw(st.integers(4, 16), label="n"), draw(st.integers(1, 5), label="d")
    suffix = draw(st.sampled_from(list(FORMATS)))
    matrix, text = suffix in (".npz", ".svmlight"), suffix in (".csv", ".tsv")
    kinds = NUMBERS if matrix else USUAL if draw(st.integers(0, 4)) else list(KINDS)
    if suffix == ".npz" and draw(st.booleans()):
        kinds = [*kinds, "holes", "infinite"]
    names = draw(
        st.lists(st.sampled_from(NAMES), min_size=d, max_size=d, unique=draw(st.integers(0, 15)) > 0)
    )
    if suffix == ".svmlight":
        names = [f"x{j}" for j in range(d)]
    columns = []
    for name in names:
        kind = draw(st.sampled_from([kind for kind in kinds if not (text and kind in ONLY_ARROW)]))
        values = KINDS[kind](draw(st.lists(st.integers(-8, 8), min_size=n, max_size=n)))
        if "text" in kind and text and kind not in ONLY_ARROW:
            values = [None if value in NULLS else value for value in values]
        columns.append(Column(name, {"few texts": "texts", "text holes": "texts"}.get(kind, kind), values))
    if suffix == ".svmlight" and not any(columns[-1].values):
        columns[-1].values[0] = 1.0  # the file does not say how wide it is
    target, labels = _labels(draw, n, names, suffix)
    impute = draw(st.sampled_from([None, None, "median", "indicator"]))
    drop = draw(st.sampled_from([None] * 10 + ["nowhere", *names]))
    gamma = draw(st.sampled_from(["scale"] * 10 + ["1", "0.01", "1e6"] * 4 + ["0", "-1", "nan", "few"]))
    split = draw(st.sampled_from([False, False, True]))
    groups = _groups(draw, names, drop, target if suffix not in (".npz", ".svmlight") else None)
    features, faults = _expected(columns, target, labels, suffix, impute, drop, split)
    units, wrong = _units(columns, features, impute, drop, split, groups, target)
    keep = draw(st.sampled_from([None] * 12 + [*names, *list(features)[:3], "nowhere", *(groups or ())]))
    exclude = draw(st.sampled_from([None] * 12 + [*names, *list(features)[-3:], "nowhere"]))
    case = FileCase(
        *(columns, target, labels, suffix, impute, drop, None, gamma, faults | wrong, features, units),
        *(split, keep, exclude, groups),
    )
    case.faults.update(_choice_faults(case))
    width = case.n_allowed
    least = len(case.kept)
    k = draw(st.sampled_from([None, None, *range(max(1, least), max(width, 1) + 1)] * 4 + [0, width + 1]))
    case = replace(case, k=k)
    if k is not None and not max(1, least) <= k <= width:
        case.faults.add("k")
    if gamma in ("0", "-1", "nan", "few"):
        case.faults.add("gamma")
    return case


def _groups(draw, names, drop, target):
    """Some names in groups, mostly without a fault."""
    kind = draw(st.sampled_from([None] * 6 + ["prefix", "file", "file", "file"]))
    if kind != "file":
        return kind
    of_name = draw(
        st.lists(st.sampled_from(["one", "two", "size", None]), min_size=len(names), max_size=len(names))
    )
    groups = {}
    for name, group in zip(names, of_name, strict=True):
        if group is not None:
            groups.setdefault(group, []).append(name)
    odd = draw(st.integers(0, 15))
    if odd == 0:
        groups.setdefault("two", []).append("nowhere")
    elif odd == 1 and target is not None:
        groups.setdefault("two", []).append(target)
    elif odd == 2:
        groups.setdefault("three", []).append(names[0])
    return groups or {"one": [names[0]]}


def _units(columns, features, impute, drop, split, groups, target):
    """The group of each feature, and the faults of the groups."""
    of_column, faults = {}, set()
    there = [column.name for column in columns if column.name != drop]
    if groups == "prefix":
        beginnings = [name.split("_")[0] or name for name in there]
        of_column = {
            name: start for name, start in zip(there, beginnings, strict=True) if beginnings.count(start) > 1
        }
    for label, members in groups.items() if isinstance(groups, dict) else ():
        for name in members:
            if (name not in there and name != drop) or of_column.get(name, label) != label:
                faults.add("groups")
            of_column[name] = label
        if label in there and label not in members:
            faults.add("groups")
    units = {}
    for column in columns:
        if column.name != drop:
            for name, _ in column.features(impute, split)[0]:
                units[name] = of_column.get(column.name, name if split else column.name)
    return [units.get(name, name) for name in features], faults


def _choice_faults(case):
    """Faults of the columns to keep and to exclude."""
    faults = set()
    for option in ("keep", "exclude"):
        name = getattr(case, option)
        if name is not None and not case.named(name):
            faults.add(option)
    if case.kept & case.excluded:
        faults.add("overlap")
    if case.features and not case.n_allowed:
        faults.add("nothing left")
    return faults


def _labels(draw, n, names, suffix):
    """The name of the target, which no other column has, and its values."""
    codes = draw(st.lists(st.integers(0, draw(st.sampled_from([1, 1, 2, 2, 3]))), min_size=n, max_size=n))
    kind = draw(
        st.sampled_from(
            ["texts"] * 8 + ["numbers", "numbers", "flags", "flags", "holes", "distinct", "halves"]
        )
    )
    if suffix == ".svmlight":
        return "label", codes
    offset = draw(st.integers(0, len(LABELS) - 4))
    labels = {
        "texts": [LABELS[code + offset] for code in codes],
        "numbers": codes,
        "flags": [code > 0 for code in codes],
        "holes": [None if i == 1 else f"c{code}" for i, code in enumerate(codes)],
        "distinct": list(range(n)),
        "halves": [code + i / 16 for i, code in enumerate(codes)],
    }[kind]
    if suffix == ".npz":
        return "y", [str(label) for label in labels]
    if suffix in (".csv", ".tsv"):
        labels = [None if label in NULLS else label for label in labels]
    return draw(
        st.sampled_from([name for name in ("kind", "the, kind", "=t", "<i>") if name not in names])
    ), labels


def _expected(columns, target, labels, suffix, impute, drop, split):
    """The features a command must see, and the reasons there are to refuse."""
    faults, features = set(), []
    if len({column.name for column in columns}) < len(columns):
        faults.add("names")
    if drop is not None and drop not in [column.name for column in columns]:
        faults.add("drop")
    kept = [column for column in columns if column.name != drop]
    if not kept:
        faults.add("empty")
    marks = []
    for column in kept:
        made, wrong = column.features(impute, split)
        if suffix == ".npz":  # a matrix marks its gaps in columns at its end
            made, mark = made[:1], made[1:]
            marks += mark
        features += made
        faults |= wrong
    features += marks
    if len({name for name, _ in features}) < len(features):
        faults.add("names")
    if None in labels:
        faults.add("no labels")
    classes = {str(label) for label in labels}
    if len(classes) < 2 or len(classes) == len(labels) or any(map(_fractional, labels)):
        faults.add("classes")
    return dict(features), faults


def _fractional(label):
    return isinstance(label, float) and label != int(label)


def _spoken(done):
    """The output of a command besides its notes and warnings, and whether one of them is numpy's."""
    lines = done.stderr.strip().splitlines()
    notes = [line for line in lines if line.startswith(("fisherset: note: ", "fisherset: warning: "))]
    numeric = [line for line in notes if "encountered" in line or "overflow" in line]
    return [line for line in lines if line not in notes], numeric


def outcome(done, faults):
    """The fault in the way a command ended; empty where there is none."""
    said, numeric = _spoken(done)
    if numeric:
        return f"noted {numeric[0]}"
    if done.returncode == 0:
        return (
            f"answered, though there is a fault: {', '.join(sorted(faults))}"
            if faults
            else ""
            if not said
            else f"said {said}"
        )
    if (
        done.returncode != 2
        or done.stdout
        or len(said) != 1
        or not re.fullmatch("fisherset: .*[.)?]", said[0])
    ):
        return f"no sentence, but {done.returncode} and {done.stdout[:200]!r}, {said}"
    if not any(re.search(REASONS[fault], said[0]) for fault in faults):
        return f"refused for no reason it has ({', '.join(sorted(faults)) or 'there is none'}): {said[0]}"
    return ""


def complaint_about_select(case, folder):
    """`select`, what it wrote, and `apply` of that to the rows in another order."""
    file, table = folder / f"t{case.suffix}", folder / ("w.csv" if len(case.labels) % 2 else "w.parquet")
    case.write(file)
    asked = [] if case.k is None else ["-k", case.k]
    page = [] if len(case.labels) % 8 else ["--report", "r.html"]
    done = invoke(
        "select",
        file.name,
        *case.options,
        *case.choice,
        *asked,
        "--json",
        "--out",
        "s.json",
        "--write",
        table.name,
        *page,
        cwd=folder,
    )
    wrong = outcome(done, case.faults)
    written = {path.name for path in folder.iterdir()} - {file.name, "groups.json"}
    if wrong or done.returncode:
        return wrong or (f"refused, and wrote {written}" if written else "")
    found = json.loads(done.stdout)
    if found != json.loads((folder / "s.json").read_text(encoding="utf-8")):
        return "printed another selection than it wrote"
    names = [feature["name"] for feature in found["features"]]
    return (
        _wrong_set(case, names, found)
        or _wrong_table(table, case, names, range(len(case.labels)))
        or _wrong_reduction(case, names, folder)
    )


def _wrong_set(case, names, found):
    places = [list(case.features).index(name) for name in names if name in case.features]
    chosen = list(dict.fromkeys(case.units[j] for j in places))
    if len(places) < len(names) or len(chosen) != case.count or sorted(places) != case.places(chosen):
        return f"chose {names}"
    if [row["name"] for row in found["details"]] != chosen:
        return f"told of {found['details']}, though {chosen} were chosen"
    if not case.kept <= set(chosen) or case.excluded & set(chosen):
        return f"chose {chosen}, though {case.kept} are kept and {case.excluded} excluded"
    told = found["task"], set(found["kept"]), set(found["excluded"])
    if told != ("classification", case.kept, case.excluded):
        return f"told {told}"
    return _wrong_figures(case, sorted(places), found)


def _wrong_figures(case, places, found):
    """Whether F is another, or another set that was allowed exceeds the bound."""
    admitted = any("float64" in remark for remark in found["remarks"])
    return check_criterion(
        case,
        *(places, found["objective"], found["gamma"], admitted, found["upper_bound"]),
        case.allowed_sets(len({case.units[j] for j in places})),
    )


def _wrong_reduction(case, names, folder):
    rows = list(range(len(case.labels)))[::-1]
    case.write(folder / f"u{case.suffix}", rows)
    done = invoke("apply", "s.json", f"u{case.suffix}", "--out", "v.feather", "--strict", cwd=folder)
    return outcome(done, set()) or _wrong_table(folder / "v.feather", case, names, rows)


def _wrong_table(path, case, names, rows):
    """Whether a written table is other than the chosen columns and the labels."""
    if path.suffix == ".csv":
        texts = arrow_csv.ConvertOptions(column_types={}, strings_can_be_null=False)
        parse = arrow_csv.ParseOptions(newlines_in_values=True)
        table = arrow_csv.read_csv(path, parse_options=parse, convert_options=texts)
        spelt = ["'" + name if name[0] in "=+-@\t\r\n" else name for name in [*names, case.target]]
    else:
        table = (parquet.read_table if path.suffix == ".parquet" else feather.read_table)(path)
        spelt = [*names, case.target]
    if table.column_names != spelt:
        return f"{path.name} has the columns {table.column_names}"
    for j, name in enumerate(names):
        wanted = [case.features[name][i] for i in rows]
        if table.column(j).to_pylist() != wanted:
            return f"{path.name} has {table.column(j).to_pylist()} as {name!r}, not {wanted}"
    labels = [str(label).lstrip("'") for label in table.column(len(names)).to_pylist()]
    wanted = [str(case.labels[i]) for i in rows]
    same = labels == wanted or list(map(str.lower, labels)) == list(map(str.lower, wanted))
    return "" if same else f"{path.name} has the labels {labels}, not {wanted}"


def complaint_about_certify(case, folder):
    """`certify` of the first columns that may be chosen, named in one way or another."""
    file = folder / f"t{case.suffix}"
    case.write(file)
    free = [unit for unit in case.labels_of_units if unit not in case.kept | case.excluded]
    units = (
        sorted(case.kept)
        + free[: max(0, max(1, case.count if "k" not in case.faults else 1) - len(case.kept))]
    )
    if len(case.labels) % 2 or case.groups is not None:
        listed = [name for name, unit in zip(case.features, case.units, strict=True) if unit in units]
    else:
        listed = units
    readable = [name for name in listed if "\n" not in name and name.strip()]
    faults = case.faults - {"k"}
    named = {
        name for name, unit in zip(case.features, case.units, strict=True) if {name, unit} & set(readable)
    }
    places = [list(case.features).index(name) for name in named]
    there = {case.units[j] for j in places}
    faults |= {"not whole"} if sorted(places) != case.places(there) else set()
    faults |= {"not kept"} if case.kept - there else set()
    (folder / "names.txt").write_text("\n".join(readable or ["none"]) + "\n", encoding="utf-8")
    done = invoke(
        "certify", file.name, *case.options, *case.choice, "--features", "names.txt", "--json", cwd=folder
    )
    if not readable and done.returncode == 2 and "not in" in done.stderr:
        return ""
    wrong = outcome(done, faults)
    if wrong or done.returncode:
        return wrong
    return _wrong_figures(case, sorted(places), json.loads(done.stdout))


def complaint_about_alternatives(case, folder):
    """`alternatives`: the best set, and all others that come near it."""
    file = folder / f"t{case.suffix}"
    case.write(file)
    k = case.count if case.k is None else case.k
    asked = ("-k", k, "--within=0.05", "--json")
    done = invoke("alternatives", file.name, *case.options, *case.choice, *asked, cwd=folder)
    wrong = outcome(done, case.faults)
    if wrong or done.returncode:
        return wrong
    found = json.loads(done.stdout)
    listed = [tuple(case.places(units)) for units in found["sets"]]
    for units in found["sets"]:
        if len(set(units)) != k or not case.kept <= set(units) or case.excluded & set(units):
            return f"chose {units}, though {case.kept} are kept and {case.excluded} excluded"
    return _wrong_figures(case, listed[0], found) or _wrong_list(case, k, found, listed)


def _wrong_list(case, k, found, listed):
    """Whether a set of columns that vary is near the best and not listed, or the other way round."""
    truth, sets = truth_of(case), case.allowed_sets(k)
    if not found["complete"] or truth.doubtful or len(sets) > FEW_SETS:
        return ""
    varying = {unit for unit, constant in zip(case.units, truth.constant, strict=True) if not constant}
    values = [float(truth.criterion([one], found["gamma"])[0]) for one in sets]
    floor, edge = (1 - found["within"]) * max(values), CLOSE * (max(values) + CLOSE)
    for one, value in zip(sets, values, strict=True):
        if not {case.units[j] for j in one} <= varying:
            continue
        if value > floor + edge and tuple(one) not in listed:
            return f"F of {one} is {value}, the floor {floor}, and it is not listed"
        if value < floor - edge and tuple(one) in listed:
            return f"F of {one} is {value}, the floor {floor}, and it is listed"
    return ""


def complaint_about_compare(case, folder):
    """`compare` of two methods, whose accuracies are shares and whose certificates are true."""
    file = folder / f"t{case.suffix}"
    case.write(file)
    options = [option for option in case.options if not option.startswith("--gamma")]
    asked = [] if case.k is None else ["-k", case.k]
    done = invoke(
        "compare", file.name, *options, *asked, "--methods=fisher,joint", "--repeats=1", "--json", cwd=folder
    )
    table = (case.columns, case.target, case.labels, case.suffix, case.impute, case.drop)
    features, faults = _expected(*table, split=True)
    if case.k is not None and not 1 <= case.k <= len(features):
        faults.add("k")
    if done.returncode == 2 and np.bincount(case.codes).min() < 4:
        faults = faults | {"few rows"}
    wrong = outcome(done, faults)
    if wrong or done.returncode:
        return wrong
    found = json.loads(done.stdout)
    shares = np.array(list(found["accuracy"].values()))
    if shares.shape != (2, 1, len(found["ks"])) or not ((shares >= 0) & (shares <= 1)).all():
        return f"accuracies are {found['accuracy']}"
    for k, one in found["certificates"].items():
        if one["objective"] > one["upper_bound"] * (1 + 1e-12) + 1e-15 or one["objective"] < 0:
            return f"of {k} features F is {one['objective']}, the bound {one['upper_bound']}"
    return ""


def complaint_about_summarize(case, folder):
    """`summarize`, and the selection from it beside that from the table."""
    file, options = folder / f"t{case.suffix}", [o for o in case.options if not o.startswith("--gamma")]
    case.write(file)
    options = [option for option in options if option != "--split-texts"]
    table = (case.columns, case.target, case.labels, case.suffix, case.impute, case.drop)
    _, faults = _expected(*table, split=True)
    done = invoke("summarize", file.name, *options, "--out", "s.npz", cwd=folder)
    if done.returncode == 0 and faults == {"classes"}:
        return ""  # as others may be added
    wrong = outcome(done, faults)
    if wrong or done.returncode:
        return wrong
    asked = ("-k", 1, "--gamma=1", "--json")
    whole = invoke("select", file.name, *options, "--split-texts", *asked, cwd=folder)
    found = invoke("select", "s.npz", *asked, cwd=folder)
    if whole.returncode or found.returncode:
        return f"refused: {whole.stderr} {found.stderr}"
    one, other = (json.loads(answer.stdout) for answer in (whole, found))
    near = abs(one["objective"] - other["objective"]) <= CLOSE * (one["objective"] + CLOSE)
    admitted = any("float64" in remark for remark in [*one["remarks"], *other["remarks"]])
    return "" if near or admitted else f"F is {other['objective']} from the summary, not {one['objective']}"


def complaint_about_trust(case, folder):
    """`trust` without halves: the p-value is a count, and there is advice."""
    file = folder / f"t{case.suffix}"
    case.write(file)
    options = [option for option in case.options if not option.startswith("--gamma")]
    asked = ("-k", 1, "--pairs=0", "--permutations=19", "--split-texts", "--json")
    done = invoke("trust", file.name, *options, *asked, cwd=folder)
    table = (case.columns, case.target, case.labels, case.suffix, case.impute, case.drop)
    _, faults = _expected(*table, split=True)
    wrong = outcome(done, faults)
    if wrong or done.returncode:
        return wrong
    found = json.loads(done.stdout)
    tested = found.get("permutation")
    if not found["advice"] or (tested is None) != ("permutation" in found["reasons"]):
        return f"trust says {found}"
    p = 0.05 if tested is None else tested["pvalue"]
    return "" if 0.05 <= p <= 1 and abs(20 * p - round(20 * p)) < 1e-9 else f"p is {p}"


CHECKS = {
    "summarize": complaint_about_summarize,
    "select": complaint_about_select,
    "apply": complaint_about_select,
    "alternatives": complaint_about_alternatives,
    "certify": complaint_about_certify,
    "compare": complaint_about_compare,
    "trust": complaint_about_trust,
}
