"""Rows held by Dask: collections and the tasks that reduce them."""
