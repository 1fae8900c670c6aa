"""Selectors that choose gamma and the number of features by cross-validation."""
