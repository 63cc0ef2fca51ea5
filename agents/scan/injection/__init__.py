"""Prompt injection, in what may be recalled or cross (SPEC 3.7)."""

from agents.scan.injection import hidden
from agents.scan.injection.look import ANCHORS, look

__all__ = ["ANCHORS", "hidden", "look"]
