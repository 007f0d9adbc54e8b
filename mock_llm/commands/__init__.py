"""The commands of ``mock-llm``, one file each, imported when called."""
