"""The lines that travel: JSON in one form, signed with the Ed25519 key of the machine that wrote them.

A writer's id is the beginning of its public key's SHA-256, so nobody can write under the id of another. The key is kept
in OpenSSH's notation, and `allowed_signers` in the data folder has the notation of ssh-keygen.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from memlsp.beliefs.lifecycle.belief_file import LARGEST, BeliefFile, read_file, write_file
from memlsp.model.errors import BadValue, StoreUnavailable
from memlsp.model.one_line import plain
from memlsp.store.tables.team import LineState, TeamAct, TeamLine

VERSION = 1
_NEW_KEY = "move it away; a new one is made"
KEY_NAME = "team.key"
SIGNERS_NAME = "allowed_signers"

_TEXTS = ("act", "belief", "clock", "signer", "author", "until", "branch", "commit", "body", "signature")
_FIELDS = frozenset({"v", "parents", "locked", "into", *_TEXTS})
_KEY = re.compile(r"[0-9a-f]{32}")
_CLOCK = re.compile(r"[0-9a-f]{16}")
_ID = re.compile(r"[a-z][0-9a-z]{3,31}")
_MOST_PARENTS = 256
_LONGEST = 400  # characters of a name


@frozen
class TeamBody:
    """What a line says of a belief: its file, whether its writer locked it, until when it holds (ISO 8601, "" for
    ever), the branch and commit on which it was said, and the id of the belief that took its place ("" for none)."""

    file: BeliefFile
    locked: bool = False
    until: str = ""
    branch: str = ""
    commit: str = ""
    into: str = ""

    @property
    def digest(self) -> str:
        """A hash of what it says, by which the same from two machines is no dispute."""
        return f"{self.file.digest} {self.until}"


class Signer:
    """The key of this machine."""

    def __init__(self, path: Path) -> None:
        """Read the key at `path`, or make one. Raises StoreUnavailable when neither can be done."""
        from cryptography.exceptions import UnsupportedAlgorithm  # late: it takes long to load, and few commands sign
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_ssh_private_key

        try:
            key = load_ssh_private_key(_made(path) if not path.exists() else path.read_bytes(), None)
        except (OSError, ValueError, UnsupportedAlgorithm) as error:
            raise StoreUnavailable(f"the key {path} cannot be used: {error}", _NEW_KEY) from error
        if not isinstance(key, Ed25519PrivateKey):
            raise StoreUnavailable(f"the key {path} is no Ed25519 key", _NEW_KEY)
        self._key = key
        self.public = _raw(key.public_key())
        self.writer = writer_of(self.public)

    def line(
        self,
        act: TeamAct,
        belief: str,
        clock: str,
        parents: Sequence[str],
        *,
        author: str,
        body: TeamBody | None = None,
    ) -> TeamLine:
        """A signed line, as taken here."""
        said: dict[str, Any] = {
            "v": VERSION,
            "act": act.value,
            "belief": belief,
            "clock": clock,
            "signer": base64.b64encode(self.public).decode(),
            "parents": sorted(parents),
            "author": plain(author, 200),
        }
        if body is not None:
            said |= {"locked": body.locked, "body": write_file(body.file)}
            said |= {"until": body.until, "branch": body.branch, "commit": body.commit}
            said |= {"into": body.into} if body.into else {}
        signature = base64.b64encode(self._key.sign(_bytes(said))).decode()
        text = _bytes({**said, "signature": signature}).decode("ascii")
        parents = tuple(said["parents"])
        return TeamLine(_digest(said), act, belief, clock, self.writer, parents, said["author"], text, LineState.TAKEN)


def read_line(text: bytes) -> TeamLine:
    """A line that somebody else wrote, its form and signature checked. Raises BadValue with the fault."""
    said = _fields_of(text)
    texts = [said.get(name, "") for name in _TEXTS]
    parents = said.get("parents")
    if not all(isinstance(each, str) for each in texts) or not isinstance(said.get("locked", False), bool):
        raise BadValue("a field has the wrong type")
    act, belief, clock, signer, author, *_, signature = cast("list[str]", texts)
    if act not in set(TeamAct) or not _ID.fullmatch(belief) or not _CLOCK.fullmatch(clock) or len(author) > _LONGEST:
        raise BadValue("its act, belief, clock or author is none")
    if not isinstance(parents, list) or len(cast("list[Any]", parents)) > _MOST_PARENTS:
        raise BadValue(f"it has no list of at most {_MOST_PARENTS} parents")
    keys = tuple(each for each in cast("list[Any]", parents) if isinstance(each, str) and _KEY.fullmatch(each))
    if len(keys) != len(cast("list[Any]", parents)):
        raise BadValue("a parent is no key")
    public = _signed_by(signer, signature, {name: each for name, each in said.items() if name != "signature"})
    line = text.decode("ascii").strip()
    del said["signature"]
    return TeamLine(_digest(said), TeamAct(act), belief, clock, writer_of(public), keys, plain(author, 200), line)


def _fields_of(text: bytes) -> dict[str, Any]:
    """The fields of a line, all of them known. Raises BadValue."""
    try:
        value = json.loads(text.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise BadValue("it is no line of ASCII JSON") from error
    if not isinstance(value, dict):
        raise BadValue("it is no object")
    said = cast("dict[str, Any]", value)
    if said.get("v") != VERSION:
        raise BadValue(f"version {plain(str(said.get('v')), 20)} of the exchange is not known", "update memlsp here")
    if unknown := said.keys() - _FIELDS:
        raise BadValue(f"it has fields that are not known: {plain(', '.join(sorted(unknown)), 100)}")
    return said


def body_of(line: TeamLine) -> TeamBody:
    """What a line says of its belief. Raises BadValue for a body that cannot be read or belongs to another belief."""
    said = json.loads(line.text)
    text = str(said.get("body", ""))
    if len(text) > LARGEST:
        raise BadValue(f"its body has more than {LARGEST:,} characters")
    file = read_file(text)
    if file.id != line.belief:
        raise BadValue(f"its body is about {file.id}")
    until, branch, commit = (str(said.get(name, "")) for name in ("until", "branch", "commit"))
    if len(branch) > _LONGEST or not re.fullmatch(r"(?:[0-9a-f]{40})?", commit):
        raise BadValue("its branch or commit is none")
    if until and datetime.fromisoformat(until).tzinfo is None:
        raise BadValue(f"{plain(until, 40)} has no time zone")
    into = str(said.get("into", ""))
    if into and not _ID.fullmatch(into):
        raise BadValue("what took its place is no id")
    return TeamBody(file, said.get("locked") is True, until, plain(branch, _LONGEST), commit, into)


def writer_of(public: bytes) -> str:
    """The id of the writer with a public key: 16 hex digits."""
    return hashlib.sha256(public).hexdigest()[:16]


def trusted_writers(folder: Path) -> frozenset[str]:
    """The writers whose locks count here, from `allowed_signers` in the data folder: a principal and an ssh-ed25519 key
    a line, as ssh-keygen has it. Options and other kinds of keys are left out."""
    found: set[str] = set()
    with suppress(OSError, UnicodeDecodeError):
        for line in (folder / SIGNERS_NAME).read_text(encoding="utf-8").splitlines():
            words = line.split()
            if "ssh-ed25519" in words[1:-1] and not line.startswith("#"):
                with suppress(ValueError):
                    blob = base64.b64decode(words[words.index("ssh-ed25519") + 1], validate=True)
                    found.add(writer_of(blob[-32:]))
    return frozenset(found)


def public_line(signer: Signer, name: str) -> str:
    """The line by which a colleague's `allowed_signers` trusts this machine."""
    name_of_kind = b"ssh-ed25519"
    blob = b"".join(len(part).to_bytes(4, "big") + part for part in (name_of_kind, signer.public))
    principal = re.sub(r"[^\w@.+-]+", "-", name) or "memlsp"
    return f"{principal} {name_of_kind.decode()} {base64.b64encode(blob).decode()}"


def _made(path: Path) -> bytes:
    """A new private key in OpenSSH's notation, written for its owner alone."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    text = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(text)
    return text


def _signed_by(signer: str, signature: str, said: dict[str, Any]) -> bytes:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        public = base64.b64decode(signer, validate=True)
        Ed25519PublicKey.from_public_bytes(public).verify(base64.b64decode(signature, validate=True), _bytes(said))
    except (InvalidSignature, ValueError) as error:
        raise BadValue("its signature is not that of its signer") from error
    return public


def _raw(key: Any) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return cast("bytes", key.public_bytes(Encoding.Raw, PublicFormat.Raw))


def _bytes(said: dict[str, Any]) -> bytes:
    return json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _digest(said: dict[str, Any]) -> str:
    return hashlib.blake2b(_bytes(said), digest_size=16).hexdigest()
