"""Editing TOML: a table of ours beside everything else."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.faces.setup.edits import toml_edits
from memlsp.model.errors import UnreadableSource

PATH = ("mcp_servers", "memlsp")
VALUES: dict[str, toml_edits.TomlValue] = {"command": "C:\\a b\\python.exe", "args": ["-P", 'a "quoted" one']}

parts = st.sampled_from(
    [
        'model = "o"  # mine\n',
        "# a comment\n",
        "\n",
        "[mcp_servers]\n",
        '[mcp_servers.other]\ncommand = "x"\nenv = { A = "1" }\n',
        "[profiles.a]\nx = [\n  1,\n  2,\n]\n",
        "[[rules]]\ny = 1\n",
        'text = """\n[mcp_servers.memlsp]\n"""\n',
    ]
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A configuration that can be read."""
    chosen = draw(st.lists(parts, max_size=6, unique=True))
    text = "".join(chosen)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        text = "".join(part for part in chosen if part.startswith(("#", "\n")))
    text = text.rstrip("\n") if draw(st.booleans()) else text
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@given(documents())
def test_a_table_is_put_in_and_comes_out_again(text: str) -> None:
    try:
        put = toml_edits.with_table(text, PATH, VALUES)
    except UnreadableSource:
        assert '"""' in text  # a table inside a text looks like ours to the eye, and then nothing is touched
        return
    assert toml_edits.table(put, PATH) == VALUES
    assert put.startswith(text)
    assert toml_edits.with_table(put, PATH, VALUES) == put
    try:
        taken = toml_edits.without_table(put, PATH)
    except UnreadableSource:
        assert '"""' in text
        return
    assert taken.rstrip("\r\n") == text.rstrip("\r\n")


def test_a_table_that_somebody_added_to_keeps_the_addition() -> None:
    put = toml_edits.with_table(
        'a = 1\n\n[mcp_servers.memlsp]\ncommand = "old"\nstartup_timeout_sec = 9\n', PATH, VALUES
    )
    assert toml_edits.table(put, PATH) == {**VALUES, "startup_timeout_sec": 9}


def test_a_comment_before_the_next_table_is_not_taken_along() -> None:
    text = (
        '[mcp_servers.memlsp]\ncommand = "memlsp"\n\n[mcp_servers.memlsp.env]\nA = "1"\n\n# the next\n[next]\nx = 1\n'
    )
    assert toml_edits.without_table(text, PATH) == "\n# the next\n[next]\nx = 1\n"


@pytest.mark.parametrize(
    "text", ["a = ", 'mcp_servers = { other = { command = "x" } }\n', "mcp_servers = 1\n", "[a]\n[a]\n"]
)
def test_what_has_no_place_for_a_table_is_left_alone(text: str) -> None:
    with pytest.raises(UnreadableSource):
        toml_edits.with_table(text, PATH, VALUES)
