"""Looks up what a hook answers: prepared briefings, notes and remedies, and beliefs that bear on a prompt or an act."""

from __future__ import annotations

import os

from memlsp.capture.workspace.workspace_cache import read_head
from memlsp.memory.ingest.records import inside
from memlsp.store.core import hook_connection
from memlsp.store.tables import hook_beliefs, hook_notes

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from memlsp.capture.settings.settings import Settings
    from memlsp.memory.injection.act_rules import ActRule
    from memlsp.memory.injection.acts import Act
    from memlsp.memory.injection.injection import Injection
    from memlsp.memory.injection.injection_stores import InjectionStores
    from memlsp.store.core.database import Database

MOST_NOTICES = 3
"""Lines that a person is shown at one event; the rest is counted."""


class ContextRequest:
    """What a hook may be told now.

    `kind` is `brief` (a session starts, or lost its context), `prompt` (the person typed this `prompt`), `note` (these
    `paths` are about to be read, or to be edited where it `writes`, or were just read where the agent takes a context
    only then), `act` (this `command` is about to run, or ran; or these `paths` were edited), `remedy` (this `command`
    failed, or may have; `output` is what it printed), `rest` (only what waits for the agent) or "" (only what waits for
    the person). `old` and `new` are the texts of an edit, where the agent says.

    `deferred`: the event takes no context, so that it is told at the next one that does. `apart`: a subagent starts,
    whose context is not the session's. `done`: the act is over, and went well as far as the agent says; `late`: the
    agent takes no context before it.
    """

    def __init__(self, kind: str, source: str, session: str) -> None:
        self.kind = kind
        self.source = source
        self.session = session
        self.paths: list[str] = []
        self.command = self.prompt = self.output = self.old = self.new = ""
        self.writes = self.late = self.done = self.deferred = self.apart = False


