"""What writes pages: one module a medium, found by its ``MEDIUM``."""
