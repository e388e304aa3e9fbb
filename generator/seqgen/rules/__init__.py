"""What `seqgen check` compares: files, digits, decks and typed numbers, each under a rule."""
