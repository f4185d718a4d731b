"""Seals, by which this machine recognises the copies that it wrote.

A seal is a keyed digest (BLAKE2b, RFC 7693) of the bytes of a copy. The key stays in the data folder, readable by its
owner alone, and is in no export or backup. A valid seal proves that a copy was written here and is unchanged; another
seal proves nothing.
"""

from __future__ import annotations

import hmac
import os
import secrets
from hashlib import blake2b
from pathlib import Path

from memlsp.store.core.hook_connection import private_folder

KEY_FILE = "seal-key"
_KEY_BYTES = 32
_DIGEST_BYTES = 20


class Sealer:
    """Computes the digest and the seal of bytes that are passed in parts. `data` is the data folder."""

    def __init__(self, data: Path) -> None:
        self._key = _key(data)
        self._digest = blake2b(digest_size=_DIGEST_BYTES)
        self._seal = blake2b(digest_size=_DIGEST_BYTES, key=self._key, person=b"memlsp copy") if self._key else None

    def update(self, data: bytes) -> None:
        """Add bytes."""
        self._digest.update(data)
        if self._seal is not None:
            self._seal.update(data)

    @property
    def digest(self) -> str:
        """The unkeyed digest of the bytes so far, in hex, which shows damage."""
        return self._digest.hexdigest()

    @property
    def seal(self) -> str:
        """The seal of the bytes so far, in hex; "" when there is no key and none can be written."""
        return self._seal.hexdigest() if self._seal is not None else ""

    def fits(self, seal: str) -> bool:
        """True when this machine made `seal` for the bytes so far."""
        mine = self.seal
        return bool(mine) and hmac.compare_digest(seal.encode("utf-8", "replace"), mine.encode())


def sealed_file(path: Path, data: Path) -> Sealer:
    """A sealer that has read the whole of a file. Raises OSError."""
    sealer = Sealer(data)
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            sealer.update(chunk)
    return sealer


def _key(data: Path) -> bytes:
    path = data / KEY_FILE
    for _ in range(2):
        try:
            key = path.read_bytes()
        except FileNotFoundError:
            _make(path)
            continue
        except OSError:
            return b""
        return key if len(key) == _KEY_BYTES else b""
    return b""


def _make(path: Path) -> None:
    """Write a key, whole or not at all, and never over the key of another process."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        private_folder(str(path.parent))
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            if not path.exists():
                fresh.replace(path)
    except OSError:
        return
    finally:
        fresh.unlink(missing_ok=True)
