"""Read the settings of a workspace from both `config.toml` files, the user's and the workspace's.

Every hook process reads settings, so the parsed result is cached in the data folder with the stamps of both files, and
nothing is parsed or imported while the stamps match. A file that cannot be read turns capturing off: its restrictions
are unknown.
"""

from __future__ import annotations

import marshal
import os
import sys
from _blake2 import blake2b

from memlsp.capture.private_files import stamp_text, write_private
from memlsp.capture.settings.settings import Settings

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from typing import Any

FILE_VARIABLE = "MEMLSP_CONFIG"
_LAYOUT = 2


def read(root: str, data: str) -> Settings:
    """Return the settings of the workspace at `root` (absolute), cached in the data folder `data`. Never raises for a
    fault in a file or on the disk: the default holds, and `messages` says what is wrong."""
    paths = (user_file(), os.path.join(root, ".memlsp", "config.toml"))
    stamps = [stamp_text(path) for path in paths]
    if not any(stamps):
        return Settings()
    name = blake2b("\0".join(paths).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    cache_file = os.path.join(data, "settings", name)
    cached = _cached(cache_file, stamps)
    if cached is None:
        from memlsp.capture.settings.schema import load  # late: needed once after a change of the settings

        settings = load(*paths)
        _cache(cache_file, stamps, settings)
        return settings
    settings = Settings()
    for field, value in cached.items():
        setattr(settings, field, value)
    return settings


def user_file() -> str:
    """Return the path of the user's settings: `$MEMLSP_CONFIG`, else `memlsp/config.toml` in the platform's folder."""
    chosen = os.environ.get(FILE_VARIABLE, "").strip()
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "") or os.path.expanduser("~\\AppData\\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "").strip() or os.path.expanduser("~/.config")
    return os.path.join(base, "memlsp", "config.toml")


def _cached(cache_file: str, stamps: list[str]) -> dict[str, Any] | None:
    try:
        with open(cache_file, "rb") as file:
            data = file.read(1 << 20)
        if blake2b(data[16:], digest_size=16).digest() != data[:16]:
            return None
        cached: Any = marshal.loads(data[16:])  # noqa: S302  written by this user's processes, readable by no other
    except (OSError, ValueError, EOFError, TypeError):
        return None
    if type(cached) is not dict or cached.pop("layout", None) != _LAYOUT or cached.pop("stamps", None) != stamps:  # pyright: ignore[reportUnknownMemberType]
        return None
    return cached if set(cached) == set(Settings.__slots__) else None  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _cache(cache_file: str, stamps: list[str], settings: Settings) -> None:
    table: dict[str, object] = {field: getattr(settings, field) for field in Settings.__slots__}
    body = marshal.dumps({**table, "layout": _LAYOUT, "stamps": stamps})
    try:
        write_private(cache_file, blake2b(body, digest_size=16).digest() + body)
    except OSError:
        return  # the next process reads the files again
