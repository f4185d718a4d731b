"""Signs that a task goes on or ends: the wording of prompts, commits, branches, sessions, long rests.

None decides alone. Each changes the log-odds of an assignment; together they say when an episode is closed.
"""

from __future__ import annotations

import re

from memlsp.code.vocabulary import patterns
from memlsp.episodes.drafts import EpisodeDraft, Stretch, strand
from memlsp.episodes.observation import stems

PAUSE = 15 * 60_000
"""Milliseconds between two runs of edits or commands without a session."""
REST = 12 * 3_600_000
"""Milliseconds without an event after which committed work is closed."""
LONG_REST = 72 * 3_600_000
"""Milliseconds without an event after which any work is closed."""

# Log-odds that a stretch goes on with a draft, whatever its content. No public data has sessions beside episodes: these
# are set by hand, and held by the scenarios in the tests.
_SAME_STRAND_LAST = 3.0  # the last thing that this session did, while nothing of the new was written
_WRITTEN = 1.8  # the same once both wrote something: then it is for the content to say
_SAME_STRAND = 0.2  # something that this session did before
_OTHER_SESSION = -1.6  # two agents at once rarely do one task
_ON = 3.0  # a prompt that says it goes on
_NEW = -3.0  # a prompt that says it does not
_AFTER_COMMIT = -1.4
_HOT = 1.4  # an editor's save of a file that was written just now and is not committed
_OTHER_BRANCH = -2.0
_LEFT = -0.7  # its branch was left
_DAY = 86_400_000
_MOST_DAYS = 2.0

_PATTERNS = patterns(__name__)
_MOST_STATED = 2  # sentences of a prompt that only states something


def only_continues(prompt: str) -> bool:
    """True for a prompt that names no task: `continue`, `go on`, `yes`."""
    found = _PATTERNS["goes_on"].match(prompt)
    return found is not None and (found[0] == prompt.strip(" .!") or len(list(stems(prompt))) <= 1)


def only_states(prompt: str) -> bool:
    """True for a short prompt that states a rule, a preference or a move, and asks for no work."""
    text = prompt.strip()
    sentences = [part for part in re.split(r"[.!]\s+|\n+", text) if part.strip()]
    return 0 < len(sentences) <= _MOST_STATED and all(_PATTERNS["states"].match(part) for part in sentences)


def goes_on(prompt: str) -> bool:
    """True for a prompt that continues: an answer, a correction, `also ...`."""
    if _PATTERNS["begins"].match(prompt):
        return False
    said = len(list(stems(prompt)))
    return (
        bool(_PATTERNS["goes_on"].match(prompt))
        or said == 0
        or (said <= 3 and bool(_PATTERNS["pointing"].search(prompt)))
    )


def begins(prompt: str) -> bool:
    """True for a prompt that announces another task."""
    return bool(_PATTERNS["begins"].match(prompt))


def context_odds(stretch: Stretch, draft: EpisodeDraft, last_of_strand: str) -> float:
    """The log-odds that a stretch belongs to a draft, without its content. `last_of_strand` is the id of the draft
    that its strand worked on before, "" for none."""
    odds = 0.0
    if stretch.session:
        if strand(stretch.source, stretch.session) in draft.sessions:
            odds += _odds_of_session(stretch, draft, is_last=draft.id == last_of_strand)
        elif draft.sessions:
            odds += _OTHER_SESSION + (_ON if only_continues(stretch.prompt) else 0.0)
    elif stretch.began - draft.last < PAUSE and _is_waiting(stretch, draft):
        odds += _HOT
    if stretch.branch and draft.branch and stretch.branch != draft.branch:
        odds += _OTHER_BRANCH
    elif draft.left_at is not None:
        odds += _LEFT
    if stretch.session:
        odds -= min(_MOST_DAYS, max(0, stretch.began - draft.last) / _DAY)
    return odds


def _odds_of_session(stretch: Stretch, draft: EpisodeDraft, *, is_last: bool) -> float:
    """The share of a session that took part in the draft before, with it as its last work where `is_last`."""
    both = bool(stretch.paths) and any(each.paths for each in draft.stretches if each.key != stretch.key)
    last = _WRITTEN if both else _SAME_STRAND_LAST
    odds = last if is_last else min(last, _SAME_STRAND)
    if stretch.prompt and is_last:
        odds += _ON if goes_on(stretch.prompt) else _NEW if begins(stretch.prompt) else 0.0
    if stretch.prompt and draft.is_committed:
        odds += _AFTER_COMMIT
    return odds


def _is_waiting(stretch: Stretch, draft: EpisodeDraft) -> bool:
    """True when the draft holds uncommitted edits of a file of the stretch."""
    waiting = (each.paths for each in draft.stretches if each.key != stretch.key and not each.committed)
    return any(path in stretch.paths for paths in waiting for path in paths)


def closing_reason(draft: EpisodeDraft, now: int) -> str:
    """Why an open episode is closed at a time (milliseconds since 1970): `commit`, `checkout`, `session-end`, `rest`;
    "" while it stays open."""
    idle = now - draft.last
    ended = bool(draft.sessions) and set(draft.sessions) <= set(draft.ended)
    if ended:
        return "session-end"
    if draft.left_at is not None and draft.is_committed and now - draft.left_at > PAUSE:
        return "checkout"
    if draft.is_committed and idle > REST:
        return "commit"
    return "rest" if idle > LONG_REST else ""
