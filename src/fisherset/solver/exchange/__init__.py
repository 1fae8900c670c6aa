"""Local search: forward selection and best swaps."""
