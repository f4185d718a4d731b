"""Nothing that is opened takes the server down, and the features of other files go on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from lsp_editor import Editor, until
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="module")

BAD = {
    "binary": "\x00\x01\x02\x7fELF\x00",
    "syntax error": "def broken(:\n    return (((\nclass\n",
    "only blank lines": "\n\n   \n",
    "empty": "",
    "one endless line": "x = [" + "1, " * 20_000 + "]",
    "over five megabytes": "# padding\n" * 600_000,
    "mixed line ends": "a = 1\rb = 2\r\nc = 3\nd\x0ce = 4\u2028f = 5\x85g = 6",
    "lone surrogates": "x = '\ud83d'\ndef f(): pass\n",
    "a byte order mark": "\ufeffdef f():\n    return 1\n",
    "deeply nested": "(" * 20_000,
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def busy(shared: Editor) -> AsyncIterator[Editor]:
    """An editor with a good file open."""
    shared.open("client.py")
    await shared.remember("client.py", 4, "fetch gives up after 3 retries")
    yield shared


@pytest.mark.parametrize("kind", BAD)
async def test_a_bad_document_answers_nothing_and_the_good_one_goes_on(busy: Editor, kind: str) -> None:
    name = f"bad_{kind.replace(' ', '_')}.py"
    busy.open(name, BAD[kind])
    for line in (0, 1, 3):
        await busy.hover(name, types.Position(line, 1))
    await busy.titles(name)
    await busy.actions(name, types.Position(0, 0))
    document = types.VersionedTextDocumentIdentifier(uri=busy.uri(name), version=2)
    edit = types.TextDocumentContentChangePartial(
        types.Range(types.Position(0, 0), types.Position(9999, 9999)), "x = 1\n"
    )
    busy.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [edit]))
    busy.close(name)
    assert await busy.titles("client.py") == ["✓ “fetch gives up after 3 retries”"]
    assert busy.said(types.MessageType.Error) == []


@pytest.mark.parametrize(
    ("name", "language", "text"),
    [("notes.txt", "plaintext", "remember the milk\n"), ("x.cob", "cobol", "IDENTIFICATION DIVISION.\n")],
)
async def test_a_language_that_is_not_known_still_has_a_memory(
    busy: Editor, name: str, language: str, text: str
) -> None:
    (busy.root / name).write_text(text)
    busy.open(name, language=language)
    answer = await busy.run("remember", busy.uri(name), 1, "kept for the audit", "rule")
    assert answer["ok"], answer
    assert await busy.titles(name) == ["= “kept for the audit”"]
    assert "kept for the audit" in (await busy.hover(name, types.Position(0, 1)) or "")


@pytest.mark.parametrize(
    "uri",
    ["untitled:Untitled-1", "git:/x.py?ref", "vscode-notebook-cell:/a.py#x", "https://example.org/a.py", "file:", ""],
)
async def test_documents_that_are_no_files_are_ignored(busy: Editor, uri: str) -> None:
    item = types.TextDocumentItem(uri, "python", 1, "def f(): pass\n")
    busy.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    document = types.TextDocumentIdentifier(uri)
    assert await busy.client.text_document_hover_async(types.HoverParams(document, types.Position(0, 5))) is None
    assert not await busy.client.text_document_code_lens_async(types.CodeLensParams(document))
    busy.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    assert busy.said(types.MessageType.Error) == []


async def test_a_file_that_was_never_opened_is_nothing_to_speak_of(busy: Editor) -> None:
    document = busy.document("never.py")
    assert await busy.client.text_document_hover_async(types.HoverParams(document, types.Position(0, 0))) is None
    busy.close("never.py")
    edit = types.TextDocumentContentChangeWholeDocument("x")
    versioned = types.VersionedTextDocumentIdentifier(uri=document.uri, version=1)
    busy.client.text_document_did_change(types.DidChangeTextDocumentParams(versioned, [edit]))
    assert await busy.titles("client.py") == ["✓ “fetch gives up after 3 retries”"]


async def test_bad_settings_are_said_and_the_defaults_stay(busy: Editor) -> None:
    busy.client.messages.clear()
    busy.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"memlsp": {"debounce": "soon", "lens": {"enabled": 3}}})
    )
    await until(lambda: len(busy.said(types.MessageType.Warning)) == 2)
    assert await busy.titles("client.py") == ["✓ “fetch gives up after 3 retries”"]
