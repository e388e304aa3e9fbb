"""seqgen computes the worked examples of a lecture and keeps the slides true to them."""

__version__ = "0.1.0"
