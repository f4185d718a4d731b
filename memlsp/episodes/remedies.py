"""Finds remedies: what was done in a session between a command's failure and its success.

A remedy applies to the same program failing in the same way. It needs an action in between that can have helped: a
command that fails and then works by itself is flaky.
"""

from __future__ import annotations

from collections.abc import Sequence

from memlsp.episodes.command_templates import command_template, failure_digest, names_a_file, program
from memlsp.episodes.handoffs import is_check, is_lookup, shown_command
from memlsp.model.event import Event, EventKind
from memlsp.model.one_line import tagless
from memlsp.store.tables.handoffs import KeptRemedy

AHEAD = 60
"""Events after a failure that are searched for a remedy."""

LONGEST = 280
"""Characters of a remedy's sentence."""

_NEAR = 0.5
"""Share of common words from which two templates of a program are two ways to run the same."""

_LOOKING_AT_GIT = frozenset({"status", "diff", "log", "show", "blame", "branch", "grep"})
_CONFIGURATION = (
    ".toml .cfg .ini .json .yaml .yml .lock .mk .env .gradle requirements.txt".split()  # noqa: SIM905 - reads as a list
)
_EDITS_SHOWN = 3
_COMMANDS_SHOWN = 2


def remedies_of(events: Sequence[Event]) -> list[KeptRemedy]:
    """The remedies of one session, given its events in order of their time."""
    found: list[KeptRemedy] = []
    flaky: set[tuple[str, str]] = set()
    for place, event in enumerate(events):
        if event.kind is not EventKind.COMMAND or event.ok is not False:
            continue
        template, failure = command_template(event.text), failure_digest(event.output)
        if not template or not failure or is_lookup(template):
            continue
        after = events[place + 1 : place + 1 + AHEAD]
        end = _worked(after, template, failure)
        if end is None:
            continue
        sentence = _sentence(event, after[:end], after[end])
        if sentence:
            found.append(KeptRemedy(program(template), failure, sentence, event.at))
        else:
            flaky.add((program(template), failure))
    return [each for each in found if (each.program, each.failure) not in flaky]


def _worked(after: Sequence[Event], template: str, failure: str) -> int | None:
    """The index at which the failed command, or another way to run it, succeeded; None when it first failed so again:
    then nothing done until there helped."""
    for place, event in enumerate(after):
        if event.kind is not EventKind.COMMAND or event.ok is None:
            continue
        other = command_template(event.text)
        if program(other) != program(template):
            continue
        if event.ok and (other == template or _near(template, other)):
            return place
        if not event.ok and other == template and failure_digest(event.output) == failure:
            return None
    return None


def _near(template: str, other: str) -> bool:
    one, two = set(template.split()[1:]), set(other.split()[1:])
    return bool(one and two) and len(one & two) / len(one | two) >= _NEAR


def _sentence(failed: Event, between: Sequence[Event], worked: Event) -> str:
    edited = dict.fromkeys(path for e in between if e.kind is EventKind.EDIT for path in e.paths)
    if names_a_file(failed.output):  # an edit of that file helps no other file
        edited = dict.fromkeys(path for path in edited if _configures(path))
    done = dict.fromkeys(
        shown_command(e.text)
        for e in between
        if e.kind is EventKind.COMMAND and e.ok and (template := command_template(e.text)) and _acts(template)
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
    text = f"memlsp: it failed so before ({source}, {failed.at:%Y-%m-%d}); what worked then: {', and '.join(helped)}"
    return tagless(text, LONGEST)


def _configures(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name.endswith(tuple(_CONFIGURATION)) or name.partition(".")[0] in {
        "makefile",
        "dockerfile",
        "conftest",
        "justfile",
    }


def _acts(template: str) -> bool:
    words = template.split()
    looks = words[0] == "git" and not _LOOKING_AT_GIT.isdisjoint(words[1:2])
    asked = " ".join(["run", *words[1:]]) if words[0] == "make" and len(words) > 1 else template  # "make migrate"
    return not (looks or is_lookup(template) or is_check(asked))
