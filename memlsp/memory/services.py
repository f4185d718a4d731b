"""The parts of a memory, each made with the parts that it needs when it is first asked for.

Imports are late: a hover, or a command, needs few of the parts, and some take long to load.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memlsp.memory.check.mentions import Mentions
    from memlsp.memory.context import Context
    from memlsp.memory.curation.audit import AuditLog
    from memlsp.memory.curation.belief_editor import BeliefEditor
    from memlsp.memory.curation.conflicts import Conflicts
    from memlsp.memory.curation.review import Review
    from memlsp.memory.curation.survey import Survey
    from memlsp.memory.curation.undo import Undo
    from memlsp.memory.erasure.forgetting import Forgetting
    from memlsp.memory.ingest.ingest import Observers
    from memlsp.memory.ingest.intake import EventIntake
    from memlsp.memory.judging.judgements import Judgements
    from memlsp.memory.judging.places import Places
    from memlsp.memory.learning.imports import Imports
    from memlsp.memory.learning.proposals import Proposals
    from memlsp.memory.recall.recall import Recaller
    from memlsp.memory.recall.vectors import Vectors
    from memlsp.memory.sharing.shared_beliefs import SharedBeliefs
    from memlsp.memory.sharing.team_exchange import Team
    from memlsp.memory.transfer.copies import Copies
    from memlsp.memory.work.episodes import Episodes
    from memlsp.memory.work.handoffs import Handoffs
    from memlsp.memory.work.threads import Threads


def _made(home: str, name: str, *given: Any) -> Any:
    """A part, by its module below `memory` and its class, made with what it needs."""
    return getattr(import_module(f"{__package__}.{home}"), name)(*given)


class Services:
    """The parts that `Memory` leads to, named by what they hold: `memory.episodes.list()`."""

    _context: Context
    _places: Places
    _judgements: Judgements

    @cached_property
    def audit(self) -> AuditLog:
        """Who changed what, and when."""
        return _made("curation.audit", "AuditLog", self._context)

    @cached_property
    def conflicts(self) -> Conflicts:
        """Beliefs that contradict each other, and what was decided about them."""
        return _made("curation.conflicts", "Conflicts", self._context, self._judgements)

    @cached_property
    def copies(self) -> Copies:
        """Export, import, backup, restore, move and merge."""
        return _made("transfer.copies", "Copies", self._context, self._judgements, self.conflicts)

    @cached_property
    def documents(self) -> Mentions:
        """What AGENTS.md, rules and guides say of a place."""
        return _made("check.mentions", "Mentions", self._context.worktree)

    @cached_property
    def episodes(self) -> Episodes:
        """Tasks: the work of each, who did it and its outcome."""
        return _made("work.episodes", "Episodes", self._context)

    @cached_property
    def events(self) -> EventIntake:
        """Observations: commands, saves and file changes are kept here and understood later."""
        return _made("ingest.intake", "EventIntake", self._context, self._observers, lambda: self.vectors)

    @cached_property
    def forgetting(self) -> Forgetting:
        """Erasure that leaves no copy behind, and its receipts."""
        return _made("erasure.forgetting", "Forgetting", self._context, self._places, self.vectors)

    @cached_property
    def handoffs(self) -> Handoffs:
        """Notes that sessions leave for the next one, and briefings."""
        return _made("work.handoffs", "Handoffs", self._context, self._judgements, self.threads)

    @cached_property
    def imports(self) -> Imports:
        """Import from other programs: transcripts of agents, and other memories."""
        return _made("learning.imports", "Imports", self._context, self.events)

    @cached_property
    def proposals(self) -> Proposals:
        """Statements found in the repository and in prompts, which wait until a person admits them."""
        return _made("learning.proposals", "Proposals", self._context, self.conflicts)

    @cached_property
    def review(self) -> Review:
        """The review queue: conflicts, stale beliefs and proposals, and the decisions about them."""
        return _made(
            "curation.review", "Review", self._context, self._judgements, self.conflicts, self.proposals, self._editor
        )

    @cached_property
    def shared(self) -> SharedBeliefs:
        """Beliefs that the team reviews as files of the repository."""
        return _made("sharing.shared_beliefs", "SharedBeliefs", self._context, self._judgements, self.conflicts)

    @cached_property
    def survey(self) -> Survey:
        """What the code says of all beliefs, found out in the background; lists of any length by pages."""
        return _made("curation.survey", "Survey", self._context, self._judgements, self.review)

    @cached_property
    def team(self) -> Team:
        """The exchange of beliefs with the other machines of a team, where the package for it is installed; Refused
        where it is not."""
        return _made("sharing.team_exchange", "team_of", self._context, self.conflicts, self.forgetting)

    @cached_property
    def threads(self) -> Threads:
        """Work left open: remarks and stubs that were added, failing tests, unfinished plans, next steps."""
        return _made("work.threads", "Threads", self._context)

    @cached_property
    def undo(self) -> Undo:
        """Take back the revisions of a session, an import or a span of time."""
        return _made("curation.undo", "Undo", self._context, self.conflicts)

    @cached_property
    def vectors(self) -> Vectors:
        """Embeddings of beliefs and work: made in the background, searched by `recall`."""
        return _made("recall.vectors", "Vectors", self._context)

    # -- parts of parts ---------------------------------------------------------------------------------------------

    @cached_property
    def _editor(self) -> BeliefEditor:
        return _made(
            "curation.belief_editor", "BeliefEditor", self._context, self._places, self._judgements, self.conflicts
        )

    @cached_property
    def _recaller(self) -> Recaller:
        return _made("recall.recall", "Recaller", self._context, self._places, self._judgements, self.vectors)

    def _observers(self) -> Observers:
        return _made("ingest.ingest", "Observers", self.episodes, self.threads, self.handoffs, self.proposals)
