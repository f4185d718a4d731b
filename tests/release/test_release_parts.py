"""The parts of a release that need no network; `make release-dry-run` does the rest."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from release import extension, footprint, packages
from release.checks import CannotRun, CheckFailed, Checks
from release.home import REPOSITORY, move, places
from release.inventory import Part

ROOT = Path(__file__).resolve().parents[2]


def _archive(path: Path, names: list[str], mtime: int) -> Path:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as new:
        for name in names:
            member = tarfile.TarInfo(f"memlsp-1/{name}")
            member.size, member.mtime, member.uid, member.mode = len(name), mtime, mtime % 7, 0o600 + mtime % 64
            new.addfile(member, io.BytesIO(name.encode()))
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=mtime))
    return path


def _wheel(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_source_archives_of_two_machines_become_equal(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    first = _archive(tmp_path / "memlsp-1.tar.gz", ["a.py", "b.py"], 1_700_000_000)
    second = _archive(tmp_path / "b" / "memlsp-1.tar.gz", ["b.py", "a.py"], 1_700_000_077)
    with pytest.raises(CheckFailed, match="order, times or rights"):
        packages.same(first, second)
    for each in (first, second):
        packages.level(each, 1_600_000_000)
    assert "twice" in packages.same(first, second)
    assert packages.members(first) == {"memlsp-1/a.py": b"a.py", "memlsp-1/b.py": b"b.py"}


def test_a_difference_is_named_by_its_file(tmp_path: Path) -> None:
    first = _wheel(tmp_path / "a.whl", {"memlsp/a.py": "1", "memlsp/b.py": "2"})
    second = _wheel(tmp_path / "b.whl", {"memlsp/a.py": "1", "memlsp/b.py": "3"})
    with pytest.raises(CheckFailed, match=r"memlsp/b\.py"):
        packages.same(first, second)


def test_a_wheel_without_one_file_of_the_package_is_refused(tmp_path: Path) -> None:
    tracked = packages.run(["git", "ls-files", "memlsp"], ROOT).splitlines() if (ROOT / ".git").exists() else []
    if not tracked:
        pytest.skip("an archive of the project, without git")
    wheel = tmp_path / "memlsp.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in tracked[1:]:
            archive.write(ROOT / name, name)
        archive.writestr("memlsp-1.dist-info/METADATA", "")
        archive.writestr("memlsp/left_behind.py", "")
    with pytest.raises(CheckFailed, match=re.escape(f"missing: {tracked[:1]}, not in git: ['memlsp/left_behind.py']")):
        packages.complete(ROOT, wheel)


@pytest.mark.parametrize(
    ("licence", "note", "welcome"),
    [
        ("MIT", "", True),
        ("Apache-2.0 OR BSD-3-Clause", "", True),
        ("MIT AND GPL-3.0-only", "", False),
        ("unknown", "", False),
        ("GPLv2 with linking exception", "linked and not changed", True),
    ],
)
def test_a_licence_that_nobody_looked_at_stops_a_release(licence: str, note: str, welcome: bool) -> None:
    assert Part("part", "1", licence, note).welcome is welcome


def test_a_check_that_cannot_be_made_is_no_success_and_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    def missing() -> str:
        raise CannotRun("no Python 3.14 on this machine")

    def wrong() -> str:
        raise CheckFailed("two | three")

    checks = Checks()
    assert checks.make("fine", lambda: "one")
    assert checks.make("Python 3.14", missing)
    assert not checks.failed
    assert not checks.make("broken", wrong)
    assert checks.failed
    assert checks.report().splitlines()[2:] == [
        "| fine | ok | one |",
        "| Python 3.14 | not run | no Python 3.14 on this machine |",
        "| broken | **FAILED** | two \\| three |",
    ]
    assert "FAILED   broken" in capsys.readouterr().out


def test_what_a_small_installation_leaves_out_is_a_dependency_and_named_in_the_docs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {re.split(r"[>=<]", each)[0] for each in project["dependencies"]}
    lines = footprint.WITHOUT.read_text("utf-8").splitlines()
    left_out = [line for line in lines if not line.startswith("#")]
    page = (ROOT / "docs" / "how-to" / "install.md").read_text("utf-8")
    assert set(left_out) <= needed
    assert [name for name in left_out if f"\n{name}\n" not in page] == []
    for size in footprint.MOST_BYTES.values():
        assert f"{size // 1_000_000} MB" in page


def test_the_extension_can_be_packed_for_every_platform_of_the_marketplaces() -> None:
    script = (ROOT / "vscode-extension" / "scripts" / "package.mjs").read_text("utf-8")
    table = script.partition("const PLATFORMS = {")[2].partition("};")[0]
    assert sorted(re.findall(r'^  "([\w-]+)":', table, re.MULTILINE)) == sorted(extension.TARGETS)


def test_every_file_names_the_same_home() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("an archive of the project, without git")
    found = list(places(ROOT))
    assert len({path for path, _ in found}) > 8
    strange = [(str(path.relative_to(ROOT)), home) for path, home in found if home.removesuffix(".git") != REPOSITORY]
    assert strange == []


def test_one_command_writes_another_home_into_every_file(tmp_path: Path) -> None:
    packages.run(["git", "init", "--quiet"], tmp_path)
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    page.write_text(f"https://github.com/{REPOSITORY}/issues and `uses: {REPOSITORY}@main`", "utf-8")
    other.write_text("https://github.com/someone/else and the folder memlsp/memlsp", "utf-8")
    packages.run(["git", "add", "."], tmp_path)
    home = "acme" + "/memlsp"  # in two, so that the test above does not find it here
    assert move(tmp_path, home) == 1
    assert page.read_text("utf-8") == f"https://github.com/{home}/issues and `uses: {home}@main`"
    assert "memlsp/memlsp" in other.read_text("utf-8")
