"""What is found in what people wrote, and what is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.beliefs.mining.comments import MOST_OF_A_FILE, from_comments
from memlsp.beliefs.mining.corrections import from_prompt
from memlsp.beliefs.mining.documents import MOST_OF, DocumentSort, dead_status, from_document, sort_of
from memlsp.beliefs.mining.findings import normalized, printable, proposal_id
from memlsp.beliefs.mining.messages import from_message
from memlsp.beliefs.mining.passages import passages, sentences
from memlsp.beliefs.mining.procedures import Tried, from_commands
from memlsp.model.belief import BeliefKind


def texts(path: str, text: str) -> list[str]:
    """The statements of a document."""
    return [found.text for found in from_document(path, text)]


# -- documents --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "sort"),
    [
        ("AGENTS.md", DocumentSort.INSTRUCTIONS),
        ("packages/core/CLAUDE.md", DocumentSort.INSTRUCTIONS),
        (".github/copilot-instructions.md", DocumentSort.INSTRUCTIONS),
        (".cursor/rules/testing.mdc", DocumentSort.INSTRUCTIONS),
        (".cursorrules", DocumentSort.INSTRUCTIONS),
        ("docs/adr/0003-use-postgres.md", DocumentSort.DECISION),
        ("doc/architecture/decisions/0001-record.md", DocumentSort.DECISION),
        ("docs/decisions/README.md", None),
        ("CONTRIBUTING.rst", DocumentSort.CONTRIBUTING),
        (".github/CONTRIBUTING.md", DocumentSort.CONTRIBUTING),
        ("README.md", DocumentSort.README),
        ("packages/x/README.md", None),
        ("node_modules/x/CONTRIBUTING.md", None),
        ("docs/guide.md", None),
        ("src/app.py", None),
    ],
)
def test_a_document_is_known_by_its_path(path: str, sort: DocumentSort | None) -> None:
    assert sort_of(path) is sort


def test_instructions_are_taken_line_by_line_with_their_place() -> None:
    text = (
        "# Project\n\nThis repository holds the shop.\n\n## Style\n\n- Use `ruff` for linting, not flake8.\n"
        "- Never import from `shop.internal`\n  outside of that package.\n\n"
        "## Commands\n\n- Run tests: `pytest -q tests`\n"
    )
    found = {each.text: each for each in from_document("AGENTS.md", text)}
    assert set(found) == {
        "Use `ruff` for linting, not flake8.",
        "Never import from `shop.internal` outside of that package.",
        "Run tests: `pytest -q tests`",
    }
    rule = found["Never import from `shop.internal` outside of that package."]
    assert (rule.first_line, rule.last_line, rule.kind) == (8, 9, BeliefKind.RULE)
    assert rule.quote == "- Never import from `shop.internal`\n  outside of that package."
    assert found["Run tests: `pytest -q tests`"].kind is BeliefKind.PROCEDURE


def test_what_introduces_a_list_is_told_with_its_items() -> None:
    text = "# Rules\n\nNever do the following:\n\n- commit to `main` directly\n- edit files in `gen/` by hand\n"
    assert set(texts("CLAUDE.md", text)) == {
        "Never do the following: commit to `main` directly.",
        "Never do the following: edit files in `gen/` by hand.",
    }


def test_instructions_of_a_folder_hold_there() -> None:
    (found,) = from_document("packages/core/AGENTS.md", "- Always use `Clock.now()` instead of `datetime.now()`.\n")
    assert found.pattern == "packages/core/**"
    rule = "---\ndescription: x\nglobs: src/**/*.ts\n---\n\n- Prefer `interface` over `type` for object shapes.\n"
    (found,) = from_document(".cursor/rules/ts.mdc", rule)
    assert found.pattern == "src/**/*.ts"


def test_code_and_quotations_are_no_instructions() -> None:
    text = (
        "# A\n\n```sh\nalways use this --flag here\n```\n\n"
        "> You must always quote `somebody` else.\n\n    never run this indented_code at all\n"
    )
    assert texts("AGENTS.md", text) == []
    assert texts("AGENTS.md", "# A\n\n> **Rule:** Never edit\n> `gen/` by hand.\n") == [
        "Rule: Never edit `gen/` by hand."
    ]


def test_a_row_of_a_table_of_rules_says_its_subject() -> None:
    rules = "# Style\n\n| Instead of | Use |\n|---|---|\n| `print` | the logger |\n| `a \\| b` | `Optional` |\n"
    assert set(texts("AGENTS.md", rules)) == {
        "Instead of `print`: use the logger.",
        "Instead of `a \\| b`: use `Optional`",
    }
    fixes = "# Rules\n\n| Problem | Fix |\n|---|---|\n| Unused import | Remove it. |\n| Type error | Use `unknown`. |\n"
    assert set(texts("AGENTS.md", fixes)) == {"Unused import: Remove it.", "Type error: Use `unknown`."}
    donts = "# Style\n\n| Don't | Do |\n|---|---|\n| catch `Exception` | catch what can happen |\n"
    assert texts("AGENTS.md", donts) == ["Don't catch `Exception`: do catch what can happen."]
    dos = "# Style\n\n| Do | Don't |\n|---|---|\n| use `httpx` | use `requests` |\n"
    assert texts("AGENTS.md", dos) == ["Do use `httpx`: don't use `requests`"]
    tools = "# Rules\n\n| For | Use | Never |\n|---|---|---|\n| HTTP | `httpx` | `requests` |\n"
    assert texts("AGENTS.md", tools) == ["HTTP: use `httpx`; never `requests`"]
    reading = "# Rules\n\n| Task | Required reading | When |\n|---|---|---|\n| CSS | `docs/css.md` | always first |\n"
    assert texts("AGENTS.md", reading) == ["CSS: Required reading: `docs/css.md`; When: always first."]


def test_a_table_of_values_is_no_instruction() -> None:
    values = "# Settings\n\n| Variable | Default | Description |\n|---|---|---|\n| `PORT` | 80 | port of the server |\n"
    assert texts("AGENTS.md", values) == []


@pytest.mark.parametrize(
    ("above", "item", "told"),
    [
        ("## Never\n", "- commit to `main` directly", "Never: commit to `main` directly."),
        ("## 🚫 Don'ts\n", "- global state in handlers", "Don'ts: global state in handlers."),
        ("## Anti-patterns\n", "- No `sleep` in tests", "No `sleep` in tests."),
        ("## Rules\n\nBefore you commit:\n", "- run `make check`", "Before you commit: run `make check`"),
        ("## Rules\n\n- **Tests**:\n", "  - Use `Clock`, not `time`", "Use `Clock`, not `time`"),
        ("## Adding an endpoint\n", "1. Register it in `routes.py`", "Adding an endpoint: Register it in `routes.py`"),
        ("## Verboten\n", "- ❌ Code ohne Auftrag ändern", "Verboten: Code ohne Auftrag ändern."),
    ],
)
def test_an_item_says_what_its_heading_or_lead_says(above: str, item: str, told: str) -> None:
    assert texts("AGENTS.md", f"# Project\n\n{above}\n{item}\n") == [told]


def test_a_short_block_of_code_belongs_to_the_sentence_that_leads_to_it() -> None:
    text = "# Rules\n\nBefore you commit, always run:\n\n```sh\n# all checks\nmake check\n```\n"
    assert texts("AGENTS.md", text) == ["Before you commit, always run: `make check`"]


def test_a_sentence_of_a_paragraph_has_its_own_lines() -> None:
    text = (
        "# Guide\n\nThe worker sends mail, which takes a\nminute or two. You must never call\n`send()` in a request.\n"
    )
    (found,) = from_document("CONTRIBUTING.md", text)
    assert (found.text, found.first_line, found.last_line) == ("You must never call `send()` in a request.", 4, 5)
    assert found.quote == "minute or two. You must never call\n`send()` in a request."


@pytest.mark.parametrize(
    "line",
    [
        "- No business logic in controllers.",
        "- `NavigationStack` over `NavigationView`",
        "- **Naming**: `snake_case` for functions",
        "- Prefer composition over inheritance",
        "- One exported function per file",
        "- Verwende `java.time`, niemals `Date`.",
        "- Никогда не меняй файлы в `gen/`.",
        "- Usa `pnpm`, nunca `npm`.",
        "- 不要使用 `any` 类型",
        "- 코드 주석은 영어로 작성해야 합니다.",
    ],
)
def test_a_rule_is_found_in_each_shape_and_in_several_languages(line: str) -> None:
    assert len(texts("CLAUDE.md", f"# Project\n\n## Code Style\n\n- Always run `make lint`\n{line}\n")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "## Project Structure\n\n- `src/api/`: routes and handlers\n- **worker/**: background jobs",
        "## Tech Stack\n\n- **Language**: Go 1.22\n- **Database**: PostgreSQL",
        "## Architecture\n\nThe server talks to the worker over a queue. Each job belongs to one tenant.",
        "## Features\n\n- Dark mode\n- Import of CSV files",
        "## Roadmap\n\n- Add support for several currencies\n- [ ] Mobile application",
        "## Recent Changes\n\n- Added the map\n- Fixed the price of boats",
        "## Resources\n\n- [Documentation](https://example.org/docs)\n- Chat: https://example.org/chat",
    ],
)
def test_what_describes_the_project_is_no_rule(text: str) -> None:
    assert texts("AGENTS.md", f"# Harbor\n\n{text}\n") == []


def test_a_long_document_of_nothing_is_read_in_bounded_time() -> None:
    for text in ("*a " * 100_000, "# a\n" * 90_000, "|a|b|\n|-|-|\n|" + "x|" * 150_000):
        assert texts("AGENTS.md", text) == []


_ADR = """# 3. Use PostgreSQL for orders

