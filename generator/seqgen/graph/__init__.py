"""The graph of array operations that a spec's steps become."""
