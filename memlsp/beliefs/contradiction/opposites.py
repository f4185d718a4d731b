"""Words that say the opposite of each other, as a concept with a sign: `disabled` is `enabled` with a minus.

So "X is disabled" and "X is not enabled" come out the same, and "X is disabled" and "X is enabled" do not. Pairs that
mostly name two things side by side (the minimum and the maximum, the first and the last, client and server) are no
opposites here.
"""

from __future__ import annotations

from functools import cache, lru_cache

from memlsp.beliefs.claims.stems import forms

# plus words | minus words; the first of all names the concept
_PAIRS = """
    enabled active activated activate enable | disabled inactive deactivated deactivate disable off
    required mandatory obligatory compulsory | optional
    synchronous sync synchronously | asynchronous async asynchronously
    sensitive | insensitive
    eager eagerly | lazy lazily
    mutable | immutable frozen
    public exported | private internal
    ascending | descending
    inclusive | exclusive
    includes include included including | excludes exclude excluded excluding omits omit omitted
    serially serial sequential sequentially | parallel concurrently concurrent
    valid | invalid
    safe | unsafe
    strict strictly | lenient leniently
    static statically | dynamic dynamically
    relative | absolute
    singular | plural
    readonly read-only | writable writeable
    temporary temporarily | permanent permanently
    manually manual | automatically automatic
    stable | unstable
    deterministic | nondeterministic random randomly
    true yes | false
    before | after
    encrypted encrypt | plaintext unencrypted
    ordered | unordered
    sorted | unsorted
    supported | unsupported
    shallow | deep
    stateless | stateful
    big-endian | little-endian
    accept accepts accepted | reject rejects rejected refuse refuses refused
    allowed allow allows permitted permit permits | forbidden forbid forbids prohibited disallowed banned
    trusted | untrusted
    blocking | nonblocking
    reversible | irreversible
    0-based zero-based 0-indexed zero-indexed | 1-based one-based 1-indexed one-indexed
    nullable | nonnull
    used | unused
    typed | untyped
    known | unknown
    reliable | unreliable
"""

_SAME_GROUPS = """
    postgres postgresql pg
    javascript js ecmascript
    typescript ts
    kubernetes k8s
    mongo mongodb
    latin1 latin-1 iso-8859-1
    utf8 utf-8
    folder directory folders directories
    repo repository repos repositories
    parameter argument arguments parameters param params arg args
    integer int integers ints
    string str strings
    boolean bool booleans
    dictionary dict dictionaries
    production prod
    development dev
    authentication auth login
    live lives lived expire expires expired expiry ttl lifetime
    check checks checked verify verifies verified validate validates validated
    maintain maintains maintained own owns owned belong belongs
    store stores stored save saves saved keep keeps kept persist persists persisted
    listen listens listening bind binds bound
    change changes changed modify modifies modified mutate mutates mutated alter alters altered
    host hosts hosted
    propagate propagates bubble bubbles
    swallow swallows swallowed suppress suppresses suppressed
    call calls called invoke invokes invoked
    install installs installed
    import imports imported
    lint lints linted linting
    format formats formatted formatting
"""


@cache
def _signed() -> dict[str, tuple[str, bool]]:
    table: dict[str, tuple[str, bool]] = {}
    for line in _PAIRS.strip().splitlines():
        plus, _, minus = line.partition("|")
        concept = plus.split()[0]
        for words, sign in ((plus, True), (minus, False)):
            table.update((word, (concept, sign)) for word in words.split())
    return table


@lru_cache(maxsize=16384)
def signed(word: str) -> tuple[str, bool]:
    """The concept that a lower-case word names, and False when it names its opposite or absence.

    `optional` is ("required", False), `non-blocking` is ("blocking", False), `retries` is ("retri", True).
    """
    table = _signed()
    if word in table:
        return table[word]
    head, dash, last = word.rpartition("-")
    if dash and head == "non":
        concept, sign = signed(last)
        return concept, not sign
    if dash and last in table:
        concept, sign = table[last]
        return f"{canonical(head)}-{concept}", sign
    return canonical(word), True


def negates(one: str, other: str) -> bool:
    """True when one lower-case word is the other with a prefix that negates: `versioned` and `unversioned`."""
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return len(shorter) > 3 and any(longer == f"{prefix}{shorter}" for prefix in ("un", "in", "im", "ir", "dis", "non"))


@lru_cache(maxsize=16384)
def canonical(word: str) -> str:
    """One stem for a lower-case word and for those that mean the same here."""
    known = _SAME.get(word)
    return known if known is not None else min(forms(word), key=lambda each: (len(each), each))


_SAME = {word: group.split()[0] for group in _SAME_GROUPS.strip().splitlines() for word in group.split()}
