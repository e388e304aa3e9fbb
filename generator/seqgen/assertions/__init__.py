"""What a spec asserts of its values: equal, expect, finite_difference, autograd, reference."""
