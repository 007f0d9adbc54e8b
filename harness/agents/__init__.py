"""Agent CLIs as data: one YAML file each."""
