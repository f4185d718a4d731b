"""The log of what a person said once is what the program does."""

from __future__ import annotations

from docs.generate.closed_loop import PAGE, page


def test_the_log_is_what_a_fresh_install_does() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m docs.generate.closed_loop"
