"""Secrets made up for the suite `secrets`, and the texts that carry them.

No fixture holds a secret: each use of a shape gets one of its own, made of random signs, so that it can be searched for
in a store without doubt where it came from.
"""

from __future__ import annotations

import base64
import json
import random
import string
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from attrs import frozen

from memlsp.model.errors import BadValue, NoSuchFile

_HEX = "0123456789abcdef"
_ALPHABETS: Mapping[str, str] = {
    "alnum": string.ascii_letters + string.digits,
    "hex": _HEX,
    "upper": string.ascii_uppercase + string.digits,
    "b64": string.ascii_letters + string.digits + "+/",
    "b64url": string.ascii_letters + string.digits + "-_",
    "base32": string.ascii_uppercase + "234567",
    "digits": string.digits,
}
_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxz", "aeiou"


@frozen
class Shape:
    """One kind of secret. `text` is where it stands, with `{secret}` in its place; `named` says that nothing but its
    name makes it one."""

    name: str
    key: str
    secret: tuple[str, ...]
    text: str
    named: bool

    def made(self, seed: str) -> tuple[str, str]:
        """A secret of this shape, the same for the same seed, and the text that it stands in."""
        dice = random.Random(f"{self.name} {seed}")  # noqa: S311  nothing is protected by these
        secret = "".join(_piece(piece, dice) for piece in self.secret)
        return secret, self.text.replace("{secret}", secret)


@frozen
class Carrier:
    """A way for a text to come in, `written(name, text)`. `plain` where it says the name beside the value in no way
    that a program would read, so that what is secret by its name alone is not put there."""

    name: str
    written: Callable[[str, str], str]
    plain: bool = False


def shapes(folder: Path) -> tuple[Shape, ...]:
    """Those of `shapes.toml`. Raises NoSuchFile without it."""
    rows = cast("list[dict[str, Any]]", _loaded(folder / "shapes.toml")["shape"])
    return tuple(
        Shape(
            row["name"],
            row["key"],
            tuple(row["secret"]),
            "".join(row.get("text", ["{secret}"])),
            row.get("named", False),
        )
        for row in rows
    )


def look_alikes(folder: Path) -> tuple[str, ...]:
    """The texts of `lookalikes.toml`. Raises NoSuchFile without it."""
    return tuple(cast("list[str]", _loaded(folder / "lookalikes.toml")["texts"]))


def _loaded(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NoSuchFile(f"no {path}", "--data DIR names the folder fixtures of a checkout") from None


def _piece(piece: str, dice: random.Random) -> str:
    if not (piece.startswith("{") and piece.endswith("}")):
        parts = piece.split("{word}")
        return "".join([parts[0], *(f"{_word(dice)}{part}" for part in parts[1:])])
    kind, _, length = piece[1:-1].partition(":")
    if kind in _ALPHABETS:
        return _some(dice, _ALPHABETS[kind], int(length))
    special: Mapping[str, Callable[[], str]] = {
        "word": lambda: _word(dice),
        "uuid": lambda: "-".join(_some(dice, _HEX, size) for size in (8, 4, 4, 4, 12)),
        "basic": lambda: base64.b64encode(f"ada:{_some(dice, _ALPHABETS['alnum'], 14)}".encode()).decode(),
        "jwt": lambda: _jwt(dice),
        "pem": lambda: "\n".join(
            [
                *(_some(dice, _ALPHABETS["b64"], 64) for _ in range(int(length))),
                _some(dice, _ALPHABETS["b64"], 30) + "==",
            ]
        ),
    }
    if kind not in special:
        raise BadValue(f"no such piece of a secret: {piece}")
    return special[kind]()


def _some(dice: random.Random, alphabet: str, length: int) -> str:
    """Random signs with some digits and, where the alphabet has them, some letters, as generated ones have."""
    signs = [dice.choice(alphabet) for _ in range(length)]
    digits = [sign for sign in alphabet if sign.isdigit()]
    letters = [sign for sign in alphabet if sign.isalpha()]
    for number, place in enumerate(range(1, length - 1, max(3, length // 5))):
        group = digits if number % 2 == 0 else letters
        if group:
            signs[place] = dice.choice(group)
    return "".join(signs)


def _word(dice: random.Random) -> str:
    """Ten letters that can be spoken."""
    return "".join(dice.choice(_CONSONANTS) + dice.choice(_VOWELS) for _ in range(5))


def _jwt(dice: random.Random) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = json.dumps({"sub": _some(dice, string.digits, 10), "name": _word(dice)}, separators=(",", ":"))
    middle = base64.urlsafe_b64encode(body.encode()).decode().rstrip("=")
    return f"{head}.{middle}.{_some(dice, _ALPHABETS['b64url'], 43)}"


def _camel(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def _escaped(text: str) -> str:
    """Between double quotes, as JSON and most languages write it."""
    return json.dumps(text, ensure_ascii=False)


def _yaml(name: str, text: str) -> str:
    value = "|\n" + "\n".join(f"      {line}" for line in text.split("\n")) if "\n" in text else text
    return f"services:\n  shop:\n    {name.lower()}: {value}\n    port: 5432\n"


CARRIERS: tuple[Carrier, ...] = (
    Carrier("env file", lambda name, text: f"# local\n{name}={_one_line(text)}\nDEBUG=1\n"),
    Carrier("shell", lambda name, text: f"cd app && export {name}={_shell(text)} && ./deploy.sh --now"),
    Carrier("yaml", _yaml),
    Carrier("json", lambda name, text: json.dumps({"host": "db", name.lower(): text, "port": 1}, indent=2)),
    Carrier("json in json", lambda name, text: json.dumps({"tool": "call", "body": json.dumps({name.lower(): text})})),
    Carrier(
        "log", lambda name, text: f"2026-11-20T10:11:12Z INFO shop.settings loaded {name.lower()}={_one_line(text)}"
    ),
    Carrier("python", lambda name, text: f"import os\n\n{name} = {_escaped(text)}\n\n\ndef main() -> None: ...\n"),
    Carrier("go", lambda name, text: f"package main\n\nconst {_camel(name)} = {_escaped(text)}\n"),
    Carrier(
        "typescript", lambda name, text: f"export const config = {{ {_camel(name)}: {_escaped(text)}, port: 1 }};\n"
    ),
    Carrier("markdown", lambda name, text: f"# Setup\n\n```sh\n{name}={_one_line(text)}\n```\n\nThen run `make`.\n"),
    Carrier(
        "url", lambda name, text: f"GET https://api.example.org/v1/x?{name.lower()}={quote(text, safe='')}&q=1 200"
    ),
    Carrier("prompt", lambda name, text: f"please use {text} for the {name.lower()} and try again", plain=True),
)


def fits(shape: Shape, carrier: Carrier) -> bool:
    """False where a shape in this carrier would be no secret any more, or something else: a percent-encoded header."""
    if shape.named and carrier.plain:
        return False
    return carrier.name != "url" or all(sign.isalnum() or sign in "-_.~" for sign in shape.made("probe")[1])


def _one_line(text: str) -> str:
    return text.replace("\n", "\\n")


def _shell(text: str) -> str:
    return f"'{text}'" if "'" not in text else f'"{text}"'
