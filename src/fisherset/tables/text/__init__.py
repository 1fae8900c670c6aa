"""Text files: dialect, encoding, compression and lines."""
