"""End-to-end checks of agent CLIs against a model that misbehaves on purpose."""
