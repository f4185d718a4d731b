"""The main job over the wire, as every kind of client sees it."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_editor import CLIENTS, editor, until
from lsprotocol import types
from project import Project

pytestmark = pytest.mark.asyncio

NEVER = (
    "definition_provider",
    "declaration_provider",
    "type_definition_provider",
    "implementation_provider",
    "references_provider",
    "rename_provider",
    "completion_provider",
    "signature_help_provider",
    "document_formatting_provider",
    "document_range_formatting_provider",
    "document_on_type_formatting_provider",
    "document_symbol_provider",
    "workspace_symbol_provider",
    "document_highlight_provider",
    "folding_range_provider",
    "selection_range_provider",
    "semantic_tokens_provider",
    "inlay_hint_provider",
    "document_link_provider",
    "color_provider",
    "call_hierarchy_provider",
    "type_hierarchy_provider",
    "linked_editing_range_provider",
    "moniker_provider",
    "inline_value_provider",
    "inline_completion_provider",
)


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_belief_is_shown_doubted_and_confirmed_in_every_client(
    client: str, project: Project, tmp_path: Path
) -> None:
    async with editor(project.root, tmp_path / "data", CLIENTS[client]()) as session:
        for name in NEVER:
            assert getattr(session.server, name) is None, name
        assert session.server.position_encoding == types.PositionEncodingKind.Utf16
        assert (session.server.diagnostic_provider is not None) is (client == "vs code")

        session.open("client.py")
        known = await session.remember("client.py", 4, "fetch gives up after 3 retries")
        shown = await session.hover("client.py", "fetch")
        assert shown is not None
        assert "fetch gives up after 3 retries" in shown
        assert "Ann Ode" in shown
        assert ("**current**" in shown) is (client != "bare")
        assert await session.titles("client.py") == ["✓ “fetch gives up after 3 retries”"]

        session.replace("client.py", "retries=3", "retries=5")
        (found,) = await session.diagnostics("client.py", 1)
        assert found.severity is types.DiagnosticSeverity.Warning
        assert (found.source, found.code) == ("memlsp", "contradicted")
        assert found.range == types.Range(types.Position(3, 23), types.Position(3, 24))
        assert found.message == "retries 3 → 5; decision says “fetch gives up after 3 retries”"
        assert await session.titles("client.py") == ["⚠ retries 3 → 5 · “fetch gives up after 3 retries”"]

        actions = await session.actions("client.py", found.range.start, diagnostics=[found])
        assert all(isinstance(each, types.Command) for each in actions) is (client == "bare")
        # nothing that would need an input box
        assert [each.title.partition(":")[0] for each in actions] == ["Still true", "No longer true", "Lock"]
        answer = await session.run("supersede", known)
        assert not answer["ok"]
        assert f"memlsp revise {known} supersede" in answer["hint"]
        answer = await session.run("supersede", known, "fetch gives up after 5 retries")
        assert answer["ok"]
        await session.diagnostics("client.py", 0)
        assert await session.titles("client.py") == ["✓ “fetch gives up after 5 retries”"]

        pushed = session.client.diagnostics
        assert (pushed == {}) is (client == "vs code")


async def test_a_client_that_can_be_told_is_told_to_ask_again(project: Project, tmp_path: Path) -> None:
    async with editor(project.root, tmp_path / "data", CLIENTS["vs code"]()) as session:
        session.open("client.py")
        assert not await session.pull("client.py")
        assert await session.titles("client.py") == []
        await session.remember("client.py", 4, "fetch gives up after 3 retries")
        await until(lambda: session.refreshed)
        assert await session.titles("client.py") == ["✓ “fetch gives up after 3 retries”"]
        session.replace("client.py", "retries=3", "retries=5")
        await until(lambda: session.client.diagnostic_refresh_count)
        assert len(await session.pull("client.py")) == 1


async def test_turning_lenses_off_and_on_is_told_at_once(project: Project, tmp_path: Path) -> None:
    async with editor(project.root, tmp_path / "data", CLIENTS["vs code"]()) as session:
        session.open("client.py")
        await session.remember("client.py", 4, "fetch gives up after 3 retries")
        assert await session.titles("client.py") == ["✓ “fetch gives up after 3 retries”"]
        for enabled, titles in ((False, []), (True, ["✓ “fetch gives up after 3 retries”"])):
            session.refreshed.clear()
            session.client.workspace_did_change_configuration(
                types.DidChangeConfigurationParams({"memlsp": {"lens": {"enabled": enabled, "holding": True}}})
            )
            await until(lambda: session.refreshed)
            assert await session.titles("client.py") == titles


async def test_an_unchanged_answer_is_not_sent_twice(project: Project, tmp_path: Path) -> None:
    async with editor(project.root, tmp_path / "data", CLIENTS["vs code"]()) as session:
        session.open("client.py")
        params = types.DocumentDiagnosticParams(session.document("client.py"))
        first = await session.client.text_document_diagnostic_async(params)
        params.previous_result_id = first.result_id
        second = await session.client.text_document_diagnostic_async(params)
        assert isinstance(second, types.RelatedUnchangedDocumentDiagnosticReport)


@pytest.mark.parametrize("offer", [["utf-8", "utf-16"], ["utf-32", "utf-8", "utf-16"]])
async def test_positions_are_utf_16_whatever_is_offered_first(
    offer: list[str], project: Project, tmp_path: Path
) -> None:
    capabilities = CLIENTS["neovim 0.11"]()
    capabilities.general = types.GeneralClientCapabilities(position_encodings=offer)  # type: ignore[arg-type]
    project.write("shop.py", 'x = "😀漢字"; LIMIT = 7\n')
    async with editor(project.root, tmp_path / "data", capabilities) as session:
        assert session.server.position_encoding == types.PositionEncodingKind.Utf16
        session.open(
            "shop.py", 'class Preis:\n    """😀"""\n    grün = 1; 漢 = "😀"\n\n\ndef größe(漢="😀", b=2): return b\n'
        )
        await session.remember("shop.py", 6, "b is 2 by default")
        session.replace("shop.py", "b=2", "b=3")
        (found,) = await session.diagnostics("shop.py", 1)
        assert found.range == types.Range(types.Position(5, 20), types.Position(5, 21))
        session.replace("shop.py", "b=3", "b=2")
        await session.diagnostics("shop.py", 0)
