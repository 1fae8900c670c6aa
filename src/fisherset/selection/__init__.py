"""A selection as a problem: request, constraints on the set, gamma, and statements about the outcome."""
