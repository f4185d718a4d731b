"""Questions about the words of a part of a statement: what they say together, and which of them count."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import pairwise

from attrs import evolve

from memlsp.beliefs.acts import phrases
from memlsp.beliefs.acts.bans import CLASSES, WITH, files_among, is_named
from memlsp.beliefs.acts.commands import tables
from memlsp.beliefs.acts.phrases import ActPhrase, ActWord
from memlsp.code.vocabulary import patterns, word_sets

_RE = patterns(__name__)
_WORDS = word_sets(__name__)
_Words = Sequence[ActWord]


def earlier(behind: _Words) -> list[str]:
    """The conditions that one of the commands and actions of these words ran earlier."""
    commands = [token for token in behind if phrases.is_command(token) or phrases.is_tool(token, alone=True)]
    objects = phrases.phrase_of(behind).objects
    if not commands and 1 <= len(objects) <= 2 and len(behind) < 4 and not any_of(behind, "auxiliaries"):
        commands = [ActWord(" ".join(each.text for each in objects))]  # "twister before", "dvc push before"
    found = [f"c{' '.join(each for each in token.text.split() if each[0] not in '<$')}" for token in commands]
    found += [f"c@{each}" for each in sorted({token.action for token in behind} & CLASSES)]
    return [*found, *phrases.phrase_table("flags", behind)[1:]]


def is_passive(behind: _Words, deed: ActPhrase) -> bool:
    """True for "not renamed or removed"."""
    idle = bool(behind) and all(each.action for each in deed.objects)
    return idle and _RE["participle"].search(behind[-1].low) is not None


def by_class(deed: ActPhrase) -> ActPhrase:
    """The deed, by the class of commands that its last object names: "run migrations"."""
    classes = [each for each in deed.objects if each.action in CLASSES]
    if not classes:
        return deed
    objects = tuple(each for each in deed.objects if each is not classes[-1])
    return evolve(deed, action=classes[-1].action, objects=objects)


def listed(tokens: _Words) -> list[_Words]:
    """The names of "malloc and free are out", each by itself; none where one thing is spoken of."""
    ands = [at for at, token in enumerate(tokens) if token.low in _WORDS["ands"] and not token.code]
    groups = [tokens[start + 1 : end] for start, end in pairwise([-1, *ands, len(tokens)])]
    return groups if ands and is_named(tokens) and all(len(group) < 4 for group in groups) else []


def is_noun(tokens: _Words) -> bool:
    """True for "the release notes"."""
    return bool(tokens) and tokens[0].low in _WORDS["articles"] and not tokens[-1].of("naming")


def is_replaceable(names: _Words) -> bool:
    """False for "we dropped support for", and for a pronoun."""
    if not 1 <= len(names) <= 3 or any_of(names[:1], "unruled"):
        return False
    return len(names) > 1 or not any_of(names, "pronouns")


def says_more(tokens: _Words, deed: ActPhrase) -> bool:
    """True where what is over is more than the files that are named: another name, or what is done with them."""
    placed = [each for _, group in deed.places for each in group]
    others = [
        each for each in tokens if not (each in placed or phrases.is_path(each) or each.of("stops") or each.action)
    ]
    return is_named(others) or bool(deed.action and deed.action != "edit" and others)


def without_noun_of_verb(behind: _Words) -> _Words:
    """The words of "no os.environ reads" without the last."""
    action = phrases.phrase_of(behind).action
    if action in {"", *CLASSES} or not is_named(behind[:1]):
        return behind
    return [each for each in behind if each.action != action]


def without_unknown_verb(behind: _Words) -> _Words:
    """The words of "don't open the project" without the verb that says nothing, and what belongs to it."""
    first = behind[:1]
    if is_named(first) or not phrases.plain_words(first) or phrases.concept(behind):
        return behind
    if phrases.phrase_of(behind).action or phrases.phrase_table("flags", behind):
        return behind
    if len(behind) == 1 and not _RE["participle"].search(behind[0].low):
        return behind
    return [each for each in behind if each.code]


def allowed_by(where: ActPhrase) -> list[ActWord]:
    """The words that "only in B" allows."""
    return [token for _, group in where.places for token in group] if where.places else list(where.objects)


def exempts_of(allowed: _Words) -> list[str]:
    """The conditions that the words of an allowed place exempt."""
    exempts: list[str] = []
    for token in [token for token in allowed if not token.text.startswith("-")] or allowed:
        paths = files_among([token]) if phrases.is_path(token) else []
        exempts += [*paths, *(f"x{each[1:]}" for each in paths)]
        exempts += [f"l{token.low if token.code else phrases.stem(token.low)}", f"c{token.low}"] * (not paths)
    return exempts


def any_of(tokens: _Words, *names: str) -> bool:
    """True for words of which one is in these lists of `words.toml`."""
    return any(token.of(*names) for token in tokens)


def folders(tokens: _Words, deed: ActPhrase) -> list[str]:
    """The paths of "the legacy module" and "anything under third_party"."""
    named = [each for each in tokens if not (each.of("stops") or each.of("auxiliaries"))]
    if len(named) == 2 and named[1].low in _WORDS["parts"] and phrases.plain_words(named[:1]):
        return [f"p{named[0].low}/", f"p{named[0].low}.*"]
    inside = [group[0] for link, group in deed.places if link in _WORDS["inside"] and len(group) == 1]
    return [f"p{each.text}/" for each in inside if each.text.replace("_", "").isalnum()]


def one(found: re.Match[str], name: str) -> str:
    """The group of that name, or that name with a number, that matched."""
    return next((each for key, each in found.groupdict().items() if each and key.rstrip("0123456789") == name), "")


def commands_named(tokens: _Words, wanted: Container[str]) -> list[str]:
    """The commands of "helm upgrades", and of these classes those of "cargo with --locked"."""
    named_by = tokens[1:] if tokens[0].action in {"run", "use"} else tokens
    said = {name for each in named_by for name in (each.low, each.low.removesuffix("s"))}
    found: list[str] = []
    for each in tokens:
        known = tables().by_program.get(each.low, ()) if phrases.is_tool(each) else ()
        named = [" ".join(words) for words, _ in known if len(words) > 1 and words[1] in said]
        found += named or [" ".join(words) for words, name in known if name[1:] in wanted]
    return found


def has_command(tokens: _Words) -> bool:
    """True where a command of several words is written out."""
    return any(map(phrases.is_command, tokens))


def verb_stands_before(text: str, front: _Words, behind: _Words) -> bool:
    """True for "committe nie X", where `front` are the words of `text` before the denial."""
    said = front and _RE["commanding"].match(text.strip()) and front[-1].action
    return bool(said) and not phrases.phrase_of(behind).action


def is_bare_class(deed: ActPhrase) -> bool:
    """True for a class of commands alone: "push"."""
    return deed.action in CLASSES and not deed.objects


def is_unclear(deed: ActPhrase) -> bool:
    """True where neither the verb nor a name says what is done."""
    return deed.action in {"", "use", "run", "create"} and not is_named(deed.objects)


def is_shouted(tokens: _Words) -> bool:
    """True for "UPDATE"."""
    return bool(tokens) and all(token.code and token.text.isupper() for token in tokens)


def is_placed(where: ActPhrase) -> bool:
    """True where "only in B" names a place or a means."""
    words = (*where.objects, *allowed_by(where))
    through = any(link in _WORDS["through"] for link, _ in where.places)
    return through or any(is_named([each]) or each.of("places", "branches") for each in words)


def is_reason(where: ActPhrase) -> bool:
    """True where "only with" asks for a reason or a word, not for a tool."""
    means = any(link in WITH - _WORDS["through"] for link, _ in where.places)
    return means and not is_named([*where.objects, *allowed_by(where)])


def without_ands(tokens: _Words) -> list[ActWord]:
    """The words but for those that join others."""
    return [token for token in tokens if token.low not in _WORDS["ands"]]


def is_of_pronoun(behind: _Words, deed: ActPhrase) -> bool:
    """True for the deed of "don't kill it", which has no object but the pronoun."""
    return any_of(behind, "pronouns") and (not deed.objects or any_of(deed.objects[:1], "pronouns"))
