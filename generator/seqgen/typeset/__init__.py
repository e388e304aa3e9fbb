"""Mathematics as text: printed numbers and arrays, and how wide they are."""
