"""Every message of the command line is in one file, tests/cli/messages.txt, to be read in one go."""

import difflib
import re

import pytest

from support.messages import GOLDEN, WIDTH, messages

NUMBER = re.compile(r"\d+\.\d+(?:e[+-]\d+)?")


def compared(text):
    """The lines of the file, and its decimal numbers, whose last digits depend on the processor."""
    return NUMBER.sub("#", text).splitlines(), [float(number) for number in NUMBER.findall(text)]


@pytest.mark.once
def test_the_messages_are_those_of_the_file():
    (ours, numbers), (expected, others) = map(compared, (messages(), GOLDEN.read_text(encoding="utf-8")))
    changed = list(difflib.unified_diff(expected, ours, "messages.txt", "now", lineterm="", n=1))
    assert not changed, "\n".join(["`make messages` writes the file again.", *changed])
    assert numbers == pytest.approx(others, rel=1e-2, abs=1e-4)


# Parameters, types and errors of Python, which mean nothing to who types options.
PYTHON = (
    r"n_features_to_select|max_memory|max_nodes|max_sets|time_limit|sample_weight|class_weight|adjust_for",
    r"n_jobs|random_state|split_texts|batch_rows|data_dir|as_json|gamma=|Value error|NoneType|sample\(s\)",
    r"\b[yX] (must|has|is|holds)\b|got (--\w+ )?None\b|\(shape=|Traceback|(Value|Type|Key)Error",
)


@pytest.mark.parametrize("words", PYTHON)
def test_no_message_speaks_of_parameters_of_python(words):
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if re.search(words, line)] == []


def test_the_file_fits_a_terminal():
    """Only headers of CSV, and tables printed with --wide, are wider."""
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    shown = [line for line in lines if not line.startswith(("$ ", "# ")) and "," not in line]
    assert len(lines) < 3000
    assert [line for line in shown if len(line) > WIDTH and line[0] not in "┏┃┡│└├"] == []
