"""The gate: a run held against the committed baseline, and what follows from each difference."""
