"""How fast it goes, beside what else could do the job: `make bench` (see RESULTS.md)."""
