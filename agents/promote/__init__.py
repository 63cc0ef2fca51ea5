"""The pools of shared learnings."""
