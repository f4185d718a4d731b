"""What helped when a command failed: read from a session in which it failed and then worked.

Said only for the same program failing in the same way, and only where something was done in between that can have
helped: a command that fails and then works by itself is flaky, and says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from memlsp.episodes.command_templates import command_template, failure_digest, names_a_file, program
from memlsp.episodes.handoffs import is_check, is_lookup, shown_command
from memlsp.model.event import Event, EventKind
from memlsp.model.one_line import tagless
from memlsp.store.tables.handoffs import KeptRemedy

AHEAD = 60
"""Events after a failure among which what helped is looked for."""

LONGEST = 280
"""Characters of a remedy's sentence."""

_NEAR = 0.5
"""Share of words that two skeletons of one program have in common when one is another way to run the other."""

_LOOKING_AT_GIT = frozenset({"status", "diff", "log", "show", "blame", "branch", "grep"})
_CONFIGURATION = (
    ".toml",
    ".cfg",
    ".ini",
    ".json",
    ".yaml",
    ".yml",
    ".lock",
    ".mk",
    ".env",
    ".gradle",
    "requirements.txt",
)
_EDITS_SHOWN = 3
_COMMANDS_SHOWN = 2


def remedies_of(events: Sequence[Event]) -> list[KeptRemedy]:
    """What helped in one session, given its events in order of arrival."""
    found: list[KeptRemedy] = []
    flaky: set[tuple[str, str]] = set()
    for place, event in enumerate(events):
        if event.kind is not EventKind.COMMAND or event.ok is not False:
            continue
        bones, failure = command_template(event.text), failure_digest(event.output)
        if not bones or not failure or is_lookup(bones):
            continue
        after = events[place + 1 : place + 1 + AHEAD]
        end = _worked(after, bones, failure)
        if end is None:
            continue
        sentence = _sentence(event, after[:end], after[end])
        if sentence:
            found.append(KeptRemedy(program(bones), failure, sentence, event.at))
        else:
            flaky.add((program(bones), failure))
    return [each for each in found if (each.program, each.failure) not in flaky]


def _worked(after: Sequence[Event], bones: str, failure: str) -> int | None:
    """Where a command worked that is the failed one, or another way to run the same program; None when it failed so
    again before that, since what was done until then did not help."""
    for place, event in enumerate(after):
        if event.kind is not EventKind.COMMAND or event.ok is None:
            continue
        other = command_template(event.text)
        if program(other) != program(bones):
            continue
        if event.ok and (other == bones or _near(bones, other)):
            return place
        if not event.ok and other == bones and failure_digest(event.output) == failure:
            return None
    return None


def _near(bones: str, other: str) -> bool:
    one, two = set(bones.split()[1:]), set(other.split()[1:])
    return bool(one and two) and len(one & two) / len(one | two) >= _NEAR


def _sentence(failed: Event, between: Sequence[Event], worked: Event) -> str:
    """What helped, "" when nothing that was done can have."""
    edited = dict.fromkeys(path for e in between if e.kind is EventKind.EDIT for path in e.paths)
    if names_a_file(failed.output):  # mended there, which tells nothing of the next file
        edited = dict.fromkeys(path for path in edited if _configures(path))
    done = dict.fromkeys(
        shown_command(e.text)
        for e in between
        if e.kind is EventKind.COMMAND and e.ok and (bones := command_template(e.text)) and _acts(bones)
    )
    another_way = command_template(worked.text) != command_template(failed.text)
    helped: list[str] = []
    if done:
        helped.append(f"{' and '.join(list(done)[-_COMMANDS_SHOWN:])} before it")
    if edited:
        more = len(edited) - _EDITS_SHOWN
        names = ", ".join(list(edited)[:_EDITS_SHOWN]) + (f" and {more} more" if more > 0 else "")
        helped.append(f"an edit of {names}")
    if another_way and not helped:
        helped.append(f"running it as {shown_command(worked.text)}")
    if not helped:
        return ""
    source = failed.source or "somebody"
    told = f"memlsp: it failed so before ({source}, {failed.at:%Y-%m-%d}); what worked then: {', and '.join(helped)}"
    return tagless(told, LONGEST)


def _configures(path: str) -> bool:
    """True for a file that is about how everything is built and run."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(_CONFIGURATION) or name.partition(".")[0] in {"makefile", "dockerfile", "conftest", "justfile"}


def _acts(bones: str) -> bool:
    """True for a command that may change what the next one meets: no search, no other test run."""
    words = bones.split()
    looks = (
        words[0] == "git" and words[1:2] and words[1] in {"status", "diff", "log", "show", "blame", "branch", "grep"}
    )
    return not (looks or is_lookup(bones) or is_check(bones))
