"""The whole program: its link, its end, its log, and TLS."""

from __future__ import annotations

import re
import signal
import ssl
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from attrs import frozen
from patience import patience
from project import Project

PATIENCE = 60


@frozen
class Running:
    """A running `memlsp web`, and the address that it said."""

    process: subprocess.Popen[str]
    link: str
    origin: str

    def end(self, number: int) -> tuple[int, str]:
        """Send a signal; the status, and what else was written to either stream."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=patience(PATIENCE))
        return self.process.returncode, out + err


def _hears_hangups() -> None:
    """A run under nohup ignores them, and its children would too."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def running(project: Project, *words: str) -> Generator[Running]:
    command = [sys.executable, "-m", "memlsp", "web", *words]
    with subprocess.Popen(
        command,
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_hears_hangups if hasattr(signal, "SIGHUP") else None,  # noqa: PLW1509 - it only sets a signal
    ) as process:
        try:
            assert process.stderr
            said = process.stderr.readline()
            link = said.removeprefix("memlsp: ").strip()
            assert link.startswith("http"), said + process.stderr.read()
            yield Running(process, link, re.sub(r"/open.*", "", link))
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)])
def test_it_ends_at_once_and_cleanly(project: Project, number: int) -> None:
    with running(project) as web:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/open/[\w-]{32}", web.link)
        assert httpx2.get(f"{web.origin}/open").status_code == 200
        status, said = web.end(number)
    assert status in {0, -signal.SIGTERM}
    assert said == ""


def test_no_token_is_in_the_log(project: Project) -> None:
    with running(project) as web:
        with httpx2.Client() as browser:
            assert browser.get(web.link).status_code == 200
            assert browser.get(web.origin + "/").status_code == 200
            assert browser.get(web.origin + "/belief/none").status_code == 404
            session = next(iter(browser.cookies.values()))
        _, said = web.end(signal.SIGINT)
    assert session not in said
    assert web.link not in said
    assert re.fullmatch(r"memlsp: http://127\.0\.0\.1:\d+/open/[\w-]{32}\n", said)  # the next link, and nothing else


def test_a_browser_is_shown_a_file_and_no_token_on_its_command_line(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\ncat "${{1#file://}}" > {seen}.part; echo "$1" >> {seen}.part; mv {seen}.part {seen}\n'
    )
    browser.chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    with running(project, "--open") as web:
        httpx2.get(f"{web.origin}/open")  # the answer comes after the browser was started
        web.end(signal.SIGINT)
    page, _, argument = seen.read_text().rpartition(">")
    assert web.link in page
    assert "/open/" not in argument


def test_beyond_loopback_is_refused_in_one_line(project: Project) -> None:
    for words in (["web", "--host", "192.0.2.1"], ["mcp", "--http", "--host", "192.0.2.1"], ["mcp", "--port", "9"]):
        command = [sys.executable, "-m", "memlsp", *words]
        done = subprocess.run(
            command, check=False, cwd=project.root, capture_output=True, text=True, timeout=patience(PATIENCE)
        )
        assert done.returncode in {1, 2}
        assert "--token-file" in done.stderr
        assert "Traceback" not in done.stderr


def test_it_serves_with_tls_and_a_token_of_its_own(project: Project, tmp_path: Path) -> None:
    certificate, key = _certificate(tmp_path)
    token_file = tmp_path / "token"
    files = ["--token-file", str(token_file), "--tls-cert", str(certificate), "--tls-key", str(key)]
    with running(project, "--host", "localhost", *files) as web:
        assert web.link.startswith("https://localhost:")
        assert web.link.endswith("/open")
        assert token_file.stat().st_mode & 0o077 == 0
        trusted = ssl.create_default_context(cafile=str(certificate))
        with httpx2.Client(verify=trusted, headers={"Origin": web.origin}) as browser:
            assert browser.get(web.origin + "/").status_code == 303
            form = {"token": token_file.read_text().strip()}
            assert "secure" in browser.post(web.link, data=form).headers["set-cookie"].lower()
            assert browser.get(web.origin + "/").status_code == 200
        web.end(signal.SIGINT)


def _certificate(folder: Path) -> tuple[Path, Path]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    paths[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, *form))
    return paths
