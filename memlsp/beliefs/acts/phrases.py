"""Reads what a part of a statement rules out: the action, its objects, and where it is done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from attrs import evolve, field, frozen

from memlsp.beliefs.acts import clause as kinds
from memlsp.beliefs.acts.commands import tables
from memlsp.beliefs.vocabulary import texts

_SPAN = re.compile(r"`([^`\n]+)`|\"([^\"\n]{1,80})\"|(?<!\w)'([^'\n]{1,80})'(?!\w)")
_TOKEN = re.compile(r"\ue000\d+\ue001|[^\s,]+")
_BRACKET = re.compile(r"^(#\[\w+)\]?\w*$")
_SIGNS = re.compile(r"[./_():#$<>*~%=@\[\]{}|\\]|\w-\w|^-|\d")


@frozen
class ActWord:
    """A word of a statement; `code` where it stands in backticks or quotes, or looks like a name."""

    text: str
    code: bool = False

    @property
    def low(self) -> str:
        """In lower case."""
        return self.text.lower()


@frozen
class ActPhrase:
    """What a part of a statement speaks of: an action of `words.toml`, objects, and (link, tokens) of where and how."""

    action: str = ""
    objects: tuple[ActWord, ...] = ()
    places: tuple[tuple[str, tuple[ActWord, ...]], ...] = field(default=())


def _list(name: str) -> frozenset[str]:
    return frozenset(texts(__name__)[name].split())


@cache
def _verbs() -> dict[str, str]:
    lines = (line.partition(": ") for line in texts(__name__)["verbs"].strip().splitlines())
    return {word: action for action, _, words in lines for word in words.split()}


@cache
def _table(name: str) -> dict[str, tuple[str, ...]]:
    lines = (line.partition(": ") for line in texts(__name__)[name].strip().splitlines())
    return {each: tuple(rest.split(", ")) for key, _, rest in lines for each in key.split("|")}


_LINKS, _STOPS, _VAGUE = _list("links"), _list("stops"), _list("vague")
_ADDING, _BRANCHES, _PLACES = _list("adding"), _list("branches"), _list("places")
_TOOLS = _list("tools") | _list("families") | tables().by_program.keys()
_UNRULED, _COMMON, _EXTENSIONS = _list("unruled"), _list("common"), _list("extensions")
_TWOFOLD, _ORDINARY = _list("twofold"), _list("ordinary")
"""Words that are verbs only where a verb stands; programs with the name of an ordinary word."""

_PRONOUNS, _AUXILIARIES, _LEADING = _list("pronouns"), _list("auxiliaries"), _list("leading")
_SHOUTED, _FILES = _list("shouted"), _list("files")
_PLACE_NAMES = {"prod": ("prod", "production"), "production": ("prod", "production"), "stage": ("stage", "staging")}
_UNPLACED = _VAGUE | _ADDING | _verbs().keys()
_BEGINNINGS = "abcdefghijklmnopqrstuvwxyz."


class Spans:
    """The quoted parts of a statement, which stand as placeholders while it is split."""

    def __init__(self, text: str) -> None:
        self._parts: list[tuple[str, bool]] = []
        self.text = _SPAN.sub(self._kept, text)

    def _kept(self, found: re.Match[str]) -> str:
        self._parts.append((next(each for each in found.groups() if each is not None), found[0][0] == "`"))
        return f"\ue000{len(self._parts) - 1}\ue001"

    def tokens(self, text: str) -> list[ActWord]:
        """The words of a part, without punctuation around them."""
        found: list[ActWord] = []
        for match in _TOKEN.finditer(text):
            word = match[0]
            if word.startswith("\ue000"):
                said, _ = self._parts[int(word[1 : word.index("\ue001")])]
                found.append(ActWord(said.strip(), code=True))
                continue
            word = word.strip("?!;:").rstrip(".")
            word = word.lstrip("(") if "(" not in word[1:] else word
            word = word.rstrip(")") if "(" not in word else word
            word = _BRACKET.sub(r"\1", word)
            if found and word and found[-1].text in _SHOUTED and not any(char.isalnum() for char in word):
                found[-1] = ActWord(f"{found[-1].text} {word}", code=True)  # SELECT *
            elif word:
                found.append(ActWord(word, code=_is_name(word)))
        return found


def _is_name(word: str) -> bool:
    if not any(char.isalpha() for char in word) and (word[0].isdigit() or len(word) == 1):
        return len(word) > 4 and any(char in "./:" for char in word[1:-1])
    camel = any(char.isupper() for char in word[1:]) and any(char.islower() for char in word)
    return camel or bool(_SIGNS.search(word)) or word in _SHOUTED


def phrase_of(after: Sequence[ActWord], before: Sequence[ActWord] = ()) -> ActPhrase:
    """The deed that is ruled out: its verb and objects stand behind the denial; where nothing does but the verb, the
    objects stand before it."""
    deed = _read(after)
    if not deed.objects and before:
        front = _read(before, verbs=False)
        return evolve(deed, objects=front.objects, places=(*front.places, *deed.places))
    return deed


def _read(tokens: Sequence[ActWord], *, verbs: bool = True) -> ActPhrase:
    action = ""
    objects: list[ActWord] = []
    places: list[tuple[str, list[ActWord]]] = []
    group, link = objects, ""
    begun = False
    for token in tokens:
        low = token.low
        if not token.code and low in _LINKS:
            group, link = list[ActWord](), low
            places.append((link, group))
            continue
        if not token.code and low in _STOPS:
            continue
        verb = _verbs().get(low) if not token.code else None
        if verb and verbs and not action and (not begun or low not in _TWOFOLD):
            action = verb
            if not objects and link in {"by", "with", "without"}:  # "by calling it"
                group, link = objects, ""
                places.pop()
        else:
            group.append(token)
        begun = True
    return ActPhrase(action, tuple(objects), tuple((link, tuple(group)) for link, group in places if group))


def is_path(token: ActWord) -> bool:
    """True for the name of a file or folder, or a pattern of some."""
    word = token.text
    if word in _FILES:
        return True
    if not token.code or " " in word or "(" in word or word.startswith(("http", "-", "@", "#", "$", "s3:", "/v", "/*")):
        return False
    name, dot, ending = word.rpartition(".")
    return (
        bool(dot and (ending.lower() in _EXTENSIONS or (not name and ending.isalpha())))
        or (word.startswith(".") and word[1:2].isalpha())
        or "/" in word[:-1].lstrip("/")
        or (word.endswith("/") and len(word) > 1)
    )


def path_condition(word: str) -> str:
    """The pattern of a path as a statement writes it."""
    word = word.removeprefix("./").removeprefix("../").removeprefix("~/")
    if word.startswith(".") and word.rpartition(".")[2].lower() in _EXTENSIONS:
        return f"*{word}"
    name = word.rstrip("/").rpartition("/")[2]
    if word.endswith(("/**", "/*")):
        return word.rstrip("*")
    if word.endswith("/") or ("." not in name and "*" not in name and name not in _FILES):
        return f"{word.rstrip('/')}/"
    return word


def files_of(token: ActWord) -> tuple[str, ...]:
    """The path conditions of a token that `is_path`."""
    pattern = path_condition(token.text)
    return ("p.env", "p*.env", "p.env.*") if pattern in {".env", "*.env"} else (f"p{pattern}",)


def command_of(tokens: Sequence[ActWord], start: int) -> tuple[list[str], int]:
    """The command that begins at a token, as words, and the index behind it; ([], start) for none."""
    token = tokens[start]
    if token.code and " " in token.text:
        words = token.text.split()
        return (words, start + 1) if words[0].islower() and words[0][0] in _BEGINNINGS else ([], start)
    if token.low not in _TOOLS:
        return [], start
    led = not start or _verbs().get(tokens[start - 1].low) in {"run", "use"} or tokens[start - 1].low in _LEADING
    if token.low in _ORDINARY and not token.code and (not led or len(tokens) == 1):
        return [], start
    words = [token.text]
    at = start + 1
    while at < len(tokens) and " " not in tokens[at].text and tokens[at].low not in _TOOLS:
        if not tokens[at].code and (tokens[at].low in _VAGUE or is_link(tokens[at])):
            break
        words.append(tokens[at].text)
        at += 1
    return words, at


def run_of(words: Sequence[str], exempts: Iterable[str] = (), needs: Iterable[Sequence[str]] = ()) -> kinds.ActClause:
    """The clause about running a command of these words: its program and subcommands, and a need for each argument."""
    program, *rest = words
    program = program.rpartition("/")[2] if program.startswith("./") and "bin" in program else program
    known = [command for command, _ in tables().by_program.get(program, ())]
    taken = [program]
    conditions: list[Sequence[str]] = []
    for at, word in enumerate(rest):
        follows = any(command[: len(taken) + 1] == [*taken, word] for command in known)
        if word.startswith("-"):
            conditions += [(f"f{each}",) for each in _split_flag(word)]
        elif follows or (at == 0 and word.replace("-", "").replace(":", "").isalnum() and not word[0].isupper()):
            taken.append(word)
        elif word[0] in "<$[.…" and not word[-1].isalnum():
            continue
        elif is_path(ActWord(word, code=True)):
            conditions.append(files_of(ActWord(word, code=True)))
        else:
            conditions.append((f"w{word.lower()}",))
    if taken[:2] == ["git", "push"] and any("--force" in str(each) or "f-f" in str(each) for each in conditions):
        conditions = [each for each in conditions if each[0] not in {"f--force", "f-f"}]
        conditions.append(("f--force", "f-f", "f--force-with-lease"))
    return kinds.ActClause(kinds.RUN, [" ".join(taken)], [*conditions, *needs], exempts)


def _split_flag(flag: str) -> list[str]:
    name = flag.partition("=")[0]
    if len(name) in {3, 4} and name[1] != "-" and name[1:].isalpha() and name.startswith("-"):
        return [f"-{char}" for char in name[1:]]
    return [name]


def place_needs(
    places: Iterable[tuple[str, Sequence[ActWord]]], *, branches: bool, plain: bool = False
) -> tuple[list[list[str]], list[str]]:
    """The conditions of where something is done, and those that exempt it ("outside of tests")."""
    needs: list[list[str]] = []
    exempts: list[str] = []
    outside = False
    for link, tokens in places:
        outside = outside or link in {"outside", "außerhalb", "außer", "hors", "fuera", "without", "except"}
        group: list[str] = []
        for token in tokens:
            low = token.low
            if branches and (low in _BRANCHES or "release/" in low) and link not in {"from", "with"}:
                group += ["bmain", "bmaster"] if low in {"main", "master"} else [f"b{low}"]
            elif is_path(token):
                group += files_of(token)
            elif token.code or low in _PLACES or ((plain or outside) and low.isalnum() and low not in _UNPLACED):
                group += [f"l{each}" for each in _PLACE_NAMES.get(low, (stem(low) if low.isalnum() else low,))]
        if not group:
            continue
        if outside:
            exempts += [each.replace("l", "n", 1) if each[0] == "l" else each for each in group]
        elif link not in {"for", "at", "via", "through", "by"} or any(each[0] in "bp" for each in group):
            needs.append(group)
    return needs, exempts


def stem(word: str) -> str:
    """The word without its plural ending."""
    word = "".join(char for char in word if char.isalnum()) or word
    for ending in ("sses", "ies", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("ss"):
            return word[: -len(ending)] if ending != "es" or word[-3] in "sxzh" else word[:-1]
    return word


def plain_words(tokens: Iterable[ActWord]) -> list[str]:
    """The words of a phrase that say what it is about, stemmed."""
    return [stem(token.low) for token in tokens if not token.code and token.low not in _VAGUE and token.low.isalpha()]


def is_common(word: str) -> bool:
    """True for a word that stands in any project's code."""
    return word in _COMMON or f"{word}s" in _COMMON or len(word) < 3


