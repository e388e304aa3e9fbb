"""What must hold: the checks that a spec declares, and the rules that compare files with the computation."""
