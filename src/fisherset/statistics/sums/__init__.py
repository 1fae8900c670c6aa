"""Sums over rows, their error bounds, and the scatter they give once the mean and confounders are removed."""
