"""The command line: one file a command or family of commands; main.py only puts them together."""
