"""`python -m memlsp` and the console script."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        if sys.argv[1:2] == ["hook"]:
            # an agent waits for it at every step, so it leaves before click is loaded
            from memlsp.faces.hooks.process import main as hook

            hook(sys.argv[2:])
        from memlsp.kept_code import keep_compiled

        keep_compiled()
        from memlsp.faces.cli import run

        run()
    except KeyboardInterrupt:  # before click could see to it
        from memlsp.faces.cli.interruption import interrupted

        interrupted()


if __name__ == "__main__":
    main()
