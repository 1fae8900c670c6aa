"""Messages of the library and of typer in the words of the terminal: options in place of parameters."""

from __future__ import annotations

import re
from typing import Any

from fisherset._format import meant

# Parameters of the library by the options that set them.
OPTIONS = {
    "n_features_to_select": "-k",
    "ks": "-k",
    "k": "-k",
    "gamma": "--gamma",
    "max_memory": "--max-memory",
    "time_limit": "--time-limit",
    "max_nodes": "--max-nodes",
    "max_sets": "--max-sets",
    "class_weight": "--class-weight",
    "adjust_for": "--adjust-for",
    "solver": "--solver",
    "methods": "--methods",
    "only": "--only",
    "within": "--within",
    "keep": "--keep",
    "exclude": "--exclude",
    "repeats": "--repeats",
    "n_pairs": "--pairs",
    "n_permutations": "--permutations",
    "y": "The target",
    "X": "The table",
}
NAMED = re.compile(rf"(^|[.:;] )({'|'.join(OPTIONS)})(?= (must|is|has|and)\b)")
# What the library says of X and y, and what a table in a file is told.
SENTENCES = {
    r"Found array with 1 sample\(s\).*": "The table has only one row.",
    r"y must hold at least two classes; got one class, (.*), only\..*": r"The target has only one class, \1.",
    r"y must have a class with two or more samples; .*": "Every row has a class of its own; is the target an "
    "identifier? Numbers need --task regression.",
    r"groups must have more than one sample in some group; .*": "--strata must leave two rows or more in "
    "some group; every row is a group of its own. Name another column, or none.",
    r"Write it again with summarize\(X, y\)\.save\(.*\)\.": "Write one with `fisherset summarize`.",
    r'Pass gamma="scale".*': "Use --gamma scale.",
    r"Pass layout=Layout\(drop_unlabelled=True\)": "Add --drop-unlabelled",
    r'Pass impute="median" or "indicator", or use drop': "Add --impute median or --impute indicator, or use "
    "--drop",
    r"For classes use GeneralizedFisherScore or GeneralizedFisherScoreCV\.": "For classes use --task "
    "classification.",
    r"For a numeric target use JointRegressionScore.*?\.": "For numbers use --task regression.",
}


def in_options(message: str) -> str:
    """Return a message of the library with options in place of parameters."""
    for pattern, replacement in SENTENCES.items():
        message = re.sub(pattern, replacement, message, flags=re.DOTALL)
    return NAMED.sub(lambda found: found[1] + OPTIONS[found[2]], message)


def usage_sentence(error: Any) -> str:
    """Return what is wrong with the options of a command, and where they are explained."""
    text = str(error.format_message())
    if getattr(error, "possibilities", None) and hasattr(error, "option_name"):
        text = f"No such option: {error.option_name}.{meant(error.option_name, error.possibilities)}"
    if extra := re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", text):
        one = " Give one file, or a pattern in quotes: 'rows/*.csv'." if _takes_file(error) else ""
        text = f"Unexpected argument: {extra[1]}.{one}"
    command = getattr(getattr(error, "ctx", None), "command_path", "fisherset")
    return f"{text} See {command} --help."


def _takes_file(error: Any) -> bool:
    """Whether a command that was given too much reads a table."""
    command = getattr(getattr(error, "ctx", None), "command", None)
    return any(parameter.name == "file" for parameter in getattr(command, "params", ()))
