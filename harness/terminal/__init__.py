"""The agent's side of the screen: a pseudo-terminal and what was written to it."""
