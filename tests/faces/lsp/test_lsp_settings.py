from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.faces.lsp.server.settings import EditorSettings, read_settings

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["memlsp", "hover", "hover.enabled", "enabled", "lens", "diagnostics", "levels", "debounce", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_whatever_a_client_sends_the_result_is_settings(raw: object) -> None:
    settings, problems = read_settings(raw)
    assert isinstance(settings, EditorSettings)
    assert all(problem.startswith("memlsp") for problem in problems)


def test_nothing_sent_means_the_defaults() -> None:
    assert read_settings(None) == (EditorSettings(), [])


@pytest.mark.parametrize(
    "raw",
    [
        {"hover": {"enabled": False}, "debounce": 50},
        {"hover.enabled": False, "debounce": 50},
        {"memlsp": {"hover": {"enabled": False}, "debounce": 50}},
    ],
)
def test_nested_flat_and_wrapped_settings_are_the_same(raw: object) -> None:
    settings, problems = read_settings(raw)
    assert (settings.hover_enabled, settings.debounce, problems) == (False, 50, [])


def test_a_bad_value_is_named_and_the_others_are_taken() -> None:
    settings, problems = read_settings({"hover": {"enabled": "yes"}, "lens": {"enabled": False}})
    assert settings.hover_enabled is True
    assert settings.lens_enabled is False
    assert problems == ["memlsp.hover.enabled: expected true or false, got 'yes'; the default is used"]


def test_levels_are_changed_one_by_one() -> None:
    settings, problems = read_settings({"diagnostics": {"levels": {"changed": "off"}}})
    assert settings.diagnostics_levels["changed"] == "off"
    assert settings.diagnostics_levels["contradicted"] == "warning"
    assert problems == []


@pytest.mark.parametrize("levels", [{"changed": "error"}, {"wrong": "hint"}, "hint"])
def test_a_level_that_is_none_is_said(levels: object) -> None:
    settings, problems = read_settings({"diagnostics": {"levels": levels}})
    assert settings.diagnostics_levels == EditorSettings().diagnostics_levels
    assert len(problems) == 1


def test_what_was_set_before_stays_when_the_next_says_nothing_of_it() -> None:
    first, _ = read_settings({"debounce": 10})
    second, _ = read_settings({"lens": {"enabled": False}}, first)
    assert (second.debounce, second.lens_enabled) == (10, False)


def test_an_unknown_option_is_no_reason_to_complain() -> None:
    assert read_settings({"hover": {"colour": "red"}}) == (EditorSettings(), [])
