"""Reads a statement into clauses: the acts before which it is told.

Only what a statement rules out meets an act, and what it wants done before another act. What it allows ("use X")
exempts. A sentence that names nothing of which an act can be recognised gives no clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from attrs import evolve

from memlsp.beliefs.acts import phrases
from memlsp.beliefs.acts.bans import CLASSES, FACT, NOUN, ORDER, VERSION_CONTROL, WITH, Ban, files_among, is_named
from memlsp.beliefs.acts.clause import EDIT, RUN, ActClause
from memlsp.beliefs.acts.phrases import ActPhrase, ActWord, Spans
from memlsp.beliefs.vocabulary import patterns, texts

VERSION = "4"
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
    """Reads one statement. What a sentence speaks of (`topic`), wants (`wanted`: paths) is kept for its later
    parts, since they go on from there: "deploys go to A, not B"."""

    def __init__(self, text: str, pattern: str) -> None:
        self._text = text.replace("\u2019", "'").replace("``", "`").replace("\0", " ").replace(": ", ", ")
        self._spans = Spans(self._text)
        self._pattern = pattern
        self._wanted: tuple[str, ...] = ()
        self._topic: Sequence[ActWord] = ()
        self._aside: Sequence[ActWord] = ()

    def read(self) -> Iterator[ActClause]:
        """The clauses of the statement."""
        if _RE["conventional"].search(self._spans.text):
            yield ActClause(RUN, ["@commit"], [["m"]])
        for sentence in _RE["sentence"].split(self._spans.text):
            if sentence and sentence.strip():
                self._aside = [token for each in _RE["aside"].finditer(sentence) for token in self._tokens(each[1])]
                yield from self._sentence(_RE["aside"].sub(" ", sentence).strip(" ,.*"))

    def _tokens(self, text: str) -> list[ActWord]:
        return self._spans.tokens(text)

    def _ruled_out(self, deed: ActPhrase, sort: str = ORDER, exempts: Sequence[str] = ()) -> Iterator[ActClause]:
        yield from Ban(deed, tuple(exempts), sort, self._pattern).clauses()

    def _sentence(self, sentence: str) -> Iterator[ActClause]:
        found = _RE["before"].search(sentence)
        clauses = list(self._before(found)) if found is not None else []
        if clauses:
            yield from clauses
            return
        parts = [each.strip() for each in _RE["part"].split(sentence) if each and each.strip()]
        wanted = [token for part in parts if _RE["no"].search(part) is None for token in self._tokens(part)]
        self._wanted = tuple(f"x{each[1:]}" for each in files_among(token for token in wanted if token.code))
        for part in parts:
            yield from self._part(_RE["rest"].split(part)[0])

    def _part(self, part: str) -> Iterator[ActClause]:
        no = _RE["no"].search(part)
        ended = no is None or _RE["ended"].search(part) is not None
        for name, action in (("ungit", "commit"), ("protected", "edit"), ("gone", "")):
            found = _RE[name].search(part)
            if found is not None and (ended or name == "ungit"):
                tokens = self._tokens(_one(found, "no"))
                self._topic = [] if phrases.points(tokens) and len(tokens) == 1 else tokens or self._topic
                yield from self._over(self._topic, action)
                return
        if no is not None and not phrases.is_no_ban(self._tokens(no["no"])):
            yield from self._denied(part[: no.start()], no)
        elif no is None:
            only, prefer = _RE["only"].search(part), _RE["prefer"].search(part)
            clauses = list(self._only(only)) if only is not None else []
            if not clauses and prefer is not None:
                others = [ActWord(each, code=True) for each in phrases.siblings(_one(prefer, "yes"))]
                clauses = [
                    clause
                    for each in others
                    for clause in self._ruled_out(ActPhrase("use", (each,)), ORDER, self._wanted)
                    if clause.doing == RUN
                ]
            yield from clauses or self._required(part)

    def _over(self, tokens: Sequence[ActWord], action: str) -> Iterator[ActClause]:
        """Clauses about what is over, protected or for others to do: files, a program, a class of commands, a place."""
        files = files_among([*tokens, *(token for token in self._aside if phrases.is_path(token))])
        deed = phrases.phrase_of(tokens)
        hosts, _ = phrases.place_needs([("on", tokens)], branches=True)
        if action == "commit":
            words = [[f"l{each}"] for each in phrases.plain_words(tokens[-1:])]
            yield ActClause(RUN, ["@commit", "@stage"], [files] if files else words or [["-"]])
        elif files:
            yield ActClause(EDIT, (), [files], self._wanted)
        elif action == "edit" and hosts and not is_named(tokens[:1]):
            yield ActClause(RUN, [f"@{each}" for each in sorted(_WORDS["changing"])], hosts)
        elif deed.action in CLASSES or is_named(tokens) or not action:
            ruled = self._ruled_out(deed, ORDER if deed.action else NOUN, self._wanted)
            yield from (clause for clause in ruled if action != "edit" or clause.doing == RUN)

    # -- denials ------------------------------------------------------------------------------------------------------

    def _denied(self, before: str, no: re.Match[str]) -> Iterator[ActClause]:
        sign = no[0][: no.start("no") - no.start()]
        sort = NOUN if _RE["nominal"].match(sign) else FACT if no["fact"] else ORDER
        if sort == FACT and _RE["supposed"].search(before):
            return  # "raises if it is not found"
        after, exempts = no["no"], [*self._wanted]
        conditional = _RE["conditional"].search(after)
        if conditional is not None:
            exempts += self._conditions(conditional[0])
            after = after[: conditional.start()]
        front, behind = self._tokens(before), self._tokens(after)
        alone = phrases.phrase_of(behind)
        if not alone.places and (text := phrases.phrase_table("texts", behind[:3])):
            yield ActClause(EDIT, (), [text, [f"p{self._pattern}"] if self._pattern else []], exempts)
            return
        topic = phrases.subject_of(front or self._topic)
        named = [token for token in topic if is_named([token]) or phrases.is_branch(token)]
        placed = [token for _, tokens in alone.places for token in tokens]
        if front or not self._topic:
            self._topic = front or alone.objects
        if not alone.action and not alone.objects and not front:  # "not by hand", "not with fastlane", "not into git"
            if any(token.low in VERSION_CONTROL for token in placed):
                yield from self._over(topic, "commit")
            elif placed and alone.places[0][0] in WITH:
                yield from self._means(placed, exempts)
            else:
                yield from self._over(topic, "edit")
            return
        if not alone.objects and phrases.points(behind) and not named:
            return  # "don't kill it", and nobody knows what
        if not front and alone.action in CLASSES:
            topic = named if phrases.points(behind) else ()  # "rebase, don't merge"
        deed = phrases.phrase_of(behind, topic)
        reports = (sort == FACT or phrases.is_auxiliary(front[-1:])) and not deed.action
        passive = bool(front) and not alone.objects and deed.action in {"", "use", "run"}
        if (reports or passive) and not is_named(deed.objects):
            return  # "it is not available"
        if deed.objects and all(token.code and token.text.isupper() for token in deed.objects):
            deed = evolve(deed, places=(*deed.places, ("in", tuple(topic))))  # "append only, no UPDATE"
        yield from self._ruled_out(deed, sort, exempts)

    def _means(self, tokens: Sequence[ActWord], exempts: Sequence[str]) -> Iterator[ActClause]:
        """What is not to be done with: a program, a script."""
        topic = phrases.phrase_of(phrases.subject_of(self._topic)).action
        for token in tokens if is_named(tokens) else ():
            if token.low in _WORDS["general"] and topic in CLASSES:  # tests "not with php"
                yield ActClause(RUN, [token.low], [[f"w{topic}"]], exempts)
            else:
                yield from self._ruled_out(ActPhrase("", (token,)), FACT, exempts)

    # -- what is allowed or wanted ------------------------------------------------------------------------------------

    def _only(self, found: re.Match[str]) -> Iterator[ActClause]:
        """Clauses of "A only in B": A where nothing says B."""
        tokens = self._tokens(_one(found, "no"))
        where = phrases.phrase_of(self._tokens(_one(found, "yes")))
        allowed = [*where.objects, *(token for _, group in where.places for token in group)]
        persons = all(not token.code and token.low in _WORDS["persons"] for token in tokens)
        if persons or any(link in WITH - {"by", "via", "through", "using"} for link, _ in where.places):
            return  # "only with a reason"
        exempts: list[str] = []
        for token in allowed:
            files = phrases.files_of(token) if phrases.is_path(token) else ()
            exempts += [*files, *(f"x{each[1:]}" for each in files)]
            exempts += [f"l{phrases.stem(token.low)}", f"c{token.low}"] if not files else []
        deed = phrases.phrase_of(tokens)
        if is_named(tokens) or (deed.action in CLASSES and not deed.objects):
            objects = [token for token in tokens if is_named([token])]
            files = files_among(objects)
            yield from (
                [ActClause(EDIT, (), [files], exempts)]
                if files
                else self._ruled_out(
                    deed if not objects else ActPhrase("", tuple(objects), deed.places), ORDER, exempts
                )
            )
        elif files := files_among([*phrases.subject_of(tokens), *self._aside]):
            yield ActClause(EDIT, (), [files], exempts)
        elif len(tokens) == 1:
            yield ActClause(RUN, ["*"], [[f"w{tokens[0].low}"]], exempts)

    def _required(self, part: str) -> Iterator[ActClause]:
        """Clauses of "always merge with --no-ff": the act without that option. Keeps what the part speaks of."""
        tokens = self._topic = self._tokens(part)
        flags = [f"f{token.text}" for token in tokens if token.text.startswith("-") and len(token.text) > 1]
        action = phrases.phrase_of(tokens).action
        if flags and action in CLASSES and _RE["always"].search(self._text):
            yield ActClause(RUN, [f"@{action}"], (), flags)

    def _conditions(self, text: str) -> list[str]:
        """What exempts an act: a command before it, an option or name in it, a place in which it is allowed."""
        tokens = self._tokens(text)
        found: list[str] = []
        for at, token in enumerate(tokens):
            words, _ = phrases.command_of(tokens, at)
            if words:
                found.append(f"c{' '.join(words[:3])}")
            elif token.text.startswith("-"):
                found.append(f"f{token.text}")
            elif phrases.is_path(token):
                found += phrases.files_of(token)
            elif tokens[0].low in _WORDS["outside"] and not token.code and not phrases.is_link(token):
                found.append(f"n{phrases.stem(token.low)}")
        return found

    def _before(self, found: re.Match[str]) -> Iterator[ActClause]:
        """Clauses of "before A do B": A where B did not run earlier in the line."""
        lead = found["do2"] or ""
        if lead.strip() and not _RE["demanding"].search(lead):
            return  # "there can be calls before it"
        act, _, rest = _one(found, "no").partition(",")
        said = next((found[name] for name in ("do", "do2", "do3") if (found[name] or "").strip()), rest)
        if found["no2"] and not _RE["asking"].search(said) and "\ue000" not in said:
            return
        tokens, behind = self._tokens(act), self._tokens(said)
        asked = [at for at, token in enumerate(tokens) if at and token.low in _WORDS["asking"] and not token.code]
        if asked:  # "before opening a PR run `just ci`"
            tokens, behind = tokens[: asked[0]], tokens[asked[0] :]
        commands = (phrases.command_of(behind, at)[0] for at in range(len(behind)))
        exempts = [f"c{' '.join(each for each in words if each[0] not in '<$')}" for words in commands if words]
        if _RE["opening"].search(" ".join(token.low for token in tokens)):
            yield ActClause(RUN, ["@open-pr"], (), exempts)
            return
        deed = phrases.phrase_of(tokens)
        if deed.action and not deed.objects and phrases.points(tokens):
            deed = phrases.phrase_of(tokens, phrases.subject_of(behind))
        actions = [action for token in tokens if (action := phrases.phrase_of([token]).action) in CLASSES]
        if any(phrases.is_adding(token) for token in tokens):
            yield ActClause(RUN, ["@install"], [["a"]], exempts)
        elif deed.action or is_named(deed.objects):
            yield from self._ruled_out(deed, ORDER, exempts)
        elif actions:
            yield ActClause(RUN, [f"@{actions[0]}"], (), exempts)


def _one(found: re.Match[str], name: str) -> str:
    """The group of that name, or that name with a number, that matched."""
    return next((each for key, each in found.groupdict().items() if each and key.rstrip("0123456789") == name), "")
