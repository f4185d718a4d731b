"""What the rooms behind the door share: one workspace's stores, files and clock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.capture.workspace.worktree import Worktree
from memlsp.store import Store

if TYPE_CHECKING:
    from memlsp.memory.memory import Memory


@frozen
class Premises:
    """Handed to each part of `Memory` that is more than a few methods. `memory` is for what only the door answers."""

    memory: Memory
    store: Store
    user: Store
    worktree: Worktree
    clock: Callable[[], datetime]
