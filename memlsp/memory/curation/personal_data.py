"""Personal data, where the user's settings have it taken out of what somebody says."""

from __future__ import annotations

from memlsp.capture.redaction.redaction import redact
from memlsp.memory.context import Premises
from memlsp.memory.ingest.event_screen import screen_of


def without_personal_data(premises: Premises, text: str) -> str:
    """A text without secrets and without the personal data that the settings name; as it is where they name none."""
    kinds = screen_of(premises).settings.personal
    return redact(text, kinds).text if kinds and text else text
