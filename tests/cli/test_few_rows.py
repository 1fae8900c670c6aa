"""Tables with nothing to tell apart: a sentence in the words of the command, for every command."""

import pytest

from support.command_line import invoke, refused

TABLES = {
    "one row": ("a,b,y\n1,2,u\n", "The table has only one row."),
    "one row of numbers": ("a,b,y\n1,2,2.5\n", "The table has only one row."),
    "no rows": ("a,b,y\n", "t.csv has no rows."),
    "one class": ("a,b,y\n1,2,u\n3,4,u\n", "The target 'y' has only one class, 'u'."),
    "one number": ("a,b,y\n1,2,2.5\n3,4,2.5\n", "The target 'y' of t.csv is 2.5 in all rows."),
    "no feature": ("y\nu\nv\nu\n", "has no features"),
}
COMMANDS = {
    "select": ("-k", 1),
    "certify": ("--features", "a"),
    "alternatives": ("-k", 1),
    "compare": ("-k", 1),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("case", TABLES)
def test_too_few_rows_are_a_sentence(case, command, tmp_path):
    text, said = TABLES[case]
    (tmp_path / "t.csv").write_text(text)
    done = invoke(command, "t.csv", "-t", "y", *COMMANDS[command], cwd=tmp_path)
    if (command, case) == ("compare", "one row of numbers"):
        said = "tells classes apart"
    assert said in refused(done)


@pytest.mark.parametrize("command", ["select", "certify", "alternatives"])
@pytest.mark.parametrize("case", ["one row", "no rows", "one class"])
def test_by_batches_too(case, command, tmp_path):
    text, _ = TABLES[case]
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "t.csv").write_text(text)
    said = refused(invoke(command, "rows", "-t", "y", *COMMANDS[command], cwd=tmp_path))
    assert said.endswith(("has only one class, 'u'.", "has no rows.", "has only one row."))


def test_columns_that_are_all_constant(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,u\n1,2,v\n1,2,u\n")
    done = invoke("select", "t.csv", "-t", "y", "-k", 1, cwd=tmp_path)
    assert "No column varies." in done.stdout
