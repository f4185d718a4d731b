"""`python -m memlsp` and the console script."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    # imported late, so that a future fast path (the hook) can leave before click is loaded
    from memlsp.faces.cli import run

    run()


if __name__ == "__main__":
    main()
