"""Searches for given numbers by which an example is what its author wishes."""
