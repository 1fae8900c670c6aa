"""The file a selection is kept in: plain JSON with a version."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fisherset._files import read_json
from fisherset.tables.columns.features import Feature
from fisherset.tables.read import TASK_NAMES

SELECTION_FORMAT, SELECTION_VERSION = "selection", 1


@dataclass(frozen=True)
class Selection:
    """The chosen features, and how they were chosen.

    Files of before there were groups and tasks lack what follows the remarks, and are read as if each
    feature was by itself.

    Attributes
    ----------
    features : list of Feature
        Best first; those of a group one after the other.
    target : str
        The column of labels, or numbers.
    classes : list of str
        The labels; none where the target holds numbers.
    file : str
        The name of the table they were chosen in.
    n_rows, n_features_in : int
        Its size.
    gamma : float
        The regulariser.
    solver : str
        How the set was found.
    objective, upper_bound, gap : float
        The certificate.
    details : list of dict
        What each feature contributes.
    categories : dict
        All values of the columns of texts among them, chosen or not: what else such a column
        holds in another table was never seen.
    gaps : list of str
        Those of them that had missing values.
    remarks : list of str
        What there is to say about it.
    task : {"classification", "regression"}
        Whether the target holds labels or numbers.
    n_groups_in : int or None
        How many there were to choose from, where some features were chosen together or not at all.
    groups : dict
        The chosen groups of more than one feature, and the names of these.
    kept, excluded, adjusted_for : list of str
        What had to be chosen, what must not be, and what was taken out of the others.
    class_weight : str or None
        How the classes were weighed.
    proven : dict
        How many features, or groups, are proven to be in every set as good, in none, or open.
    optimal : bool
        Whether the set is proven to be the best.
    n_nodes : int
        Nodes that exact search looked at.
    impute : str or None
        What was done about missing values.
    dropped : list of str
        Columns that were left out.
    split_texts : bool
        Whether the values of columns of texts were chosen one by one.
    identifier : str or None
        The column that names the rows.
    sizes : list of dict
        The other sizes it was compared with, where it was: sets, F, bound and held-out score of each.
    why : str or None
        Why this size, in a sentence.
    """

    features: list[Feature]
    target: str
    classes: list[str]
    file: str
    n_rows: int
    n_features_in: int
    gamma: float
    solver: str
    objective: float
    upper_bound: float
    gap: float
    details: list[dict[str, Any]] = field(default_factory=list)
    categories: dict[str, list[str]] = field(default_factory=dict)
    gaps: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    task: str = "classification"
    n_groups_in: int | None = None
    groups: dict[str, list[str]] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    adjusted_for: list[str] = field(default_factory=list)
    class_weight: str | None = None
    proven: dict[str, int] = field(default_factory=dict)
    optimal: bool = False
    n_nodes: int = 0
    impute: str | None = None
    dropped: list[str] = field(default_factory=list)
    split_texts: bool = False
    identifier: str | None = None
    sizes: list[dict[str, Any]] = field(default_factory=list)
    why: str | None = None

    def as_json(self) -> str:
        """The content of the file.

        Returns
        -------
        text : str
            JSON.
        """
        content = {"format": f"fisherset {SELECTION_FORMAT}", "version": SELECTION_VERSION, **asdict(self)}
        content["features"] = [feature._asdict() for feature in self.features]
        return json.dumps(content, indent=1, allow_nan=False)


FIGURES = ("gamma", "objective", "upper_bound", "gap")
PROVEN = ("in_every", "in_none", "open")
LISTS = ("gaps", "remarks", "kept", "excluded", "adjusted_for", "dropped")
MAY_LACK = ("class_weight", "impute", "identifier", "why")  # texts


def read_selection(path: Path) -> Selection:
    """Read a selection; a damaged or foreign file is refused with a reason.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    selection : Selection
        What it holds.
    """
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    try:
        content = read_json(path, SELECTION_FORMAT, SELECTION_VERSION)
        features = [_feature(entry) for entry in content["features"]]
        texts = {name: _checked(content[name], str, name) for name in ("target", "file", "solver")}
        counts = {name: _checked(content[name], int, name) for name in ("n_rows", "n_features_in")}
        numbers = {name: float(_checked(content[name], (int, float), name)) for name in FIGURES}
        classes = [str(label) for label in content["classes"]]
        lists = {name: _texts(content.get(name, []), name) for name in LISTS}
        maps = {
            name: {str(key): _texts(values, name) for key, values in _checked(found, dict, name).items()}
            for name, found in ((name, content.get(name, {})) for name in ("categories", "groups"))
        }
        proven = _checked(content.get("proven", {}), dict, "proven")
        proven = {name: _checked(proven[name], int, name) for name in PROVEN if name in proven}
        n_nodes, optimal = _checked(content.get("n_nodes", 0), int, "n_nodes"), content.get("optimal", False)
        split_texts = content.get("split_texts", False)
        for name, flag in (("optimal", optimal), ("split_texts", split_texts)):
            if not isinstance(flag, bool):
                raise TypeError(f"its {name} is {flag!r}")
        may_lack = {name: content.get(name) for name in MAY_LACK}
        for name, text in may_lack.items():
            if text is not None:
                _checked(text, str, name)
        task = content.get("task", TASK_NAMES[0])
        if task not in TASK_NAMES:
            raise ValueError(f"its task is {task!r}")
        if not 0 < len({feature.name for feature in features}) == len(features):
            raise ValueError("it names no features, or one of them twice")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{path.name} cannot be used: {reason}.") from error
    more: dict[str, Any] = {"n_groups_in": content.get("n_groups_in"), **may_lack, "split_texts": split_texts}
    more |= {**texts, **counts, **numbers, **lists, **maps, "details": content.get("details") or []}
    more |= {"sizes": content.get("sizes") or []}
    more |= {"proven": proven, "optimal": optimal, "n_nodes": n_nodes}
    return Selection(features, classes=classes, task=task, **more)


def _feature(entry: Any) -> Feature:
    if not isinstance(entry, dict) or set(entry) - set(Feature._fields):
        raise ValueError("a feature is not what it should be")
    feature = Feature(**entry)
    for name in ("name", "column", "kind"):
        _checked(getattr(feature, name), str, name)
    kinds: dict[str, Any] = {"number": (int, float), "value": str, "missing": ()}
    if feature.kind not in kinds or isinstance(feature.value, str) != (feature.kind == "value"):
        raise ValueError(f"the kind of {feature.name!r} is not what it should be")
    if feature.other is not None:
        _checked(feature.other, str, "other")
    if feature.fill is not None:
        fill = _checked(feature.fill, kinds[feature.kind], "fill")
        if not isinstance(fill, str) and not math.isfinite(float(fill)):
            raise ValueError(f"the fill of {feature.name!r} is not finite")
    for text in (feature.name, feature.column, feature.value or "", feature.other or ""):
        text.encode("utf-8")
    return feature


def _texts(values: Any, name: str) -> list[str]:
    return [str(_checked(value, str, name)) for value in _checked(values, list, name)]


def _checked(value: Any, kinds: Any, name: str) -> Any:
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise TypeError(f"its {name} is {value!r}")
    return value
