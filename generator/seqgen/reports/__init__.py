"""What checks, builds and edits show to people, editors and services."""
