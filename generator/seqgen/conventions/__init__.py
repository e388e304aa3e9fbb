"""What an example cannot tell apart: a microscope under other conventions, compared number by number."""
