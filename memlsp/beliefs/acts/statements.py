"""Reads a statement into clauses: the acts before which it is told.

Only what a statement rules out meets an act, and what it wants done before another act. What it allows ("use X")
exempts. A sentence that names nothing of which an act can be recognised gives no clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from attrs import evolve

from memlsp.beliefs.acts import bans, phrases
from memlsp.beliefs.acts.bans import CLASSES, Ban, files_among, is_named
from memlsp.beliefs.acts.clause import EDIT, RUN, USE, ActClause
from memlsp.beliefs.acts.commands import tables
from memlsp.beliefs.acts.phrases import ActPhrase, ActWord, Spans
from memlsp.beliefs.acts.word_questions import (
    allowed_by,
    any_of,
    by_class,
    commands_named,
    earlier,
    exempts_of,
    folders,
    has_command,
    is_bare_class,
    is_noun,
    is_of_pronoun,
    is_passive,
    is_placed,
    is_reason,
    is_replaceable,
    is_shouted,
    is_unclear,
    listed,
    one,
    says_more,
    verb_stands_before,
    without_ands,
    without_noun_of_verb,
    without_unknown_verb,
)
from memlsp.code.vocabulary import patterns, word_sets

VERSION = "10"
"""Moves when other clauses are read from the same text: kept ones are then read again."""

MOST_CLAUSES = 12
_LONGEST = 1_200
_LONGEST_FORMAT = 8  # words of a part that gives a format
_RE = patterns(__name__)
_WANTING = frozenset({"build", "test", "install", "start", "publish"})  # classes of which an option may be wanted
_LITERALS = [f"t{before}{quote}" for before in ("= ", "=", ": ", ":") for quote in "\"'`"]
_CHOOSING = frozenset({"prefer", "use", "choose", "favor", "favour"})
_Words = Sequence[ActWord]
_WORDS = word_sets(__name__)


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
    """Reads one statement. What a sentence speaks of (`topic`) and wants (`wanted`: scripts, `allowed`: code) is kept
    for its later parts, since they go on from there: "deploys go to A, not B"."""

    def __init__(self, text: str, pattern: str) -> None:
        self._text = text.replace("\u2019", "'").replace("``", "`").replace("\0", " ")
        self._spans = Spans(self._text)
        self._pattern = pattern
        self._known: dict[str, list[ActWord]] = {}
        self._wanted: list[str] = []
        self._allowed: list[str] = []
        self._excused: list[str] = []
        self._topic: _Words = ()
        self._aside: _Words = ()

    def read(self) -> Iterator[ActClause]:
        """The clauses of the statement."""
        text = _RE["excepting"].sub("except", self._spans.text)
        text = _RE["under"].sub(" or ", text)
        text = text.replace(": ", ", ").replace(", nowhere else", " only").replace("check in ", "commit ")
        for found in _RE["reserved"].finditer(text):  # "only the lead may push"
            if ActWord(found["verb"]).action in _WORDS["releasing"]:
                text = text.replace(found["who"], "never ")
        if _RE["conventional"].search(text):
            yield ActClause(RUN, ["@commit"], [["m"]])
        for sentence in _RE["sentence"].split(text):
            if sentence and sentence.strip():
                self._aside = [token for each in _RE["aside"].finditer(sentence) for token in self._tokens(each[1])]
                yield from self._sentence(
                    _RE["aside"].sub(" ", sentence).strip(" ,.").removeprefix("* ").lstrip(), sentence
                )

    def _tokens(self, text: str) -> list[ActWord]:
        if text not in self._known:
            self._known[text] = self._spans.tokens(text)
        return self._known[text]

    def _ruled_out(self, deed: ActPhrase, sort: str = bans.ORDER, exempts: Sequence[str] = ()) -> Iterator[ActClause]:
        deed = by_class(deed) if deed.action in {"run", "apply"} else deed  # "don't run migrations"
        aside = [each for each in self._aside if each.code and set("._(") & set(each.text) and sort != bans.FACT]
        if aside and deed.action not in CLASSES and not is_named(deed.objects) and not files_among(deed.objects):
            deed = evolve(deed, action="use", objects=tuple(aside))  # "never check keys (Input.IsPressed)"
        said = [each.text.rstrip(")").lower() for each in deed.objects]
        inside = [
            f"t{each}" for each in self._allowed if any(name in each.lower().rstrip(")") != name for name in said)
        ]
        own = files_among(deed.objects)
        inside += [each for each in self._excused if each not in own]
        yield from Ban(deed, [*exempts, *inside], sort, self._pattern, self._aside).clauses()

    def _sentence(self, sentence: str, whole: str) -> Iterator[ActClause]:
        found = _RE["before"].search(sentence)
        if clauses := list(self._before(found)) if found is not None else []:
            yield from clauses
            return
        parts = self._parts(sentence)
        said_aside = [each[1] for each in _RE["aside"].finditer(whole)]
        self._excused = [each for part in (*parts, *said_aside) for each in self._places_excused(part)]
        said = [part for part in parts if not (_RE["no"].search(part) or _RE["over"].match(part))]
        wanted = [token for part in said for token in self._tokens(part) if token.code]
        self._allowed = [token.text for token in wanted]
        files = files_among(wanted)
        self._wanted = [f"x{each[1:]}" for each in files]
        self._excused += [each for each in files if not each.endswith("/")]  # "settings.py reads it"
        for part in parts:
            yield from self._part(part)

    def _places_excused(self, part: str) -> list[str]:
        """The conditions of places for which a part makes an exception: "scripts/ is fine"."""
        found = _RE["excused"].match(part)
        tokens = [each for each in self._tokens(one(found, "where")) if not each.of("stops")] if found else []
        known = [each for each in tokens if phrases.is_path(each) or each.of("kinds", "spots")]
        if not known or not all(each in known or (each.code and each.low.isalnum()) for each in tokens):
            return []
        return [
            condition
            for each in tokens
            for condition in (phrases.files_of(each) if phrases.is_path(each) else (f"n{phrases.stem(each.low)}",))
        ]

    def _parts(self, sentence: str) -> list[str]:
        """The parts of a sentence; names that stand alone between commas belong to what stands beside them."""
        parts: list[str] = []
        bare = False
        for each in (part.strip() for part in _RE["part"].split(sentence) if part and part.strip()):
            tokens = without_ands(self._tokens(each))
            alone = 1 <= len(tokens) <= 2 and all(is_named([token]) for token in tokens)
            denies = parts and (_RE["no"].search(parts[-1]) or _RE["slot"].search(parts[-1]))
            listed = bare and (alone or (is_named(tokens[:1]) and _RE["list"].search(each) is not None))
            if parts and (listed or (alone and denies and is_named(self._tokens(parts[-1])[-1:]))):
                parts[-1] += f" and {each}"
            else:
                parts.append(each)
            bare = alone and _RE["no"].search(parts[-1]) is None
        return parts

    def _part(self, whole: str) -> Iterator[ActClause]:
        slot = _RE["slot"].search(whole)
        if clauses := list(self._slot(slot)) if slot is not None else []:
            yield from clauses
            return
        part = _RE["rest"].split(whole)[0]
        no, ungit, over = _RE["no"].search(part), _RE["ungit"].search(part), _RE["over"].match(whole)
        if ungit is not None:
            yield from self._over(self._said(one(ungit, "no")), "commit")
        elif over is not None and self._is_over(over, no):
            yield from self._is_told_over(over)
        elif no is not None:
            first = self._tokens(no["no"])[:1]
            if not any_of(first, "unruled") or any_of(first, "imports"):
                yield from self._denied(part[: no.start()], no)
        elif _RE["bare"].search(part) and self._topic:
            yield from self._over(phrases.subject_of(self._topic) or self._topic, "")
        else:
            yield from self._wished(part, whole)

    def _is_over(self, over: re.Match[str], no: re.Match[str] | None) -> bool:
        """True where a part tells that something is over, and denies nothing before it says so."""
        if no is None:
            return True
        said = not all(each.of("stops") for each in self._tokens(one(over, "no")))
        return said and no.start() >= over.end(over.re.groupindex["no1"]) > 0

    def _is_told_over(self, over: re.Match[str]) -> Iterator[ActClause]:
        how = one(over, "how")
        done = [each for each in self._tokens(how)[:1] if each.action and " by " in how]
        action = "edit" if _RE["kept"].search(how) else ""
        yield from self._over([*self._said(one(over, "no")), *done], action, over["rest"] or "")

    def _wished(self, part: str, whole: str) -> Iterator[ActClause]:
        """Clauses of what a part wants, which denies nothing."""
        tokens = self._tokens(part)
        clauses = self._reserved(tokens) or list(self._only(_RE["only"].search(whole)))
        prefer = _RE["prefer"].search(part)
        if not clauses and prefer is not None:
            clauses = [ActClause(RUN, [each]) for each in phrases.siblings(one(prefer, "yes"))]
        yield from clauses or self._formats(tokens) or self._required(part)

    def _reserved(self, tokens: _Words) -> list[ActClause]:
        """Clauses of "only maintainers merge"."""
        verbs = [at for at, each in enumerate(tokens[:4]) if each.action in CLASSES]
        who = tokens[1 : verbs[0]] if verbs else ()
        if not who or not any_of(tokens[:1], "only") or is_named(who) or any_of(who, "links"):
            return []
        return list(self._ruled_out(phrases.phrase_of(tokens[verbs[0] :])))

    def _said(self, text: str) -> _Words:
        """The words of a subject, which a pronoun may stand for."""
        tokens = self._tokens(text)
        self._topic = [] if any_of(tokens, "pronouns") and len(tokens) == 1 else tokens or self._topic
        return self._topic

    def _slot(self, found: re.Match[str]) -> Iterator[ActClause]:
        """Clauses of what something else is used in the place of: "X over Y", "from Y to X". Where that may mean
        something else one of them has to be a name."""
        yes, sure = self._tokens(one(found, "yes")), one(found, "no")
        last = yes[-1:]
        if not sure and last and not is_named(last) and (last[0].action or last[0].of("auxiliaries", "unsure")):
            return
        led = is_named(yes) or any(each.low in _CHOOSING for each in yes[:1])
        likely = led or found["yes9"] or (len(yes) == 1 and not found["maybe3"])
        for text in _RE["list"].split(sure or one(found, "maybe")):
            yield from self._replaced(self._tokens(text), yes, sure=bool(sure), likely=bool(likely))

    def _replaced(self, tokens: _Words, yes: _Words, *, sure: bool, likely: bool) -> Iterator[ActClause]:
        """Clauses of one thing in whose place `yes` is used."""
        deed = phrases.phrase_of(tokens)
        names = deed.objects
        if phrases.concept(tokens):  # "named exports over default exports"
            yield from self._ruled_out(ActPhrase("use", tuple(tokens)), bans.SLOT)
        elif not names and deed.action in CLASSES and sure:
            yield from self._ruled_out(deed)
        elif is_replaceable(names):
            known = names[0].code or phrases.is_tool(names[0], alone=True)
            if sure or known or (len(names) == 1 and likely):
                self._allowed += [token.text for token in yes if token.code]
                exempts = [f"x{each[1:]}" for each in files_among(yes)]
                yield from self._ruled_out(evolve(deed, action="use"), bans.SLOT, exempts)

    def _over(self, tokens: _Words, action: str, rest: str = "") -> Iterator[ActClause]:
        """Clauses about what is over, protected or for others to do: files, a program, a class of commands, a place."""
        if groups := listed(tokens):
            yield from (clause for group in groups for clause in self._over(group, action, rest))
            return
        paths = [*tokens, *(token for token in self._aside if phrases.is_path(token))]
        if action == "commit" or _RE["versioned"].search(rest):
            yield _kept_out_of_git(tokens, files_among(paths, secrets=True))
            return
        rest = _RE["favour"].split(rest)[0]
        files = files_among(paths) or (folders(tokens, phrases.phrase_of(tokens)) if action == "edit" else [])
        deed = self._ended(tokens, rest)
        if files and not says_more(tokens, deed):
            yield from self._files_over(files, is_edit=bool(action))
            return
        hosts, _ = phrases.place_needs([("on", tokens)], branches=True)
        if action and hosts and not is_named(tokens[:1]):
            yield ActClause(RUN, bans.CHANGING, hosts)
        elif deed.action in CLASSES or is_named(tokens) or not (action or is_noun(tokens)):
            yield from self._left_to_others(deed, action, rest)

    def _files_over(self, files: Sequence[str], *, is_edit: bool) -> Iterator[ActClause]:
        """Clauses about files that are protected (`is_edit`) or are used no more."""
        yield ActClause(EDIT, (), [files, [] if is_edit else ["k"]], self._wanted)
        if not is_edit:
            yield ActClause(RUN, ["*"], [[f"x{each[1:]}" for each in files]])

    def _ended(self, tokens: _Words, rest: str) -> ActPhrase:
        """What is over, with the places that the rest of the part names."""
        deed = by_class(phrases.phrase_of(tokens))  # "release tags"
        deed = evolve(deed, places=(*deed.places, *phrases.phrase_of(self._tokens(rest), verbs=False).places))
        if any(phrases.is_tool(each) for each in deed.objects):
            return deed
        places = [("in" if link == "for" else link, group) for link, group in deed.places]
        return evolve(deed, places=places)  # "float64 for amounts is a bug"

    def _left_to_others(self, deed: ActPhrase, action: str, rest: str) -> Iterator[ActClause]:
        sort = bans.ORDER if deed.action in CLASSES else bans.HINT if len(deed.objects) == 1 else bans.NOUN
        for each in self._ruled_out(deed, sort, [*self._wanted, *self._conditions(rest, outside=True)]):
            named = each.doing == USE and not deed.places and each.needs[0][0][0] == "u"
            if not action or each.doing == RUN or named:
                yield each
            elif each.doing == USE and deed.places:  # "kubectl on prod is read only": it may look
                yield ActClause(RUN, [each.needs[0][0][1:]], each.needs[1:], each.exempts)

    def _denied(self, before: str, no: re.Match[str]) -> Iterator[ActClause]:
        sign, after = no[0][: no.start("no") - no.start()], _RE["relative"].split(no["no"])[0]
        sort = bans.NOUN if _RE["nominal"].match(sign) else bans.FACT if no["fact"] else bans.ORDER
        if _is_told_on_the_way(before, after, sort):
            return
        if (apart := self._apart(no[0], before, after)) is not None:
            yield from apart
            return
        front, behind, exempts = self._sides(before, after, is_noun=sort == bans.NOUN)
        alone = phrases.phrase_of(behind)
        topic = phrases.subject_of(front or self._topic)
        if front or not self._topic:
            self._topic = front or alone.objects
        if not (alone.action or alone.objects or front or phrases.concept(behind)):
            yield from self._elsewhere(alone, topic, sort, exempts)
            return
        if not front and self._topic and _RE["contrast"].match(sign):
            sort = bans.HINT  # "ruff format, not black"
            if self._is_another_sense(alone):
                return
        behind = without_unknown_verb(behind) if _RE["verbal"].match(sign) else behind
        deed = self._deed(front, behind, topic)
        if deed is not None and not _only_reports(deed, front, sort):
            yield from self._each_verb(deed, after, sort, exempts)

    def _is_another_sense(self, deed: ActPhrase) -> bool:
        """True for "they are local notifications, not push"."""
        return is_bare_class(deed) and phrases.phrase_of(self._topic).action not in CLASSES

    def _sides(self, before: str, after: str, *, is_noun: bool) -> tuple[_Words, _Words, list[str]]:
        """The words before a denial and behind it, and what exempts from it."""
        front = [each for each in self._tokens(before) if not each.of("thus")]
        behind, exempts = self._unless(after)
        if verb_stands_before(before, front, behind):
            front, behind = [], [*front, *behind]  # "committe nie X"
        return front, without_noun_of_verb(behind) if is_noun else behind, exempts

    def _hardcoded(self, hard: re.Match[str]) -> list[ActClause]:
        """The clauses of "no hardcoded passwords"."""
        words = phrases.plain_words(self._tokens(hard["what"]))
        return [ActClause(EDIT, (), [*([f"w{each}"] for each in words[-2:]), _LITERALS])] if words else []

    def _unless(self, after: str) -> tuple[_Words, list[str]]:
        """The words of a denial without its condition, and what exempts from it."""
        behind, conditional = self._tokens(after), _RE["conditional"].search(after)
        if conditional is None or phrases.concept(behind):
            return behind, [*self._wanted]
        return self._tokens(after[: conditional.start()]), [*self._wanted, *self._conditions(conditional[0])]

    def _each_verb(self, deed: ActPhrase, after: str, sort: str, exempts: Sequence[str]) -> Iterator[ActClause]:
        """Clauses of a deed, of both verbs of "no commits or pushes"."""
        both = _RE["both"].match(after)
        verbs = [ActWord(each).action for each in both.groups()] if both is not None else []
        if both is not None and all(verbs):
            deed = evolve(deed, objects=tuple(each for each in deed.objects if each.text != both[2]))
        for verb in verbs if verbs and all(verbs) else [deed.action]:
            yield from self._ruled_out(evolve(deed, action=verb), sort, exempts)

    def _apart(self, denial: str, before: str, after: str) -> list[ActClause] | None:
        """The clauses of a denial about values in code, commit messages, a program that is run bare, or imports; None
        for any other."""
        hard = _RE["hardcoded"].search(denial)
        if hard is not None and not phrases.concept(self._tokens(hard[0])):
            return self._hardcoded(hard)
        message = _RE["message"].search(after) or _RE["draft"].match(after)
        if message is not None:
            return self._messages(self._tokens(after[: message.start()] or message[1]))
        tokens = self._tokens(after)
        said = [each.low for each in tokens if not each.of("stops")]
        if self._allowed and len(said) == 1 and said[0] in _WORDS["general"]:  # "uv run python, never python directly"
            return [ActClause(RUN, said, (), [f"c{each}" for each in self._allowed])]
        layer = self._layer(self._tokens(before), after) if any_of(tokens[:1], "imports") else None
        return None if layer is None else [layer]

    def _messages(self, tokens: _Words) -> list[ActClause]:
        """Clauses of what no commit message may say: names, and emojis."""
        said = [each.low.rstrip("s") if each.low in {"emoji", "emojis"} else each.low for each in tokens]
        known = {"emoji", *_WORDS["drafts"]}
        proper = [each.code or any(map(str.isupper, each.text)) for each in tokens]
        found = [f"m{low}" for low, is_proper in zip(said, proper, strict=True) if low in known or is_proper]
        return [ActClause(RUN, ["@commit"], [found])] if found else []

    def _layer(self, front: _Words, after: str) -> ActClause | None:
        """The clause of "packages never import from apps": A that imports B."""
        deed = phrases.phrase_of(self._tokens(after)[1:], verbs=False)
        named = [*deed.objects, *(token for link, tokens in deed.places for token in tokens if link in {"from", "on"})]
        named = [token for token in named if not token.of("layers")]
        inside = [token for link, tokens in deed.places for token in tokens if link in {"in", "inside", "within"}]
        where = phrases.subject_of(front) or inside
        what = named[0].low.strip("/").rpartition("/")[2] if len(named) == 1 and not any_of(named, "pronouns") else ""
        if not what.isidentifier() or len(where) > 1:
            return None
        places = [phrases.files_of(each) if phrases.is_path(each) else [f"n{phrases.stem(each.low)}"] for each in where]
        return ActClause(USE, ["*"], [[f"i{what}"], *places])

    def _deed(self, front: _Words, behind: _Words, topic: _Words) -> ActPhrase | None:
        """What is denied by the words `behind` the denial, with what stands before it; None where nobody knows."""
        alone = phrases.phrase_of(behind)
        passive = is_passive(behind, alone)
        if passive and not topic:
            return self._without_subject(alone)
        places = self._places(front, behind, alone)
        if phrases.concept(behind):
            return ActPhrase("use", tuple(behind), (*alone.places, *places, *self._subject_of_concept(front)))
        pronoun = any_of(behind, "pronouns")
        named = [token for token in topic if is_named([token]) or phrases.is_branch(token)]
        if not named and is_of_pronoun(behind, alone):
            return None  # "don't kill it"
        if not front and alone.action in CLASSES and not passive:
            topic = named if pronoun else ()  # "rebase, don't merge"
        deed = phrases.phrase_of(behind, topic) if behind else ActPhrase()
        deed = evolve(deed, objects=tuple(topic)) if passive and alone.objects else deed
        if front and not alone.objects and is_unclear(deed):
            return None
        if is_shouted(deed.objects):
            places = [("in", tuple(topic))]  # "append only, no UPDATE"
        return evolve(deed, places=(*deed.places, *places))

    def _without_subject(self, deed: ActPhrase) -> ActPhrase | None:
        """The deed of "nach main wird nie gepusht", where it is denied; None where nobody knows."""
        places = phrases.phrase_of(self._topic).places
        return ActPhrase(deed.action, (), places) if places else None

    def _subject_of_concept(self, front: _Words) -> list[tuple[str, tuple[ActWord, ...]]]:
        """The place that "prices are integers, never floats" speaks of."""
        if front or not any_of(self._topic, "auxiliaries"):
            return []
        about = [*phrases.subject_of(self._topic), *self._aside]
        return [("in", tuple(each for each in about if not each.code))]

    def _places(self, front: _Words, behind: _Words, alone: ActPhrase) -> list[tuple[str, tuple[ActWord, ...]]]:
        """Where it is denied: "there", the subject of "tests must not sleep", and what stands before."""
        subject = phrases.subject_of(front)
        places = [("on", tuple(phrases.subject_of(self._topic)))] if any_of(behind[-1:], "there") else []
        if len(subject) == 1 and any_of(subject, "kinds") and behind:
            places.append(("in", tuple(subject)))
        return [*places, *phrases.phrase_of(front, verbs=False).places] if front and alone.objects else places

    def _elsewhere(self, deed: ActPhrase, topic: _Words, sort: str, exempts: Sequence[str]) -> Iterator[ActClause]:
        """Clauses of "not by hand", "not with fastlane", "not into git"."""
        placed = [token for _, tokens in deed.places for token in tokens]
        action = phrases.phrase_of(phrases.subject_of(self._topic)).action
        if any(token.low in bans.VERSION_CONTROL for token in placed):
            yield from self._over(topic, "commit")
        elif placed and deed.places[0][0] in bans.WITH:
            for token in placed if is_named(placed) else ():
                if token.low in _WORDS["general"] and action in CLASSES:  # tests "not with php"
                    yield ActClause(RUN, [token.low], [[f"w{action}"]], exempts)
                else:
                    yield from self._ruled_out(ActPhrase("", (token,)), bans.FACT, exempts)
        elif files := files_among(placed):
            yield ActClause(EDIT, (), [files], exempts)
        elif topic and phrases.phrase_of(topic).action not in CLASSES and not placed:
            yield from self._over(topic, "edit")
        else:
            deed = evolve(deed, action=action if action in CLASSES else "")
            yield from self._ruled_out(deed, sort, exempts)

    def _only(self, found: re.Match[str] | None) -> Iterator[ActClause]:
        """Clauses of "A only in B": A where nothing says B."""
        tokens = self._tokens(one(found, "no")) if found is not None else []
        if found is None or all(token.of("persons") for token in tokens):
            return
        where = phrases.phrase_of(self._tokens(one(found, "yes")))
        deed = phrases.phrase_of(tokens)
        named = [token for token in tokens if is_named([token])]
        files = files_among(named or ([*phrases.subject_of(tokens), *self._aside] if not deed.action else ()))
        if is_reason(where):
            mine = _RE["asking"].search(one(found, "yes")) or any_of(allowed_by(where), "mine")
            if files:
                yield ActClause(EDIT, (), [files])
            elif mine and (named or deed.action in CLASSES):  # "only with a reason" says nothing, "with my ok" asks
                yield from self._ruled_out(deed)
        elif not found["yes5"] or (self._is_always(deed, named) and is_named(allowed_by(where))):
            yield from self._only_where(tokens, deed, files, where)  # not "run postgres in docker"

    def _is_always(self, deed: ActPhrase, named: _Words) -> bool:
        """True where something is to be done in one way each time, not where somebody may do it."""
        tool = any(words == [each.low] for each in named for words, _ in tables().by_program.get(each.low, ()))
        return tool or deed.action in CLASSES or _RE["always"].search(self._text) is not None

    def _only_where(
        self, tokens: _Words, deed: ActPhrase, files: Sequence[str], where: ActPhrase
    ) -> Iterator[ActClause]:
        allowed, exempts = allowed_by(where), exempts_of(allowed_by(where))
        named = tuple(token for token in tokens if is_named([token]))
        if text := files or phrases.concept(tokens):
            yield ActClause(EDIT, (), [text], [each for each in exempts if each[0] in "px"] if files else exempts)
        elif deed.action in CLASSES and not named and not is_placed(where):
            return  # "commits only on branches"
        elif named or is_bare_class(deed):
            yield from self._ruled_out(ActPhrase("", named, deed.places) if named else deed, bans.ORDER, exempts)
        elif len(tokens) == 1 and phrases.plain_words(tokens) and not phrases.is_branch(tokens[0]):
            yield ActClause(RUN, ["*"], [[f"w{tokens[0].low}"]], exempts)
            if files_among(allowed):  # "print is allowed in scripts/ only"
                yield from self._ruled_out(ActPhrase("use", tuple(tokens)), bans.NOUN, exempts)

    def _formats(self, tokens: _Words) -> list[ActClause]:
        """Clauses of "images only as webp": files of that kind in another format."""
        kinds = phrases.phrase_table("formats", tokens[:2])
        found = {token.low.lstrip(".") for token in tokens} & set(kinds)
        if not found or len(tokens) > _LONGEST_FORMAT:
            return []
        return [ActClause(EDIT, (), [[f"p*.{each}" for each in kinds if each not in found], ["k"]])]

    def _required(self, part: str) -> Iterator[ActClause]:
        """Clauses of "always merge with --no-ff": the act without that option. Keeps what the part speaks of."""
        tokens = self._topic = [*self._tokens(part), *self._aside]
        flags = [f"f{token.text}" for token in tokens if token.text.startswith("-") and len(token.text) > 1]
        if not flags or not _RE["wanting"].search(self._text):
            return
        action = phrases.phrase_of(tokens).action
        actions = [each.action for each in tokens if each.action in CLASSES]
        action = action if action in CLASSES else actions[0] if len(actions) == 1 else ""  # "sign your commits"
        written = [token.text for token in tokens if phrases.is_command(token)]
        commands = written or commands_named(tokens, _WANTING if not action else ())
        if commands or action:
            yield ActClause(RUN, commands or [f"@{action}"], (), flags)

    def _conditions(self, text: str, *, outside: bool = False) -> list[str]:
        """What exempts an act: a command before it, an option or name in it, a place in which it is allowed; of a place
        alone what stands `outside` others."""
        tokens = self._tokens(text)
        apart, lacking = any_of(tokens[:1], "outside"), any_of(tokens[:1], "lacking")
        found = [f"c@{each}" for each in sorted({token.action for token in tokens} & CLASSES)]
        for token in tokens if apart or not outside else ():
            if phrases.is_command(token) or phrases.is_tool(token):
                found.append(f"c{' '.join(token.text.split()[:3])}")
            elif token.text.startswith("-"):
                found.append(f"f{token.text}")
            elif phrases.is_path(token):
                found += phrases.files_of(token)
            elif (apart or lacking) and (not token.code or token.low.isalnum()) and not token.of("links", "stops"):
                found.append(f"{'n' if apart else 'l'}{phrases.stem(token.low)}")
        return found

    def _before(self, found: re.Match[str]) -> Iterator[ActClause]:
        """Clauses of "before A do B": A where B did not run earlier."""
        denied = _RE["no"].search(found["do2"] or "")
        if denied is None and not self._demands(found["do2"] or ""):
            return  # "there can be calls before it"
        act, _, rest = _RE["supposed"].split(one(found, "no"))[0].partition(",")
        said = one(found, "do").strip() or rest
        tokens, behind = self._tokens(act), self._tokens(said)
        if denied is not None:  # "never deploy before the tests"
            tokens, behind = self._tokens(denied["no"]), tokens
        if found["no2"] and not (_is_first(found, tokens) or _RE["asking"].search(said) or has_command(behind)):
            return
        asked = [at for at, each in enumerate(tokens) if at and (phrases.is_command(each) or each.of("asking"))]
        if asked and said == rest:  # "before opening a PR run `just ci`"
            tokens, behind = tokens[: asked[0]], tokens[asked[0] :]
        elif not said and tokens and tokens[0].action in CLASSES:  # "vor jedem Push die Tests"
            tokens, behind = tokens[:1], tokens[1:]
        yield from self._unprepared(tokens, behind, passive=_RE["passive"].search(said) is not None)

    def _demands(self, led: str) -> bool:
        """True where what leads "before" can be asked for."""
        tokens = self._tokens(led)
        if len(tokens) < 3 and not any_of(tokens, "auxiliaries"):
            return True
        named = is_named(tokens[:1]) or any(each.action for each in tokens[:2])
        return named or _RE["demanding"].search(led) is not None

    def _unprepared(self, tokens: _Words, behind: _Words, *, passive: bool) -> Iterator[ActClause]:
        """Clauses of the act of `tokens` where what `behind` asks for did not run earlier."""
        exempts = earlier(behind)
        deed = phrases.phrase_of(tokens)
        if deed.action and not deed.objects and (passive or any_of(tokens, "pronouns")):
            deed = phrases.phrase_of(tokens, phrases.subject_of(behind))
        if any_of(tokens, "adding") and deed.action in {"", "use", "update"}:
            deed = evolve(deed, action="install")
        actions = [token.action for token in tokens if token.action in CLASSES]
        if _RE["opening"].search(" ".join(token.low for token in tokens)):
            yield ActClause(RUN, ["@open-pr"], (), exempts)
        elif deed.action or is_named(deed.objects):
            yield from self._ruled_out(deed, bans.ORDER, exempts)
        elif actions:
            yield ActClause(RUN, [f"@{actions[0]}"], (), exempts)


def _is_first(found: re.Match[str], tokens: _Words) -> bool:
    """True for "deploys need the tests first"."""
    return _RE["first"].search(found[0]) is not None and phrases.phrase_of(tokens).action in CLASSES


def _is_told_on_the_way(before: str, after: str, sort: str) -> bool:
    """True for "stop and ask" and "raises if it is not found"."""
    return bool(_RE["conjunction"].match(after) or (sort == bans.FACT and _RE["supposed"].search(before)))


def _only_reports(deed: ActPhrase, front: _Words, sort: str) -> bool:
    """True for "it is not available", which rules nothing out."""
    reports = sort == bans.FACT or any_of(front[-1:], "auxiliaries")
    return reports and not deed.action and not is_named(deed.objects)


def _kept_out_of_git(tokens: _Words, files: Sequence[str]) -> ActClause:
    words = [[f"l{each}"] for each in phrases.plain_words(tokens[-1:])]
    return ActClause(RUN, ["@commit", "@stage"], [files] if files else words or [["-"]])
