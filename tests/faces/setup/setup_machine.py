"""A machine of one's own: home, project, data folder."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen
from click.testing import CliRunner, Result

from memlsp.faces.cli.app import memlsp


@frozen
class Machine:
    """Folders that nobody else uses; `run` calls memlsp in the project's."""

    home: Path
    project: Path
    data: Path

    def run(self, *words: str, status: int = 0, stdin: str | None = None) -> Result:
        """Call memlsp there, and demand how it ends."""
        result = CliRunner().invoke(memlsp, ["-C", str(self.project), *words], input=stdin)
        assert result.exit_code == status, (result.stdout, result.stderr, result.exception)
        return result

    def tree(self) -> dict[str, bytes | str]:
        """All files below home and project by name: bytes, or where a link leads; and the folders."""
        found: dict[str, bytes | str] = {}
        for root in (self.home, self.project):
            for path in sorted(root.rglob("*")):
                name = str(path.relative_to(root.parent))
                if ".git/" in name:
                    continue
                found[name] = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
        return found
