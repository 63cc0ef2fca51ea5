"""From the raw side to clean logs."""
