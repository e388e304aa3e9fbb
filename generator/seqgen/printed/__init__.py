"""Arithmetic as printed: what a page shows, and whether its results follow from its printed operands."""
