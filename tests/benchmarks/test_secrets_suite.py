"""The suite `secrets` finds what leaks, and nothing of it leaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.privacy.secret_samples import CARRIERS, fits, look_alikes, shapes
from benchmarks.privacy.secrets import run_secrets
from memlsp.capture.redaction.redaction import Redacted, redact
from memlsp.capture.redaction.tokens import token_secrets

_FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
_SHAPES = shapes(_FIXTURES / "secrets")
_SMALL = """
[[shape]]
name = "password"
key = "DB_PASSWORD"
secret = ["{word}", "{digits:3}"]
named = true

[[shape]]
name = "key"
key = "TLS"
secret = ["{pem:4}"]
text = ["-----BEGIN ", "PRIVATE KEY-----\\n", "{secret}", "\\n-----END ", "PRIVATE KEY-----"]
"""


@pytest.fixture
def fixtures(tmp_path: Path) -> Path:
    """Two shapes and one text that is none."""
    for name in ("secrets", "secrets-unseen"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "shapes.toml").write_text(_SMALL)
        (tmp_path / name / "lookalikes.toml").write_text('texts = ["token = self.get_token()"]')
    return tmp_path


def test_nothing_of_a_secret_is_in_the_store_the_log_or_the_spool(fixtures: Path) -> None:
    report = run_secrets(fixtures, quick=True)
    assert report.passed
    assert report.score == {"shapes": 1.0, "carriers": 1.0, "caps": 1.0, "look_alikes_changed": 0.0}
    assert report.baselines["secrets: 14 patterns, cut first"]["shapes"] == 0.0


def test_a_leak_is_found_wherever_it_lies(fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memlsp.capture.redaction.redaction.redact", lambda text, personal=(): Redacted(text))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    report = run_secrets(fixtures, quick=True)
    assert not report.passed
    assert report.score["shapes"] == 0.0
    assert report.score["carriers"] == 0.0
    assert 0 < report.score["caps"] < 1  # of some, the cap leaves less than would be recognised


@pytest.mark.parametrize("shape", _SHAPES, ids=lambda shape: shape.name)
def test_a_shape_is_taken_out_of_whatever_carries_it(shape: object) -> None:
    assert shape in _SHAPES
    kind = _SHAPES[_SHAPES.index(shape)]  # pyright: ignore[reportArgumentType]
    for carrier in CARRIERS:
        if fits(kind, carrier):
            secret, text = kind.made(f"test {carrier.name}")
            left = redact(carrier.written(kind.key, text)).text
            assert not any(line in left for line in secret.split("\n")), (carrier.name, left)


@pytest.mark.parametrize("text", look_alikes(_FIXTURES / "secrets"))
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text).text == text


def test_there_are_as_many_kinds_as_are_promised() -> None:
    assert len(_SHAPES) >= 40
    assert len(look_alikes(_FIXTURES / "secrets")) >= 60
    unseen = {shape.name for shape in shapes(_FIXTURES / "secrets-unseen")}
    assert not unseen & {shape.name for shape in _SHAPES}


def test_the_fixtures_hold_no_token_themselves() -> None:
    for path in _FIXTURES.glob("secrets*/shapes.toml"):
        for line in path.read_text(encoding="utf-8").split("\n"):
            assert not list(token_secrets(line, line.lower())), line
