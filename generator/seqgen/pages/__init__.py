"""Pages: tables, derivations, values and listings, in LaTeX and Markdown."""
