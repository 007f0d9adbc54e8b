"""Stream guards: they read what a model streams and say where it became a runaway loop."""
