"""Readings of the graph: float64, exact, ball, torch and formula. None of them knows an operation."""
