"""Columns of Arrow tables as features, labels and identifiers."""
