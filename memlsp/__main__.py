"""`python -m memlsp` and the console script."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    try:
        # imported late, so that a future fast path (the hook) can leave before click is loaded
        from memlsp.faces.cli import run

        run()
    except KeyboardInterrupt:  # before click could see to it
        from memlsp.faces.cli.interruption import interrupted

        interrupted()


if __name__ == "__main__":
    main()
