"""What was decided, in order."""