class HookLookup:
    """Looks up one answer. `said` is for the agent, `message` one line for the person, `decision` about the act."""

    def __init__(
        self, connection: Database, root: str, data: str, now: int, settings: Settings, *, note: bool = True
    ) -> None:
        self._connection = connection
        self._root = root
        self._data = data
        self._now = now
        self._settings = settings
        self._note = note
        self._asker = self._key = ""  # a subagent asks for its session, but has a context of its own
        self._reason = ""
        self.said = self.message = self.decision = ""

    def answer(self, asked: ContextRequest, folder: str, *, forgot: bool, behind: bool) -> None:
        """Look up the answer to `asked`. `forgot` is True for a session that lost its context, `behind` where events
        wait to be understood."""
        self._asker = hook_notes.session_key(asked.source, asked.session)
        self._key = "" if asked.apart else self._asker
        if forgot and self._note and self._key:
            hook_notes.forgotten(self._connection, self._key)
        told = self._told(asked, folder, behind=behind)
        if self.decision:
            self.said = self._reason
        elif asked.deferred:
            self.said = ""
        else:
            waiting = self._waiting(hook_beliefs.AGENT) if asked.kind else []
            self.said = "\n".join(dict.fromkeys([*_headed(waiting), *told]))
        noted = self._waiting(hook_beliefs.PERSON)
        if asked.kind == "brief" and self._note:  # a person who quit at once did not see the notices
            noted += [line for _, line in hook_beliefs.notices_left(self._connection, asked.source)]
        if len(noted) > MOST_NOTICES:
            noted = [*noted[:MOST_NOTICES], f"and {len(noted) - MOST_NOTICES} more: memlsp audit"]
        self.message = "\n".join(line for line in (*noted, self.message, *self._faults()) if line)

    def _told(self, asked: ContextRequest, folder: str, *, behind: bool) -> list[str]:
        place = (read_head(self._root)[0], self._root, self._now)
        if asked.kind == "brief":
            return self._brief(place, behind=behind, apart=asked.apart)
        may = self._key and self._note and not asked.deferred  # else it would be taken out and reach nobody
        late = hook_notes.made_good(self._connection, self._key, *place, behind=behind) if may else ""
        if asked.kind == "prompt":
            return [late, self._prompt(asked)] if late else [self._prompt(asked)]
        sentences, ids = self._prepared(asked, folder)
        if asked.late or asked.kind in {"act", "note"}:
            sentences += self._acts(asked, folder, place[0], told=ids)
            if asked.kind == "note" and not (asked.deferred or self.decision):
                sentences += self._said_for_files(asked, folder, ids)
        elif asked.done:
            self._count_done(asked, folder, place[0])
        return [late, *sentences] if late else sentences

    def _prepared(self, asked: ContextRequest, folder: str) -> tuple[list[str], list[str]]:
        """The remedy or the notes that the session was not told yet, and the ids of their beliefs."""
        finders = {"remedy": lambda: self._remedy(asked), "note": lambda: self._notes(asked, folder)}
        found = finders[asked.kind]() if asked.kind in finders else []
        if self._key:
            found = hook_notes.unsaid(self._connection, self._key, found)
            self._said([mark for _, mark in found])
        sentences, ids = [sentence for sentence, _ in found], [mark.partition(" ")[0] for _, mark in found]
        if found:
            self._receipt(asked.kind, ids, "\n".join(sentences))
        return sentences, ids

    # -- start and prompt -------------------------------------------------------------------------------------------

    def _brief(self, place: tuple[str, str, int], *, behind: bool, apart: bool) -> list[str]:
        from memlsp.memory.injection import injection

        found = []
        budget = self._settings.start_tokens
        if budget:
            rules = injection.at_start(self._stores(), budget)
            self._record("start", rules)
            found = [rules.text] if rules.text else []
        left = "" if apart else hook_notes.briefing(self._connection, self._key, *place, behind=behind)
        if left:
            self._receipt("handoff", [], left)
            self.message = f"{self.message} and " if self.message else "memlsp told the agent "
            self.message += f"what earlier sessions left ({hook_notes.tokens(left)} tokens)"
        if left is None and self._note and self._key:
            hook_notes.put_off(self._connection, self._key, self._now)
        return [*found, left] if left else found

    def _prompt(self, asked: ContextRequest) -> str:
        from memlsp.memory.injection import injection

        if not self._settings.prompt_tokens:
            return ""
        injection = injection.at_prompt(self._stores(), asked.prompt, self._settings.prompt_tokens)
        if injection.text and asked.deferred:
            for id, line in zip(injection.ids, injection.text.split("\n")[1:], strict=True):
                self._tell_later(id, line)
        self._record("prompt", injection)
        return injection.text

    def _record(self, surface: str, injection: Injection) -> None:
        if not injection.text:
            return
        self._said(injection.marks)
        self._receipt(surface, injection.ids, injection.text)
        number = "1 thing" if len(injection.ids) == 1 else f"{len(injection.ids)} things"
        self.message = f"memlsp told the agent {number} ({injection.tokens} tokens)"

    # -- files and failures -----------------------------------------------------------------------------------------

    def _notes(self, asked: ContextRequest, folder: str) -> list[hook_notes.Note]:
        found: list[hook_notes.Note] = []
        for path in () if asked.deferred else asked.paths:
            place = inside(path, folder, self._root)
            if place:
                old = asked.old if asked.writes else ""
                found += hook_notes.notes_at(
                    self._connection, place, self._stamped(place), f"{self._root}/{place}", old
                )
        return found

    def _said_for_files(self, asked: ContextRequest, folder: str, told: list[str]) -> list[str]:
        """What people said for such files; it is added to `told`."""
        places = dict.fromkeys(inside(path, folder, self._root) for path in asked.paths)
        budget = self._settings.act_tokens
        if not budget:
            return []
        from memlsp.memory.injection import injection

        stores = self._stores()
        found = [injection.for_file(stores, place, budget, told, writes=asked.writes) for place in places if place]
        for each in found:
            self._said(each.marks)
            told += each.ids
            if each.text:
                self._receipt("note", each.ids, each.text)
        return [each.text for each in found if each.text]

    def _acts(self, asked: ContextRequest, folder: str, branch: str, *, told: list[str]) -> list[str]:
        """What the statements about an act have to say, once in a session; what a locked one decides, each time,
        however little may be told. Their ids are added to `told`."""
        budget = self._settings.act_tokens
        decides = self._settings.enforce != "tell" and not asked.late
        if not (budget or decides):
            return []
        stores = self._stores()
        if not any(map(hook_beliefs.has_acts, stores.all())):
            return []
        from memlsp.memory.injection import act_rules

        rules = act_rules.rules_about(stores, self._act(asked, folder, branch))
        if decides and rules and rules[0].locked:
            self.decision, self._reason = self._settings.enforce, act_rules.text_of(rules, budget)
        rules = [each for each in rules if each.belief.id not in told] if budget or self.decision else []
        fresh = self._new_rules(rules)
        if not fresh:
            if asked.late:
                self._receipt_of_done([each.belief.id for each in rules])
            return []
        told += [each.belief.id for each in fresh]
        text = act_rules.text_of(fresh, budget, done=asked.late)
        self._said([mark for each in fresh for mark in (each.mark, f"{each.belief.id} rule")])
        self._receipt("act", [each.belief.id for each in fresh], text)
        if asked.deferred and not self.decision:
            self._tell_later(fresh[0].belief.id, text)
        return [text]

    def _count_done(self, asked: ContextRequest, folder: str, branch: str) -> None:
        """Write a receipt where the session did what it had been told of."""
        if not (self._key and self._note and hook_notes.knows_acts(self._connection, self._key)):
            return
        from memlsp.memory.injection import act_rules

        rules = act_rules.rules_about(self._stores(), self._act(asked, folder, branch))
        fresh = self._new_rules(rules)
        self._receipt_of_done([each.belief.id for each in rules if each not in fresh])

    def _new_rules(self, rules: list[ActRule]) -> list[ActRule]:
        """The rules that the session was not told before an act; all of them in a context of its own."""
        if not self._key:
            return rules
        new = {mark for _, mark in hook_notes.unsaid(self._connection, self._key, [("", each.mark) for each in rules])}
        return [each for each in rules if each.mark in new]

    def _receipt_of_done(self, ids: list[str]) -> None:
        """The receipt of an act that was done after it was told of; not where the text still waits for the agent."""
        waiting = hook_beliefs.waiting(self._connection, self._key)
        done = [id for id in ids if id not in waiting]
        if done:
            self._receipt("done", done, "")

    def _act(self, asked: ContextRequest, folder: str, branch: str) -> Act:
        from memlsp.memory.injection.acts import Act, ActEdit

        source, session = asked.source, asked.session
        act = Act(self._root, folder, branch, lambda: hook_beliefs.commands_of(self._connection, source, session))
        if asked.command:
            act.run(asked.command)
        for path in asked.paths:
            place = inside(path, folder, self._root) or path
            if asked.writes:
                act.edits.append(ActEdit(place, asked.old, asked.new))
            else:
                act.reads.append(place)
        return act

    def _tell_later(self, id: str, text: str) -> None:
        """Keep a text for the session's next event that takes context."""
        if self._note and self._key:
            hook_beliefs.put_notice(self._connection, self._key, hook_beliefs.AGENT, id, text, self._now)

    def _remedy(self, asked: ContextRequest) -> list[hook_notes.Note]:
        from memlsp.episodes.command_templates import command_template, failure_digest

        template, failure = command_template(asked.command), failure_digest(asked.output)
        remedy = hook_notes.remedy_for(self._connection, template, failure)
        return [] if remedy is None else [remedy]

    # -- what is kept of it -----------------------------------------------------------------------------------------

    def _stores(self) -> InjectionStores:
        from memlsp.memory.injection.injection_stores import InjectionStores

        in_words = "SELECT strftime('%Y-%m-%dT%H:%M:%S', ? / 1000.0, 'unixepoch')"
        now = str(self._connection.execute(in_words, (self._now,)).get)
        stores = InjectionStores(self._connection, self._user_store, self._key, self._stamped, now)
        stores.colleagues = self._settings.colleagues
        return stores

    def _user_store(self) -> Database | None:
        try:
            return hook_connection.opened(os.path.join(self._data, "user", "memory.db"))
        except hook_connection.Unready:
            return None

    def _stamped(self, path: str) -> str:
        return hook_notes.stamp_of(f"{self._root}/{path}")

    def _waiting(self, audience: str) -> list[str]:
        if not self._key or not self._note:
            return []
        found = hook_beliefs.notices(self._connection, self._key, audience)
        if found and audience == hook_beliefs.AGENT:
            self._said([f"{id} rule" for id, _ in found])
        return [line for _, line in found]

    def _faults(self) -> list[str]:
        """What is wrong with the settings, for the person, once in a session."""
        faults = [(f"memlsp: {text}", f"settings {text}") for text in self._settings.faults]
        new = hook_notes.unsaid(self._connection, self._key, faults) if faults and self._key and self._note else []
        self._said([mark for _, mark in new])
        return [line for line, _ in new]

    def _said(self, marks: list[str]) -> None:
        if self._key and self._note:
            hook_notes.said(self._connection, self._key, marks, self._now)

    def _receipt(self, surface: str, ids: list[str], text: str) -> None:
        if self._note:
            number = hook_notes.tokens(text) if text else 0
            hook_beliefs.receipt(self._connection, surface, self._asker, ids, number, self._now)


def _headed(waiting: list[str]) -> list[str]:
    """The texts that waited for the agent, with the line that marks bare quotations as such."""
    if not any(text.startswith("|") for text in waiting):
        return waiting
    from memlsp.memory.injection.injection import PROMPT_HEAD

    return [PROMPT_HEAD, *sorted(waiting, key=lambda text: not text.startswith("|"))]
