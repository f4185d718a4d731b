"""Personal data, where the user's settings have it taken out of what somebody says."""

from __future__ import annotations

from memlsp.capture.redaction import redact
from memlsp.memory.noted import screen_of
from memlsp.memory.premises import Premises


def without_personal_data(premises: Premises, text: str) -> str:
    """A text without secrets and without the personal data that the settings name; as it is where they name none."""
    kinds = screen_of(premises).settings.personal
    return redact(text, kinds).text if kinds and text else text
