"""The catalogue of conventions that clash: each alternative is a named rewrite of the graph."""
