"""The words that tell how a clause is built: verbs, auxiliaries, prepositions, and words that say nothing here."""

from __future__ import annotations

from functools import cache, lru_cache

from memlsp.beliefs.claims.stems import listed, stem
from memlsp.beliefs.contradiction.opposites import signed

DETERMINERS = listed("a an the our your their its his her this that these those my each every all any some both")
FILLERS = listed(
    """
    a an the our your their its this that these those my each every all any some both here there it they he she i we
    you us them one ones currently now still already really very just also too please simply actually exactly about
    approximately roughly ever always by-default default defaults value values set sets of and or which who so then
    else even own such same kind sort thing things way please everywhere somewhere anywhere everybody everyone nobody
    us-only project codebase team us's case cases instead again yet today hence therefore however moreover
    """
)
AUXILIARIES = listed("is are was were be been being am 's 're")
MODALS = listed("must should shall may can could will would might ought")
DO = listed("do does did")
PRONOUNS = listed("i we you they it he she this that these those who everyone everybody")
PREPOSITIONS = listed(
    """
    in on at to into onto from with without via through by as for of under over above below within inside outside
    between among during after before until till since against per around about off near behind across toward towards
    using upon throughout when if while unless where once
    """
)
LINKS = {
    "into": "in",
    "inside": "in",
    "within": "in",
    "at": "in",
    "on": "in",
    "onto": "in",
    "via": "with",
    "using": "with",
    "through": "with",
    "under": "in",
    "if": "when",
    "while": "when",
    "once": "when",
    "where": "when",
}
"""Prepositions that stand for one another here."""

TELLING_LINKS = listed("without outside between during until against after before unless above below per behind")
"""Prepositions that part two statements by themselves."""

_VERBS = """
    accept access acknowledge add aggregate allocate allow append apply approve archive assign assume attach
    authenticate avoid back batch belong block break bubble buffer build bump bypass cache call cancel catch change
    check choose clean clear close collect commit compare compile compress compute configure confirm connect contain
    convert copy count create cut decode decorate decrease default define delegate delete deliver depend deploy
    deprecate derive describe detect disable discard dispatch display divide download drop dump edit embed emit enable
    encode encrypt end enforce ensure evaluate exceed exclude execute exist expect expire export expose extend fail
    fetch filter flush follow forbid force fork format forward freeze generate get give go grant group guard handle
    hash have hold host ignore implement import improve include increase indent index inherit init initialise
    initialize inject inline insert install intercept introduce invalidate invoke iterate join keep label last leave
    lint listen live load lock log lower maintain make manage map mark match mean measure merge migrate mix mock modify
    monitor mount move mutate name need normalise normalize notify observe offer omit open optimise optimize order
    override own pack page paginate parse pass patch perform persist pick pin ping place poll populate pool post prefer
    prefix prepare preserve prevent print process produce prohibit propagate protect provide publish pull purge push
    put query queue raise range reach read rebase rebuild receive reconnect record redirect reduce refer refresh
    refund register reject release reload rely remove render rename replace replicate report represent request require
    reset resolve respond restart restore restrict retry return reuse review rewrite roll rotate round route run sample
    sanitise sanitize save scale scan schedule scrape seed select send serialise serialize serve set share shard ship
    show shut sign signal skip sleep sort spawn split squash start stay stop store stream strip submit subscribe
    supersede support suppress swallow swap switch sync synchronise synchronize tag take talk target tear terminate
    test throttle throw time track transform translate traverse treat trigger trim truncate trust try tune turn type
    understand unload unlock update upgrade upload use validate vendor verify wait want warn watch work wrap write
    yield lie sit trim come happen occur let begin become
"""
_PASTS = """
    feel:felt meet:met buy:bought teach:taught learn:learnt find:found get:got,gotten begin:began,begun tell:told
    say:said hear:heard pay:paid sell:sold spend:spent win:won lose:lost lead:led draw:drew,drawn grow:grew,grown
    speak:spoke,spoken think:thought bring:brought drive:drove,driven fall:fell,fallen
    forget:forgot,forgotten see:saw,seen
"""
_IRREGULAR = {
    **dict.fromkeys(("written", "wrote"), "write"),
    **dict.fromkeys(("kept",), "keep"),
    **dict.fromkeys(("sent",), "send"),
    **dict.fromkeys(("held",), "hold"),
    **dict.fromkeys(("built",), "build"),
    **dict.fromkeys(("ran",), "run"),
    **dict.fromkeys(("chose", "chosen"), "choose"),
    **dict.fromkeys(("threw", "thrown"), "throw"),
    **dict.fromkeys(("caught",), "catch"),
    **dict.fromkeys(("made",), "make"),
    **dict.fromkeys(("took", "taken"), "take"),
    **dict.fromkeys(("gave", "given"), "give"),
    **dict.fromkeys(("left",), "leave"),
    **dict.fromkeys(("bound",), "bind"),
    **dict.fromkeys(("froze", "frozen"), "freeze"),
    **dict.fromkeys(("meant",), "mean"),
    **dict.fromkeys(("has", "had"), "have"),
    **dict.fromkeys(("goes", "went", "gone"), "go"),
    **dict.fromkeys(("broke", "broken"), "break"),
    **{past: base for pair in _PASTS.split() for base, _, pasts in [pair.partition(":")] for past in pasts.split(",")},
}
_BASES = frozenset(_VERBS.split())
_MOSTLY_NOUNS = listed(
    """
    access back batch block branch break buffer build cache call change check commit copy count default drop dump end
    export fork format function group guard hash host import index init job key label last limit lock log map mark
    match merge mock mount name need order own pack page patch pin ping place poll pool post prefix process pull push
    query queue range record refund release report request reset result return review roll round route run sample scale
    scan schedule seed set shard share show sign signal sort split start stay stop store stream support swap switch
    sync tag target tear test throttle time track trigger trim trust try tune turn type update upgrade upload use
    vendor wait watch work wrap yield value
    """
)
_FINITE = _BASES - _MOSTLY_NOUNS

