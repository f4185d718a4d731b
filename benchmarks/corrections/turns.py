"""Turns of public transcripts that are labelled without their text, because it has no licence.

`fixtures/corrections/turns-by-hash.jsonl` names each by repository, commit, path and a hash of its text, and its
lasting passages by characters. The text is read from clones (`DIR/owner+name`), as for the suite's documents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import cast

from benchmarks.corrections.corrections import LabelledPrompt
from benchmarks.documents.labels import text_of

_HASH = 6  # bytes
_TURN = re.compile(r"(?ms)^_\*\*User[^\n]*?\*\*_\s*\n(.*?)(?=^_\*\*(?:Assistant|Agent|User|Tool)|^---\s*$|\Z)")
_TYPED = re.compile(r"(?m)(?:^####(?: .*)?(?:\n|\Z))+")
_PART = "turns of transcripts"


def turns_in(path: str, text: str) -> Iterator[str]:
    """What a person typed in a transcript of SpecStory, or of aider."""
    if ".specstory/" in path:
        yield from (found[1].strip() for found in _TURN.finditer(text))
    else:
        for found in _TYPED.finditer(text):
            yield "\n".join(line[5:].rstrip() for line in found[0].splitlines()).strip()


def hashed_turns(labels: Path, data: Path) -> list[LabelledPrompt]:
    """The labelled turns whose text is in `data`. Raises NoSuchFile for a transcript that is not there."""
    found: list[LabelledPrompt] = []
    for line in labels.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        wanted = dict(row["turns"])
        for turn in turns_in(row["path"], text_of(data, row["repo"], row["commit"], row["path"])):
            label = wanted.pop(blake2b(turn.encode(), digest_size=_HASH).hexdigest(), None)
            if label is not None:
                spans = cast("list[list[int]]", label[1:])
                lasting = tuple(turn[first:last] for first, last in spans)
                kind = str(label[0]) if label else ""
                found.append(LabelledPrompt(turn, lasting, kind, person=False, source=row["repo"], part=_PART))
    return found
