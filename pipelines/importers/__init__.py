"""Records of other runtimes, read as runs: one module a format, each a pure function from files to runs and what was skipped."""
