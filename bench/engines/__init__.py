"""The one job of bench/job.py, by each engine: a program each, started by bench/runner.py."""
