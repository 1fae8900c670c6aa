"""Files that hold a matrix with row annotations: AnnData, NPZ and GEO series."""
