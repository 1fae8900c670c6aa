"""Which sets may be chosen, and what is asked of them: the options that make a question of a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fisherset.cli import options
from fisherset.cli.options import PREFIX, Task


@dataclass(frozen=True)
class Restrictions:
    """What must be chosen, must not be, or is chosen together, and what the sets are judged by."""

    task: options.Asked = Task.classification
    keep: options.Keep = None
    exclude: options.Exclude = None
    adjust_for: options.AdjustFor = None
    groups: options.Groups = None
    split_texts: options.SplitTexts = False
    class_weight: options.Weighed = None
    max_memory: options.MaxMemory = None

    @property
    def inputs(self) -> list[Path]:
        """The files that are read, which must not be written: that of the groups, if there is one."""
        return [] if self.groups in (None, PREFIX) else [Path(str(self.groups))]
