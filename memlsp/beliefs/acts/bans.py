"""Turns what a statement rules out into clauses: commands, edits, and files that are not to be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve

from memlsp.beliefs.acts import phrases
from memlsp.beliefs.acts.clause import EDIT, READ, RUN, USE, ActClause
from memlsp.beliefs.acts.commands import tables
from memlsp.beliefs.acts.phrases import ActPhrase, ActWord
from memlsp.code.vocabulary import word_sets

CLASSES = frozenset(name[1:] for commands in tables().by_program.values() for _, name in commands)
"""Actions that are classes of commands too."""

NOUN, FACT, SLOT, HINT, ORDER = "noun", "fact", "slot", "hint", ""
"""Sorts of denial: "no floats"; "it is not", "nobody does", which may only report; "instead of X", which names
something; "not X", "X is gone", which may name it; "never do"."""

_WORDS = word_sets(__name__)
WITH, VERSION_CONTROL = _WORDS["means"], _WORDS["version-control"]
CHANGING = [f"@{each}" for each in sorted(_WORDS["changing"])]
"""The classes of commands that change something elsewhere."""

_COMMITS = ("@commit", "@stage")


class Ban:
    """A deed that a statement rules out. `exempts` are conditions under which it is allowed; `pattern` is the path glob
    that the statement is about, `aside` what it says in brackets."""

    def __init__(
        self,
        deed: ActPhrase,
        exempts: Sequence[str] = (),
        sort: str = ORDER,
        pattern: str = "",
        aside: Sequence[ActWord] = (),
    ) -> None:
        self._new = deed.action == "create"  # then files that are there already may be changed
        said = {deed.action, "release"} if deed.action == "tag" else {deed.action} & CLASSES
        deed = evolve(deed, objects=tuple(each for each in deed.objects if each.action not in said))  # "tag a release"
        deed = evolve(deed, action="use") if self._new else deed
        self._deed, self._action, self._sort = deed, deed.action, sort
        self._given = (tuple(exempts), pattern, aside)
        self._flags = phrases.phrase_table("flags", (*deed.objects, ActWord(deed.action)))
        git = self._flags or deed.action in _WORDS["branching"] or any(each.low[:4] == "git " for each in deed.objects)
        self._needs, outside = phrases.place_needs(deed.places, branches=bool(git), plain=deed.action in CLASSES)
        self._exempts = (*exempts, *outside)
        digits = [[f"l{each.text}"] for each in deed.objects if each.text.isdigit()]
        given = [*([[f"p{pattern}"]] if pattern else []), *digits]
        scope, _ = phrases.place_needs(deed.places, branches=False, plain=True)
        self._scope = [*given, *scope]
        where = [place for place in deed.places if place[0] != "for"]  # what a name is used for is not to be seen
        self._where = [*given, *phrases.place_needs(where, branches=False, plain=True)[0]]
        self._placed = [token for _, tokens in deed.places for token in tokens]
        self._kept = any(token.low in VERSION_CONTROL for token in self._placed)
        self._sort_objects()

    def _sort_objects(self) -> None:
        """Sort the objects into commands, options, paths, branches, names and plain words."""
        listed = self._deed.objects
        self._commands: list[list[str]] = []
        self._files: list[str] = []
        self._options: list[str] = []
        self._branches: list[str] = []
        self._names: list[ActWord] = []
        endings = all(phrases.is_extension(each) or not phrases.plain_words([each]) for each in listed)
        endings = endings and self._sort == NOUN and (self._kept or not self._deed.places)
        alone = self._sort in {SLOT, HINT} or (len(listed) == 1 and (self._sort == NOUN or self._action == "use"))
        for token in listed:
            self._names += self._alternatives(token)
            self._sort_object(token, endings=endings, alone=alone)
        if not self._files and not any(map(phrases.is_path, self._placed)):  # else "generated files under dist/"
            self._files = files_among(listed, secrets=self._kept or self._action in {"commit", "push", "read"})
        self._sort_words([token for token in listed if token not in self._names])

    def _sort_words(self, rest: list[ActWord]) -> None:
        """Keep the plain words, and whether they say that something is added."""
        self._adding = any(token.of("adding") for token in rest) and self._action in {"", *_WORDS["adding"]}
        if len(rest) > 1 and rest[-1].of("naming") and phrases.plain_words(rest[-2:-1]):  # "alpine images"
            common = phrases.is_common(rest[-2].low) and not phrases.is_tool(rest[-2], alone=True)
            self._names += [] if common else rest[-2:-1]
            self._adding, rest = False, rest[: -1 if common else -2]
        self._plain = phrases.plain_words(token for token in rest if not token.of("adding"))

    def _sort_object(self, token: ActWord, *, endings: bool, alone: bool) -> None:
        if phrases.is_command(token):
            self._commands.append(token.text.split())
        elif token.text.startswith("-") and len(token.text) > 1:
            self._options.append(f"f{token.text}")
        elif phrases.is_path(token):
            self._files += phrases.files_of(token)
        elif phrases.is_branch(token):
            self._branches += phrases.branches_of(token)
            self._branches += [f"l{token.low}"] if token.low in _WORDS["stages"] else []
        elif endings and phrases.is_extension(token):
            self._files.append(f"p*.{token.low}")
        elif any(map(str.isalpha, token.text)) and (token.code or phrases.is_tool(token, alone=alone)):
            self._names.append(token)

    def _alternatives(self, token: ActWord) -> list[ActWord]:
        """The names of "malloc/free"."""
        both = [ActWord(each) for each in token.text.split("/")]
        if len(both) < 2 or self._action not in {"", "use"} or not all(each.text.isalpha() for each in both):
            return []
        return both if self._sort == NOUN or all(map(phrases.is_tool, both)) else []

    def clauses(self) -> Iterator[ActClause]:
        """The clauses of the deed."""
        action, files = self._action, self._files
        objects = self._deed.objects
        signs = [f"t{each.text}" for each in objects if len(each.text) > 1 and not any(map(str.isalnum, each.text))]
        if self._sort == FACT and action in _WORDS["mild"] and not is_named(objects):
            return
        if text := phrases.concept(objects) or (signs if self._sort == NOUN else ()):  # "no ~>"
            yield self._edit(text)
            if text[0] == "tdrop table":
                yield self._run(sorted(tables().words["sql"]), ["ldrop"])
        elif self._flags:
            yield self._run(self._flags[0].split("|"), self._flags[1:])
        elif action == "edit":
            yield from self._edits()
        elif action == "reach":
            hosts = self._needs or phrases.place_needs([("in", objects)], branches=False)[0]
            stored = any(each.of("stores") for each in (*objects, *self._placed))
            programs = sorted(tables().words["sql"]) if stored else ["*"]
            yield from [ActClause(RUN, programs, hosts, self._exempts)] if hosts else ()
        elif action == "read":
            yield from [ActClause(READ, (), [files], self._exempts)] if files else ()
        else:
            yield from self._commanded()

    def _commanded(self) -> Iterator[ActClause]:
        """Clauses about commands, and else about things."""
        action, files = self._action, self._files
        means = tuple(token for link, tokens in self._deed.places if link in WITH for token in tokens)
        if not self._names and is_named(means) and (action in CLASSES or self._plain):
            yield from self._other(ActPhrase("", means))
        elif self._commands:
            yield from self._written_commands()
        elif (files and self._kept) or action == "commit":
            yield from self._commits()
        elif self._adding and self._sort != HINT and (action in CLASSES or not self._plain):
            yield from self._dependencies()
        elif action in CLASSES and (action not in _WORDS["using"] or not (self._names or files)):
            yield self._class()
        else:
            yield from self._things()

    def _dependencies(self) -> Iterator[ActClause]:
        yield self._run(["@install"], ["a"], self._around(), *([each] for each in self._options))
        if not (self._plain or self._options):
            yield self._edit(["d"])

    def _written_commands(self) -> Iterator[ActClause]:
        for words in self._commands:
            yield phrases.run_of(words, self._exempts, self._needs)
            if not phrases.is_tool(ActWord(words[0]), alone=True):  # "no `export let`"
                yield self._edit([f"t{' '.join(words)}"])

    def _commits(self) -> Iterator[ActClause]:
        """Clauses of what is not to be committed: files, code, or anything at all."""
        if self._files:
            yield ActClause(RUN, _COMMITS, [self._files], self._exempts)
            yield from [ActClause(EDIT, (), [self._files])] if self._sort == NOUN and not self._plain else ()
        elif self._names and not self._branches:
            yield self._edit([f"t{_code(each)}" for each in self._names])
            folders = [f"w{each.low}" for each in self._names if each.text.replace("_", "").isalnum()]
            yield from [ActClause(RUN, _COMMITS, [folders])] if folders else ()
        else:
            yield self._class()

    def _run(self, commands: Sequence[str], *groups: Sequence[str]) -> ActClause:
        return ActClause(RUN, commands, [*groups, *self._needs], self._exempts)

    def _edit(self, *groups: Sequence[str]) -> ActClause:
        return ActClause(EDIT, (), [*groups, *self._scope], self._exempts)

    def _use(self, *groups: Sequence[str]) -> ActClause:
        commands = ["@install"] if self._action == "install" else ["*"]  # what may not be installed may be run
        return ActClause(USE, commands, [*groups, *self._where], self._exempts)

    def _around(self) -> list[str]:
        """The plain words, one of which has to be somewhere in the act: not those behind a name that says enough."""
        last = max((at for at, each in enumerate(self._deed.objects) if each in self._names), default=-1)
        if last >= 0 and _is_distinct(self._deed.objects[last]):
            behind = phrases.plain_words(self._deed.objects[last + 1 :])  # "setTimeout hacks"
            self._plain = [word for word in self._plain if word not in behind]
        self._plain = [word for word in self._plain if not ActWord(word).of("leading")]  # "bare datetime.now()"
        return [f"l{word}" for word in self._plain if not (word.endswith(("ed", "left")) or phrases.is_common(word))]

    def _other(self, deed: ActPhrase) -> Iterator[ActClause]:
        yield from Ban(deed, self._given[0], self._sort or NOUN, *self._given[1:]).clauses()

    def _edits(self) -> Iterator[ActClause]:
        if any(each.low in {"table", "tables"} for each in self._deed.objects[1:]):  # "the users table"
            yield ActClause(RUN, ["@written"], [[f"l{self._deed.objects[0].low}"]])
        files = [*self._files, *files_among(self._placed), *self._folders_named()]
        held = [f"h{each.text}" for each in self._names]
        folders = [f"p{each[1:]}/" for each in held if "_" in each and each.replace("_", "").islower()]
        if folders and not files:  # `node_modules`
            yield ActClause(EDIT, (), [folders], self._exempts)
        if files or held:
            yield ActClause(EDIT, (), [files, held], self._exempts)
        hosts = [group for group in self._needs if "l" in {each[0] for each in group}]
        if hosts and not held and not self._files:
            yield ActClause(RUN, CHANGING, hosts, self._exempts)
        elif not (files or held):
            yield from self._edited_words()

    def _folders_named(self) -> list[str]:
        """The folders of "in `vendor`"."""
        return [f"p{each.text}/" for each in self._placed if each.code and each.text.replace("_", "").isalnum()]

    def _edited_words(self) -> Iterator[ActClause]:
        """Clauses of edits to files that one or two plain words name."""
        where = [[f"n{each}"] for each in self._plain]
        if len(where) == 1:
            word = next(each.low for each in self._deed.objects if phrases.plain_words([each]))
            where = [[f"p{word}/", f"p{word}s/", f"p{word}.*"]]
        if 1 <= len(where) <= 2:
            yield ActClause(EDIT, (), [*where, ["o"]], self._exempts)

    def _class(self) -> ActClause:
        """The clause about a class of commands. All that its objects say has to be in the act, as far as it can be."""
        found = [*self._files, *(f"w{each.low}" for each in self._names), *self._branches]
        digits = [f"l{each.text}" for each in (*self._deed.objects, *self._given[2]) if each.text.isdigit()]
        if not found and not self._plain and self._action == "install":
            found = ["a"]
        elif not found and not self._plain and self._action in _WORDS["touching"]:
            found = list(phrases.phrase_table("things", self._deed.objects))  # "the database container"
        elif not found and not self._needs:
            found = digits or [f"l{each}" for each in self._plain[:3]]
        placed = self._action == "commit" and any(each[0] == "p" for group in self._needs for each in group)
        return self._run(_COMMITS if placed else [f"@{self._action}"], found, *([each] for each in self._options))

    def _things(self) -> Iterator[ActClause]:
        """Clauses about things that are not to be used: programs, options, libraries, files, code."""
        if not self._deed.objects and self._deed.places:
            link, tokens = self._deed.places[0]
            if link in WITH or any(token.code and not phrases.is_path(token) for token in tokens):
                yield from self._other(ActPhrase("", tokens, self._deed.places[1:]))
            return
        if self._options:
            yield self._use(self._options)
        if self._files:
            yield from self._used_files()
        for each in self._names:
            yield from self._used_name(each)
        if self._files or self._names or self._options or self._branches or self._adding:
            return
        if self._plain:
            yield from self._words()
        elif self._sort != FACT and (files := files_among(self._placed)):
            yield self._edit_files(files)

    def _used_files(self) -> Iterator[ActClause]:
        taken = self._files if self._sort == SLOT else ()
        yield self._run(["*"], [*taken, *(f"x{each[1:]}" for each in self._files)])
        if self._action in {"", "use"} and self._sort != FACT:
            yield self._edit_files(self._files)
            names = [f"u{each[1:]}" for each in taken if "*" not in each]
            yield from [ActClause(USE, ["*"], [names], self._exempts)] if names else ()

    def _used_name(self, name: ActWord) -> Iterator[ActClause]:
        word = name.text.isalpha() and name.text.islower() and not (name.said and self._sort == HINT)
        if word and (name.said or not phrases.is_tool(name, alone=True)):
            yield self._edit([f"w{name.low}"])
        if not (name.said and phrases.is_ordinary(name)):  # else a word of a text
            yield self._use([f"{_kind(name)}{_code(name)}"], self._around())

    def _edit_files(self, files: Sequence[str]) -> ActClause:
        return ActClause(EDIT, (), [files, ["e"] if self._new else []], self._exempts)

    def _words(self) -> Iterator[ActClause]:
        """Clauses of one or two plain words, which may be a program, a library or code."""
        words, named = self._plain, self._sort in {SLOT, HINT}
        if len(words) > 2 or (phrases.is_common(words[-1]) and not named):
            return
        if len(words) == 2:
            if self._sort or self._action == "use":
                yield self._edit([f"w{each}" for each in words], *([f"l{each}"] for each in words))
                yield from [ActClause(RUN, words[1:], (), self._exempts)] if named else ()
            return
        first = next(each for each in self._deed.objects if phrases.plain_words([each]))
        if named or not first.action:
            kind = _kind(first) if self._sort == SLOT or self._action == "use" else "i"
            yield self._use([f"{kind}{_code(first).lower()}"])
        if self._sort == NOUN:
            yield ActClause(EDIT, (), [[f"w{words[0]}"], *self._where], self._exempts)
        elif self._sort == ORDER and self._action != "use":
            yield ActClause(RUN, ["*"], [[f"w{words[0]}"], *self._scope], self._exempts)


def _kind(token: ActWord) -> str:
    """`u` for a name that says by itself what is meant, `i` for one that is an ordinary word or a program too."""
    return "u" if _is_distinct(token) or not (phrases.is_ordinary(token) or token.low in tables().by_program) else "i"


def _is_distinct(token: ActWord) -> bool:
    return any(not char.isalnum() for char in token.text) or not (token.text.islower() or token.text.istitle())


def _code(token: ActWord) -> str:
    text = token.text[:-1] if token.text.endswith(("()", ".*")) else token.text  # `print(`, `console.`
    for begin, end in ("[]", "()", "<>"):  # `Optional[X]`
        inside = text.partition(begin)[2]
        if text[0].isalpha() and inside.endswith(end) and (len(inside) == 2 or inside[:-1] in {"...", "…"}):
            text = text.partition(begin)[0] + begin
    return tables().aliases.get(token.low, text)


def is_named(tokens: Iterable[ActWord]) -> bool:
    """True where a name, a program or a library is among the words."""
    return any(token.code or phrases.is_tool(token) for token in tokens)


def files_among(tokens: Iterable[ActWord], *, secrets: bool = False) -> list[str]:
    """The path conditions of the files that are named, or of nouns that stand for some."""
    listed = list(tokens)
    found = [each for token in listed if phrases.is_path(token) for each in phrases.files_of(token)]
    found = found or list(phrases.phrase_table("nouns", listed))
    return found or (list(phrases.phrase_table("secrets", listed)) if secrets else [])
