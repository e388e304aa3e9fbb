"""Decks: slides that cite numbers of microscopes, woven into slides that show them."""
