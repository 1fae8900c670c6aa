"""Time, memory and quality of fisherset beside other selectors, as ratios to SelectKBest(f_classif).

    python benchmarks/speed.py --write docs/benchmarks.md [--adelie PYTHON]
    python benchmarks/speed.py [--tables ...] [--ks ...] [--methods ...] [--busy] [--again]

Each selector runs in a process of its own (`contestant.py`): the lower of two calls, the peak of the
resident memory above the loaded table, at most 120 s. Before each of fisherset's, f_classif is measured
anew. --busy measures fisherset's once more while as many processes as there are cores keep these busy.
Quality is F at joint's own gamma, as a share of the bound, and the accuracy of two classifiers on rows not
selected on.

Results are kept in a JSON file as they come, so that a stopped run goes on; with other code, other packages
or on another machine it starts anew. --write measures everything, growth (`growth.py`) and busy cores
included: an hour. Real tables are looked for in FISHERSET_DATA, or ../shared/data beside the checkout.
adelie needs numpy below 2: name the interpreter of another environment. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import signal
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import growth
from contestant import METHODS
from marked_page import code_version, show, table, write
from speed_contest import (
    ABSENT,
    AIMS,
    BASE,
    BUSIER,
    LOUD,
    OURS,
    PEERS,
    SHOWN,
    SLOW,
    Kept,
    contest,
    made_by,
    sizes,
)
from speed_tables import TABLES

ROUNDING = 1e-9  # by which F of one set can differ


def figure(ratio, most=np.inf):
    """A ratio, bold where it is more than asked."""
    if ratio is None:
        return ""
    shown = f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
    return f"**{shown}**" if ratio > most else shown


def aim_line(aim, quiet, busy):
    """One ratio that is asked for beside what was measured, bold where it is more."""
    time, memory, gap, crowded = quiet.get("reason", ""), "", "", ""
    if time == SLOW:
        time = f"**{SLOW}**"
    if "times" in quiet:
        time = figure(time_of(quiet), aim.asked) + aim.unit
        memory, gap = figure(quiet["times"]["peak"], 1.0), f"{quiet['gap']:.2%}"
        crowded = busy.get("reason") or figure(time_of(busy) / time_of(quiet), BUSIER)
    return {
        "table": aim.name if aim.method == OURS else f"{aim.name}, {aim.method}",
        "k": aim.k,
        f"time / {BASE}": time,
        "asked": f"≤ {aim.asked:g}{aim.unit}",
        f"memory / {BASE}": memory,
        "gap": gap,
        "busy / quiet": crowded,
    }


def time_of(cell):
    """The time as a ratio; infinite where none was measured."""
    return cell["times"]["seconds"] if "times" in cell else np.inf


def aims_part(kept):
    """Every ratio that is asked for, with idle and with busy cores."""
    cells = [[kept.cell(aim.name, aim.k, aim.method, busy) for busy in (False, True)] for aim in AIMS]
    met = sum(time_of(quiet) <= aim.asked for aim, (quiet, _) in zip(AIMS, cells, strict=True))
    both = [(time_of(quiet), time_of(busy)) for quiet, busy in cells if "times" in quiet and "times" in busy]
    steady = sum(busy <= BUSIER * quiet for quiet, busy in both)
    lines = [aim_line(aim, *pair) for aim, pair in zip(AIMS, cells, strict=True)]
    said = (
        f"{met} of {len(AIMS)} ratios are as asked, {steady} of {len(both)} at most {BUSIER} times as large"
    )
    quiet = said_of_others([quiet for quiet, _ in cells])
    return f"{said} with busy cores; what is more is bold. {quiet}\n\n{table(lines)}"


def said_of_others(cells):
    """How quiet the machine was."""
    shares = [cell["others"] for cell in cells if cell.get("others") is not None]
    if not shares:
        return "Whether the machine was quiet is not known."
    loud = sum(share > LOUD for share in shares)
    return (
        f"While these were measured, other processes took {max(shares):.2f} of a core at most, and more than "
        f"{LOUD} during {loud} of {len(shares)}."
    )


def found_peers(kept, name, k):
    cells = {method: kept.cell(name, k, method) for method in PEERS}
    return {method: cell for method, cell in cells.items() if "times" in cell}


def measured_pairs(kept):
    """Tables and sizes that joint was measured on."""
    return [(name, k) for name in TABLES for k in sizes(name) if "times" in kept.cell(name, k, OURS)]


@dataclass(frozen=True)
class Rival:
    """A peer on a table: its time as a multiple of joint's, and its F as a share of joint's."""

    name: str
    k: int
    method: str
    times: float
    share: float

    def __str__(self):
        return f"{self.method} on {self.name}, k = {self.k}"


def rivals(kept):
    for name, k in measured_pairs(kept):
        ours = kept.cell(name, k, OURS)
        for method, cell in found_peers(kept, name, k).items():
            times = cell["times"]["seconds"] / ours["times"]["seconds"]
            yield Rival(name, k, method, times, cell["F"] / ours["F"])


def verdict_part(kept):
    """Whether a peer was faster, or found a better set, and joint's memory: said and listed."""
    lines, compared = [], list(rivals(kept))
    for name, k in measured_pairs(kept):
        here = [rival for rival in compared if (rival.name, rival.k) == (name, k)]
        ours = kept.cell(name, k, OURS)["times"]
        fastest = min(here, key=lambda rival: rival.times, default=None)
        best = max(here, key=lambda rival: rival.share, default=None)
        lines.append(
            {
                "table": name,
                "k": k,
                f"joint / {BASE}": figure(ours["seconds"]),
                f"memory / {BASE}": figure(ours["peak"], 1.0),
                "fastest peer / joint": f"{fastest.method} {figure(fastest.times)}" if here else "",
                "best peer's F, % of joint's": f"{best.method} {best.share:.2%}" if here else "",
            }
        )
    if not lines:
        return "Nothing was measured."
    said = "\n".join(f"- {part}" for part in (*said_of_peers(compared), said_of_memory(kept)) if part)
    return f"{said}\n\n{table(lines)}"


