"""Statistics of single columns: within-class scatter, HSIC, and spread over a neighbour graph."""
