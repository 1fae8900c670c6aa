"""What the README says the commands print, they print."""

from pathlib import Path

from sklearn.datasets import load_breast_cancer

from command import run

TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks():
    return [part.strip("\n").splitlines() for part in TEXT.split("```")[1::2]]


def printed(done):
    assert done.returncode == 0, done.stderr
    return [line.rstrip() for line in done.stdout.splitlines()]


def test_select(tmp_path):
    (block,) = [block for block in blocks() if block[0].startswith("$ fisherset select")]
    bunch = load_breast_cancer(as_frame=True)
    table = bunch.data.assign(diagnosis=bunch.target_names[bunch.target])
    table.to_csv(tmp_path / "tumours.csv", index=False)
    assert printed(run(*block[0].split()[2:], cwd=tmp_path, COLUMNS="110")) == block[1:]


def test_demo(tmp_path):
    (block,) = [block for block in blocks() if block[0].startswith("Handwritten digits")]
    lines = printed(run("demo", cwd=tmp_path, COLUMNS="110"))
    assert lines[:-1] == block
    page = tmp_path / "fisherset-demo.html"
    assert page.name in lines[-1]
    assert page.stat().st_size < 3_000_000
