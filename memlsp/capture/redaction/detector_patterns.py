"""What is to be known of detect-secrets' patterns, read once from an installed version: the hook cannot wait for it."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from re import Pattern
from typing import cast

from memlsp.capture.redaction.pattern_compiler import fixed_parts, may_hold_space, parsed_pattern

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


def rows() -> tuple[tuple[str, str, int, tuple[str, ...], int], ...]:
    """Of each pattern: kind, pattern, flags, fixed parts of which one is in every match (in lower case when it ignores
    case), and the length of its shortest match, 0 when one may hold white space.

    Raises ImportError without the package.
    """
    found: list[tuple[str, str, int, tuple[str, ...], int]] = []
    for module, name in _DETECTORS:
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)
        for pattern in cast("Iterable[Pattern[str]]", detector.denylist):
            flags = int(pattern.flags)
            tree = parsed_pattern(pattern.pattern, flags)
            parts = fixed_parts(tree)
            parts = tuple(part.lower() for part in parts) if flags & 2 else parts
            least = 0 if may_hold_space(tree) else int(tree.getwidth()[0])
            found.append((module.replace("_", "-"), pattern.pattern, flags, parts, least))
    return tuple(found)
