"""Turns what a statement rules out into clauses: commands, edits, and files that are not to be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve, frozen

from memlsp.beliefs.acts import phrases
from memlsp.beliefs.acts.clause import EDIT, READ, RUN, ActClause
from memlsp.beliefs.acts.phrases import ActPhrase, ActWord
from memlsp.beliefs.vocabulary import texts

CLASSES = frozenset(texts(__name__)["classes"].split())
"""Actions that are classes of commands too."""

WITH = frozenset(texts(__name__)["means"].split())
"""Links before what something is done with."""

VERSION_CONTROL = frozenset({"git", "repo", "repository", "lfs", "vcs", "history"})

NOUN, FACT, ORDER = "noun", "fact", ""
"""Sorts of denial: "no floats"; "it is not", "nobody does", which may only report; "never do"."""

_WORDS = {name: frozenset(words.split()) for name, words in texts(__name__).items()}
_MAIN = frozenset({"main", "master"})

Places = Sequence[tuple[str, Sequence[ActWord]]]


@frozen
class Ban:
    """A deed that a statement rules out. `exempts` are conditions under which it is allowed; `passive` where the
    objects stood before the verb; `pattern` the path glob that the statement is about; `topic` what its sentence
    speaks of."""

    deed: ActPhrase
    exempts: tuple[str, ...] = ()
    sort: str = ORDER
    passive: bool = False
    pattern: str = ""
    topic: Sequence[ActWord] = ()

    @property
    def scope(self) -> list[list[str]]:
        """The condition that the pattern sets."""
        return [[f"p{self.pattern}"]] if self.pattern else []

    def of(self, objects: Iterable[ActWord], places: Places = ()) -> Ban:
        """The same for other objects."""
        return evolve(self, deed=ActPhrase("", tuple(objects), tuple((link, tuple(each)) for link, each in places)))


def is_named(tokens: Iterable[ActWord]) -> bool:
    """True where a name, a program or a library is among the words."""
    return any(token.code or phrases.is_tool(token) for token in tokens)


def clauses(ban: Ban) -> Iterator[ActClause]:
    """The clauses of a deed that is ruled out."""
    deed = ban.deed
    if ban.sort == FACT and deed.action in _WORDS["mild"] and not is_named(deed.objects):
        return
    verb = [ActWord(deed.action)] if deed.action in {"squash", "amend"} else []
    flagged = phrases.phrase_table("flags", (*deed.objects, *verb))
    if flagged:
        needs, outside = phrases.place_needs(deed.places, branches=True)
        commands = [f"@{each}" if each in CLASSES else each for each in flagged[0].split("|")]
        yield ActClause(RUN, commands, [flagged[1:], *needs], [*ban.exempts, *outside])
    elif deed.action == "edit":
        yield from edits(ban)
    elif deed.action == "read":
        files = [each for token in deed.objects if phrases.is_path(token) for each in phrases.files_of(token)]
        yield from [ActClause(READ, (), [files], ban.exempts)] if files else ()
    elif deed.action == "commit":
        yield from _commits(ban)
    elif deed.action in CLASSES:
        yield from _class(ban)
    elif deed.action == "use" or not ban.passive or is_named(deed.objects):
        yield from things(ban)


def edits(ban: Ban) -> Iterator[ActClause]:
    """Clauses about changing files: those that are named, or code in them."""
    objects, exempts = ban.deed.objects, ban.exempts
    placed = [token for _, tokens in ban.deed.places for token in tokens]
    means = [token for link, tokens in ban.deed.places if link in WITH for token in tokens]
    words, _ = phrases.command_of(means, 0) if means else ([], 0)
    if len(words) > 1:  # "not to be touched with rails console"
        needs, _ = phrases.place_needs([("on", objects)], branches=False)
        yield phrases.run_of(words, exempts, needs)
        return
    files, inner = files_among(objects), files_among(placed)
    code = [token for token in objects if token.code and not phrases.is_path(token)]
    words = phrases.plain_words(objects)
    if files:
        yield ActClause(EDIT, (), [files], exempts)
    elif inner:
        yield ActClause(EDIT, (), [inner, [f"h{token.text}" for token in code]], exempts)
    elif code:
        yield ActClause(EDIT, (), [[f"t{token.text}" for token in code]], exempts)
        yield ActClause(EDIT, (), [[f"h{token.text}" for token in code], ["o"]], exempts)
    elif not objects and not placed:
        topic = files_among(ban.topic)
        yield from [ActClause(EDIT, (), [topic], exempts)] if topic else ()
    elif 1 <= len(words) <= 2:
        there = [["o"]] if ban.passive else []
        yield ActClause(EDIT, (), [*([f"n{each}"] for each in words), *there], exempts)


def files_among(tokens: Iterable[ActWord]) -> list[str]:
    """The path conditions of the files that are named, or of nouns that stand for some."""
    listed = list(tokens)
    found = [each for token in listed if phrases.is_path(token) for each in phrases.files_of(token)]
    return found or list(phrases.phrase_table("nouns", listed))


def into_version_control(topic: Sequence[ActWord], exempts: Sequence[str]) -> Iterator[ActClause]:
    """Clauses about adding something to the repository."""
    words = [token.low if token.code else phrases.stem(token.low) for token in topic[-1:]]
    files = files_among(topic)
    if files or words:
        yield ActClause(RUN, ["@commit", "@stage"], [files or [f"l{each}" for each in words]], exempts)


def code_clause(ban: Ban, tokens: Iterable[ActWord]) -> ActClause:
    """The clause about code that an edit adds."""
    needs, outside = phrases.place_needs(ban.deed.places, branches=False, plain=True)
    conditions = [f"t{token.text.removesuffix(')') if token.text.endswith('()') else token.text}" for token in tokens]
    return ActClause(EDIT, (), [conditions, *ban.scope, *needs], [*ban.exempts, *outside])


def _commits(ban: Ban) -> Iterator[ActClause]:
    needs, outside = phrases.place_needs(ban.deed.places, branches=True)
    exempts = [*ban.exempts, *outside]
    files = files_among(ban.deed.objects)
    branches = [group for group in needs if any(each[0] == "b" for each in group)]
    others = [
        group for group in needs if group not in branches and not any(each[1:] in VERSION_CONTROL for each in group)
    ]
    code = [token for token in ban.deed.objects if token.code and not phrases.is_path(token)]
    if files:
        yield ActClause(RUN, ["@commit", "@stage"], [files, *others], exempts)
    elif branches:
        yield ActClause(RUN, ["@commit"], branches, exempts)
    elif not ban.deed.objects:
        yield ActClause(RUN, ["@commit"], others, exempts)
    elif code:
        yield code_clause(ban.of(code), code)


def _class(ban: Ban) -> Iterator[ActClause]:
    """Clauses about a class of commands: what it is done with, what is installed, what else is named."""
    deed = ban.deed
    means = [token for link, tokens in deed.places if link in WITH for token in tokens]
    if means:
        yield from things(ban.of(means))
        return
    needs, outside = phrases.place_needs(deed.places, branches=True)
    exempts = [*ban.exempts, *outside]
    words, _ = phrases.command_of(deed.objects, 0) if deed.objects else ([], 0)
    if deed.action in _WORDS["program"] and (len(words) > 1 or (words and deed.action == "deploy")):
        yield phrases.run_of(words, exempts, needs)
    elif deed.action == "install" or any(phrases.is_adding(token) for token in deed.objects):
        names = [f"w{token.low}" for token in deed.objects if token.code or phrases.is_tool(token)]
        yield ActClause(RUN, ["@install"], [names or ["a"], *needs], exempts)
    elif deed.action == "squash":
        yield ActClause(RUN, ["git", "gh pr merge"], [["f--squash"], *needs], exempts)
    elif deed.action == "rename":
        files = files_among(deed.objects)
        yield from [ActClause(RUN, ["git mv", "mv"], [files, *needs], exempts)] if files else ()
    elif deed.action == "update":
        names = [f"w{token.low}" for token in deed.objects if token.low not in _WORDS["more"]]
        commands = ["@update", "@install"] if names else ["@update"]
        yield ActClause(RUN, commands, [names, *needs], exempts)
    else:
        yield ActClause(RUN, [f"@{deed.action}"], [_targets(deed, placed=bool(needs)), *needs], exempts)


def _targets(deed: ActPhrase, *, placed: bool) -> list[str]:
    """The conditions that the objects of a class of commands set; none of words that only name the matter."""
    found: list[str] = []
    for token in deed.objects:
        if phrases.is_path(token):
            found += phrases.files_of(token)
        elif token.low in _MAIN or "release/" in token.low:
            found.append(f"b{token.low}")
        elif token.code:
            found.append(f"w{token.low}")
    if found or placed:
        return found
    plain = phrases.plain_words(deed.objects)[:3]
    if deed.action in _WORDS["removing"]:
        return [f"l{each}" for each in plain]
    return [f"w{each}" for each in plain] if deed.action in {"push", "merge"} else []


def things(ban: Ban) -> Iterator[ActClause]:
    """Clauses about things that are not to be used: commands, programs, options, libraries, code."""
    if not ban.deed.objects:
        ban = evolve(ban.of(token for _, tokens in ban.deed.places for token in tokens), sort=ban.sort)
    objects, places = ban.deed.objects, ban.deed.places
    text = phrases.phrase_table("texts", objects)
    if text:
        yield ActClause(EDIT, (), [text, *code_clause(ban, ()).needs], code_clause(ban, ()).exempts)
        return
    needs, outside = phrases.place_needs(places, branches=False)
    if any(phrases.is_adding(token) for token in objects):
        if all(phrases.is_adding(token) or phrases.is_tool(token) or token.low in _WORDS["more"] for token in objects):
            yield ActClause(RUN, ["@install"], [["a"], *needs], [*ban.exempts, *outside])
        return
    far = [token for _, group in places for token in group if token.code and not phrases.is_path(token)]
    if objects and far and not is_named(objects):  # "no absolute urls to docs.example.org"
        ban = ban.of(far)
        objects, needs = ban.deed.objects, []
    plain: list[ActWord] = []
    at = 0
    while at < len(objects):
        words, end = phrases.command_of(objects, at)
        if len(words) > 1:
            yield phrases.run_of(words, [*ban.exempts, *outside], needs)
            at = end
            continue
        found = list(_thing(ban, objects[at], needs, [*ban.exempts, *outside]))
        yield from found
        plain += [] if found else [objects[at]]
        at += 1
    yield from _plain(ban, plain, needs)


def _thing(ban: Ban, token: ActWord, needs: list[list[str]], exempts: Sequence[str]) -> Iterator[ActClause]:
    """The clauses of one thing that has a name; none for a plain word."""
    word = token.text
    halves = word.split("/")
    if phrases.is_tool(token, alone=len(ban.deed.objects) <= 2):
        yield ActClause(RUN, [token.low], needs, exempts)
        yield ActClause(RUN, ["@install"], [[f"w{token.low}"], *needs], exempts)
        yield ActClause(EDIT, (), [[f"i{word}"], *ban.scope, *needs], exempts)
    elif word.startswith("-"):
        yield ActClause(RUN, ["*"], [[f"f{word}"], *needs], exempts)
        yield from [ActClause(EDIT, (), [[f"t{word.rstrip('*')}"]], exempts)] if len(word) > 2 else ()
    elif len(halves) == 2 and all(each.isalpha() for each in halves):  # malloc/free
        yield ActClause(EDIT, (), [[f"w{each.lower()}" for each in halves], *ban.scope, *needs], exempts)
    elif phrases.is_path(token):
        yield ActClause(RUN, ["*"], [[f"x{each[1:]}" for each in phrases.files_of(token)], *needs], exempts)
    elif phrases.is_extension(token):
        yield ActClause(EDIT, (), [[f"p*.{token.low}"]], exempts)
    elif token.code and word.isalpha() and word.islower():
        yield ActClause(EDIT, (), [[f"w{token.low}"], *code_clause(ban, ()).needs], exempts)
    elif token.code:
        yield code_clause(ban, [token])
        if word.islower() and word.replace("-", "").replace(":", "").isalnum():
            yield ActClause(RUN, ["*"], [[f"w{word}"], *needs], exempts)
            yield ActClause(RUN, [word], needs, exempts)


def _plain(ban: Ban, plain: Sequence[ActWord], needs: list[list[str]]) -> Iterator[ActClause]:
    """Clauses of plain words, which may be a program, a library or code, where nothing else was named."""
    words = phrases.plain_words(plain)
    if not 1 <= len(words) == len(ban.deed.objects) <= 2 or phrases.is_common(words[-1]):
        return
    if len(words) == 1 and not phrases.deed_of(plain).action:
        yield ActClause(RUN, words, needs, ban.exempts)
        yield ActClause(RUN, ["@install"], [[f"w{words[0]}"]], ban.exempts)
        yield ActClause(EDIT, (), [[f"t{plain[0].text}("], *code_clause(ban, ()).needs], ban.exempts)
        yield ActClause(EDIT, (), [[f"i{plain[0].text}"], *ban.scope], ban.exempts)
    if ban.sort == NOUN or (ban.sort != FACT and ban.deed.action == "use"):
        yield ActClause(EDIT, (), [*([f"w{each}"] for each in words), *code_clause(ban, ()).needs], ban.exempts)
    elif len(words) == 1 and ban.sort != FACT:
        yield ActClause(RUN, ["*"], [[f"w{words[0]}"], *needs], ban.exempts)
