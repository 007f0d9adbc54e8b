"""A scripted model server: it plays turns, cuts and paces them, and records what the client did."""
