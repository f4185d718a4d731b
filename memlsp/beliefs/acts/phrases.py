"""Reads what a part of a statement rules out: the action, its objects, and where it is done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from attrs import evolve, field, frozen

from memlsp.beliefs.acts import clause as kinds
from memlsp.beliefs.acts.commands import tables
from memlsp.code.vocabulary import texts, word_sets, word_table

_LISTS = word_sets(__name__)
_SPAN = re.compile(r"`([^`\n]+)`|\"([^\"\n]{1,80})\"|(?<!\w)'([^'\n]{1,80})'(?!\w)")
_TOKEN = re.compile(r"\ue000\d+\ue001|[^\s,]+")
_BRACKET = re.compile(r"^(#\[\w+)\]?\w*$")
_SIGNS = re.compile(r"[./_():#$<>*~%=@\[\]{}|\\]|\w-[a-z]|^-|\d")


@cache
def _verbs() -> dict[str, str]:
    return {word: action for action, (words,) in word_table(__name__, "verbs").items() for word in words.split()}


_TOOLS = _LISTS["tools"] | _LISTS["families"] | tables().by_program.keys()
_ABSTRACT = ("ity", "ness", "ance", "ence", "tion", "sion", "ment", "ism", "ship", "heit", "keit", "ung")
_BESIDE_CODE = ("ntest", "nspec", "nbench", "nexample")  # where "no X in production code" allows it
_PLACE_NAMES = {"prod": ("prod", "production"), "production": ("prod", "production"), "stage": ("stage", "staging")}


@frozen
class ActWord:
    """A word of a statement; `code` where it stands in backticks or quotes, or looks like a name; `said` in quotes."""

    text: str
    code: bool = False
    said: bool = False

    @property
    def low(self) -> str:
        """In lower case."""
        return self.text.lower()

    @property
    def action(self) -> str:
        """What it has somebody do, where it is a verb; else ""."""
        return "" if self.code else _verbs().get(self.low, "")

    def of(self, *names: str) -> bool:
        """True for a word of one of these lists of `words.toml`, unless it is code."""
        return not self.code and any(self.low in _LISTS[name] for name in names)


@frozen
class ActPhrase:
    """What a part of a statement speaks of: an action of `words.toml`, objects, and (link, tokens) of where and how."""

    action: str = ""
    objects: tuple[ActWord, ...] = ()
    places: tuple[tuple[str, tuple[ActWord, ...]], ...] = field(default=())


class Spans:
    """The quoted parts of a statement, which stand as placeholders while it is split."""

    def __init__(self, text: str) -> None:
        self._parts: list[tuple[str, bool]] = []
        self.text = _SPAN.sub(self._kept, text)

    def _kept(self, found: re.Match[str]) -> str:
        self._parts.append((next(each for each in found.groups() if each is not None), found[0][0] == "`"))
        return f"\ue000{len(self._parts) - 1}\ue001"

    def tokens(self, text: str) -> list[ActWord]:
        """The words of a part, without punctuation around them; a program with its subcommand is one."""
        found: list[ActWord] = []
        for match in _TOKEN.finditer(text):
            word = match[0]
            if word[0] == "\ue000" and word[-1] == "\ue001":
                said, ticks = self._parts[int(word[1:-1])]
                found.append(ActWord(said.strip(), code=True, said=not ticks))
                continue
            word = word.strip("?!;").rstrip(".:")
            word = word.lstrip("(") if "(" not in word[1:] else word
            word = word.rstrip(")") if "(" not in word else word
            word = _BRACKET.sub(r"\1", word)
            if found and word == "*" and found[-1].text.upper() in _LISTS["shouted"]:
                found[-1] = ActWord(f"{found[-1].text} {word}", code=True)  # SELECT *
            elif word:
                word = word.removesuffix(".js") if word.removesuffix(".js").lower() in _TOOLS else word
                found.append(ActWord(word, code=_is_name(word)))
        return _with_commands(_with_folders(found))


def _with_folders(tokens: Sequence[ActWord]) -> list[ActWord]:
    """The words, where "the legacy folder" and "le dossier legacy" are a path."""
    found: list[ActWord] = []
    for token in tokens:
        pair = (found[-1], token) if found else (token, token)
        of, name = pair if token.of("folders") else pair[::-1]
        named = plain_words([of]) and not (of.of("stops", "links", "auxiliaries") or of.action)
        if found and named and (name is token or name.low not in {"folder", "directory", "dir"}) and name.of("folders"):
            found[-1] = ActWord(f"{of.text}/", code=True)
        else:
            found.append(token)
    return found


def _is_name(word: str) -> bool:
    if word.islower() and word.replace("-", "").isalpha() and word.rpartition("-")[2] in _LISTS["adjectives"]:
        return False  # "hard-coded"
    if not any(map(str.isalpha, word)) and (word[0].isdigit() or len(word) == 1):
        return len(word) > 4 and any(char in "./:" for char in word[1:-1])
    camel = any(any(map(str.isupper, part[1:])) and any(map(str.islower, part)) for part in word.split("-"))
    return camel or bool(_SIGNS.search(word)) or word in _LISTS["shouted"]


def _with_commands(tokens: Sequence[ActWord]) -> list[ActWord]:
    found: list[ActWord] = []
    at = 0
    while at < len(tokens):
        words = [tokens[at]]
        program, before = words[0].low.removeprefix("./"), found[-1] if found else ActWord("")
        led = not found or before.action in {"run", "use"} or before.of("leading")
        if program in _TOOLS and (led or program not in _LISTS["ordinary"]):
            for token in tokens[at + 1 :]:
                if not _continues([program, *(each.text for each in words[1:])], token, loose=before.action == "run"):
                    break
                words.append(token)
        at += len(words)
        found.append(ActWord(" ".join(each.text for each in words), code=True) if len(words) > 1 else words[0])
    return found


def _continues(words: Sequence[str], token: ActWord, *, loose: bool) -> bool:
    """True where a word goes on with a command; in a `loose` one ("run npm audit fix") any may."""
    low, number = token.low, len(words)
    if _is_next(words, token):
        return True
    if " " in token.text or low in _TOOLS or token.of("links", "stops", "auxiliaries"):
        return False
    if number == 1 and words[0] in _LISTS["tasks"] and token.action in {"", low} and not is_common(low):
        return low.isalnum() or token.code
    if words[-1] == "run":  # `npm run check`
        return True
    if token.of("vague", "leading", "asking"):
        return False
    if token.code or loose:
        return True
    if number > 1:
        return token.action in {"", low} and low != "use"
    return low in tables().reading.get(words[0], ()) or token.action == low


def _is_next(words: Sequence[str], token: ActWord) -> bool:
    """True for an option, a pipe, and a subcommand that is known."""
    if token.text[0] in "-|" or words[-1] == "|":
        return True
    longer = [*words, token.low]
    known = tables().by_program.get(words[0], ())
    return " ".join(longer) in tables().runners or any(each[: len(longer)] == longer for each, _ in known)


def phrase_of(after: Sequence[ActWord], before: Sequence[ActWord] = (), *, verbs: bool = True) -> ActPhrase:
    """The deed that is ruled out: its verb and objects stand behind the denial; where nothing does but the verb, the
    objects stand before it. Without `verbs` nothing is taken for one."""
    action = link = ""
    objects: list[ActWord] = []
    places: list[tuple[str, list[ActWord]]] = []
    group = objects
    begun = False
    for token in after:
        if token.of("links") and (begun or not token.action):
            group, link = list[ActWord](), token.low
            places.append((link, group))
        elif not token.of("stops"):
            placed = link and objects and token is not after[-1]  # "in shipping code"
            if token.action and verbs and not action and not placed and not (begun and token.of("twofold")):
                action = token.action
                if not objects and link in {"by", "with", "without"}:  # "by calling it"
                    group, link = objects, ""
                    places.pop()
            else:
                group.append(token)
            begun = True
    deed = ActPhrase(action, tuple(objects), tuple((link, tuple(group)) for link, group in places if group))
    if not objects and before:
        front = phrase_of(before, verbs=False)
        return evolve(deed, objects=front.objects, places=(*front.places, *deed.places))
    return deed


def subject_of(tokens: Sequence[ActWord]) -> list[ActWord]:
    """The words before the verb."""
    found: list[ActWord] = []
    for token in tokens:
        if token.of("auxiliaries", "links") or (found and token.action):
            break
        if not token.of("stops"):
            found.append(token)
    return found or [token for token in tokens if token.code]


def is_path(token: ActWord) -> bool:
    """True for the name of a file or folder, or a pattern of some."""
    word = token.text
    if word in _LISTS["files"] or (word.startswith("*.") and word[2:].isalnum()) or word in _LISTS["roots"]:
        return True
    if not token.code or any(sign in word[1:] for sign in " (@") or word.startswith(tuple(_LISTS["no-paths"])):
        return False
    name, dot, ending = word.rpartition(".")
    if (word[:1] == "." and word[1:2].isupper()) or word in {"process.env", "import.meta.env"}:
        return False  # a member
    dotted = not name and (ending.endswith(("rc", "ignore", "config", "env")) or ending in _LISTS["dotfiles"])
    known = dot and (ending.lower() in _LISTS["extensions"] or dotted)
    return bool(known) or "/" in word[:-1].lstrip("/") or word[1:].endswith("/")


def files_of(token: ActWord) -> tuple[str, ...]:
    """The path conditions of a token that `is_path`."""
    word = token.text.removeprefix("./").removeprefix("../").removeprefix("~/")
    name = word.rstrip("/").rpartition("/")[2]
    if word.startswith(".") and word.rpartition(".")[2].lower() in _LISTS["extensions"]:
        word = f"*{word}"
    elif word.endswith(("/**", "/*")):
        word = word.rstrip("*")
    elif not any(sign in name for sign in ".*") and name not in _LISTS["files"]:
        word = f"{word.rstrip('/')}/"
    if word[1:].lower() in _LISTS["dotfolders"] and word[0] == ".":
        return (f"p{word}", f"p{word}/")
    return ("p.env", "p*.env", "p.env.*") if word in {".env", "*.env"} else (f"p{word}",)


def is_command(token: ActWord) -> bool:
    """True for a command of several words."""
    first = token.text.partition(" ")[0]
    return token.code and " " in token.text and (first[0].isalpha() or first[0] == ".") and first.islower()


def run_of(words: Sequence[str], exempts: Iterable[str] = (), needs: Iterable[Sequence[str]] = ()) -> kinds.ActClause:
    """The clause about running a command of these words: its program and subcommands, and a need for each argument."""
    program, *rest = words[: next((at for at, word in enumerate(words) if word in {">", "<", "&&"}), None)]
    program = program.rpartition("/")[2] if program.startswith("./") and "bin" in program else program
    program = tables().aliases.get(program.removeprefix("./"), program.removeprefix("./"))
    known = [command for command, _ in tables().by_program.get(program, ())]
    known += [[program, sub] for sub in tables().reading.get(program, ())]
    taken = [program]
    conditions: list[Sequence[str]] = []
    for word in rest:
        if not word.startswith("-") and any(command[: len(taken) + 1] == [*taken, word] for command in known):
            taken.append(word)
        else:
            conditions += _argument(word)
    programs = sorted({program, *(tables().twins.get(program, ()) if len(words) > 1 else ())})
    commands = [" ".join([each, *taken[1:]]) for each in programs]
    return kinds.ActClause(kinds.RUN, commands, [*conditions, *needs], exempts)


def _argument(word: str) -> list[Sequence[str]]:
    """The conditions of an argument: of a short option one for each of its letters, none for a placeholder."""
    if word.startswith("-"):
        name = word.partition("=")[0]
        short = 3 <= len(name) <= 4 and name[1:].isalpha()
        flags = [f"-{char}" for char in name[1:]] if short else [name]
        return [[f"f{each}" for each in tables().flags.get(flag, [flag])] for flag in flags]
    if word != "." and word[0] in "<$[.…" and not word[-1].isalnum():
        return []
    argument = ActWord(word, code=True)
    return [files_of(argument) if is_path(argument) else (f"w{word.lower()}",)]


def place_needs(
    places: Iterable[tuple[str, Sequence[ActWord]]], *, branches: bool, plain: bool = False
) -> tuple[list[list[str]], list[str]]:
    """The conditions of where something is done, and those that exempt it ("outside of tests"). With `branches` a
    place may be a branch, with `plain` any word."""
    needs: list[list[str]] = []
    exempts: list[str] = []
    outside = False
    for link, tokens in places:
        outside = outside or link in _LISTS["outside"]
        if link in _LISTS["roles"]:
            continue  # "as an image tag"
        if files := phrase_table("nouns", tokens):
            needs.append(list(files))
            continue
        if _is_any_code(tokens):
            exempts += _BESIDE_CODE
            continue
        seen = outside or (plain and (branches or link not in {"on", "auf", "sur"}))
        group = _place_group(link, tokens, branch=branches and link not in {"from", "with"}, seen=seen)
        if link in _LISTS["lacking"]:
            exempts += [each for each in group if each[0] == "l"]
        elif outside:
            exempts += [f"n{each[1:]}" if each[0] == "l" else each for each in group]
        elif group and (link not in _LISTS["times"] or any(each[0] in "bp" for each in group)):
            needs.append(group)
    return needs, exempts


def _is_any_code(tokens: Sequence[ActWord]) -> bool:
    """True for "in production code"."""
    return any(token.of("any-code") for token in tokens) and any(token.low == "code" for token in tokens)


def _place_group(link: str, tokens: Sequence[ActWord], *, branch: bool, seen: bool) -> list[str]:
    """The conditions of the words of a place; none for "from your laptop"."""
    if any(token.of("here") for token in tokens):
        return []
    return [each for token in tokens for each in _place(token, link, branch=branch, seen=seen)]


def _place(token: ActWord, link: str, *, branch: bool, seen: bool) -> Iterable[str]:
    """The conditions of one word of a place; `branch` where it may be one, `seen` where any word is a place."""
    low = token.low
    if token.text.startswith("--"):
        return (f"f{token.text}",)
    if branch and is_branch(token):
        return branches_of(token)
    if is_path(token):
        return files_of(token)
    word = seen and low.isalnum() and (token.of("twofold") or not (token.action or token.of("adding")))
    if (low in _LISTS["vague"] and link != "from") or not (word or token.code or token.of("places")):
        return ()
    return [f"l{each}" for each in _PLACE_NAMES.get(low, (stem(low) if low.isalnum() else low,))]


def stem(word: str) -> str:
    """The word without its plural ending."""
    word = "".join(char for char in word if char.isalnum()) or word
    for ending in ("sses", "ies", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("ss"):
            return word[: -len(ending)] if ending != "es" or word[-3] in "sxzh" else word[:-1]
    return word


def plain_words(tokens: Iterable[ActWord]) -> list[str]:
    """The words of a phrase that say what it is about, stemmed."""
    return [stem(token.low) for token in tokens if not token.code and not token.of("vague") and token.low.isalpha()]


def is_common(word: str) -> bool:
    """True for a word that stands in any project's code."""
    return word in _LISTS["common"] or f"{word}s" in _LISTS["common"] or len(word) < 3


