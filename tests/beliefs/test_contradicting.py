"""Two statements contradict each other when both speak of one thing and cannot both be true where both apply."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.beliefs.contradiction.conditions import apart, read_conditions, with_keys
from memlsp.beliefs.contradiction.contradiction import contradiction_between
from memlsp.beliefs.contradiction.slot_sentences import slots_of


def conflict(one: str, other: str, first: str = "", second: str = "") -> bool:
    """Whether they contradict each other, with conditions as `--when` has them."""
    given = [tuple(each.split("=", 1)) for each in (first, second)]
    pairs = [[(each[0], each[1])] if len(each) == 2 else [] for each in given]
    both = contradiction_between(one, other, *pairs), contradiction_between(other, one, *reversed(pairs))
    assert (both[0] is None) == (both[1] is None)  # whichever was said first
    return both[0] is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The request timeout is 30 seconds.", "The request timeout is 45 s."),
        ("A batch has at most 100 items.", "A batch has at least 500 items."),
        ("Never use `eval`.", "Use `eval`."),
        ("Use `uv` instead of `pip`.", "Use `pip` to install packages."),
        ("The cache is enabled.", "The cache is not enabled."),
        ("The cache is enabled.", "The cache is disabled."),
        ("The `email` field is required.", "The `email` field is optional."),
        ("The database is Postgres.", "The database is MySQL."),
        ("Tokens are signed with RS256.", "Tokens are signed with HS256."),
        ("We use yarn in this repo.", "We use pnpm now."),
        ("We switched to jest.", "We use vitest."),
        ("Close the file before the upload.", "Close the file after the upload."),
        ("`MAX_SIZE=10`", "`MAX_SIZE` is 20."),
        ("Only admins can close a poll.", "Any member can close a poll."),
        ("Only the release manager tags a version.", "Every developer tags a version."),
        ("Only editors may publish a page.", "Contributors may publish a new page."),
        ("The editor works offline.", "The editor needs an internet connection."),
        ("Profiles are kept.", "Profiles get deleted."),
        ("Every job has a timeout.", "Most jobs have no timeout."),
        ("All reports are encrypted.", "The yearly reports are unencrypted."),
        ("`shape` can be null.", "`shape` must not be null."),
        ("Terraform makes all the infrastructure.", "Our cloud resources are made by Pulumi."),
        ("Tokens are opaque.", "Our tokens are JWTs."),
    ],
)
def test_these_contradict_each_other(one: str, other: str) -> None:
    assert conflict(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The request timeout is 30 seconds.", "The request timeout is 30000 ms."),
        ("The request timeout is 30 seconds.", "The lock timeout is 45 seconds."),
        ("fetch must retry five times.", "fetch waits 30 seconds."),
        ("A batch has at most 100 items.", "A batch has 50 items."),
        ("Never use `eval`.", "Use `ast.literal_eval`."),
        ("Never use `eval`.", "Do not use `eval` in plugins."),
        ("Never log passwords.", "Always log the user id."),
        ("The cache is enabled.", "The proxy is disabled."),
        ("The cache is disabled.", "The cache is not enabled."),
        ("The database is Postgres.", "The database is slow."),
        ("We use yarn dolls in the demo.", "We use pnpm now."),
        ("The database is Postgres.", "The broker is RabbitMQ."),
        ("Retry GET requests.", "Never retry POST requests."),
        ("Close the file before the upload.", "The upload comes after the file is closed."),
        ("Only admins can close a poll.", "Any member can answer a poll."),
        ("Only admins can close a poll.", "An admin can close a poll."),
        ("The editor works offline.", "The editor works without an internet connection."),
        ("Profiles are kept.", "Sessions get deleted."),
        ("You don't need to restart the server.", "Restart the server."),
        ("`workers` is 4 by default.", "You can raise `workers` to 32."),
        ("All reports are encrypted.", "The yearly drafts are unencrypted."),
        ("The importer calls /api/v2.", "The importer talks to v2 of the API."),
    ],
)
def test_these_live_together(one: str, other: str) -> None:
    assert not conflict(one, other)


@pytest.mark.parametrize(
    ("one", "first", "other", "second", "expected"),
    [
        ("The port is 80.", "env=staging", "The port is 90.", "env=production", False),
        ("The port is 80.", "env=staging", "The port is 90.", "env=staging", True),
        ("The port is 80.", "env=prod", "In production the port is 90.", "", True),
        ("The port is 80.", "env=prod", "In staging the port is 90.", "", False),
        ("The port is 80.", "", "In staging the port is 90.", "", False),  # the one in general, the other in particular
        ("The port is always 80.", "", "In staging the port is 90.", "", True),  # no exception is meant
        ("Never log bodies.", "", "In development log bodies.", "", True),
        ("Log bodies.", "", "Never log bodies in production.", "", False),
        ("Since v2 the format is TOML.", "", "Before v2 the format is INI.", "", False),
        ("Since v2 the format is TOML.", "", "Since v3 the format is INI.", "", True),
        ("On Windows use `spawn`.", "", "On Windows never use `spawn`.", "", True),
        ("On Windows use `spawn`.", "", "On Linux never use `spawn`.", "", False),
    ],
)
def test_scopes_part_what_would_contradict(one: str, first: str, other: str, second: str, expected: bool) -> None:
    assert conflict(one, other, first, second) is expected


def test_a_contradiction_is_told_with_its_subject_and_both_values() -> None:
    clash = contradiction_between("The server listens on port 8080.", "The server listens on port 9090.")
    assert clash is not None
    assert (clash.subject, clash.values) == ("server", ("8080", "9090"))
    assert clash.turned().values == ("9090", "8080")
    assert "one says 8080, the other 9090" in clash.reason


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("In staging the port is 80.", {"env": {"staging"}}),
        ("The flag is off on Windows and used in tests.", {"os": {"windows"}, "env": {"test"}}),
        ("Run it locally.", {"env": {"local"}}),
        ("The staging area of git is small.", {}),
        ("The port is 80.", {}),
    ],
)
def test_the_wording_says_where_a_statement_applies(text: str, keys: dict[str, set[str]]) -> None:
    assert {key: set(values) for key, values in read_conditions(text)[1].keys} == keys


def test_what_was_given_wins_over_the_wording() -> None:
    read = read_conditions("In staging the port is 80.")[1]
    given_too = with_keys(read, [("env", "prod")])
    assert apart(read, given_too)
    assert not apart(given_too, with_keys(read, [("env", "production")]))


@given(st.text(max_size=300))
def test_any_text_can_be_read_and_contradicts_nothing_by_itself(text: str) -> None:
    slots_of(text)
    contradiction_between(text, "The port is 80.")


@pytest.mark.parametrize(
    "text",
    [
        *("in staging " * 300, "since v1 " * 300, "of " * 600, "1 " * 2000, "\x02a\x02" * 500, " \t" * 2000 + "x"),
        "never use a or b in c or d on e or f with g or h at i or j for k or l by m or n " * 10,
        "since v" + "9" * 1000,
    ],
    ids=lambda text: text[:10],
)
def test_a_text_made_to_be_slow_or_to_fail_is_read_all_the_same(text: str) -> None:
    assert len(slots_of(text)) <= 64  # in the time that a test has


def test_a_class_has_each_name_once_in_lower_case() -> None:
    written = (files("memlsp.beliefs") / "name_classes.toml").read_text(encoding="utf-8")
    for title, entry in tomllib.loads(written).items():
        names = [alias.rstrip("!") for name in entry["names"].split() for alias in name.split("|")]
        assert len(names) == len(set(names)), title
        assert all(name == name.lower() for name in names), title
        known = {aliases.split("|")[0].rstrip("!") for aliases in entry["names"].split()}
        assert {listed.partition(":")[0] for listed in entry.get("in_code", "").split()} <= known, title


_SAID = """the port never use 80 90 not is `a` `b_c` instead of always in staging production before after without only
no more than at most , . ; timeout seconds 30 s enabled disabled must be called by and or from to"""
_WORDS = st.sampled_from(_SAID.split())


@given(st.lists(_WORDS, max_size=14), st.lists(_WORDS, max_size=14))
def test_it_does_not_matter_which_side_is_named_first(one: list[str], other: list[str]) -> None:
    conflict(" ".join(one), " ".join(other))


@given(st.lists(_WORDS, max_size=14))
def test_no_clause_contradicts_itself(words: list[str]) -> None:
    text = " ".join(word for word in words if word not in {",", ".", ";", "instead"})
    slots = slots_of(text)
    if len(slots) == 1:
        assert contradiction_between(text, text) is None
