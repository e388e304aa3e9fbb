"""How fast seqgen is beside what an instructor would use instead: ``python -m benchmarks`` (see docs/speed.md)."""
