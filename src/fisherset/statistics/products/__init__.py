"""Products of columns: pieces of the Gram matrix, computed on demand and cached."""
