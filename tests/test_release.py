"""The sdist and the wheel: built as a release is, and looked into."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from importlib.util import find_spec
from pathlib import Path

import pytest

import fisherset

ROOT = Path(__file__).parents[1]
LACKING = [name for name in ("hatchling", "hatch_fancy_pypi_readme") if find_spec(name) is None]
BUILD = "import hatchling.build as b; print(b.build_sdist('dist'), b.build_wheel('dist'))"

pytestmark = [
    pytest.mark.once,
    pytest.mark.long,
    pytest.mark.skipif(
        bool(LACKING), reason=f"NOT BUILT: {' and '.join(LACKING)} missing; `make dist` builds"
    ),
]


@pytest.fixture(scope="module")
def tracked():
    """The files of a clean checkout."""
    if not (ROOT / ".git").exists():
        pytest.skip("NOT BUILT: this is no checkout")
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).exists()]


@pytest.fixture(scope="module")
def built(tracked, tmp_path_factory):
    """A copy of what is tracked, and the two files built from it."""
    folder = tmp_path_factory.mktemp("release")
    for name in tracked:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    subprocess.run([sys.executable, "-c", BUILD], cwd=folder, check=True, capture_output=True)
    name = f"fisherset-{fisherset.__version__}"
    return folder / "dist" / f"{name}.tar.gz", folder / "dist" / f"{name}-py3-none-any.whl"


def test_the_sdist_has_all_that_is_tracked(built, tracked):
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names == {*tracked, "PKG-INFO"}


def test_the_wheel_has_the_package_and_nothing_else(built, tracked):
    """Modules, templates and the mark of types."""
    with zipfile.ZipFile(built[1]) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {name.removeprefix("src/") for name in tracked if name.startswith("src/")}
    assert "fisherset/py.typed" in names
    assert {Path(name).suffix for name in names} == {".py", ".j2", ".typed"}


def test_the_page_of_the_index_links_to_where_the_files_are(built):
    """README.md as it is, but for the addresses of other files of the repository."""
    with zipfile.ZipFile(built[1]) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        page = message_from_bytes(archive.read(name))
    assert page["Version"] == fisherset.__version__
    assert page["License-Expression"] == "BSD-3-Clause"
    text = page.get_payload()
    assert "](docs/" not in text
    assert f"https://github.com/fisherset/fisherset/blob/v{fisherset.__version__}/" in text
