"""Rows held by Dask: collections, their blocks, and the task graphs that reduce them."""
