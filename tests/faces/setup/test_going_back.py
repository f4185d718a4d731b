"""Whatever is in the files: after init and uninstall every byte is where it was."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from test_json_edits import documents as json_documents
from test_toml_edits import documents as toml_documents

from memlsp.faces.setup.clients.all_clients import CLIENTS
from memlsp.faces.setup.file_edits import SetupEdit
from memlsp.faces.setup.ledger import Ledger
from memlsp.faces.setup.machine import Extent, UserMachine
from memlsp.faces.setup.plan import apply, install_plan, removal_plan

prose = st.text(st.sampled_from("ab #-<!>\n\r\t`ü"), max_size=40)
marks = st.sampled_from([b"", b"\xef\xbb\xbf"])


def all_edits(home: Path, project: Path) -> list[SetupEdit]:
    host = UserMachine(home, project, {}, "linux")
    return [
        edit for client in CLIENTS for extent in Extent for parts in [client.edits(host, extent)] for edit in parts.all
    ]


def texts_for(path: Path) -> st.SearchStrategy[str]:
    if path.suffix == ".toml":
        return toml_documents()
    return json_documents() if path.suffix in {".json", ".sublime-settings"} else prose


# a found case is small enough, and to make it smaller would take minutes
@settings(
    max_examples=10,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_every_byte_is_where_it_was(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder) / "home", Path(folder) / "project"
        edits = all_edits(home, project)
        paths = sorted({edit.path for edit in edits})
        chosen = data.draw(st.lists(st.sampled_from(paths), max_size=6, unique=True))
        for path in chosen:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data.draw(marks) + data.draw(texts_for(path)).encode())
        before = {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}

        ledger = Ledger.load(Path(folder) / "data")
        for change in install_plan(edits, ledger):
            ledger = apply(change, ledger)
        again = [change for change in install_plan(edits, ledger) if change.needed]
        assert again == []
        for change in removal_plan(edits, ledger):
            ledger = apply(change, ledger)
        ledger.store()
        assert {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()} == before
