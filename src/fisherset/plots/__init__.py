"""Pictures: one style for all, readable by the colour-blind."""
