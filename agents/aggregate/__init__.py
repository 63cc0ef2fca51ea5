"""The state of every agent's learnings."""
