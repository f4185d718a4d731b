"""How many examples a property test tries, and how many events the widest run: a third of them each time, all with
MEMLSP_THOROUGH=1."""

from __future__ import annotations

import os


def examples(all_of_them: int) -> int:
    """Of so many examples as many as are tried now."""
    return all_of_them if os.environ.get("MEMLSP_THOROUGH") == "1" else max(all_of_them // 3, 4)
