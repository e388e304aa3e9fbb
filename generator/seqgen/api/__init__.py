"""What `import seqgen` offers: ledgers, computed examples and audits, for notebooks and scripts."""
