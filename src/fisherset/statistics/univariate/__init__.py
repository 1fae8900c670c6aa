"""Statistics of single columns: scatter within classes, dependence (HSIC), spread over a neighbour graph."""
