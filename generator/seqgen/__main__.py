"""``python -m seqgen`` is the ``seqgen`` command."""

from seqgen.cli import main

if __name__ == "__main__":
    main()
