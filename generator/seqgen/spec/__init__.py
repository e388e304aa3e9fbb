"""Specs as data: YAML with positions, the schema, the model, and loading."""