def said_of_peers(compared):
    """Which peers are faster than joint, and whose sets are better; or that none is, and the nearest."""
    if not compared:
        return "No peer was measured.", ""
    faster = [f"{rival} ({rival.times:.2f} of its time)" for rival in compared if rival.times < 1]
    better = [f"{rival} ({rival.share:.4%})" for rival in compared if rival.share > 1 + ROUNDING]
    near, good = min(compared, key=lambda rival: rival.times), max(compared, key=lambda rival: rival.share)
    slower = f"No peer is faster than joint; the nearest, {near}, takes {near.times:.1f} times as long."
    worse = f"No peer's set has a larger F than joint's; the nearest, {good}, has {good.share:.4%} of it."
    ended = f"{len(compared)} selections of peers ended within the time."
    return (
        f"{ended} " + (f"Faster than joint: {'; '.join(faster)}." if faster else slower),
        f"A larger F than joint's, at its gamma: {'; '.join(better)}." if better else worse,
    )


def said_of_memory(kept):
    ratios = {
        (name, k): kept.cell(name, k, OURS)["times"]["peak"]
        for name, k in measured_pairs(kept)
        if kept.cell(name, k, OURS)["times"]["peak"] is not None
    }
    if not ratios:
        return "Peak memory is measured on Linux only."
    above = [f"{name}, k = {k} ({ratio:.2f})" for (name, k), ratio in ratios.items() if ratio > 1]
    low, high = min(ratios.values()), max(ratios.values())
    extent = f"The peak memory of joint is {low:.2f} to {high:.2f} of {BASE}'s"
    return f"{extent}; above it on {'; '.join(above)}." if above else f"{extent}."


def peers_table(kept, name, k):
    """All contestants on one table."""
    base, ours = (kept.cell(name, k, method) for method in (BASE, OURS))
    heads = f"time / {BASE}", f"memory / {BASE}", "F, % of the bound", "1-NN", "logistic"
    lines = []
    for method in (*SHOWN, *PEERS):
        cell = kept.cell(name, k, method)
        if "reason" in cell:
            figures = [cell["reason"], "", "", "", ""]
        else:
            figures = [figure(cell["times"][what]) for what in ("seconds", "peak")]
            figures += [f"{cell['F'] / ours['bound']:.2%}", *(f"{share:.1%}" for share in cell["accuracy"])]
        few = f" ({cell['n']} columns)" if cell.get("n", k) != k else ""
        lines.append({"method": method + few} | dict(zip(heads, figures, strict=True)))
    peak = f", {base['peak'] / 2**20:.0f} MB" if base["peak"] else ""
    return f"**{name}, k = {k}** ({BASE} {base['seconds']:.3f} s{peak})\n\n{table(lines)}"


def peers_part(kept):
    absent = [name for name in TABLES if kept.cell(name, sizes(name)[0], BASE).get("reason") == ABSENT]
    texts = [peers_table(kept, name, k) for name, k in measured_pairs(kept)]
    return "\n".join([*texts, *(f"**{name}**: {ABSENT}.\n" for name in absent)])


def growth_part(kept):
    return growth.as_text(kept["growth"]) if "growth" in kept else "Not measured."


def machine_part(kept):
    made = kept.made_by
    return f"{made['cores']} cores ({made['machine'][1]}), Python {made['python']}, {made['packages']}."


PARTS = {
    "machine": machine_part,
    "aims": aims_part,
    "verdict": verdict_part,
    "growth": growth_part,
    "peers": peers_part,
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--ks", nargs="+", type=int, help="instead of 10 50 200, or 25 50 100 for cells")
    parser.add_argument("--busy", action="store_true", help="once more while all cores are kept busy")
    parser.add_argument("--again", action="store_true", help="what was measured while others ran, once more")
    parser.add_argument("--adelie", default=sys.executable, help="interpreter that has adelie")
    parser.add_argument("--results", type=Path, default=Path("speed.json"))
    parser.add_argument("--write", type=Path, help="page whose marked parts are replaced")
    given = parser.parse_args()
    whole = given.tables == list(TABLES) and given.methods == list(METHODS) and not given.ks
    if given.write and not whole:
        parser.error("--write is for all tables, methods and ks: the figures of a page are of one run.")
    return given


def main():
    given = arguments()
    warnings.simplefilter("ignore")
    for stop in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, lambda *_: sys.exit("stopped"))  # so that no process or folder is left behind
    kept = Kept(given.results, made_by(given.adelie))
    if given.again:
        kept.forget_loud()
    busy = given.busy or given.write is not None
    contest(kept, given.tables, given.ks, given.methods, given.adelie, busy)
    if given.write and "growth" not in kept:
        kept.keep("growth", {letter: growth.measure(letter) for letter in growth.SIZES})
    texts = {name: part(kept) for name, part in PARTS.items()}
    show(texts)
    if given.write:
        if code_version() != kept.made_by["code"]:
            sys.exit("The code changed during the run: the page stays as it was.")
        growth.draw(kept["growth"], given.write.with_name("growth.svg"))
        write(given.write, texts)


if __name__ == "__main__":
    main()
