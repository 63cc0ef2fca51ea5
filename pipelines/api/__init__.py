"""The HTTP interface (SPEC 9.2): one file a group of routes, and what they share."""
