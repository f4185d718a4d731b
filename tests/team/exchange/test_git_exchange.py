"""The exchange over git: the contract, what is left on disks, hosts that refuse, and processes that are killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from memlsp_team.exchange import side_repository
from memlsp_team.exchange.exchange import Exchange, open_exchange
from memlsp_team.exchange.side_repository import SideRepository

from memlsp.model.errors import ExchangeUnavailable, Refused
from tests.capture.git_world import git
from tests.patience import patience
from tests.team.exchange.exchange_contract import ANN, BEN, ExchangeContract, Open, line, pulled

FIRST, SECOND = "refs/memlsp/v1/", "refs/heads/memlsp/v1/"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A bare repository that all machines reach."""
    git(tmp_path, "init", "-q", "--bare", "host.git")
    return tmp_path / "host.git"


@pytest.fixture
def folder_of(tmp_path: Path) -> Callable[[str], Path]:
    return lambda machine: tmp_path / "machines" / machine


@pytest.fixture
def opened(host: Path, folder_of: Callable[[str], Path]) -> Open:
    def opened(machine: str) -> Exchange:
        return open_exchange(host.as_uri(), folder_of(machine))

    return opened


class TestGitExchange(ExchangeContract):
    pass


def hook(host: Path, name: str, script: str) -> None:
    """Have the host run a script."""
    path = host / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)


