"""The detectors of detect-secrets, for their patterns alone.

Nothing is verified: verification is what would go to the network, and it is never called. Loading them costs about
0.15 s, because each imports an HTTP client for it, so they are loaded when a text holds something that they could find.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import cast

from memlsp.capture.spans import Secret

# Left out: those whose patterns take more than linear time on hostile input and which our own rules cover (Cloudant,
# IBM, JWT, npm, OpenAI, Softlayer), those that do not point at the secret (PrivateKey), and those that raise false
# alarms in source code (BasicAuth, high entropy, keyword, public IP).
_DETECTORS = (
    ("artifactory", "ArtifactoryDetector"),
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("pypi_token", "PypiTokenDetector"),
    ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"),
    ("square_oauth", "SquareOAuthDetector"),
    ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"),
    ("twilio", "TwilioKeyDetector"),
)
_LONG_RUN = re.compile(r"[A-Za-z0-9+/=_.:-]{10,}+")  # the shortest that any of them finds


def detected_secrets(text: str) -> Iterator[Secret]:
    """What the detectors find; not in order, perhaps overlapping."""
    if not any(_could_be(run[0]) for run in _LONG_RUN.finditer(text)):
        return
    for kind, pattern in _patterns():
        for found in pattern.finditer(text):
            group = next((number for number in range(1, pattern.groups + 1) if len(found[number] or "") >= 16), 0)
            start, end = found.span(group)
            while start < end and not text[start].isalnum():
                start += 1
            while end > start and not text[end - 1].isalnum() and text[end - 1] not in "=_-":
                end -= 1
            whole = not _joined(text, start - 1) and not _joined(text, end)
            if whole and _could_be(text[start:end]):
                yield Secret(start, end, kind)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found: list[tuple[str, re.Pattern[str]]] = []
    for module, name in _DETECTORS:
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)
        patterns = cast("Iterable[re.Pattern[str]]", detector.denylist)
        found.extend((module.replace("_", "-"), pattern) for pattern in patterns)
    return tuple(found)


def _could_be(text: str) -> bool:
    """Generated tokens have digits; long names in source code have few or none."""
    return sum(sign.isdigit() for sign in text) >= 2


def _joined(text: str, position: int) -> bool:
    return 0 <= position < len(text) and (text[position].isalnum() or text[position] in "_+/")
