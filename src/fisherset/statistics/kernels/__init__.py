"""Kernels on a block of rows, dense or sparse."""
