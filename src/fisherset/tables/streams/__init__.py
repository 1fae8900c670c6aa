"""Files and queries as streams of batches."""
