"""What is done with guards beside a run: captured text replayed, stores of sessions scanned."""