def is_ordinary(token: ActWord) -> bool:
    """True for a program or library with the name of an ordinary word."""
    return token.low in _LISTS["ordinary"] or is_common(token.low) or token.low.endswith(_ABSTRACT)


def is_tool(token: ActWord, *, alone: bool = False) -> bool:
    """True for the name of a known program or library; one that is an ordinary word too where it stands `alone`."""
    known = token.low in _TOOLS or token.text in _TOOLS
    return known and (token.code or alone or token.low not in _LISTS["ordinary"])


def is_branch(token: ActWord) -> bool:
    """True for the usual name of a branch."""
    return token.low in _LISTS["branches"] or "release/" in token.low


def branches_of(token: ActWord) -> list[str]:
    """The conditions of a branch that is named."""
    if token.low in {"main", "master"}:
        return ["bmain", "bmaster"]
    return ["brelease", "brelease/*"] if token.low == "release" else [f"b{token.low}"]


def is_extension(token: ActWord) -> bool:
    """True for the ending of a sort of file, such as `wav`, that is no program."""
    return token.low in _LISTS["extensions"] and token.low not in _TOOLS


def concept(tokens: Sequence[ActWord]) -> tuple[str, ...]:
    """The code that a phrase at the beginning stands for: "print statements", "bare except"; () for none."""
    end = next((at for at, token in enumerate(tokens) if at and token.of("links")), len(tokens))
    words = [token.low for token in tokens[:end]]
    starts = range(len(words)) if words[-1:] != ["any"] or words[:-1] == ["use"] else range(1)
    return next((found for at in starts if (found := word_table(__name__, "texts").get(" ".join(words[at:])))), ())


def phrase_table(name: str, tokens: Sequence[ActWord]) -> tuple[str, ...]:
    """The entry of a table of `words.toml` for a phrase or the first of its words that has one; () for none."""
    words = [token.low for token in tokens]
    spans = [" ".join(words[at : at + length]) for length in (3, 2, 1) for at in range(len(words) - length + 1)]
    return next((found for span in spans if (found := word_table(__name__, name).get(span))), ())


def siblings(word: str) -> list[str]:
    """The programs that do what this one does, in whose place it is used."""
    families = (line.split() for line in texts(__name__)["families"].strip().splitlines())
    return [each for names in families if word.lower() in names for each in names if each != word.lower()]
