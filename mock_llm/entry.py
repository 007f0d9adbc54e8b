"""Where the ``mock-llm`` program begins."""

from __future__ import annotations

from mock_llm.early_interrupt import ends_quietly


def main() -> None:
    """Load the command and run it."""
    ends_quietly()
    from mock_llm.cli import main as command

    command()


if __name__ == "__main__":
    main()
