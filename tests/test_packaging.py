"""Versions, dependencies, Pythons and addresses that several files name are the same in all of them."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

import fisherset
from fisherset import _extras
from support import core_only
from support.command_line import environment
from support.dependencies import hide_others

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ABOUT = PROJECT["project"]
HOME = ABOUT["urls"]["Source"]
WORKFLOWS = {path.stem: path for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))}
# Names of packages at conda-forge where they differ.
AT_CONDA = {"matplotlib": "matplotlib-base"}

pytestmark = pytest.mark.once


def read(path):
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def test_the_version_is_said_in_one_place_and_repeated_elsewhere():
    """The package says it; changelog, citation and recipe repeat it."""
    assert "version" in ABOUT["dynamic"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/fisherset/__init__.py"
    citation = read("CITATION.cff")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest, date = re.search(r"^## (\S+) \((\S+)\)$", changelog, re.MULTILINE).groups()
    recipe = read("recipe/recipe.yaml")["context"]
    assert fisherset.__version__ == newest == citation["version"] == recipe["version"]
    assert date == str(citation["date-released"])


def test_releases_come_newest_first():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = [Version(found) for found in re.findall(r"^## (\S+)", changelog, re.MULTILINE)]
    assert versions == sorted(versions, reverse=True)
    assert len(set(versions)) == len(versions) > 1


def test_one_address():
    """All addresses of the project are below one, which a person can change in one go."""
    pages = [ROOT / name for name in ("pyproject.toml", "CITATION.cff", "recipe/recipe.yaml")]
    pages += [*ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.yml"), *(ROOT / ".github").rglob("*.md")]
    address = re.compile(r"github(?:usercontent)?\.com/([\w.-]*fisherset[\w.-]*/[\w-]+)")
    named = {found for page in pages for found in address.findall(page.read_text(encoding="utf-8"))}
    assert named == {HOME.removeprefix("https://github.com/")}
    assert all(address.startswith(HOME) for address in ABOUT["urls"].values())
    assert read("CITATION.cff")["repository-code"] == HOME


def pythons():
    """The Pythons of the classifiers."""
    prefix = "Programming Language :: Python :: 3."
    return [f"3.{name.removeprefix(prefix)}" for name in ABOUT["classifiers"] if name.startswith(prefix)]


def test_the_lowest_python_is_the_first_of_the_classifiers():
    assert ABOUT["requires-python"] == f">={pythons()[0]}"
    assert PROJECT["tool"]["mypy"]["python_version"] == pythons()[0]


def test_workflows_test_every_python_on_every_system():
    jobs = read(WORKFLOWS["tests"])["jobs"]
    matrix = jobs["tests"]["strategy"]["matrix"]
    assert matrix["python"] == pythons()
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    alone = {name: job["steps"][1]["with"]["python-version"] for name, job in jobs.items() if name != "tests"}
    assert alone.pop("newest") == pythons()[-1]
    assert set(alone.values()) == {pythons()[0]}
    assert "constraints-lowest.txt" in str(jobs["lowest"])


@pytest.mark.parametrize("name", ["tests", "docs", "release"])
def test_workflows_call_what_is_there(name):
    """Targets of make, files and extras; nobody may write but the two jobs that publish."""
    workflow = read(WORKFLOWS[name])
    assert workflow["permissions"] == {"contents": "read"}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for key, job in workflow["jobs"].items():
        assert set(job.get("permissions", {})) <= ({"id-token", "pages"} if key == "publish" else set())
        for step in job["steps"]:
            command = step.get("run", "")
            for target in re.findall(r"\bmake (\S+)", command):
                assert re.search(rf"^{target}:", makefile, re.MULTILINE) or target == "docs", target
            for file in re.findall(r"--constraint (\S+)", command):
                assert (ROOT / file).exists()
            for extras in re.findall(r"\.\[([\w,]+)\]", command):
                assert set(extras.split(",")) <= set(ABOUT["optional-dependencies"])
            if "checkout" in step.get("uses", ""):
                assert step["with"] == {"persist-credentials": False}


def test_the_release_is_published_without_a_password():
    publish = read(WORKFLOWS["release"])["jobs"]["publish"]
    assert publish["environment"]["name"] == "pypi"
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["steps"][-1]["uses"].startswith("pypa/gh-action-pypi-publish@")
    assert "secrets" not in WORKFLOWS["release"].read_text(encoding="utf-8")


def test_the_tag_of_a_release_is_looked_up_where_the_version_is():
    """The workflow greps for a line that is there."""
    (step,) = [step for step in read(WORKFLOWS["release"])["jobs"]["build"]["steps"] if "env" in step]
    pattern = re.search(r'grep "(.+)" (\S+)', step["run"])
    line = pattern[1].replace('\\"', '"').replace("${TAG#v}", re.escape(fisherset.__version__))
    assert re.search(line, (ROOT / pattern[2]).read_text(encoding="utf-8"), re.MULTILINE)


def requirements(lines):
    return {Requirement(line).name: str(Requirement(line).specifier) for line in lines}


def at_conda(lines):
    return {AT_CONDA.get(name, name): lowest for name, lowest in requirements(lines).items()}


def in_recipe(part):
    entries = [entry.partition(" ") for entry in read("recipe/recipe.yaml")["requirements"][part]]
    return {name: lowest for name, _, lowest in entries if name not in ("python", "pip")}


def test_the_recipe_needs_what_the_package_needs():
    extras = ABOUT["optional-dependencies"]
    others = at_conda([*extras["dask"], *extras["excel"], *extras["h5ad"]])
    assert in_recipe("run") == at_conda([*ABOUT["dependencies"], *extras["cli"]])
    assert in_recipe("run_constraints") == others
    assert in_recipe("host") == at_conda(PROJECT["build-system"]["requires"])
    recipe = read("recipe/recipe.yaml")
    assert f"python {ABOUT['requires-python']}" in recipe["requirements"]["run"]
    assert f"python {pythons()[0]}.*" in recipe["requirements"]["host"]
    ends = [f"{version}.*" for version in (pythons()[0], pythons()[-1])]
    assert recipe["tests"][0]["python"]["python_version"] == ends
    (entry,) = [f"{name} = {target}" for name, target in ABOUT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == [entry]
    assert recipe["about"]["license"] == ABOUT["license"]
    assert {recipe["about"][key] for key in ("homepage", "repository")} == {HOME}


def pinned(name):
    """The versions of a file of constraints, for each Python."""
    lines = [
        line for line in (ROOT / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    return [Requirement(line) for line in lines]


def test_pins_are_versions_that_the_package_accepts():
    """constraints.txt has every package that an extra names; the lowest pins are those of pyproject.toml."""
    extras = ABOUT["optional-dependencies"]
    named = requirements([*ABOUT["dependencies"], *(line for lines in extras.values() for line in lines)])
    named.pop("fisherset")
    newest = {one.name.lower().replace("_", "-"): one for one in pinned("constraints.txt")}
    assert {name.lower() for name in named} <= set(newest)
    for name, accepted in named.items():
        (version,) = newest[name.lower()].specifier
        assert Requirement(f"{name}{accepted}").specifier.contains(version.version), name
    first = {"python_version": pythons()[0], "python_full_version": f"{pythons()[0]}.0"}
    for one in pinned("constraints-lowest.txt"):
        if one.name in named and (one.marker is None or one.marker.evaluate(first)):
            (lowest,) = (Version(entry.version) for entry in Requirement(f"x{named[one.name]}").specifier)
            (version,) = one.specifier
            assert Version(version.version).release[:2] == (*lowest.release, 0)[:2], one


def test_extras_that_messages_name_bring_the_library():
    for library, extra in _extras.EXTRAS.items():
        assert library in requirements(ABOUT["optional-dependencies"][extra])
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    messages = {text for path in sources for text in strings_of(path) if "fisherset[" in text}
    assert messages
    for text in messages:
        assert set(re.findall(r"fisherset\[(\w+)\]", text)) <= set(ABOUT["optional-dependencies"]), text
        # double quotes: the shell of Windows knows no others
        assert "pip install 'fisherset[" not in text


def strings_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_the_core_works_alone_and_names_what_is_missing(tmp_path):
    """As in an empty environment after `pip install fisherset`; `make dist` tries it in a real one."""
    paths = os.pathsep.join([hide_others(tmp_path, "fisherset"), str(ROOT / "src")])
    run = [sys.executable, core_only.__file__]
    done = subprocess.run(
        run, capture_output=True, text=True, env=environment(PYTHONPATH=paths), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "works with its core dependencies alone" in done.stdout


def test_a_library_that_is_broken_is_not_called_missing(monkeypatch, tmp_path):
    (tmp_path / "jinja2.py").write_text("import no_such_library\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "jinja2", raising=False)
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        _extras.need("jinja2", "A page")
