"""The address of a model: which ones are allowed, its key, and one request."""

from __future__ import annotations

import ipaddress
import json
import urllib.request
from http.client import HTTPException
from importlib import import_module
from typing import Any
from urllib.error import HTTPError
from urllib.parse import SplitResult, urlsplit

from attrs import frozen

from memlsp.model.errors import BadValue, Refused
from memlsp.model.one_line import plain

ANSWER_TOKENS = 1_000
"""How long an answer may be."""

_LONGEST_ANSWER = 1 << 20  # bytes
_PATIENCE = 300.0  # seconds
_SERVICE = "memlsp"


@frozen
class Endpoint:
    """A model behind an OpenAI-compatible address: `http` on this machine alone, or `https` with a key that the keyring
    has for its host."""

    address: str
    model: str

    def check(self) -> None:
        """Raise Refused for an address that would send in the open or without a key. Sends nothing."""
        self._key()

    def ask(self, task: str, prompt: str) -> str:
        """The model's answer. A redirection is not followed. Raises Refused for an address that is not allowed or does
        not answer, BadValue for an answer that is no completion."""
        messages = [{"role": "system", "content": task}, {"role": "user", "content": prompt}]
        body = {"model": self.model, "max_tokens": ANSWER_TOKENS, "temperature": 0, "messages": messages}
        headers = {"Content-Type": "application/json", **self._key()}
        url = f"{self.address.rstrip('/')}/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310  http and https alone
        direct = [] if "Authorization" in headers else [urllib.request.ProxyHandler({})]  # this machine needs no proxy
        try:
            with urllib.request.build_opener(_NoRedirect(), *direct).open(request, timeout=_PATIENCE) as answer:
                text = answer.read(_LONGEST_ANSWER)
        except HTTPError as error:
            with error:
                said = plain(error.read(2_000).decode("utf-8", "replace"), 200)
            raise Refused(f"{self.address} answered {error.code}: {said or error.reason}") from error
        except (OSError, HTTPException) as error:
            raise Refused(f"{self.address} does not answer: {error}", "does its server run?") from error
        try:
            return str(json.loads(text)["choices"][0]["message"]["content"])
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise BadValue(f"{self.address} answered something else than a completion") from error

    def _key(self) -> dict[str, str]:
        url = _split(self.address)
        host = url.hostname or ""
        if url.scheme == "http" and _is_loopback(host):
            return {}
        if url.scheme != "https" or not host:
            raise Refused(f"{self.address} is neither on this machine nor encrypted", "use https://...")
        try:
            key = import_module("keyring").get_password(_SERVICE, host)
        except ImportError as error:
            raise Refused("a key needs the package keyring", "pip install 'memlsp-model[keyring]'") from error
        if not key:
            raise Refused(f"the keyring has no key for {host}", f"keyring set {_SERVICE} {host}")
        return {"Authorization": f"Bearer {key}"}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Another address than the one that was named gets nothing."""


def _split(address: str) -> SplitResult:
    try:
        url = urlsplit(address)
        _ = url.port
    except ValueError as error:
        raise BadValue(f"not an address: {address}", "as in http://127.0.0.1:11434/v1") from error
    if url.username or url.password or url.query or url.fragment:
        raise Refused("an address holds no name, key or query", f"keyring set {_SERVICE} HOST keeps the key")
    return url


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
