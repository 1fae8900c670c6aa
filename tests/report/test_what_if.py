"""The what-if panel in a real browser: F, shares and best steps are those of Python, whatever is clicked."""

import base64
import json
import shlex
import subprocess
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pytest
import typer
from jinja2 import ChoiceLoader, DictLoader, Environment, PackageLoader
from sklearn.datasets import load_diabetes, load_wine

from fisherset import (
    GeneralizedFisherScore,
    JointRegressionScore,
    certify,
    criterion_terms,
    fisher_criterion,
    selection_path,
)
from fisherset.cli.files import LabelledFile
from fisherset.cli.options import Restrictions, as_arguments, command
from fisherset.report import Commands, build_what_if
from fisherset.statistics.measure import measure
from support.command_line import COMMAND, environment, invoke

pytestmark = [pytest.mark.once, pytest.mark.xdist_group("browser")]
# The panel alone, with all that it needs of a page: no figure has to be drawn.
PAGE = """{% extends "base.html.j2" %}{% block style %}{% include "what_if_style.css.j2" %}{% endblock %}
{% block content %}{% include "what_if_part.html.j2" %}{% endblock %}
{% block data %}<script type="application/json" id="files">{}</script>
<script type="application/json" id="what-if-data">{{ what_if.data | tojson }}</script>{% endblock %}
{% block script %}{% include "downloads_script.js.j2" %}{% include "what_if_script.js.j2" %}
{% include "what_if_panel.js.j2" %}{% endblock %}"""
EDITS = 25  # on each of the eight tables
GROUPS = np.repeat(np.arange(14), 3)[:40]
EVIL = "</script><script>document.title = 'taken'</script>"
ODD = [
    EVIL,
    "]]><!--",
    "a\u2028b",
    'it\'s "odd" $HOME `x`',
    "a,b",
    "dir/x.txt",
    "-k",
    " outer ",
    "größe 🍷",
    "50 %\\",
]


def classes(d=40):
    rng = np.random.default_rng(3)
    y = np.arange(120) % 4
    X = rng.normal(size=(120, d)) @ rng.normal(size=(d, d)) / 4 + rng.normal(size=(4, d))[y]
    return X, y


def label_sets():
    X, y = classes()
    rng = np.random.default_rng(4)
    return X, (y[:, None] == np.arange(3)) | (rng.random((120, 3)) < 0.1)


TABLES = {  # tables, selectors, and options that F depends on
    "classes": (classes, GeneralizedFisherScore, {"class_weight": "balanced"}),
    "numbers": (lambda: load_diabetes(return_X_y=True), JointRegressionScore, {}),
    "groups": (classes, GeneralizedFisherScore, {"groups": GROUPS}),
    "kept": (classes, GeneralizedFisherScore, {"keep": [0, 7], "exclude": [3, 4, 5]}),
    "adjusted": (classes, GeneralizedFisherScore, {"adjust_for": [1, 2]}),
    "small gamma": (classes, GeneralizedFisherScore, {"gamma": 1e-3}),
    "raw": (classes, GeneralizedFisherScore, {"standardize": False, "gamma": 60.0}),
    "sets": (label_sets, GeneralizedFisherScore, {}),
}


class Case:
    """A table, the fitted selector, the panel, and F of any set of its names in Python."""

    def __init__(self, name, k=5, n_others=200):
        make, kind, options = TABLES[name]
        self.X, self.y = make()
        self.selector = kind(k, **options).fit(self.X, self.y)
        self.codes = options.get("groups", np.arange(self.X.shape[1]))
        self.kept = [f"x{unit}" for unit in options.get("keep", [])]
        self.terms = criterion_terms(
            self.selector, self.X, self.y, weights=self.selector.scores_, n_others=n_others
        )
        labels = [f"x{unit}" for unit in range(self.codes.max() + 1)]
        self.what_if = build_what_if(self.terms, labels, self.selector, required=self.kept)
        decided = ("class_weight", "adjust_for", "standardize")
        self.options = {option: options[option] for option in decided if option in options}
        self.options |= {"gamma": self.selector.gamma_, "task": self.selector._task}
        given = {name: value for name, value in self.options.items() if name not in ("gamma", "standardize")}
        self.measured = measure(self.X, self.y, **given)  # once

    def objective(self, names):
        units = [int(name[1:]) for name in names]
        columns = np.flatnonzero(np.isin(self.codes, units))
        return fisher_criterion(self.measured, None, columns, **self.options) if units else 0.0


