"""The convex relaxation over the hull of the domain, Eq. (20) to (27)."""