Date: 2026-01-05

## Status

{status}

## Context

We need transactions.

## Decision

We will store orders in PostgreSQL, because SQLite cannot be written by two hosts. It is run by the platform team.

## Consequences

Local development needs Docker.
"""


def test_an_accepted_decision_is_one_proposal() -> None:
    (found,) = from_document("docs/adr/0003-use-postgresql.md", _ADR.format(status="Accepted"))
    assert found.kind is BeliefKind.DECISION
    assert found.text.startswith("We will store orders in PostgreSQL") or found.text.startswith(
        "Use PostgreSQL for orders: We will"
    )
    assert found.first_line == 15


@pytest.mark.parametrize("status", ["Superseded by [12](0012-x.md)", "Deprecated", "Rejected", "Proposed", "Draft"])
def test_a_decision_that_does_not_hold_is_no_proposal(status: str) -> None:
    assert from_document("docs/adr/0003-use-postgresql.md", _ADR.format(status=status)) == []


def test_a_superseded_decision_is_void() -> None:
    assert dead_status("docs/adr/0003-x.md", _ADR.format(status="Superseded by 12")) == "superseded by 12"
    assert dead_status("docs/adr/0003-x.md", _ADR.format(status="Accepted")) == ""
    assert dead_status("AGENTS.md", "Status: superseded") == ""


def test_a_madr_decision_is_read() -> None:
    text = (
        "---\nstatus: accepted\n---\n# Use plain JUnit5 for advanced test assertions\n\n"
        "## Considered Options\n\n* Hamcrest\n\n"
        '## Decision Outcome\n\nChosen option: "Plain JUnit5", because it is a standard framework.\n'
    )
    (found,) = from_document("docs/decisions/0007-junit.md", text)
    assert "because it is a standard framework" in found.text


_README = """# Shop

