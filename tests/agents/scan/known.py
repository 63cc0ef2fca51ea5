"""Who may speak, in tests that are about something else: everybody."""

from agents.scan.directory import Directory

SECRET = b"s" * 32
OPEN = Directory(SECRET, admits_unsigned=True)