def texts(folder: Path) -> bytes:
    """Every object below a folder of an exchange, reached or not, and the files as they are."""
    repository = folder / "repository"
    objects = subprocess.run(
        ["git", f"--git-dir={repository}", "cat-file", "--batch-all-objects", "--batch"],
        capture_output=True,
        check=True,
    ).stdout
    return objects + b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def references(host: Path) -> dict[str, str]:
    rows = git(host, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return dict(row.split() for row in rows)


class TestWhatIsLeft:
    def test_a_text_that_was_taken_away_is_in_no_object_of_writer_or_reader(
        self, opened: Open, folder_of: Callable[[str], Path]
    ) -> None:
        ann, ben = opened("ann"), opened("ben")
        ann.publish(ANN, [line(1, "PASSPHRASE"), line(2)])
        cursor = ben.pull("").cursor
        assert all(b"PASSPHRASE" in texts(folder_of(name)) for name in ("ann", "ben"))
        ann.publish(ANN, [line(2)])
        ben.pull(cursor)
        assert not any(b"PASSPHRASE" in texts(folder_of(name)) for name in ("ann", "ben"))

    def test_the_text_goes_with_its_writer(self, opened: Open, folder_of: Callable[[str], Path]) -> None:
        ann, ben = opened("ann"), opened("ben")
        ann.publish(ANN, [line(1, "PASSPHRASE")])
        cursor = ben.pull("").cursor
        ann.publish(ANN, [])
        assert ben.pull(cursor).lines == ()
        assert not any(b"PASSPHRASE" in texts(folder_of(name)) for name in ("ann", "ben"))

    def test_a_reader_killed_after_fetching_sweeps_the_next_time(
        self, opened: Open, folder_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ann, ben = opened("ann"), opened("ben")
        ann.publish(ANN, [line(1, "PASSPHRASE"), line(2)])
        cursor = ben.pull("").cursor
        ann.publish(ANN, [line(2)])

        def killed(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(SideRepository, "references", killed)
            with pytest.raises(KeyboardInterrupt):
                ben.pull(cursor)
        assert b"PASSPHRASE" in texts(folder_of("ben"))
        ben.pull(cursor)
        assert b"PASSPHRASE" not in texts(folder_of("ben"))

    def test_a_stale_clone_brings_nothing_back(self, opened: Open, folder_of: Callable[[str], Path]) -> None:
        ann, ben = opened("ann"), opened("ben")
        ann.publish(ANN, [line(1), line(2)])
        stale = ben.pull("").cursor
        shutil.copytree(folder_of("ben"), folder_of("backup"))
        ann.publish(ANN, [line(2)])
        ben.pull(stale)
        shutil.rmtree(folder_of("ben"))
        folder_of("backup").rename(folder_of("ben"))
        ben.publish(BEN, [line(3)])
        assert line(1) not in [each for _, each in ben.pull(stale).lines]
        assert pulled(opened("cyd"))[0] == {ANN: {2}, BEN: {3}}

    def test_what_is_appended_leaves_the_other_segments_as_they_were(self, opened: Open, host: Path) -> None:
        ann, many = opened("ann"), [line(number) for number in range(1700)]
        ann.publish(ANN, many[:1600])
        before = git(host, "ls-tree", FIRST + ANN).splitlines()
        ann.publish(ANN, many)
        after = git(host, "ls-tree", FIRST + ANN).splitlines()
        assert len(before) == len(after) == 4
        assert [old == new for old, new in zip(before, after, strict=True)] == [True, True, True, False]

    def test_the_same_lines_are_the_same_commit_without_parents(self, opened: Open, host: Path) -> None:
        opened("ann").publish(ANN, [line(1)])
        first = references(host)
        opened("ann").publish(ANN, [])
        opened("a copy of ann").publish(ANN, [line(1)])
        assert references(host) == first
        assert git(host, "log", "--format=%an %at %p", FIRST + ANN) == "memlsp 946684800"

    def test_a_folder_is_for_its_owner_alone(self, opened: Open, folder_of: Callable[[str], Path]) -> None:
        opened("ann").publish(ANN, [line(1)])
        assert folder_of("ann").stat().st_mode & 0o777 == 0o700

    @pytest.mark.parametrize("damage", ["objects", "HEAD", "config", "refs"])
    def test_a_damaged_repository_is_made_again(
        self, opened: Open, folder_of: Callable[[str], Path], damage: str
    ) -> None:
        ann = opened("ann")
        ann.publish(ANN, [line(1)])
        for path in [folder_of("ann") / "repository" / damage]:
            for each in [path, *path.rglob("*")]:
                if each.is_file():
                    each.chmod(0o600)
                    each.write_bytes(b"\0")
        ann.publish(ANN, [line(1), line(2)])
        assert ann.own(ANN) == {line(1).key, line(2).key}

    def test_a_lock_of_a_process_that_was_killed_goes(
        self, opened: Open, folder_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ann, ben = opened("ann"), opened("ben")
        ann.publish(ANN, [line(1)])
        ben.pull("")
        ann.publish(ANN, [line(1), line(2)])
        lock = folder_of("ben") / "repository" / FIRST / f"{ANN}.lock"
        lock.touch()
        pull = ben.pull("")
        assert [reason for _, reason in pull.faults] == [
            "some references could not be written here, so that their writers are not read"
        ]
        os.utime(lock, (0, 0))
        assert pulled(ben)[0] == {ANN: {1, 2}}

    def test_a_process_waits_for_another_and_then_says_so(
        self, opened: Open, folder_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(side_repository, "_TURN", 0.2)
        folder_of("ann").mkdir(parents=True)
        with side_repository.turn(folder_of("ann") / "lock") as ours:
            assert ours
            with pytest.raises(ExchangeUnavailable, match="another process"):
                opened("ann").pull("")
        assert pulled(opened("ann"))[0] == {}


class TestHosts:
    def test_a_host_that_knows_only_branches_is_told_of_with_all_its_writers(self, tmp_path: Path) -> None:
        host = tmp_path / "host.git"
        git(tmp_path, "init", "-q", "--bare", str(host))
        hook = host / "hooks" / "update"
        hook.write_text("#!/bin/sh\ncase $1 in refs/memlsp/*) exit 1;; esac\n")
        hook.chmod(0o755)
        exchange = open_exchange(str(host), tmp_path / "side")
        exchange.publish(ANN, [line(1)])
        assert git(host, "for-each-ref", "--format=%(refname)").strip() == f"{SECOND}{ANN}"
        assert "1 writers" in exchange.check()

    def test_a_host_that_takes_branches_alone_gets_a_branch(self, opened: Open, host: Path) -> None:
        hook(host, "update", 'case "$1" in refs/heads/*) exit 0;; *) exit 1;; esac')
        ann, ben = opened("ann"), opened("ben")
        ann.publish(ANN, [line(1), line(2)])
        assert list(references(host)) == [SECOND + ANN]
        found, cursor = pulled(ben)
        assert found == {ANN: {1, 2}}
        ann.publish(ANN, [line(2), line(3)])
        assert 3 in pulled(ben, cursor)[0][ANN]
        assert ann.own(ANN) == {line(2).key, line(3).key}
        ann.publish(ANN, [])
        assert references(host) == {}

    def test_both_places_are_read_and_what_is_taken_away_goes_from_both(self, opened: Open, host: Path) -> None:
        ann = opened("ann")
        ann.publish(ANN, [line(1), line(2)])
        git(host, "update-ref", SECOND + ANN, FIRST + ANN)
        opened("ben").publish(BEN, [line(3)])
        git(host, "update-ref", SECOND + BEN, FIRST + BEN)
        git(host, "update-ref", "-d", FIRST + BEN)
        assert pulled(opened("cyd"))[0] == {ANN: {1, 2}, BEN: {3}}
        ann.publish(ANN, [line(2)])
        assert sorted(references(host)) == sorted([FIRST + ANN, SECOND + BEN])
        assert pulled(opened("cyd"))[0] == {ANN: {2}, BEN: {3}}

    def test_a_writer_whose_name_was_made_a_folder_gets_a_branch(self, opened: Open, host: Path) -> None:
        opened("ann").publish(ANN, [line(1)])
        git(host, "update-ref", f"{FIRST}{BEN}/x", FIRST + ANN)
        opened("ben").publish(BEN, [line(2)])
        assert SECOND + BEN in references(host)
        assert [writer for writer, _ in opened("cyd").pull("").lines].count(BEN) == 1

    def test_a_host_that_refuses_everything_is_named_with_its_reason(self, opened: Open, host: Path) -> None:
        hook(host, "update", "exit 1")
        with pytest.raises(ExchangeUnavailable, match="hook declined") as refused:
            opened("ann").publish(ANN, [line(1)])
        assert refused.value.hint

    def test_branches_of_others_are_not_fetched(
        self, opened: Open, host: Path, folder_of: Callable[[str], Path]
    ) -> None:
        opened("ann").publish(ANN, [line(1)])
        tree = git(host, "mktree", "--missing")
        commit = git(host, "commit-tree", tree, "-m", "code")
        git(host, "update-ref", "refs/heads/memlsp/share", commit)
        git(host, "update-ref", "refs/heads/main", commit)
        assert pulled(opened("ben"))[0] == {ANN: {1}}
        assert commit.encode() not in texts(folder_of("ben"))

    def test_offline_is_said_and_changes_nothing(self, host: Path, opened: Open) -> None:
        ann = opened("ann")
        ann.publish(ANN, [line(1)])
        cursor = ann.pull("").cursor
        host.rename(host.with_name("elsewhere"))
        for act in (lambda: ann.publish(ANN, []), lambda: ann.pull(cursor), lambda: ann.own(ANN), ann.check):
            with pytest.raises(ExchangeUnavailable, match="git cannot reach") as offline:
                act()
            assert "git ls-remote" in offline.value.hint
        host.with_name("elsewhere").rename(host)
        assert ann.pull(cursor).lines == ()
        assert ann.own(ANN) == {line(1).key}

    def test_a_host_that_does_not_answer_is_left_with_all_that_was_started(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        waiting = tmp_path / "waiting"
        script = f"#!/bin/sh\ntrap 'touch {tmp_path}/ended; exit' TERM\ntouch {tmp_path}/started\nsleep 600 & wait\n"
        waiting.write_text(script, "utf-8")
        waiting.chmod(0o755)
        monkeypatch.setenv("GIT_SSH_COMMAND", str(waiting))
        monkeypatch.setattr(side_repository, "_NETWORK", patience(1))
        with pytest.raises(ExchangeUnavailable, match="took more than"):
            open_exchange("ssh://example.invalid/team", tmp_path / "ann").pull("")
        assert (tmp_path / "started").exists()
        until_exists(tmp_path / "ended")

    def test_ssh_asks_nobody_and_keeps_the_command_of_the_user(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ssh = tmp_path / "ssh"
        ssh.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/words\nexit 255\n', "utf-8")
        ssh.chmod(0o755)
        monkeypatch.setenv("GIT_SSH_COMMAND", f"{ssh} -i key")
        with pytest.raises(ExchangeUnavailable):
            open_exchange("git@example.invalid:team.git", tmp_path / "ann").pull("")
        with pytest.raises(ExchangeUnavailable) as offline:
            open_exchange("ssh://token@example.invalid/team.git", tmp_path / "ann").pull("")
        assert "token" not in str(offline.value) + offline.value.hint
        words = (tmp_path / "words").read_text()
        assert words.startswith("-i key -o BatchMode=yes -o ConnectTimeout=")

    def test_nothing_asks_and_no_hook_of_the_user_runs(
        self, tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        trap = tmp_path / "trap"
        trap.mkdir()
        for name in ("pre-push", "reference-transaction", "post-checkout", "askpass"):
            (trap / name).write_text(f"#!/bin/sh\necho {name} in $PWD >> {tmp_path}/sprung\n", "utf-8")
            (trap / name).chmod(0o755)
        shutil.copytree(trap, tmp_path / "template" / "hooks")
        settings = tmp_path / "gitconfig"
        git(tmp_path, "config", "--file", str(settings), "core.hooksPath", str(trap))
        git(tmp_path, "config", "--file", str(settings), "core.askPass", str(trap / "askpass"))
        git(tmp_path, "config", "--file", str(settings), "init.templateDir", str(tmp_path / "template"))
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
        for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
            monkeypatch.setenv(name, str(trap / "askpass"))
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY"):  # as in a hook of the user's repository
            monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
        opened("ann").publish(ANN, [line(1), line(2)])
        opened("ann").publish(ANN, [line(2)])
        assert pulled(opened("ben"))[0] == {ANN: {2}}
        with _asking_host() as address, pytest.raises(ExchangeUnavailable, match="could not read Username"):
            open_exchange(address, tmp_path / "cyd").pull("")
        ran = (tmp_path / "sprung").read_text().splitlines()
        assert set(ran) == {f"reference-transaction in {tmp_path}/host.git"}  # by the host, which is on this machine
        assert not (tmp_path / "elsewhere").exists()


class _asking_host:  # noqa: N801 - a context
    """A host on this machine that asks everybody for a password."""

    class _Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="team"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            pass

    def __enter__(self) -> str:
        self._server = HTTPServer(("127.0.0.1", 0), self._Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return f"http://127.0.0.1:{self._server.server_port}/team.git"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def until_exists(path: Path) -> None:
    end = time.monotonic() + patience(20)
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.01)


class TestKilled:
    PROGRAM = """
import os, sys
from pathlib import Path
from memlsp_team.exchange.exchange import open_exchange
from memlsp_team.exchange.lines import Line
os.environ["PUBLISHER"] = str(os.getpid())
lines = [Line(f"{number:032x}", b"{}") for number in range(int(sys.argv[3]))]
open_exchange(sys.argv[1], Path(sys.argv[2])).publish("a1" * 8, lines)
"""

    def publish(self, host: Path, folder: Path, count: int) -> int:
        """Publish in a process of its own, whose number the hooks of the host know; its status."""
        words = [sys.executable, "-c", self.PROGRAM, host.as_uri(), str(folder), str(count)]
        root = Path(__file__).resolve().parents[3]
        done = subprocess.run(
            words,
            check=False,
            cwd=root,
            env=os.environ | {"PYTHONPATH": str(root)},
            capture_output=True,
            timeout=patience(60),
        )
        return done.returncode

    @pytest.mark.parametrize(("name", "arrived"), [("pre-receive", 1), ("post-receive", 2)])
    def test_a_process_killed_in_a_push_leaves_all_or_nothing_and_publishes_again(
        self, opened: Open, host: Path, folder_of: Callable[[str], Path], name: str, arrived: int
    ) -> None:
        assert self.publish(host, folder_of("ann"), 1) == 0
        hook(host, name, 'kill -9 "$PUBLISHER"; exit 1')
        assert self.publish(host, folder_of("ann"), 2) == -signal.SIGKILL
        (host / "hooks" / name).unlink()
        found = {int(each.key, 16) for _, each in opened("ben").pull("").lines}
        assert found == set(range(arrived))
        assert self.publish(host, folder_of("ann"), 3) == 0
        assert len(opened("ben").pull("").lines) == 3

    def test_ctrl_c_ends_git_and_leaves_the_exchange_usable(
        self, opened: Open, host: Path, folder_of: Callable[[str], Path], tmp_path: Path
    ) -> None:
        hook(host, "pre-receive", f'echo $$ > {tmp_path}/pid; kill -INT "$PUBLISHER"; exec sleep 600')
        assert self.publish(host, folder_of("ann"), 2) != 0
        (host / "hooks" / "pre-receive").unlink()
        assert opened("ben").pull("").lines == ()
        assert self.publish(host, folder_of("ann"), 2) == 0
        assert len(opened("ben").pull("").lines) == 2


class TestAddresses:
    @pytest.mark.parametrize(
        "address",
        [
            *(
                "ext::sh -c true",
                "fd::3",
                "-oProxyCommand=x:y",
                "--upload-pack=x",
                "",
                "team",
                "../team",
                "./a:b",
                "~/team",
            ),
            *("http://example.org/team", "git://example.org/team", "ftp://example.org/team", "ssh://-x/team", "a\nb:c"),
            *("https://ann:secret@example.org/team", "-x@host:team", "https://[::1/team", "foo::bar", "memlsp+ext::x"),
            *("ext://example.org", "host:", "javascript:alert(1)\n"),
        ],
    )
    def test_what_could_start_a_program_or_is_read_by_others_is_refused(self, address: str, tmp_path: Path) -> None:
        with pytest.raises(Refused) as refused:
            open_exchange(address, tmp_path)
        assert "secret" not in str(refused.value)
        assert "https://" in refused.value.hint

    @pytest.mark.parametrize(
        "address",
        [
            *("https://example.org/team.git", "https://ann@example.org/team", "ssh://git@example.org:22/team.git"),
            *("git@example.org:acme/team.git", "example.org:team", "/srv/team.git", "file:///srv/team.git"),
            *("http://127.0.0.1:3000/team", "http://localhost/team", r"C:\teams\team.git", "git@[::1]:team"),
        ],
    )
    def test_what_people_use_is_allowed(self, address: str, tmp_path: Path) -> None:
        open_exchange(address, tmp_path / "ann").close()
        assert not (tmp_path / "ann").exists()


def commit_of(host: Path, entries: list[tuple[str, str, bytes]]) -> str:
    """Write a commit whose tree has (mode, name, content or hash) in the host, without git's checks."""
    raw = b""
    blobs = {content: written(host, "blob", content) for content in {content for _, _, content in entries}}
    for mode, name, content in entries:
        blob = content.decode() if mode in {"40000", "160000"} else blobs[content]
        raw += f"{mode} {name}\0".encode() + bytes.fromhex(blob)
    tree = written(host, "tree", raw)
    return written(host, "commit", f"tree {tree}\nauthor m <m> 0 +0000\ncommitter m <m> 0 +0000\n\n".encode())


def written(host: Path, kind: str, content: bytes) -> str:
    words = ["git", f"--git-dir={host}", "hash-object", "-w", "--literally", "-t", kind, "--stdin"]
    return subprocess.run(words, input=content, capture_output=True, check=True).stdout.decode().strip()


GOOD = b"%032x {}\n" % 5
EVE = "e5" * 8


class TestHostileReferences:
    @pytest.mark.parametrize(
        "entries",
        [
            [("100644", "notes.md", GOOD)],
            [("100644", "00000.lines", GOOD), ("100644", "x", GOOD)],
            [("120000", "00000.lines", b"/etc/passwd")],
            [("100755", "00000.lines", GOOD)],
            [("160000", "00000.lines", b"ab" * 20)],
            [("100644", "../00000.lines", GOOD)],
            [("100644", "00000.lines", GOOD * 501)],
            [("100644", f"{number:05d}.lines", GOOD) for number in range(2000)],
        ],
        ids=["name", "one name", "symlink", "executable", "submodule", "escape", "long segment", "many segments"],
    )
    def test_a_tree_of_another_form_is_a_fault_of_its_writer_alone(
        self, opened: Open, host: Path, entries: list[tuple[str, str, bytes]]
    ) -> None:
        opened("ann").publish(ANN, [line(1)])
        git(host, "update-ref", FIRST + EVE, commit_of(host, entries))
        pull = opened("ben").pull("")
        assert pull.lines == ((ANN, line(1)),)
        assert [writer for writer, _ in pull.faults] == [EVE]
        again = opened("ben").pull(pull.cursor)
        assert (again.lines, again.faults) == ((), ())

    def test_a_nested_tree_is_a_fault_of_its_writer_alone(self, opened: Open, host: Path) -> None:
        opened("ann").publish(ANN, [line(1)])
        inner = written(host, "tree", b"")
        git(host, "update-ref", FIRST + EVE, commit_of(host, [("40000", "00000.lines", inner.encode())]))
        pull = opened("ben").pull("")
        assert pull.lines == ((ANN, line(1)),)
        assert [writer for writer, _ in pull.faults] == [EVE]

    @pytest.mark.parametrize("sort", ["blob", "tree", "tag", "history", "large commit"])
    def test_what_is_no_commit_without_parents_is_a_fault(self, opened: Open, host: Path, sort: str) -> None:
        opened("ann").publish(ANN, [line(1)])
        commit = commit_of(host, [("100644", "00000.lines", GOOD)])
        if sort == "blob":
            target = written(host, "blob", GOOD)
        elif sort == "tree":
            target = git(host, "rev-parse", f"{commit}^{{tree}}")
        elif sort == "tag":
            target = written(host, "tag", f"object {commit}\ntype commit\ntag x\ntagger m <m> 0 +0000\n\nx\n".encode())
        elif sort == "history":
            target = git(host, "commit-tree", f"{commit}^{{tree}}", "-p", commit, "-m", "x")
        else:
            target = git(host, "commit-tree", f"{commit}^{{tree}}", "-m", "x" * 9000)
        git(host, "update-ref", FIRST + EVE, target)
        pull = opened("ben").pull("")
        assert pull.lines == ((ANN, line(1)),)
        assert [writer for writer, _ in pull.faults] == [EVE]

    def test_lines_of_another_form_are_faults_and_the_others_are_read(self, opened: Open, host: Path) -> None:
        lines = [
            GOOD[:-1],
            b"../../etc {}",
            b"%032x {" % 6,
            b"%032x " % 7 + b"{" + b"x" * (300 << 10) + b"}",
            b"",
            b"x",
        ]
        lines += [b"%032x " % 8 + '{"ä"}'.encode(), b"%032X {}" % (1 << 127 | 0xABC), b"%032x {}" % 9]
        git(host, "update-ref", FIRST + EVE, commit_of(host, [("100644", "00000.lines", b"\n".join(lines))]))
        pull = opened("ben").pull("")
        assert sorted(each.key for _, each in pull.lines) == [f"{5:032x}", f"{9:032x}"]
        assert sorted(reason for _, reason in pull.faults) == [
            "a line has more than 256 KiB",
            "a line is not one JSON object in ASCII",
            "the key of a line is not 32 hexadecimal digits",
        ]

    def test_sizes_are_looked_at_before_content(
        self, opened: Open, host: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("memlsp_team.exchange.git_exchange.MOST_BYTES", 10_000)
        kept: list[str] = []
        content = side_repository.ObjectReader.content

        def counted(reader: side_repository.ObjectReader, name: str, kind: str, most: int) -> bytes:
            kept.append(kind)
            return content(reader, name, kind, most)

        monkeypatch.setattr(side_repository.ObjectReader, "content", counted)
        segments = [("100644", f"{number:05d}.lines", b"%032x {%s}\n" % (number, b"x" * 6000)) for number in range(2)]
        git(host, "update-ref", FIRST + EVE, commit_of(host, segments))
        assert [reason for _, reason in opened("ben").pull("").faults] == ["there are more than 0 MiB"]
        assert kept == ["commit", "tree"]

    def test_a_thousand_references_of_strange_names_are_one_fault(self, opened: Open, host: Path) -> None:
        opened("ann").publish(ANN, [line(1)])
        commit = references(host)[FIRST + ANN]
        names = [f"evil{number}" for number in range(500)] + [f"{EVE}/{number}" for number in range(500)]
        script = "".join(f"create {FIRST}{name} {commit}\n" for name in names)
        subprocess.run(["git", f"--git-dir={host}", "update-ref", "--stdin"], input=script.encode(), check=True)
        pull = opened("ben").pull("")
        assert pull.lines == ((ANN, line(1)),)
        assert [(writer, reason[:15]) for writer, reason in pull.faults] == [("", "1000 references")]

    def test_a_thousand_writers_are_read(self, opened: Open, host: Path) -> None:
        commits = [commit_of(host, [("100644", "00000.lines", b"%032x {}\n" % number)]) for number in range(20)]
        script = "".join(f"create {FIRST}{number:016x} {commits[number % 20]}\n" for number in range(1000))
        subprocess.run(["git", f"--git-dir={host}", "update-ref", "--stdin"], input=script.encode(), check=True)
        pull = opened("ben").pull("")
        assert len({writer for writer, _ in pull.lines}) == 1000
        assert opened("ben").pull(pull.cursor).lines == ()

    def test_a_bounded_pull_leaves_a_rest(self, opened: Open, host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("memlsp_team.exchange.git_exchange._ENOUGH", 100)
        for number in range(5):
            opened("ann").publish(f"{number:016x}", [line(each) for each in range(4)])
        first = opened("ben").pull("")
        assert first.more
        assert {writer for writer, _ in first.lines} < {f"{number:016x}" for number in range(5)}
        assert len(pulled(opened("ben"))[0]) == 5
