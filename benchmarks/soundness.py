"""Try to make a certificate lie: random hostile problems, and all subsets of each in 32 or 120 digits.

    python benchmarks/soundness.py --problems 30000 --jobs 2

A quarter are plain tables in memory (tests/support/hard_problems.py): rank-deficient, copies that differ in
the fourteenth digit, means a billion times the spread, weights over twelve decades, gammas down to 1e-14
of the samples; with groups, required and excluded columns, class weights, confounders, numbers, sets of
labels and missing values. The others
(tests/support/hard_storage_problems.py) have confounders that are nearly collinear, far from zero,
close to features or targets, or categories beside sparse features; outliers that are subtracted from a
summary again; extreme gammas; and the same rows in files, on Dask and summed up. Counted are, by
family of problem,

    false     bounds that some subset exceeds
    silent    objectives off by more than 1e-6 without a warning that says so, and with it (warned)
    status    false statuses: exact search that converged to a set that is not the best, `optimal_` or
              `complete` where it is not so, an INEXACT objective that F does not reach, a trivial bound or a
              status without a warning
    inexact   answers given up: the status says INEXACT, or the bound is the ceiling
    given up  bounds at the ceiling, where the q of the fit, or exact search, proves a better one
    differs   two storages of the same rows, two answers, and neither says why
    refused   a ValueError that says in a sentence why there is no answer
    raised    other exceptions, warnings of numpy's, and sets that may not be chosen
    slow      answers that took seconds, for tables of a dozen columns
    unsure    problems that neither the digits nor the definitions decide: a column or a confounder within a
              factor of 100 of where it counts as constant or redundant

and the largest relative error of an objective without a warning. The exit code is 1 if there is a
false bound, a silent error or a false status. A problem that fails is named by its seed: run it alone with
`--only SEED`, a family with `--family NAME`, or a case of those first seen with `--only "near copy at 95"`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from multiprocessing import Pool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.certificate_oracle import check_certificates
from support.hard_problems import FAMILIES, SEEN, random_problem, seen_problems
from support.hard_storage_problems import STORAGE_FAMILIES, drawn_family

COUNTS = {
    "false": "false_bound",
    "silent": "silent",
    "status": "false_status",
    "warned": "warned",
    "inexact": "inexact",
    "given up": "given_up",
    "differs": "differs",
    "refused": "refused",
    "raised": "raised",
    "slow": "slow",
    "unsure": "undecided",
}
SHOWN = 5  # failures of each kind and family that are named


def judge_seed(seed):
    return check_certificates(random_problem(seed))


def judge_case(case):
    return [check_certificates(problem) for problem in seen_problems(case)]


def findings(first, problems, jobs, family=None):
    """Yield findings on the cases seen, then on the random problems in order, or those of a family."""
    seeds, cases = range(first, first + problems), SEEN
    if family is not None:
        seeds, cases = [seed for seed in seeds if drawn_family(seed) == family], []
    if jobs == 1:
        for case in cases:
            yield from judge_case(case)
        yield from map(judge_seed, seeds)
        return
    with Pool(jobs) as pool:
        for some in pool.imap(judge_case, cases):
            yield from some
        yield from pool.imap(judge_seed, seeds, chunksize=20)


def print_table(found):
    """A line for each family, and their sum."""
    by_family = defaultdict(list)
    for finding in found:
        by_family[finding.family].append(finding)
    print(f"{'family':22}{'problems':>9}" + "".join(f"{name:>9}" for name in COUNTS) + f"{'worst':>10}")
    for family in [*SEEN, *FAMILIES]:
        if by_family[family]:
            print_line(family, by_family[family])
    print_line("total", found)


def print_line(name, findings):
    counts = [sum(bool(getattr(v, field)) for v in findings) for field in COUNTS.values()]
    worst = max((v.error for v in findings if not v.warned), default=0.0)
    print(f"{name:22}{len(findings):>9}" + "".join(f"{count:>9}" for count in counts) + f"{worst:>10.1e}")


def print_failures(found):
    """The first few of each kind, to run again with --only."""
    for kind in ("false_bound", "silent", "false_status", "differs", "given_up", "refused", "raised", "slow"):
        failed = [v for v in found if getattr(v, kind)]
        for family in sorted({v.family for v in failed}):
            for finding in [v for v in failed if v.family == family][:SHOWN]:
                print(f"{kind:12} {finding.name:>8} ({family}): {_about(finding, kind)}")


def _about(finding, kind):
    return getattr(finding, kind) if kind in ("refused", "raised") else finding.detail


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=30_000, help="how many random problems")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first; the next has the next")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--only", help="one seed, or one of the cases seen: " + ", ".join(SEEN))
    parser.add_argument(
        "--family", choices=STORAGE_FAMILIES, help="of the seeds, those of one family beyond plain tables"
    )
    return parser.parse_args()


def main():
    given, start = arguments(), time.perf_counter()
    if given.only is None:
        found = list(findings(given.seed, given.problems, given.jobs, given.family))
    else:
        found = judge_case(given.only) if given.only in SEEN else [judge_seed(int(given.only))]
    print_table(found)
    print(f"\n{len(found)} problems, {time.perf_counter() - start:.0f} s\n")
    print_failures(found)
    return int(any(finding.lie for finding in found))


if __name__ == "__main__":
    sys.exit(main())
