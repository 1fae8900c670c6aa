"""Checks of everything a user passes: one sentence each, with the rule, the value and the fix."""
