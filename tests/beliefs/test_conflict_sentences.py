"""What a person reads of a contradiction is English, whatever the statements begin with."""

from __future__ import annotations

import pytest

from memlsp.beliefs.contradiction.contradiction import contradiction_between

_TOLD = [
    ("the pool is 8", "We have 12 in the pool", "pool: one says 8, the other 12"),
    ("The server listens on port 8080.", "The server listens on port 9090.", "server: one says 8080, the other 9090"),
    ("we lint with flake8", "linting: ruff", "linter: one says flake8, the other ruff"),
    ("`find_user` returns a list", "`find_user` returns a dict", "find_user: one says list, the other dict"),
    (
        "never push to main",
        "pushing to main is fine from now on",
        "one says “never push to main”, the other “pushing to main is fine from now on”",
    ),
    ("sessions: redis", "Sessions are kept in a signed cookie.", "Sessions: one says redis, the other signed cookie"),
    (
        "json keys are camelCase",
        "keys in the JSON are snake_case",
        "json keys: one says camel case, the other snake case",
    ),
    ("invites never expire", "an invitation is valid for 7 days", "invites: one says never expire, the other 7 days"),
    ("DEBUG=true", "debug is off", "debug: one says on, the other off"),
    ("Ines owns the parser", "the parser is Raj's", "parser: one says Ines, the other Raj"),
    ("there are two admins", "we have five admins", "one says “there are two admins”, the other “we have five admins”"),
    (
        "it asks at most 3 times before it ends",
        "it asks at most 5 times before it ends",
        "one says “it asks at most 3 times before it ends”, the other “it asks at most 5 times before it ends”",
    ),
    ("Java 17", "we compile for java 21", "one says “Java 17”, the other “we compile for java 21”"),
    (
        "build, then test",
        "tests run before the build",
        "one says “build, then test”, the other “tests run before the build”",
    ),
    (
        "webpack is out, vite is in",
        "Webpack builds the bundle",
        "one says “webpack is out, vite is in”, the other “Webpack builds the bundle”",
    ),
    (
        "prod has two regions",
        "production is in one region only",
        "one says “prod has two regions”, the other “production is in one region only”",
    ),
    (
        "we deploy with helm onto the k8s cluster",
        "Deploying is a `docker compose up` over ssh, there is no Kubernetes.",
        "cluster: one says helm, the other docker compose",
    ),
    (
        "This swallows network errors.",
        "Network errors are re-raised here.",
        "network errors: one says swallows, the other re-raised",
    ),
    (
        "all timestamps are stored in UTC",
        "we store timestamps as Europe/Berlin local time",
        "timestamps: one says UTC, the other Europe/Berlin local time",
    ),
    (
        "users can delete their account",
        "accounts cannot be deleted by users",
        "one says “users can delete their account”, the other “accounts cannot be deleted by users”",
    ),
    ("They keep backups for 30 days.", "We keep backups for 90 days.", "backups: one says 30 days, the other 90 days"),
    ("It is a monorepo.", "Each service has its own repo.", "service: one says monorepo, the other own repo"),
    (
        'Revert "Cache the parsed configuration"',
        "Cache the parsed configuration",
        "one takes back the other: “Cache the parsed configuration”",
    ),
    (
        "fixtures are under tests/data",
        "fixtures live in spec/fixtures",
        "one says “fixtures are under tests/data”, the other “fixtures live in spec/fixtures”",
    ),
]


@pytest.mark.parametrize(("one", "other", "sentence"), _TOLD)
def test_a_contradiction_is_told_in_english(one: str, other: str, sentence: str) -> None:
    found = contradiction_between(one, other, same_place=True)
    assert found is not None
    assert found.reason == sentence


def test_no_sentence_has_a_pronoun_for_its_subject() -> None:
    for one, other, _ in _TOLD:
        found = contradiction_between(one, other, same_place=True)
        assert found is not None
        assert found.subject.lower().split()[0] not in {"we", "it", "they", "this", "there", "you"}