def page_of(what_if):
    loaders = [DictLoader({"page": PAGE}), PackageLoader("fisherset.report", ".")]
    environment = Environment(loader=ChoiceLoader(loaders), autoescape=True, trim_blocks=True)
    return environment.get_template("page").render(what_if=what_if)


@pytest.fixture
def open_panel(open_file, tmp_path):
    """Open the panel, or a file, in a page that must not complain."""
    opened = []

    def open_it(content, **more):
        path = content
        if isinstance(content, str):
            path = tmp_path / f"page{len(opened)}.html"
            path.write_text(content, encoding="utf-8")
        opened.append(open_file(path, **more))
        return opened[-1]

    yield open_it
    for page in opened:
        assert page.complaints == []
        page.close()


READ = """() => {
  const names = rows => [...document.querySelectorAll(rows)].map(row => row.querySelector(".name").title);
  const value = id => Number(document.getElementById(id).dataset.value);
  return {
    set: names("#wi-set li:not(.wi-none)"), others: names("#wi-others li:not(.wi-none)"),
    locked: names("#wi-set li.locked"), F: value("wi-f"), share: value("wi-share"),
    enabled: [...document.querySelectorAll(".wi button:enabled")].map(one => one.id || one.ariaLabel),
  };
}"""


def click(page, rng, shown):
    """Click one of the kinds of buttons at random, as a reader would."""
    steps = ["wi-do-swap", "wi-do-add", "wi-do-remove", "wi-undo", "wi-redo", "wi-reset"]
    kinds = ["Lock", "Remove", "Add", *(step for step in steps if step in shown["enabled"])]
    weights = np.array([0.02 if kind == "wi-reset" else 1.0 for kind in kinds])
    kind = rng.choice(kinds, p=weights / weights.sum())
    if kind.startswith("wi-"):
        page.click(f"#{kind}")
        return
    named = [label for label in shown["enabled"] if label.startswith(f"{kind} ")]
    if named:
        page.click(f'.wi button[aria-label="{rng.choice(named)}"]')


@pytest.mark.parametrize("name", TABLES)
def test_random_edits_show_what_python_computes(open_panel, name):
    case, rng = Case(name, n_others=25), np.random.default_rng(list(TABLES).index(name))
    page = open_panel(page_of(case.what_if))
    shown = page.evaluate(READ)
    np.testing.assert_allclose(shown["F"], case.selector.objective_, rtol=1e-9)
    share = case.selector.objective_ / case.selector.upper_bound_
    np.testing.assert_allclose(shown["share"], share, rtol=1e-9)
    for _ in range(EDITS):
        click(page, rng, shown)
        shown = page.evaluate(READ)
        np.testing.assert_allclose(shown["F"], case.objective(shown["set"]), rtol=1e-9)
        assert set(case.kept) <= set(shown["locked"]) <= set(shown["set"])
        assert not set(shown["set"]) & set(shown["others"])
        assert shown["share"] <= 1 + 1e-9


CHANGES = """sets => sets.map(([set, fixed]) => {
  const { F, added, removed, swap } = whatIf.changes(set, fixed);
  return { F, added: [...added], removed: [...removed], swap };
})"""


