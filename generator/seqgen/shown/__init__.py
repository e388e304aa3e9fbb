"""What pages show as data, independent of any medium, and whether its printed results follow from printed operands."""