def is_no_ban(tokens: Sequence[ActWord]) -> bool:
    """True for what follows in "you don't need to ...", which forbids nothing."""
    return bool(tokens) and tokens[0].low in _UNRULED


def is_link(token: ActWord) -> bool:
    """True for a preposition, an article or another word that names nothing."""
    return token.low in _LINKS or token.low in _STOPS


def points(tokens: Iterable[ActWord]) -> bool:
    """True where a pronoun stands for the object."""
    return any(token.low in _PRONOUNS for token in tokens)


def is_tool(token: ActWord, *, alone: bool = False) -> bool:
    """True for the name of a known program or library; one that is an ordinary word too where it stands `alone`."""
    known = token.low in _TOOLS or token.text in _TOOLS
    return known and (token.code or alone or token.low not in _ORDINARY)


def is_branch(token: ActWord) -> bool:
    """True for the usual name of a branch."""
    return token.low in _BRANCHES or "release/" in token.low


def subject_of(tokens: Sequence[ActWord]) -> list[ActWord]:
    """The words before the verb."""
    found: list[ActWord] = []
    for token in tokens:
        if not token.code and (token.low in _AUXILIARIES or token.low in _LINKS or (found and token.low in _verbs())):
            break
        if token.code or token.low not in _STOPS:
            found.append(token)
    return found


def is_extension(token: ActWord) -> bool:
    """True for the ending of a sort of file, such as `wav`, that is no program."""
    return token.low in _EXTENSIONS and token.low not in _TOOLS


def is_auxiliary(tokens: Sequence[ActWord]) -> bool:
    """True where one of the words is `is`, `has` and their like."""
    return any(token.low in _AUXILIARIES for token in tokens)


def is_adding(token: ActWord) -> bool:
    """True for a word such as `dependency`."""
    return token.low in _ADDING


def phrase_table(name: str, tokens: Sequence[ActWord]) -> tuple[str, ...]:
    """The entry of a table of `words.toml` for a phrase or the first of its words that has one; () for none."""
    table = _table(name)
    words = [token.low for token in tokens]
    for length in (3, 2, 1):
        for at in range(len(words) - length + 1):
            found = table.get(" ".join(words[at : at + length]))
            if found:
                return found
    return ()


def siblings(word: str) -> list[str]:
    """The programs that do what this one does, in whose place it is used."""
    for line in texts(__name__)["families"].strip().splitlines():
        names = line.split()
        if word.lower() in names:
            return [each for each in names if each != word.lower()]
    return []
