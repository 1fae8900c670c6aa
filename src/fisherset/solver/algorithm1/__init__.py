"""Algorithm 1 of the paper: cutting planes and multiple kernel learning."""
