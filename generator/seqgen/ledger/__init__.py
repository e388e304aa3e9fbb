"""From readings to the ledger: proven values, printed digits, and the JSON contract."""
