"""The rooms behind the door that are more than a few methods, each made when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memlsp.memory.context import Premises

if TYPE_CHECKING:
    from memlsp.memory.curation.audit import Auditing
    from memlsp.memory.curation.conflicts import Conflicts
    from memlsp.memory.curation.consolidation import Consolidating
    from memlsp.memory.curation.review import Review
    from memlsp.memory.curation.undo import Undoing
    from memlsp.memory.erasure.forgetting import Forgetting
    from memlsp.memory.ingest.intake import Intake
    from memlsp.memory.learning.imports import Imports
    from memlsp.memory.learning.proposals import Learning
    from memlsp.memory.recall.vectors import Meaning
    from memlsp.memory.transfer.copies import Copies
    from memlsp.memory.work.episodes import Work
    from memlsp.memory.work.handoffs import Handoffs
    from memlsp.memory.work.threads import ThreadBook


class Rooms:
    """What `Memory` leads to. Imports are late: a hover, or a command, needs a part of what can be asked."""

    _premises: Premises

    @cached_property
    def handoffs(self) -> Handoffs:
        """What sessions leave for the next, and what happened while somebody was away."""
        from memlsp.memory.work.handoffs import Handoffs

        return Handoffs(self._premises)

    @cached_property
    def intake(self) -> Intake:
        """The way in for what happens: commands, saves, files that changed; and what settles it."""
        from memlsp.memory.ingest.intake import Intake

        return Intake(self._premises)

    @cached_property
    def imports(self) -> Imports:
        """The way in from other programs: transcripts of agents, and other memories."""
        from memlsp.memory.learning.imports import Imports

        return Imports(self._premises)

    @cached_property
    def learning(self) -> Learning:
        """Proposals: what the repository and the people in it said already, before anybody admits it."""
        from memlsp.memory.learning.proposals import Learning

        return Learning(self._premises)

    @cached_property
    def threads(self) -> ThreadBook:
        """Work that was left open: remarks and stubs that were added, failing tests, unfinished plans, next steps."""
        from memlsp.memory.work.threads import ThreadBook

        return ThreadBook(self._premises)

    @cached_property
    def work(self) -> Work:
        """Task episodes: what was worked at, by whom, and what came of it."""
        from memlsp.memory.work.episodes import Work

        return Work(self._premises)

    @cached_property
    def auditing(self) -> Auditing:
        """Who changed what, and nothing of what it said."""
        from memlsp.memory.curation.audit import Auditing

        return Auditing(self._premises)

    @cached_property
    def conflicts(self) -> Conflicts:
        """Beliefs that contradict each other, and what was decided about them."""
        from memlsp.memory.curation.conflicts import Conflicts

        return Conflicts(self._premises)

    @cached_property
    def consolidating(self) -> Consolidating:
        """What says much the same, side by side, for whoever says it once."""
        from memlsp.memory.curation.consolidation import Consolidating

        return Consolidating(self._premises)

    @cached_property
    def copies(self) -> Copies:
        """The memory taken elsewhere and brought back: export, import, backup, restore, move, merge."""
        from memlsp.memory.transfer.copies import Copies

        return Copies(self._premises)

    @cached_property
    def forgetting(self) -> Forgetting:
        """The way out: what is forgotten leaves no copy behind."""
        from memlsp.memory.erasure.forgetting import Forgetting

        return Forgetting(self._premises)

    @cached_property
    def meaning(self) -> Meaning:
        """What texts mean, as vectors: made in the background, asked by `recall`."""
        from memlsp.memory.recall.vectors import Meaning

        return Meaning(self._premises)

    @cached_property
    def review(self) -> Review:
        """What waits for a decision: conflicts, stale beliefs, proposals."""
        from memlsp.memory.curation.review import Review

        return Review(self._premises)

    @cached_property
    def undoing(self) -> Undoing:
        """Taking back what a session, an import or a span of time taught."""
        from memlsp.memory.curation.undo import Undoing

        return Undoing(self._premises)
