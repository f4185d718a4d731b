"""The languages that are read in full. One file each; adding one is adding its file and its line here."""

from __future__ import annotations

from memlsp.code.language import Language
from memlsp.code.languages.python import PYTHON

LANGUAGES: tuple[Language, ...] = (PYTHON,)
