"""Keeps what Python would compile anew in each process: the methods that attrs writes for a class, and the expressions
of `code.vocabulary`. Together they are a fifth of a command and a third of a language server's start.

They lie beside the bytecode and are known by their source, as the patterns of redaction are (decision 13).
"""

from __future__ import annotations

import atexit
import marshal
import re
import sys
from _blake2 import blake2b
from collections.abc import Mapping
from importlib import import_module
from threading import Timer
from typing import Any

from memlsp.capture.redaction.pattern_cache import PatternCache
from memlsp.code import vocabulary

_STARTED = 3.0  # seconds after which a server has answered
# a number of each process, by which attrs tells the hashes of two classes apart
_SALT = re.compile(r"^ +-?\d+,$", re.MULTILINE)


def keep_compiled() -> None:
    """Use what an earlier process compiled, and keep what this one has to compile. Call before any class is made."""
    served = sys.argv[1] if sys.argv[1:2] in (["lsp"], ["mcp"], ["web"]) else ""
    cache = PatternCache(served or "command")  # each file is read whole

    def evaluate(
        script: str, globs: dict[str, Any] | None, locs: Mapping[str, object] | None = None, filename: str = ""
    ) -> None:
        said = _SALT.sub("", script) if "__hash__" in script else script
        key = blake2b(f"{filename}\n{said}".encode(), digest_size=16).hexdigest()
        kept = cache.value_once(key, lambda: marshal.dumps(compile(script, filename, "exec")))
        exec(marshal.loads(kept), globs, locs)  # noqa: S102, S302  as attrs does, and as trusted as the bytecode

    attrs = import_module("attr._make")
    own = getattr(getattr(attrs, "_compile_and_eval", None), "__code__", None)
    # a function of attrs alone: where it is gone, or takes something else, attrs compiles as usual
    if own is not None and own.co_varnames[: own.co_argcount] == ("script", "globs", "locs", "filename"):
        attrs.__dict__["_compile_and_eval"] = evaluate
    vocabulary.compiled = cache.compiled_now
    if served:  # which seldom end by themselves
        (saving := Timer(_STARTED, cache.save)).daemon = True
        saving.start()
    atexit.register(cache.save)
