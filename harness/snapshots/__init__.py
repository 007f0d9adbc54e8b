"""Snapshots: what a run looked like, in files that people read, and their review."""