_USING = "use prefer choose adopt pick rely depend go switch stick standardise"
_NEUTRAL = "be have use do make set go get default allow need require work"
_MEASURING = (
    "raise lower increase reduce decrease change bump take last apply hold limit contain cap stay need allow mean give"
)


@cache
def using() -> frozenset[str]:
    """The verbs, as slots have them, that say that a thing is what is worked with."""
    return frozenset(signed(verb)[0] for verb in _USING.split())


@cache
def leaning() -> frozenset[str]:
    """Those of them that lead to their object with "on"."""
    return frozenset(signed(verb)[0] for verb in ("depend", "rely"))


@cache
def neutral() -> frozenset[str]:
    """The verbs that say nothing beside their object."""
    return frozenset(signed(verb)[0] for verb in _NEUTRAL.split())


@cache
def measuring() -> frozenset[str]:
    """The verbs that say nothing beside an amount."""
    return frozenset(signed(verb)[0] for verb in _MEASURING.split())


@cache
def _base_of_stem() -> dict[str, str]:
    return {stem(verb): verb for verb in _VERBS.split()}


@lru_cache(maxsize=8192)
def verb_of(word: str) -> str | None:
    """The plain form of a verb in any of its forms, None for a word that is no verb of ours."""
    base = _IRREGULAR.get(word)
    if base is not None:
        return base
    return word if word in _BASES else _base_of_stem().get(stem(word))


def is_base(word: str) -> bool:
    """True for the plain form of a verb, as an order has it."""
    return word in _BASES


def is_third_person(word: str) -> bool:
    """True for a form such as `returns`."""
    return word.endswith("s") and not word.endswith("ss") and verb_of(word) is not None


def is_participle(word: str) -> bool:
    """True for `stored` and `written`."""
    return (word.endswith("ed") and verb_of(word) is not None) or word in _IRREGULAR or word in _UNCHANGED


_UNCHANGED = listed("read put set run cut shut split")


def past_of(word: str) -> str | None:
    """The verb of what ends as a past form or is a known one, also of verbs that are not ours; None for other words."""
    if word in _IRREGULAR or word in _UNCHANGED:
        return verb_of(word)
    return (verb_of(word) or word) if word.endswith("ed") and len(word) > 3 else None


def running_of(word: str) -> str | None:
    """The same for what ends in -ing behind a form of `be`: "is running"."""
    return (verb_of(word) or word) if word.endswith("ing") and len(word) > 4 else None


def is_surely_verb(word: str) -> bool:
    """True for a plain form that is hardly ever a noun."""
    return word in _FINITE
