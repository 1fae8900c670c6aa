"""Exact search: branch and bound with a proof of optimality."""
