"""Reads a statement into clauses: the acts before which it is told.

Only what a statement rules out meets an act, and what it wants done before another act. What it allows ("use X")
exempts. A sentence that names nothing of which an act can be recognised gives no clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memlsp.beliefs.acts import bans, phrases
from memlsp.beliefs.acts.bans import CLASSES, FACT, NOUN, ORDER, VERSION_CONTROL, WITH, Ban
from memlsp.beliefs.acts.clause import EDIT, RUN, ActClause
from memlsp.beliefs.acts.phrases import ActPhrase, ActWord, Spans
from memlsp.beliefs.vocabulary import patterns, texts

VERSION = "3"
"""Moves when other clauses are read from the same text: kept ones are then read again."""

MOST_CLAUSES = 12
_LONGEST = 1_200
_RE = patterns(__name__)
_WORDS = {name: frozenset(words.split()) for name, words in texts(__name__).items()}


@lru_cache(maxsize=4096)
def clauses_of(text: str, pattern: str = "") -> tuple[ActClause, ...]:
    """The clauses of a statement, each once, at most MOST_CLAUSES; `pattern` is the path glob that it is about. Never
    raises."""
    try:
        found = {each.encoded(): each for each in _Reader(text[:_LONGEST], pattern).read() if each.terms()}
    except (ValueError, LookupError, RecursionError):
        return ()  # a text that nobody meant to be read
    return tuple(found.values())[:MOST_CLAUSES]


class _Reader:
    """Reads one statement. What a sentence speaks of (`topic`), wants (`wanted`: paths) and names as a command is kept
    for its later parts, since they go on from there: "deploys go to A, not B"."""

    def __init__(self, text: str, pattern: str) -> None:
        plain = text.replace("\u2019", "'").replace("``", "`").replace("\0", " ").replace(": ", ", ")
        self._spans = Spans(plain)
        self._pattern = pattern
        self._wanted: tuple[str, ...] = ()
        self._topic: Sequence[ActWord] = ()
        self._command: list[str] = []
        self._asides: list[str] = []
        self._whole = plain

    def read(self) -> Iterator[ActClause]:
        """The clauses of the statement."""
        yield from self._form(self._spans.text)
        for sentence in _RE["sentence"].split(self._spans.text):
            if sentence and sentence.strip():
                self._asides = [each[1] for each in _RE["aside"].finditer(sentence)]
                yield from self._sentence(_RE["aside"].sub(" ", sentence).strip(" ,.*"))

    def _tokens(self, text: str) -> list[ActWord]:
        return self._spans.tokens(text)

    def _in_asides(self) -> list[ActWord]:
        return [token for each in self._asides for token in self._tokens(each)]

    def _ban(self, deed: ActPhrase, sort: str = ORDER, exempts: Sequence[str] = (), *, passive: bool = False) -> Ban:
        return Ban(deed, tuple(exempts), sort, passive, self._pattern, self._topic)

    def _form(self, text: str) -> Iterator[ActClause]:
        """Clauses about the form of commit messages and of branch names."""
        if _RE["conventional"].search(text):
            yield ActClause(RUN, ["@commit"], [["m"]])
        named = _RE["branch"].search(text)
        if named is not None:
            prefix = "".join(token.text for token in self._tokens(named["no"])).partition("<")[0].rstrip("*/")
            if prefix:
                yield ActClause(RUN, ["git checkout -b", "git switch -c"], (), [f"p{prefix}/", f"w{prefix}"])

    def _sentence(self, sentence: str) -> Iterator[ActClause]:
        found = _RE["before"].search(sentence)
        clauses = list(self._before(found)) if found is not None else []
        if clauses:
            yield from clauses
            return
        parts = [each.strip() for each in _RE["part"].split(sentence) if each and each.strip()]
        wanted = [token for part in parts if not _denies(part) for token in self._tokens(part)]
        self._wanted = tuple(
            f"x{each[1:]}" for token in wanted if phrases.is_path(token) for each in phrases.files_of(token)
        )
        moved = _RE["moved"].search(sentence)
        if moved is not None:
            yield from self._gone(next(each for name, each in moved.groupdict().items() if each and name[:2] == "no"))
        for part in parts:
            yield from self._part(_RE["rest"].split(part)[0])

    def _part(self, part: str) -> Iterator[ActClause]:
        hands = _RE["hands"].match(part)
        no = _RE["no"].search(part)
        ungit = _RE["ungit"].match(part)
        if _RE["ended"].search(part) and _RE["over"].match(part):
            yield from self._claim(part)
        elif ungit is not None:
            yield from bans.into_version_control(self._tokens(ungit["no"]), ())
        elif hands is not None:
            tokens = self._tokens(hands["no"])
            tokens = [] if phrases.points(tokens) else tokens
            yield from bans.edits(self._ban(ActPhrase("edit", tuple(tokens))))
        elif no is None:
            yield from self._claim(part)
        elif not phrases.is_no_ban(self._tokens(no["no"])):
            sign = no[0][: no.start("no") - no.start()]
            sort = NOUN if _RE["nominal"].match(sign) else FACT if no["fact"] else ORDER
            before = part[: no.start()]
            if sort != FACT or not _RE["supposed"].search(before):  # "raises if it is not found"
                yield from self._denied(before, no["no"], sort)

    # -- what is ruled out -------------------------------------------------------------------------------------------

    def _denied(self, before: str, after: str, sort: str) -> Iterator[ActClause]:
        conditional = _RE["conditional"].search(after)
        exempts = [*self._wanted]
        if conditional is not None:
            exempts += self._conditions(conditional[0])
            after = after[: conditional.start()]
        front, behind = self._tokens(before), self._tokens(after)
        alone = phrases.deed_of(behind)
        text = phrases.phrase_table("texts", behind) if len(behind) <= 3 and not alone.places else ()
        if text:
            yield ActClause(EDIT, (), [text, *self._ban(alone).scope], exempts)
            return
        topic = phrases.subject_of(front or self._topic)
        if not bans.files_among(topic) and bans.files_among(front):  # "the dump in fixtures/ is never committed"
            topic = [token for token in front if phrases.is_path(token)]
        if alone.is_empty and topic and not front:  # "not by hand"
            yield from self._by_hand(topic, exempts)
            return
        placed = [token for _, tokens in alone.places for token in tokens]
        if alone.objects or alone.action:
            yield from self._done(alone, behind, front, topic, (sort, exempts))
        elif not front and any(link in WITH for link, _ in alone.places):  # "not with fastlane"
            yield from self._means(placed, exempts)
        elif any(token.low in VERSION_CONTROL for token in placed):  # "not into git"
            yield from bans.into_version_control(topic, exempts)
        else:
            yield from self._done(alone, behind, front, topic, (sort, exempts))

    def _by_hand(self, topic: Sequence[ActWord], exempts: Sequence[str]) -> Iterator[ActClause]:
        """Clauses of what is not to be done by hand."""
        files = bans.files_among(topic)
        actions = [action for token in topic if (action := phrases.deed_of([token]).action) in CLASSES]
        if files:
            yield ActClause(EDIT, (), [files], exempts)
        elif actions:
            yield ActClause(RUN, [f"@{actions[-1]}"], (), exempts)

    def _done(
        self,
        alone: ActPhrase,
        behind: Sequence[ActWord],
        front: Sequence[ActWord],
        topic: Sequence[ActWord],
        how: tuple[str, list[str]],
    ) -> Iterator[ActClause]:
        """Clauses of a denied deed. `alone` is read without what stands before the denial, `how` the sort of denial and
        what exempts."""
        sort, exempts = how
        if not alone.objects and phrases.points(behind) and alone.action in {*CLASSES, "use"}:
            named = [token for token in topic if bans.is_named([token]) or phrases.is_branch(token)]
            places = tuple(each for each in phrases.deed_of(self._topic).places if any(token.code for token in each[1]))
            if not named and not places:
                return  # "don't kill it", and nobody knows what
            topic = named
            behind = [*behind, *(token for link, group in places for token in (ActWord(link), *group))]
        elif not front and alone.action in CLASSES:
            topic = ()  # "rebase, don't merge"
        deed = phrases.deed_of(behind, topic)
        if sort == FACT and front and not deed.action and not bans.is_named(deed.objects):
            return  # "it is not available"
        single = len(deed.objects) == 1 and not deed.objects[0].code
        if not front and not deed.action and single and self._command:
            yield from self._means(deed.objects, exempts)
            return
        if front or not self._topic:
            self._topic = front or deed.objects
        named = [token for token in topic if not token.code and token.low not in _WORDS["table"]]
        if named and len(named) < len(topic) and not front and any(token.code for token in deed.objects):
            yield from bans.things(self._ban(deed, sort, exempts).of(deed.objects, [("in", named)]))
            return
        yield from bans.clauses(self._ban(deed, sort, exempts, passive=bool(front) and not alone.objects))
        for item in (item for aside in self._asides for item in aside.split(",")):  # "no surgery (state rm, state mv)"
            words = self._tokens(item)
            if 1 < len(words) <= 3 and not any(token.code for token in words):
                yield ActClause(RUN, ["*"], [[f"w{token.low}"] for token in words], exempts)

    def _means(self, tokens: Sequence[ActWord], exempts: Sequence[str]) -> Iterator[ActClause]:
        """What is not to be done with: another word of the command that was named, a program, a script."""
        if self._command and len(tokens) == 1 and not bans.is_named(tokens):
            prefix = self._command[:2] if len(self._command) > 2 else self._command[:1]
            yield ActClause(RUN, [" ".join(prefix)], [[f"w{tokens[0].low}"]], exempts)
            return
        topic = phrases.deed_of(phrases.subject_of(self._topic)).action
        for token in tokens:
            if token.low in _WORDS["general"] and topic in CLASSES:  # tests "not with php"
                yield ActClause(RUN, [token.low], [[f"w{topic}"]], exempts)
            else:
                yield from bans.things(self._ban(ActPhrase("", (token,)), FACT, exempts))

    def _gone(self, text: str) -> Iterator[ActClause]:
        deed = phrases.deed_of(self._tokens(_RE["rest"].split(text)[0]))
        yield from bans.clauses(self._ban(deed, ORDER, self._wanted))

    # -- parts without a denial -------------------------------------------------------------------------------------

    def _claim(self, part: str) -> Iterator[ActClause]:
        """Clauses of a part that rules something out in other words: "X is generated", "X only in Y", "use X"."""
        found = {name: _RE[name].match(part) for name in ("protected", "over", "only", "prefer")}
        instead = _RE["instead"].search(part)
        clauses: list[ActClause] = []
        if instead is not None:
            clauses = list(self._gone(instead["no"]))
        elif (kept := found["protected"] or found["over"]) is not None:
            self._topic = self._tokens(kept.groupdict().get("no2") or kept["no"])
            kept_file = found["protected"] is not None or bans.files_among(self._topic)
            clauses = list(self._protected(self._topic) if kept_file else self._over(self._topic))
        elif (only := found["only"]) is not None:
            clauses = list(self._only(only))
        prefer = found["prefer"]
        if not clauses and prefer is not None:
            others = phrases.siblings(prefer["yes"] or prefer["yes2"])
            clauses = [ActClause(RUN, [each], (), self._wanted) for each in others]
        if not clauses:
            self._note(part)
            clauses = list(self._required(part))
        yield from clauses

    def _required(self, part: str) -> Iterator[ActClause]:
        """Clauses of "always merge with --no-ff": the act without that option."""
        tokens = self._tokens(part)
        flags = [f"f{token.text}" for token in tokens if token.text.startswith("-") and len(token.text) > 1]
        action = next((found for token in tokens if (found := phrases.deed_of([token]).action) in CLASSES), "")
        if flags and _RE["always"].search(self._whole):
            if self._command:
                plain = [word for word in self._command if not word.startswith("-")]
                yield phrases.run_of(plain, flags)
            elif action:
                yield ActClause(RUN, [f"@{action}"], (), flags)

    def _note(self, part: str) -> None:
        """Keep what a part speaks of, and the command that it names."""
        tokens = self._tokens(part)
        self._topic = tokens
        for at in range(len(tokens)):
            words, end = phrases.command_of(tokens, at)
            if len(words) > 2 or (len(words) > 1 and end == len(tokens)):
                self._command = words
                break

    def _over(self, tokens: Sequence[ActWord]) -> Iterator[ActClause]:
        """Clauses about what is no longer used, or is for others to do."""
        deed = phrases.deed_of(tokens)
        commands = any(len(phrases.command_of(tokens, at)[0]) > 1 for at in range(len(tokens)))
        if deed.action in CLASSES and not commands:
            yield from bans.clauses(self._ban(deed))
        else:
            yield from bans.things(self._ban(ActPhrase("", tuple(tokens)), NOUN))

    def _protected(self, tokens: Sequence[ActWord]) -> Iterator[ActClause]:
        """Clauses about what is not to be changed: files, what a program manages, an environment, a branch."""
        files = bans.files_among([*tokens, *self._in_asides()])
        words, end = next(
            (found for at in range(len(tokens)) if (found := phrases.command_of(tokens, at))[0]), (list[str](), 0)
        )
        hosts, _ = phrases.place_needs([("on", [token for token in tokens if not token.code])], branches=False)
        if files:
            yield ActClause(EDIT, (), [files])
        elif words:
            needs, _ = phrases.place_needs(phrases.deed_of(tokens[end:]).places, branches=False)
            yield phrases.run_of(words[:1], (), needs)
        elif any(token.low in {"main", "master"} for token in tokens):
            yield ActClause(RUN, ["@push", "@commit"], [["bmain", "bmaster"]])
        elif hosts:
            yield ActClause(RUN, ["@deploy", "@migrate", "@drop", "@delete"], hosts)

    def _only(self, found: re.Match[str]) -> Iterator[ActClause]:
        """Clauses of "A only in B": A where nothing says B."""
        tokens = self._tokens(found["no"] or found["no2"] or found["no3"])
        allowed = phrases.deed_of(self._tokens(found["yes"] or found["yes2"] or found["yes3"]))
        if any(link in {"with", "mit", "avec", "con"} for link, _ in allowed.places):
            return
        if all(not token.code and token.low in _WORDS["persons"] for token in tokens):
            return
        exempts: list[str] = []
        for token in [*allowed.objects, *(each for _, group in allowed.places for each in group)]:
            files = phrases.files_of(token) if phrases.is_path(token) else ()
            exempts += [*files, *(f"x{each[1:]}" for each in files)]
            if not files and (token.code or token.low not in CLASSES):
                exempts += [f"l{phrases.stem(token.low)}", f"c{token.low}"]
        needs, _ = phrases.place_needs(phrases.deed_of(tokens).places, branches=False)
        commands = (phrases.command_of(tokens, at)[0] for at in range(len(tokens)))
        words = next((each for each in commands if len(each) > 1 or (each and needs)), None)
        code = [token for token in tokens if token.code and not phrases.is_path(token)]
        files = bans.files_among([*phrases.subject_of(tokens), *self._in_asides()])
        deed = phrases.deed_of(tokens)
        if words:
            yield phrases.run_of(words, exempts, needs)
        elif tools := [token for token in tokens if phrases.is_tool(token)]:
            yield from bans.things(self._ban(ActPhrase("", tuple(tools[:1])), FACT, exempts))
        elif code:
            yield bans.code_clause(self._ban(ActPhrase(), ORDER, exempts), code)
        elif files:
            yield ActClause(EDIT, (), [files], exempts)
        elif deed.action in CLASSES and not deed.objects:
            yield ActClause(RUN, [f"@{deed.action}"], (), exempts)
        elif len(tokens) == 1:
            yield ActClause(RUN, ["*"], [[f"w{tokens[0].low}"]], exempts)

    # -- conditions ---------------------------------------------------------------------------------------------------

    def _conditions(self, text: str) -> list[str]:
        """What exempts an act: a command before it, an option or name in it, a place in which it is allowed."""
        tokens = self._tokens(text)
        outside = tokens[0].low in _WORDS["outside"]
        found: list[str] = []
        for at, token in enumerate(tokens):
            words, _ = phrases.command_of(tokens, at)
            if words:
                found.append(f"c{' '.join(words[:3])}")
            elif token.text.startswith("-"):
                found.append(f"f{token.text}")
            elif phrases.is_path(token):
                found += phrases.files_of(token)
            elif outside and not token.code and token.low not in _WORDS["outside"] | {"of", "de", "von", "in", "for"}:
                found.append(f"n{phrases.stem(token.low)}")
            elif token.low in {"test", "tests", "testing"}:
                found.append("c@test")
        return found

    def _before(self, found: re.Match[str]) -> Iterator[ActClause]:
        """Clauses of "before A do B": A where B did not run earlier in the line."""
        if found["do2"] and found["do2"].strip() and not _RE["demanding"].search(found["do2"]):
            return  # "there can be calls before it"
        act, _, rest = next(found[name] for name in ("no", "no2", "no3") if found[name]).partition(",")
        said = next((found[name] for name in ("do", "do2", "do3") if found[name] and found[name].strip()), rest)
        if found["no2"] and not _RE["asking"].search(said) and "\ue000" not in said:
            return
        tokens, behind = self._tokens(act), self._tokens(said)
        asked = [at for at, token in enumerate(tokens) if at and token.low in _WORDS["asking"] and not token.code]
        if found["no"] and asked:  # "before opening a PR run `just ci`"
            tokens, behind = tokens[: asked[0]], tokens[asked[0] :]
        commands = (phrases.command_of(behind, at)[0] for at in range(len(behind)))
        exempts = [f"c{' '.join(each for each in words if each[0] not in '<$')}" for words in commands if words]
        if _RE["opening"].search(" ".join(token.low for token in tokens)):
            yield ActClause(RUN, ["@open-pr"], (), exempts)
            return
        tokens = [part for token in tokens for part in _compound(token)]
        deed = phrases.deed_of(tokens)
        if deed.action and not deed.objects and any(token.low in _WORDS["pronouns"] for token in tokens):
            deed = phrases.deed_of(tokens, phrases.subject_of(behind))
        if len(tokens) > 1 and tokens[-1].low in _WORDS["changes"]:  # "schema changes need a review first"
            deed = ActPhrase("edit", tuple(token for token in tokens[:-1]))
        actions = (phrases.deed_of([token]).action for token in tokens)
        noun = next((action for action in actions if action in CLASSES), "")
        if any(phrases.is_adding(token) for token in tokens):
            yield ActClause(RUN, ["@install"], [["a"]], exempts)
        elif deed.action or bans.is_named(deed.objects):
            yield from bans.clauses(self._ban(deed, ORDER, exempts))
        elif noun:
            yield ActClause(RUN, [f"@{noun}"], (), exempts)


def _denies(part: str) -> bool:
    return bool(_RE["no"].search(part) or _RE["instead"].search(part))


def _compound(token: ActWord) -> list[ActWord]:
    """The last part of a German compound that names an act there: `Release-Tag`."""
    parts = token.text.split("-")
    if len(parts) == 2 and all(part.isalpha() for part in parts) and phrases.deed_of([ActWord(parts[-1])]).action:
        return [ActWord(parts[-1])]
    return [token]
