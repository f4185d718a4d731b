"""The editor extension shows the options that the server reads, with the server's defaults, and sends no other."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memlsp.faces.lsp.server.settings import LEVELS, EditorSettings, Option, options, read_settings

EXTENSION = Path(__file__).parents[3] / "vscode-extension"

NOT_SHOWN = frozenset({"hover.historyWait", "debounce", "onboarding.commits"})
"""Numbers that nobody turns in this editor; the server keeps its own for them."""

SHOWN = [option for option in options() if option.name not in NOT_SHOWN]


def _properties() -> dict[str, dict[str, Any]]:
    manifest = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    return {
        name.removeprefix("memlsp."): shape
        for section in manifest["contributes"]["configuration"]
        for name, shape in section["properties"].items()
    }


@pytest.mark.parametrize("option", SHOWN, ids=lambda option: option.name)
def test_the_extension_shows_each_option_with_its_default(option: Option) -> None:
    shown = _properties()[option.name]
    assert shown["default"] == option.default
    kinds: dict[type, str] = {bool: "boolean", int: "integer", str: "string", dict: "object"}
    assert shown["type"] == kinds[type(option.default)]
    assert shown["scope"] in {"window", "machine"}  # the server keeps one set for all folders


@pytest.mark.parametrize("name", ["diagnostics.threads", "diagnostics.conflicts"])
def test_the_extension_offers_each_level(name: str) -> None:
    assert tuple(_properties()[name]["enum"]) == LEVELS


def test_the_extension_offers_each_level_for_each_standing() -> None:
    shown = _properties()["diagnostics.levels"]
    assert set(shown["properties"]) == set(EditorSettings().diagnostics_levels)
    assert all(tuple(each["enum"]) == LEVELS for each in shown["properties"].values())
    assert shown["additionalProperties"] is False


def test_what_the_extension_does_not_show_the_server_still_reads_and_bounds() -> None:
    names = {option.name for option in options()}
    assert names - set(_properties()) == NOT_SHOWN
    for name in NOT_SHOWN:
        assert read_settings({name: 100})[1] == []
        assert read_settings({name: -1})[1] != []


def test_the_extension_sends_what_it_shows_and_nothing_else() -> None:
    source = (EXTENSION / "src/settings/options.ts").read_text("utf-8")
    table = source[source.index("DEFAULTS") :]
    sent = re.findall(r'^  "?([\w.]+)"?:', table, re.MULTILINE)
    assert sorted(sent) == sorted(option.name for option in SHOWN)
