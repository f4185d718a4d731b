"""Values of the settings: what holds for one workspace. `schema` fills them from files, `reader` keeps the result."""

from __future__ import annotations

IGNORED = (
    *(".env*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "id_rsa*", "id_ed25519*"),
    *("id_ecdsa*", "id_dsa*", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".git-credentials", ".ssh/"),
    *(".aws/credentials", ".gnupg/"),
)
"""Files whose content is never kept, unless the user's settings say otherwise."""

SOURCES = ("agents", "editor", "files", "git", "terminals")
"""Sources of events that can be on or off. A source with any other name is an agent's."""


_MOST_SHOWN = 3
_LONGEST = 240


def source_group(source: str) -> str:
    """Return the one of `SOURCES` that a source of events belongs to."""
    if source == "terminal":
        return "terminals"
    return source if source in SOURCES else "agents"


class Settings:
    """The settings of one workspace.

    `off` lists the sources that are off; `why_off` says why all are ("" otherwise); `folders` are absolute folders in
    which nothing is captured; `ignore` holds patterns as in a `.gitignore`, the last match decides; `personal` the
    kinds of personal data to redact; `text` and `output` are limits in characters, `session` and `day` in events;
    `handoff_days` is how long a handoff lives; `admit` holds rules by which proposals need no person: path pattern,
    kinds, sources, each empty for any, and the least confidence; `encoder` names what makes vectors; `start_tokens`,
    `prompt_tokens` and `act_tokens` are the most that an agent is told at a session's start, at a prompt and before
    an act, 0 for nothing; `enforce` is `tell`, `ask` or `deny`, for acts that a locked rule forbids; `colleagues` is
    True where hooks tell what came from a colleague and nobody here confirmed; `messages` has a sentence for each
    fault.
    """

    __slots__ = (
        *("act_tokens", "admit", "colleagues", "day", "encoder", "enforce", "folders", "handoff_days", "ignore"),
        *("messages", "off", "output", "personal", "prompt_tokens", "session", "start_tokens", "text", "why_off"),
    )

    def __init__(self) -> None:
        self.off: tuple[str, ...] = ("terminals",)
        self.why_off = ""
        self.folders: tuple[str, ...] = ()
        self.ignore: tuple[str, ...] = IGNORED
        self.personal: tuple[str, ...] = ()
        self.text = 4_000
        self.output = 2_000
        self.session = 10_000
        self.day = 50_000
        self.handoff_days = 7
        self.admit: tuple[tuple[str, tuple[str, ...], tuple[str, ...], float], ...] = (("", (), ("prompt",), 0.7),)
        self.encoder = "embedded"
        self.start_tokens = 300
        self.prompt_tokens = 250
        self.act_tokens = 120
        self.enforce = "tell"
        self.colleagues = False
        self.messages: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """The messages that a person is shown unasked, the first ones."""
        cut = [text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…" for text in self.messages[:_MOST_SHOWN]]
        more = len(self.messages) - len(cut)
        return (*cut, f"and {more} more about the settings: memlsp doctor") if more else tuple(cut)
