"""Scores of a cross-validated search, as scikit-learn's searches have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fisherset._records import Records, Tabular, aligned
from fisherset._types import Floats

PLAIN = {"param_n_features_to_select": "k", "param_gamma": "gamma", "mean_test_score": "score"}
FORMATS = {"k": "d", "gamma": ".6g", "score": ".4f", "sd": ".4f", "rank": "d"}


class CVResults(Tabular, dict[str, Any]):
    """An array for each quantity, with an entry for each gamma and size; printed, a table, best first."""

    @classmethod
    def of(cls, scores: Floats, gammas: Floats, ks: Sequence[int]) -> CVResults:
        """Return the results of scores of shape (splits, gammas, sizes)."""
        flat = scores.reshape(len(scores), -1)
        mean = flat.mean(axis=0)
        order = np.unique(-np.round(mean, 12), return_inverse=True)[1].reshape(-1)
        return cls(
            {
                "param_gamma": np.repeat(gammas, len(ks)),
                "param_n_features_to_select": np.tile(np.array(ks), len(gammas)),
                "mean_test_score": mean,
                "std_test_score": flat.std(axis=0),
                "rank_test_score": 1 + np.array([np.sum(order < place) for place in order], dtype=np.int32),
                **{f"split{number}_test_score": split for number, split in enumerate(flat)},
            }
        )

    def table(self) -> Records:
        """Rows of the printed table, as dictionaries.

        Returns
        -------
        rows : list of dict
            One for each setting, best first: k, gamma, mean score of the folds, its standard deviation and
            its rank.
        """
        names = {**PLAIN, "std_test_score": "sd", "rank_test_score": "rank"}
        settings = zip(*(self[name].tolist() for name in names), strict=True)
        rows = [dict(zip(names.values(), values, strict=True)) for values in settings]
        return sorted(rows, key=lambda row: row["rank"])

    def __repr__(self) -> str:
        best = self.table()[0]
        size = f"{self['param_gamma'].size} settings, {len(self) - 5} folds"
        return (
            f"CVResults({size}, best score {best['score']:.4g} at k = {best['k']}, gamma = {best['gamma']:g})"
        )

    def __str__(self) -> str:
        return aligned(self.table(), FORMATS)
