"""What the tables say, in sentences: also where it is not what the paper says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fisherset.paper.methods import TITLES
from fisherset.paper.printed import ACCURACY, TEN_FEATURES
from fisherset.paper.protocol import STUDIES, studies_of
from fisherset.paper.results import Results
from fisherset.paper.tables import LEVEL, best_printed, compared, keys_run


def findings_for(results: Results, parts: Sequence[str]) -> list[str]:
    """Sentences on each data set behind the parts that were run."""
    ran = keys_run(results, parts)
    sentences = [
        sentence for dataset in ran for sentence in (_best(results, dataset), _closeness(results, dataset))
    ]
    for study in studies_of(parts):
        used = results.files.get(study.key, study.files[0])
        if used != study.files[0]:
            sentences.append(
                f"{study.title}: {study.files[0]} was not to be had, and {used} was used instead; its "
                f"figures are farther from the paper's."
            )
    for dataset in (key for key in ran if key in TEN_FEATURES):
        printed = TEN_FEATURES[dataset]
        ours = {method: results.accuracy(dataset, method, 10).mean() for method in printed}
        sentences.append(
            f"{STUDIES[dataset].title} with 10 features: GFS (Algorithm 1) {ours['gfs']:.1f} %, Fisher "
            f"score {ours['fisher']:.1f} % (paper: about {printed['gfs']:.0f} % and roughly "
            f"{printed['fisher']:.0f} %)."
        )
    return sentences


def _best(results: Results, dataset: str) -> str:
    """Whether GFS is the best of the paper's methods, and how sure that is."""
    title, best = STUDIES[dataset].title, best_printed(results, dataset)
    means = {method: results.accuracy(dataset, method).mean() for method in ("gfs", "gfs-joint", best)}
    joint = f"the joint solver reaches {means['gfs-joint']:.2f} %"
    if best != "gfs":
        difference = compared(results, dataset, "gfs", best)
        verdict = "significant" if difference.p_corrected < LEVEL else "not significant"
        if np.isnan(difference.p):
            verdict = "not to be tested with one repeat"
        return (
            f"{title}: GFS (Algorithm 1) is NOT the best of the paper's methods: {TITLES[best]} has "
            f"{means[best]:.2f} % against its {means['gfs']:.2f} %; the difference is {verdict} "
            f"(p = {difference.p:.3f}, corrected {difference.p_corrected:.3f}); {joint}."
        )
    others = [method for method in ACCURACY[dataset] if method != "gfs"]
    tested = {method: compared(results, dataset, "gfs", method) for method in others}
    sure = [TITLES[method] for method, difference in tested.items() if difference.p_corrected < LEVEL]
    beaten = (
        f"significantly better than {', '.join(sure)}" if sure else "without a significant difference to any"
    )
    return (
        f"{title}: GFS (Algorithm 1) is the best of the paper's methods with {means['gfs']:.2f} %, "
        f"{beaten}; {joint}."
    )


def _closeness(results: Results, dataset: str) -> str:
    """Which means lie within two of the paper's standard deviations of the paper's means."""
    far = []
    for method, (mean, deviation) in ACCURACY[dataset].items():
        ours = results.accuracy(dataset, method).mean()
        if abs(ours - mean) > 2 * deviation:
            far.append(f"{TITLES[method]} ({ours:.2f} % against {mean:.2f} ± {deviation:.2f} %)")
    title = STUDIES[dataset].title
    if not far:
        return f"{title}: all six means lie within two of the paper's standard deviations of the paper's."
    return f"{title}: farther than two of the paper's standard deviations from the paper's: {', '.join(far)}."