A fast, easy to use and modern shop for everyone. You should always try it!

## Installation

You must install Python first. Always use `pip install shop`.

## Usage

Use `shop serve` to start. It should just work.

## Why

Shop uses UTC everywhere. Prices must never be stored as `float`, because rounding loses cents: use `Decimal`.

## License

You must not remove the license header of `shop.py`.
"""


def test_of_a_readme_only_what_binds_and_names_something_is_taken() -> None:
    assert texts("README.md", _README) == [
        "Prices must never be stored as `float`, because rounding loses cents: use `Decimal`."
    ]


def test_a_document_yields_no_more_than_its_bound() -> None:
    many = "# A\n\n" + "".join(
        f"- Never call `function_{number}()` from module {number}, because it would block every worker.\n"
        for number in range(300)
    )
    for path in ("AGENTS.md", "CONTRIBUTING.md", "README.md"):
        sort = sort_of(path)
        assert sort is not None
        assert len(from_document(path, many)) == MOST_OF[sort]


@pytest.mark.parametrize(
    "line",
    [
        "Thank you for always contributing to `shop`!",
        "If you want to help, you must open an issue in `shop/issues` first.",
        "Do you always need `make`?",
        "It must never be `None`.",
        "See `docs/style.md` for the rules you must follow.",
        "We welcome contributions of any kind, always.",
        "Never mind.",
        "Keep calm.",
        "When that is done, always run `make lint` as well.",
        "Always follow the naming rules of `shop` described there.",
        "- `--strict` or `-s` - Never skip a check of `shop`",
        "- The editors of [a guide](https://example.org/style) taught the world to write `shop` in lower case",
    ],
)
def test_what_greets_asks_or_dangles_is_left(line: str) -> None:
    assert texts("AGENTS.md", f"# A\n\n{line}\n") == []


def test_items_that_are_parts_of_one_sentence_are_left() -> None:
    text = "# Contributing\n\nWe take adapters that:\n\n- support TLS;\n- are tested; or\n- need no setup\n"
    assert texts("CONTRIBUTING.md", text) == []
    listed = "# Contributing\n\nBefore you send it:\n\n- run `make lint`;\n- add a test; and\n- sign each commit\n"
    assert len(texts("CONTRIBUTING.md", listed)) == 3


def test_a_full_stop_after_an_abbreviation_ends_no_sentence() -> None:
    assert sentences("Use tabs, e.g. Go does. Never mix.") == ["Use tabs, e.g. Go does.", "Never mix."]


def test_restructured_text_is_read_with_its_headings() -> None:
    text = "Contributing\n============\n\nCoding\n------\n\n"
    text += (
        "-   Do not use ``print`` in ``shop/``; use :func:`shop.log`.\n\n.. code-block:: text\n\n    never do this\n"
    )
    (found,) = list(passages(text))
    assert found.headings == ("Contributing", "Coding")
    assert found.text == "Do not use `print` in `shop/`; use `shop.log`."


@given(st.text(alphabet="#-*`_[]()<>| \n.:=abcNever must use", max_size=300))
def test_any_text_is_read(text: str) -> None:
    for path in ("AGENTS.md", "README.md", "CONTRIBUTING.rst", "docs/adr/0001-x.md", "a.py", "a.ts"):
        lines = text.splitlines()
        for found in [*from_document(path, text), *from_comments(path, text)]:
            assert found.first_line is not None
            assert found.last_line is not None
            assert 1 <= found.first_line <= found.last_line <= len(lines)
    from_message(text)
    from_prompt(text)


# -- comments ---------------------------------------------------------------------------------------------------------


def comment_texts(path: str, text: str) -> list[str]:
    """The statements in the comments of a file."""
    return [found.text for found in from_comments(path, text)]


def test_a_comment_that_tells_why_is_taken_whole_with_its_lines() -> None:
    text = "def f():\n    x = 1\n    # Don't pass server_name here, otherwise the actual\n"
    text += "    # host would be ignored.\n    return x\n"
    (found,) = from_comments("src/app.py", text)
    assert found.text == "Don't pass server_name here, otherwise the actual host would be ignored."
    assert (found.first_line, found.last_line) == (3, 4)
    assert found.quote == "    # Don't pass server_name here, otherwise the actual\n    # host would be ignored."


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("a.go", "// HACK: the API drops one call in ten, so `fetch` tries three times.\n", BeliefKind.GOTCHA),
        ("a.ts", "/*\n * NOTE: order matters here, `init()` must run before `load()`.\n */\n", BeliefKind.RULE),
        ("a.rs", "// This must stay in sync with `schema.sql`, because nothing checks it.\n", BeliefKind.RULE),
        ("a.sql", "-- IMPORTANT: never drop `orders_old`, the audit job reads it every night.\n", BeliefKind.RULE),
    ],
)
def test_comments_are_read_in_many_languages(path: str, text: str, kind: BeliefKind) -> None:
    (found,) = from_comments(path, text)
    assert found.kind is kind


@pytest.mark.parametrize(
    "line",
    [
        "# increment the counter",
        "# TODO: must be replaced by something else because it is slow_and_old",
        "# type: ignore because the stubs must be wrong",
        "# Copyright 2026, you must not copy this file because of `LICENSE`",
        "# value = must_not(call) ; x = because(y)",
        "# --------- must never be here because of `x` ---------",
        "#!/usr/bin/env must never because",
        "# else: ctx.params[self.name] was populated by code that bypassed `handle_parse_result`, so don't set it.",
        "# but `f()` must never be called twice, because the cache would break",
        "# Because `on_complete` callbacks must not be marshalled at all.",
    ],
)
def test_comments_that_say_nothing_lasting_are_left(line: str) -> None:
    assert comment_texts("src/a.py", f"x = 1\n{line}\ny = 2\n") == []


def test_a_line_without_a_full_stop_ends_where_the_next_one_begins_a_sentence() -> None:
    text = "x = 1\n# Copy the window alone to avoid changing cached lines\n# This must stay linear in `height`\ny = 2\n"
    (told,) = comment_texts("src/a.py", text)
    assert told == "Copy the window alone to avoid changing cached lines. This must stay linear in `height`"
    wrapped = "x = 1\n# Never hand `height` to\n# If blocks, because they would cache it.\ny = 2\n"
    assert comment_texts("src/a.py", wrapped) == ["Never hand `height` to If blocks, because they would cache it."]


def test_comments_of_tests_and_examples_are_left() -> None:
    text = "# Don't call `f()` twice, otherwise the cache will break.\n"
    assert comment_texts("src/a.py", text)
    for path in ("tests/test_a.py", "src/a_test.go", "examples/a.py", "web/a.spec.ts", "vendor/a.go"):
        assert comment_texts(path, text) == []


def test_a_file_yields_few_comments() -> None:
    text = "".join(
        f"# Never call `f_{number}()` twice, because it would block.\nx = {number}\n" for number in range(20)
    )
    assert len(from_comments("src/a.py", text)) == MOST_OF_A_FILE


# -- commits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (
            (
                "Switch to hatchling (#12)\n\n"
                "The `setup.py` build is dropped because setuptools reads `MANIFEST.in` twice.\n"
            ),
            "Switch to hatchling: The `setup.py` build is dropped because setuptools reads `MANIFEST.in` twice.",
        ),
        ("Use apsw instead of sqlite3 in `store.py`\n", "Use apsw instead of sqlite3 in `store.py`"),
        (
            (
                "fix(http): retry on 503\n\n"
                "We decided to retry three times in `fetch()` because the gateway drops calls.\n"
            ),
            "We decided to retry three times in `fetch()` because the gateway drops calls.",
        ),
    ],
)
def test_a_commit_that_says_why_is_a_decision(message: str, text: str) -> None:
    found = from_message(message)
    assert found is not None
    assert found.text == text
    assert found.kind is BeliefKind.DECISION
    assert found.quote.split()[-1].rstrip("`.") in message


@pytest.mark.parametrize(
    "message",
    [
        "Bump requests from 2.0 to 2.1 because of `CVE_2026`",
        "Merge branch 'main' into because_of_x instead of y",
        "Add a test",
        "fix typo in `README.md` because it was wrong",
        "Show `foo_bar` instead of `baz_qux`\n\nThe page displayed baz_qux instead of foo_bar when empty.\n",
        "WIP because I think `x_y` is maybe slow",
        "",
    ],
)
def test_other_commits_are_left(message: str) -> None:
    assert from_message(message) is None


# -- prompts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "text", "kind"),
    [
        ("no, use httpx instead of requests", "Use httpx instead of requests.", BeliefKind.RULE),
        ("Never commit directly to main.", "Never commit directly to main.", BeliefKind.RULE),
        (
            "please always run `make lint` before you commit",
            "Always run `make lint` before you commit.",
            BeliefKind.PROCEDURE,
        ),
        ("We decided to keep prices in cents.", "We decided to keep prices in cents.", BeliefKind.DECISION),
        (
            "In this project we don't use `print`, use the logger.",
            "In this project we don't use `print`, use the logger.",
            BeliefKind.RULE,
        ),
        (
            "Fix the login test.\nfrom now on use tabs in Makefiles, not spaces",
            "From now on use tabs in Makefiles, not spaces.",
            BeliefKind.RULE,
        ),
        ("I always prefer pathlib over os.path", "I always prefer pathlib over os.path.", BeliefKind.PREFERENCE),
    ],
)
def test_what_a_person_says_that_lasts_is_taken(prompt: str, text: str, kind: BeliefKind) -> None:
    found = from_prompt(prompt)
    assert [each.text for each in found] == ([text] if text else [])
    assert all(each.kind is kind for each in found)


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("the endpoint is now /v3", "The endpoint is now /v3."),
        ("our default branch is called trunk now", "Our default branch is called trunk now."),
        ("we renamed the module billing to invoicing", "We renamed the module billing to invoicing."),
        ("no, the timeout is 30 seconds, not 10", "The timeout is 30 seconds, not 10."),
        ("we're on Node 22 now", "we're on Node 22 now."),
        ("Remember: the QA team tests on Safari 15", "The QA team tests on Safari 15."),
        ("use pnpm here, npm breaks the lockfile", "Use pnpm here, npm breaks the lockfile."),
        ("Use bun here, yarn is too slow. Add the route.", "Use bun here, yarn is too slow."),
        ("run cargo with --locked here, else CI fails", "Run cargo with --locked here, else CI fails."),
        ("answer in German", "Answer in German."),
        ("sign your commits with -S", "Sign your commits with -S."),
        ("I like tiny diffs", "I like tiny diffs."),
        ("je préfère des commits courts", "Je préfère des commits courts."),
        ("the tests take the database from DATABASE_URL", "The tests take the database from DATABASE_URL."),
        ("the API listens on port 8080", "The API listens on port 8080."),
        ("der Endpunkt ist jetzt /v3", "Der Endpunkt ist jetzt /v3."),
        ("el endpoint se movió a /v2", "El endpoint se movió a /v2."),
        ("on déploie maintenant sur Coolify, plus sur Vercel", "On déploie maintenant sur Coolify, plus sur Vercel."),
        ("ahora desplegamos en Coolify, no en Vercel", "Ahora desplegamos en Coolify, no en Vercel."),
        ("`total` in cart.py must stay pure", "`total` in cart.py must stay pure."),
        ("again: never use print", "Never use print."),
        ("ninguna dependencia nueva sin preguntar", "Ninguna dependencia nueva sin preguntar."),
        ("from today on all PRs need a ticket", "From today on all PRs need a ticket."),
        ("No! Don't commit directly to main.", "Don't commit directly to main."),
        ("when you're done always run ruff", "When you're done always run ruff."),
    ],
)
def test_what_is_plainly_said_of_the_project_is_taken_however_rare_its_words_are(prompt: str, text: str) -> None:
    assert [found.text for found in from_prompt(prompt)] == [text]


def test_what_begins_with_always_is_meant_to_last() -> None:
    (found,) = from_prompt("always sign the tags")
    assert found.direct


def test_a_placeholder_in_angle_brackets_is_no_markup() -> None:
    (found,) = from_prompt("we name branches feat/<ticket>-short-desc")
    assert found.text == "We name branches feat/<ticket>-short-desc."
    (passage,) = passages("Name it <b>feat</b>/<ticket> <img src='x'>and <br/>go on")
    assert passage.text == "Name it feat/<ticket> and go on"


@pytest.mark.parametrize(
    "prompt",
    [
        "the page is now blank",
        "the build is now green",
        "it is now called total",
        "no, the error is in line 30, not 10",
        "remember to push when you are done",
        "is the endpoint now /v3?",
        "use a dict here, the list is too slow",
        "use npm here for now",
        "run ruff here",
        "use yarn here?",
        "I like your commits",
        "`load()` must return 3 but returns 4",
        "again the tests fail",
        "don't push to main yet",
        "der Test ist jetzt grün",
        "der Server antwortet immer mit 500",
        "la página siempre está vacía",
        "el servidor siempre devuelve 500",
        "the function takes USER_ID",
        "b.js must export a default function",
        "always fun to see a green build",
    ],
)
def test_what_is_plainly_said_of_the_moment_is_left(prompt: str) -> None:
    assert from_prompt(prompt) == []


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("pnpm or npm?", "pnpm, always", "Use pnpm, always, not npm."),
        ("Which linter should we use?", "always use ruff, never flake8", "Always use ruff, never flake8."),
        ("Which linter should I use here?", "ruff, always", "Use ruff, always."),
        ("Should I also commit the lockfile?", "yes, always", "Always commit the lockfile."),
        ("Which should I use, jest or vitest?", "vitest, always", "Use vitest, always, not jest."),
        ("Soll ich pnpm oder npm nehmen?", "pnpm, immer", "Use pnpm, immer, not npm."),
    ],
)
def test_an_answer_is_read_in_the_light_of_its_question(question: str, answer: str, text: str) -> None:
    assert [found.text for found in from_prompt(answer, question)] == [text]


@pytest.mark.parametrize(
    "prompt",
    [
        "fix the bug in `login.py`",
        "don't worry about the tests for now",
        "never mind, go on",
        "no",
        "no, that is wrong",
        "don't do that",
        "can you always sort the imports?",
        "why does it never return `None`?",
        "I don't know why `fetch()` never returns",
        "stop, try again with the other file",
        "don't touch this file now, use `b.py`",
        "```\nalways use `x_y` here\n```",
        "> never quote `somebody_else` here please",
        "implement the parser, it should handle `a.b`",
    ],
)
def test_tasks_and_passing_remarks_are_left(prompt: str) -> None:
    assert from_prompt(prompt) == []


# -- commands ---------------------------------------------------------------------------------------------------------


def test_a_command_that_works_where_one_like_it_failed_is_a_procedure() -> None:
    failed = Tried("pytest tests", ok=False, output="E   ModuleNotFoundError: No module named 'shop'\n")
    found = from_commands([failed, Tried("PYTHONPATH=src pytest tests", ok=True)])
    assert found is not None
    assert found.kind is BeliefKind.PROCEDURE
    assert found.text.startswith(
        "Run `PYTHONPATH=src pytest tests`; `pytest tests` fails here with: E ModuleNotFoundError"
    )
    assert from_commands([Tried("npm test", ok=False), Tried("npm ci && npm test", ok=True)]) is not None


@pytest.mark.parametrize(
    "tried",
    [
        [Tried("pytest", ok=False), Tried("pytest", ok=True)],
        [Tried("pytest tests", ok=False), Tried("pytest tests/a", ok=True, edited=True)],
        [Tried("pytest tests", ok=False), Tried("npm test", ok=True)],
        [Tried("cat a.txt", ok=False), Tried("cat b.txt", ok=True)],
        [Tried("pytest tests", ok=True), Tried("pytest -q tests", ok=True)],
        [Tried("pytest tests", ok=None), Tried("pytest -q tests", ok=True)],
        [Tried("pytest tests", ok=False), Tried("ls", ok=True, edited=True), Tried("pytest -q tests", ok=True)],
        [],
    ],
)
def test_other_commands_teach_nothing(tried: list[Tried]) -> None:
    assert from_commands(tried) is None


# -- the same ---------------------------------------------------------------------------------------------------------


def test_the_same_in_other_words_of_form_has_one_id() -> None:
    assert proposal_id("Always use the `ruff` linter.") == proposal_id("always use `Ruff`  linters")
    assert proposal_id("Use tabs, not spaces") != proposal_id("Use spaces, not tabs")
    assert proposal_id("Retry 3 times") != proposal_id("Retry 4 times")
    assert normalized("Never use X") != normalized("Always use X")


@given(st.text(max_size=60))
def test_an_id_is_one_that_beliefs_have(text: str) -> None:
    assert len(proposal_id(text)) == 8
    assert proposal_id(text)[0].isalpha()
    assert proposal_id(text).isalnum()


def test_control_characters_and_turned_writing_are_gone() -> None:
    assert printable("a\x1b[31mb\u202ec\u200bd\r\ne") == "a [31mbcd e"