@pytest.mark.parametrize("name", ["classes", "groups", "kept", "small gamma"])
def test_every_change_of_one_unit_is_that_of_python(open_panel, name):
    case, rng = Case(name, n_others=12), np.random.default_rng(0)
    page, terms = open_panel(page_of(case.what_if)), case.terms
    n, sets = terms.units.size, []
    for size in (0, 1, 2, 4, 7, n):
        some = rng.choice(n, size, replace=False)
        sets.append((some.tolist(), some[: size // 3].tolist()))
    for (members, fixed), found in zip(sets, page.evaluate(CHANGES, sets), strict=True):
        F = terms.objective(members) if members else 0.0
        np.testing.assert_allclose(found["F"], F, rtol=1e-10)
        for unit, gain in found["added"]:
            np.testing.assert_allclose(F + gain, terms.objective([*members, unit]), rtol=1e-10)
        for unit, loss in found["removed"]:
            rest = [other for other in members if other != unit]
            np.testing.assert_allclose(F - loss, terms.objective(rest) if rest else 0.0, atol=1e-10 * F)
        free, outside = set(members) - set(fixed), set(range(n)) - set(members)
        values = {
            pair: terms.objective([*(set(members) - {pair[0]}), pair[1]]) for pair in product(free, outside)
        }
        if values:
            swap = found["swap"]
            np.testing.assert_allclose(F + swap["gain"], max(values.values()), rtol=1e-10)
            np.testing.assert_allclose(F + swap["gain"], values[swap["out"], swap["in"]], rtol=1e-10)
        else:
            assert found["swap"] is None


def test_a_swap_is_the_best_of_the_whole_table(open_panel):
    """With few of the other features at hand, the first swap is still the best of all."""
    X, y = classes()
    ours = np.sort(np.random.default_rng(5).choice(40, 5, replace=False))  # far from the best
    selector = GeneralizedFisherScore(5).fit(X, y)
    terms = criterion_terms(X, y, ours, gamma=selector.gamma_, n_others=4)
    panel = build_what_if(terms, [f"x{j}" for j in range(40)], selector)
    page = open_panel(page_of(panel))
    measured = measure(X, y)
    values = {
        (out, into): fisher_criterion(measured, None, [*np.setdiff1d(ours, out), into], gamma=selector.gamma_)
        for out, into in product(ours, np.setdiff1d(np.arange(40), ours))
    }
    out, into = max(values, key=values.get)
    assert page.locator("#wi-swap").inner_text().startswith(f"x{out} → x{into}: +")
    page.click("#wi-do-swap")
    np.testing.assert_allclose(page.evaluate(READ)["F"], values[out, into], rtol=1e-9)
    page.click("#wi-undo")
    assert page.evaluate(READ)["set"] == [f"x{terms.units[place]}" for place in panel.data["chosen"]]


def test_shares_are_never_larger_than_certified(open_panel):
    """For other sizes than the selected one the share is of a bound that holds for that size."""
    case = Case("classes", k=4)
    page = open_panel(page_of(case.what_if))
    for step in ("#wi-do-add", "#wi-do-add", "#wi-undo", "#wi-undo", "#wi-do-remove", "#wi-do-remove"):
        page.click(step)
        shown = page.evaluate(READ)
        columns = [int(name[1:]) for name in shown["set"]]
        best = GeneralizedFisherScore(len(columns), gamma=case.selector.gamma_, class_weight="balanced")
        assert shown["share"] <= shown["F"] / best.fit(case.X, case.y).objective_ * (1 + 1e-9)
        assert f"No {len(columns)} features reach more" in page.locator("#wi-bound").inner_text().replace(
            "other ", ""
        )


def test_bounds_of_other_sizes_are_used():
    case = Case("classes", k=4)
    path = selection_path(case.measured, None, [2, 4, 6], gamma=case.selector.gamma_, class_weight="balanced")
    known = {step.k: step.upper_bound for step in path}
    panel = build_what_if(case.terms, range(40), case.selector, upper_bounds=known)
    bounds, before = panel.data["bounds"], case.what_if.data["bounds"]
    assert all(new <= old for new, old in zip(bounds, before, strict=True))
    assert bounds[4] == case.selector.upper_bound_
    assert bounds == sorted(bounds)
    for step in path:
        assert step.objective * (1 - 1e-9) <= bounds[step.k] <= known[step.k]


@pytest.fixture(scope="module")
def odd_page(tmp_path_factory):
    """The report of a table whose columns have hostile names, and of one with groups, by the command."""
    folder = tmp_path_factory.mktemp("what-if")
    X, y = load_wine(return_X_y=True)
    table = pd.DataFrame(X, columns=[*ODD, "x", "y", "z"])
    table["kind"] = np.array(["a", "b & c", EVIL])[y]
    table.to_csv(folder / "it's.csv", index=False)
    options = ("it's.csv", "-t", "kind", "-k", 6, "--class-weight", "balanced")
    limits = ("--keep", "a,b", "--exclude", "z", "--adjust-for", "y", "--report", "report.html")
    done = invoke("select", *options, *limits, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "report.html"


def copied(page, button):
    page.evaluate("copied = ''; navigator.clipboard.writeText = async text => { copied = text; }")
    page.click(button)
    page.wait_for_function("copied !== ''")
    return page.evaluate("copied")


def in_shell(command, cwd):
    """Run a command as the shell takes it; it prints JSON."""
    command = f"{command} --json".replace("| fisherset ", f"| {shlex.join(COMMAND)} ")
    command = command.replace("fisherset ", f"{shlex.join(COMMAND)} ", 1) if "|" not in command else command
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=cwd, env=environment())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_names_stay_names(open_panel, odd_page):
    page = open_panel(odd_page)
    assert "taken" not in page.title()
    shown = page.evaluate(READ)
    assert set(shown["set"]) | set(shown["others"]) == {*ODD, "x"}  # not what is excluded or adjusted for
    assert shown["locked"] == ["a,b"]
    assert page.locator("#what-if script").count() == 0
    for _ in range(3):
        page.click("#wi-do-add")
    assert page.locator("#wi-told").inner_text() == ""
    assert copied(page, "#wi-copy-names").splitlines() == [
        part for name in page.evaluate(READ)["set"] for part in name.splitlines()
    ]
    assert page.evaluate("document.title") == page.title()


def test_commands_reproduce_what_is_shown(open_panel, odd_page):
    page = open_panel(odd_page)
    page.click("#wi-do-remove")
    page.click("#wi-do-add")
    page.click("#wi-do-add")
    shown = page.evaluate(READ)
    command = copied(page, "#wi-copy-certify")
    words = shlex.split(command)
    assert words[words.index("certify") + 1] == "it's.csv"
    assert all(name in words for name in shown["set"])
    found = in_shell(command, odd_page.parent)
    np.testing.assert_allclose(found["objective"], shown["F"], rtol=1e-9)
    assert shown["share"] <= 1
    # a search that keeps what is locked and excludes what was removed
    first = page.locator("#wi-set .wi-lock:not([disabled])").first
    first.click()
    page.click("#wi-do-remove")
    shown = page.evaluate(READ)
    found = in_shell(copied(page, "#wi-copy-select"), odd_page.parent)
    names = [feature["name"] for feature in found["features"]]
    assert len(found["details"]) == len(shown["set"])
    assert set(shown["locked"]) <= set(names)
    assert found["objective"] >= shown["F"] * (1 - 1e-9)


def write_tables(folder):
    """Tables of several kinds: scans, groups, missing values, numbers, transposed with labels elsewhere."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    table = pd.DataFrame(rng.normal(size=(90, 8)) + rng.normal(size=(3, 8))[y]).add_prefix("g_")
    table.insert(0, "who", [f"s{row}" for row in range(90)])
    table["site"], table["kind"] = (
        np.array(["n", "s", "w"])[(np.arange(90) // 5) % 3],
        np.array(["a", "b", "c"])[y],
    )
    (folder / "rows").mkdir()
    for part in range(3):
        table[part::3].to_parquet(folder / "rows" / f"{part}.parquet", index=False)
    flat = table.drop(columns=["site", "kind"]).set_index("who")
    flat.T.to_csv(folder / "flat.tsv", sep="\t")
    table[["who", "kind"]].to_csv(folder / "labels.csv", index=False)
    table.mask(rng.random(table.shape) < 0.02, "?").assign(who=table["who"], kind=table["kind"]).to_csv(
        folder / "gaps.csv", index=False, sep=";"
    )
    (folder / "groups.json").write_text(json.dumps({"first, of all": ["g_0", "g_1"], "two": ["g_5", "g_2"]}))


@pytest.mark.parametrize(
    "options",
    [
        ("rows", "-t", "kind", "--drop", "who"),
        ("rows", "-t", "g_3", "--task", "regression", "--id", "who", "--adjust-for", "g_4", "--keep", "site"),
        ("flat.tsv", "--transpose", "--labels", "labels.csv", "--on", "who", "-t", "kind"),
        ("gaps.csv", "-t", "kind", "--sep", ";", "--na", "?", "--impute", "indicator", "--id", "who"),
        ("gaps.csv", "-t", "kind", "--na", "?", "--impute", "median", "--drop", "who", "--split-texts"),
        ("rows", "-t", "kind", "--drop", "who", "--groups", "groups.json", "--class-weight", "sqrt"),
    ],
)
def test_commands_read_the_table_as_it_was_read(tmp_path, options):
    write_tables(tmp_path)
    done = invoke("select", *options, "-k", 3, "--report", "page.html", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    start = page.index(">", page.index('id="what-if-data"')) + 1
    data = json.loads(page[start : page.index("</script>", start)])
    names = [data["names"][place] for place in (*data["chosen"], len(data["chosen"]))]  # and one more
    (tmp_path / "names.txt").write_text("\n".join(names), encoding="utf-8")
    keep = [f"--keep={data['names'][place]}" for place in data["required"]]
    graded = invoke(
        "certify", *data["commands"]["table"], *keep, "--features", "names.txt", "--json", cwd=tmp_path
    )
    assert graded.returncode == 0, graded.stderr
    found = json.loads(graded.stdout)
    size, order = len(names), np.cumsum([0, *data["sizes"]])
    lower, C = (np.frombuffer(base64.b64decode(data[name])) for name in "GC")
    G = np.zeros((order[-1], order[-1]))
    G[np.tril_indices(order[-1])] = lower
    G += np.tril(G, -1).T
    places = [*data["chosen"], len(data["chosen"])]
    columns = np.concatenate([np.arange(order[place], order[place + 1]) for place in places])
    C = C.reshape(order[-1], -1)[columns]
    M = G[np.ix_(columns, columns)] + data["gamma"] * np.eye(columns.size)
    value = np.vdot(C, np.linalg.solve(M, C)) / data["n"]
    np.testing.assert_allclose(value, found["objective"], rtol=1e-9)
    assert found["n_features"] == size
    assert found["objective"] <= data["bounds"][size] * (1 + 1e-9)


def test_options_come_back_from_their_arguments():
    """Every option of a table and a request, not the default, survives the way through a command line."""
    seen = []

    @command
    def capture(source: LabelledFile, restrictions: Restrictions) -> None:
        seen.append((source, restrictions))

    app = typer.Typer(add_completion=False)
    app.command()(capture)

    def value(own, hint):
        kinds = [one for one in get_args(hint) if one is not type(None)] or [hint]
        if hint is bool or kinds == [bool]:
            return not own.default
        if get_origin(kinds[0]) is list:
            return ["a b", "-c,d"]
        choices = get_args(kinds[0]) if get_origin(kinds[0]) is Literal else kinds
        if isinstance(choices[0], str):  # the last one is never the default
            return choices[-1]
        return {Path: Path("it's.csv"), int: 3, float: 0.5}.get(kinds[0], "-x 'y'")

    records = []
    for kind in (LabelledFile, Restrictions):
        hints = get_type_hints(kind)
        given = {own.name: value(own, hints[own.name]) for own in fields(kind)}
        given |= {"max_memory": "2GB"} if kind is Restrictions else {}
        records.append(kind(**given))
    words = [str(records[0].file), *as_arguments(records[0]), *as_arguments(records[1])]
    typer.main.get_command(app)(words, standalone_mode=False)
    assert seen == [tuple(records)]
    assert as_arguments(Restrictions()) == []


def test_commands_of_plain_names_fit_on_a_line(open_panel):
    case = Case("classes")
    panel = build_what_if(
        case.terms,
        [f"x{j}" for j in range(40)],
        case.selector,
        commands=Commands(["t.csv", "--target=y"], ["q"]),
    )
    page = open_panel(page_of(panel))
    page.click("#wi-do-remove")
    gone = page.evaluate("whatIfPieces.chosen.map(unit => whatIfPieces.names[unit])")
    names = page.evaluate(READ)["set"]
    (gone,) = set(gone) - set(names)
    expected = f"fisherset certify t.csv --target=y --exclude=q --features={','.join(names)}"
    assert copied(page, "#wi-copy-certify") == expected
    found = copied(page, "#wi-copy-select")
    assert found == f"fisherset select t.csv --target=y --exclude=q,{gone} -k 4"


def test_the_panel_is_left_out_where_it_would_be_too_large_or_wrong():
    X, y = classes()
    for gamma, numbers, why in ((1e-9, 48_000, "double precision"), (100.0, 100, "too large")):
        selector = GeneralizedFisherScore(5, gamma=gamma).fit(X, y)
        terms = criterion_terms(selector, X, y, max_numbers=numbers)
        panel = build_what_if(terms, [f"x{j}" for j in range(40)], selector)
        assert why in panel.lacking
        assert panel.data == {}


def test_a_large_set_keeps_the_page_small():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 500)), np.arange(200) % 16
    selector = GeneralizedFisherScore(100).fit(X, y)
    panel = build_what_if(
        criterion_terms(selector, X, y, weights=selector.scores_), [str(j) for j in range(500)], selector
    )
    assert 150 <= panel.n_others <= 200
    assert len(json.dumps(panel.data)) < 550_000


def test_keyboard_and_screen_reader(open_panel):
    case = Case("kept")
    page = open_panel(page_of(case.what_if), width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(".wi button").evaluate_all(
        "some => some.every(one => one.ariaLabel || one.textContent)"
    )
    assert page.locator("#wi-figures").get_attribute("role") == "status"
    for _ in range(4):  # one after the other, without a mouse
        page.locator("#wi-set li:not(.locked) button:last-child").first.focus()
        page.keyboard.press("Enter")
        if page.locator("#wi-set li:not(.locked)").count() == 0:
            break
        assert page.evaluate("document.activeElement.closest('#what-if') !== null")
    assert set(page.evaluate(READ)["set"]) == {"x0", "x7"}  # which are required
    assert page.locator("#wi-do-remove").is_disabled()
    page.locator("#wi-filter").fill("x1")
    assert page.locator("#wi-others li:visible").count() == sum(
        "x1" in name for name in page.evaluate(READ)["others"]
    )
    page.emulate_media(media="print")
    assert page.locator(".wi").is_hidden()
    assert page.locator(".wi-printed").is_visible()


def test_axe_finds_nothing_serious_in_the_panel(open_panel, serious):
    page = open_panel(page_of(Case("kept").what_if), bypass_csp=True)
    page.locator("#wi-set .wi-lock:not([disabled])").first.click()
    for scheme in ("light", "dark"):
        assert serious(page, scheme, "#what-if") == []


def test_shown_certificate_is_that_of_certify():
    """The share that the panel starts with is that of `certify`, too."""
    case = Case("adjusted")
    found = certify(case.selector, case.X, case.y)
    np.testing.assert_allclose(found.objective, case.terms.objective(range(5)), rtol=1e-9)
    assert case.terms.bounds[5] * (1 + 1e-9) >= found.objective
