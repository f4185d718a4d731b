"""Turns what a statement rules out into clauses: commands, edits, and files that are not to be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve, frozen

from memlsp.beliefs.acts import phrases
from memlsp.beliefs.acts.clause import EDIT, READ, RUN, ActClause
from memlsp.beliefs.acts.commands import tables
from memlsp.beliefs.acts.phrases import ActPhrase, ActWord
from memlsp.beliefs.vocabulary import texts

CLASSES = frozenset(name[1:] for commands in tables().by_program.values() for _, name in commands)
"""Actions that are classes of commands too."""

NOUN, FACT, ORDER = "noun", "fact", ""
"""Sorts of denial: "no floats"; "it is not", "nobody does", which may only report; "never do"."""

_WORDS = {name: frozenset(words.split()) for name, words in texts(__name__).items()}
WITH, VERSION_CONTROL = _WORDS["means"], _WORDS["version-control"]


@frozen
class Ban:
    """A deed that a statement rules out. `exempts` are conditions under which it is allowed; `pattern` is the path glob
    that the statement is about."""

    deed: ActPhrase
    exempts: tuple[str, ...] = ()
    sort: str = ORDER
    pattern: str = ""

    def clauses(self) -> Iterator[ActClause]:
        """The clauses of the deed."""
        deed = self.deed
        if self.sort == FACT and deed.action in _WORDS["mild"] and not is_named(deed.objects):
            return
        needs, outside = phrases.place_needs(deed.places, branches=True)
        whole = evolve(self, exempts=(*self.exempts, *outside))
        flagged = phrases.phrase_table("flags", (*deed.objects, ActWord(deed.action)))
        means = [token for link, tokens in deed.places if link in WITH for token in tokens]
        if flagged:
            yield ActClause(RUN, flagged[0].split("|"), [flagged[1:], *needs], whole.exempts)
        elif deed.action == "edit":
            yield from self._edits()
        elif deed.action == "read":
            yield from [ActClause(READ, (), [files], self.exempts)] if (files := files_among(deed.objects)) else ()
        elif deed.action in CLASSES and means:
            yield from evolve(self, deed=ActPhrase("", tuple(means))).clauses()
        elif deed.action in CLASSES:
            yield from whole._class(needs)
        else:
            yield from whole._things()

    def _edits(self) -> Iterator[ActClause]:
        objects = self.deed.objects
        files = files_among([*objects, *(token for _, tokens in self.deed.places for token in tokens)])
        code = [token.text for token in objects if token.code and not phrases.is_path(token)]
        words = phrases.plain_words(objects)
        if code:
            yield ActClause(EDIT, (), [files, [f"h{each}" for each in code]], self.exempts)
        elif files:
            yield ActClause(EDIT, (), [files], self.exempts)
        elif 1 <= len(words) <= 2:
            yield ActClause(EDIT, (), [*([f"n{each}"] for each in words), ["o"]], self.exempts)

    def _class(self, needs: list[list[str]]) -> Iterator[ActClause]:
        """Clauses about a class of commands, with what its objects name."""
        action, objects = self.deed.action, self.deed.objects
        words, _ = phrases.command_of(objects, 0) if objects else ([], 0)
        files = files_among(objects)
        commands = [f"@{action}"]
        if action == "commit":
            needs = [group for group in needs if not any(each[1:] in VERSION_CONTROL for each in group)]
            commands += ["@stage"] if files else []
            if objects and not files and not any(each[0] == "b" for group in needs for each in group):
                yield from self._code([token for token in objects if token.code])
                return
        if len(words) > 1:
            yield phrases.run_of(words, self.exempts, needs)
        elif any(phrases.is_adding(token) for token in objects):
            yield ActClause(RUN, ["@install"], [["a"], *needs], self.exempts)
        else:
            named = [token for token in objects if token.code or phrases.is_tool(token)]
            found = files or [f"w{token.low}" for token in named]
            found += [f"b{token.low}" for token in objects if phrases.is_branch(token)]
            if not found and not needs and action in _WORDS["removing"]:
                found = [f"l{each}" for each in phrases.plain_words(objects)[:3]]
            yield ActClause(RUN, commands, [found, *needs], self.exempts)

    def _code(self, tokens: Sequence[ActWord]) -> Iterator[ActClause]:
        """The clause about code that an edit adds."""
        conditions = [
            f"t{token.text.removesuffix(')') if token.text.endswith('()') else token.text}" for token in tokens
        ]
        yield from [ActClause(EDIT, (), [conditions, *self._scope()], self.exempts)] if conditions else ()

    def _scope(self) -> list[list[str]]:
        """The conditions that the pattern sets, and the places of an edit."""
        needs, _ = phrases.place_needs(self.deed.places, branches=False, plain=True)
        return [*([[f"p{self.pattern}"]] if self.pattern else []), *needs]

    def _things(self) -> Iterator[ActClause]:
        """Clauses about things that are not to be used: commands, programs, options, libraries, code."""
        objects = self.deed.objects
        if not objects and self.deed.places:
            link, tokens = self.deed.places[0]
            if link in WITH:
                yield from evolve(self, deed=ActPhrase("", tokens, self.deed.places[1:]))._things()
            return
        if text := phrases.phrase_table("texts", objects):
            yield ActClause(EDIT, (), [text, *self._scope()], self.exempts)
            return
        needs, _ = phrases.place_needs(self.deed.places, branches=False)
        if any(phrases.is_adding(token) for token in objects):
            if not phrases.plain_words(token for token in objects if not phrases.is_adding(token)):
                yield ActClause(RUN, ["@install"], [["a"], *needs], self.exempts)
            return
        at = 0
        plain: list[ActWord] = []
        while at < len(objects):
            words, end = phrases.command_of(objects, at)
            if len(words) > 1:
                yield phrases.run_of(words, self.exempts, needs)
            elif phrases.is_extension(objects[at]):
                yield ActClause(EDIT, (), [[f"p*.{objects[at].low}"]], self.exempts)
            elif objects[at].code or phrases.is_tool(objects[at], alone=len(objects) <= 2):
                yield from self._thing(objects[at], needs)
            else:
                plain.append(objects[at])
            at = max(end, at + 1)
        if len(plain) == len(objects):
            yield from self._plain(plain, needs)

    def _thing(self, token: ActWord, needs: list[list[str]]) -> Iterator[ActClause]:
        """The clauses of one thing that has a name."""
        word, low = token.text, token.low
        if word.startswith("-"):
            yield ActClause(RUN, ["*"], [[f"f{word}"], *needs], self.exempts)
        elif phrases.is_path(token):
            yield ActClause(RUN, ["*"], [[f"x{each[1:]}" for each in phrases.files_of(token)], *needs], self.exempts)
        elif phrases.is_tool(token, alone=True):
            yield ActClause(RUN, [low], needs, self.exempts)
            yield ActClause(RUN, ["@install"], [[f"w{low}"], *needs], self.exempts)
            yield ActClause(EDIT, (), [[f"i{word}"], *self._scope()], self.exempts)
        elif word.isalpha() and word.islower():
            yield ActClause(EDIT, (), [[f"w{low}"], *self._scope()], self.exempts)
        else:
            yield from self._code([token])
            if word.islower() and word.replace("-", "").replace(":", "").isalnum():
                yield ActClause(RUN, ["*"], [[f"w{word}"], *needs], self.exempts)
                yield ActClause(RUN, [word], needs, self.exempts)

    def _plain(self, plain: Sequence[ActWord], needs: list[list[str]]) -> Iterator[ActClause]:
        """Clauses of one or two plain words, which may be a program, a library or code."""
        words = phrases.plain_words(plain)
        if not 1 <= len(words) == len(plain) <= 2 or phrases.is_common(words[-1]):
            return
        if len(words) == 1 and not phrases.phrase_of(plain).action:
            yield ActClause(RUN, words, needs, self.exempts)
            yield ActClause(RUN, ["@install"], [[f"w{words[0]}"]], self.exempts)
            yield ActClause(EDIT, (), [[f"i{plain[0].text}", f"t{plain[0].text}("], *self._scope()], self.exempts)
        if self.sort == NOUN or (self.sort == ORDER and self.deed.action == "use"):
            yield ActClause(EDIT, (), [*([f"w{each}"] for each in words), *self._scope()], self.exempts)
        elif len(words) == 1 and self.sort == ORDER:
            yield ActClause(RUN, ["*"], [[f"w{words[0]}"], *needs], self.exempts)


def is_named(tokens: Iterable[ActWord]) -> bool:
    """True where a name, a program or a library is among the words."""
    return any(token.code or phrases.is_tool(token) for token in tokens)


def files_among(tokens: Iterable[ActWord]) -> list[str]:
    """The path conditions of the files that are named, or of nouns that stand for some."""
    listed = list(tokens)
    found = [each for token in listed if phrases.is_path(token) for each in phrases.files_of(token)]
    return found or list(phrases.phrase_table("nouns", listed))
