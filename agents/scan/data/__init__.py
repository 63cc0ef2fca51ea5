"""Word lists: what they are and where they are from, agents/scan/words.py says."""
