"""The audit: numbers that were typed into a deck, against the ledgers."""
