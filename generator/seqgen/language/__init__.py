"""The spec language: a checked Python-shaped subset, lowered to the graph. Nothing is executed."""
