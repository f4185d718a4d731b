"""What the encoder learns from and what judges it: permissive packages only, and never one in two parts."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from benchmarks.recall.encoder_eval import quality, run_encoder
from benchmarks.recall.train_encoder import part_of
from benchmarks.recall.train_encoder_pairs import KINDS, Package, packages, pairs_of
from memlsp.model.errors import NoSuchFile

SOURCE = '''
def bounded_retry(call, times=3):
    """Call a function again after it failed, a few times. It must not be used for payments."""
    for _ in range(times):
        try:
            return call()
        except OSError:
            continue
    raise TimeoutError
'''
README = """# Shop

## Paying by card

Cards are charged when the parcel leaves the house, never before that. A refund goes to the card that was charged.
"""


def wheel(folder: Path, name: str, licence: str) -> Path:
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(f"{name}/a.py", SOURCE)
        made.writestr(f"{name}/_vendor/b.py", SOURCE.replace("bounded_retry", "vendored"))
        made.writestr(f"{name}-1.0.dist-info/METADATA", f"Name: {name}\nLicense-Expression: {licence}\n\n{README}")
    return path


def test_a_package_of_another_licence_teaches_nothing(tmp_path: Path) -> None:
    for name, licence in (("open", "MIT"), ("copyleft", "GPL-3.0-only"), ("both", "MIT OR GPL-2.0"), ("none", "")):
        wheel(tmp_path, name, licence)
    assert [package.name for package in packages(tmp_path, None)] == ["open"]


def test_pairs_are_what_people_wrote_about_the_same_thing(tmp_path: Path) -> None:
    found = pairs_of(Package("open", wheel(tmp_path, "open", "MIT"), "MIT"))
    by_kind = {kind: [pair for pair in found if pair.kind == kind] for kind in KINDS}
    assert [pair.query for pair in by_kind["docstring"]] == ["Call a function again after it failed, a few times."]
    assert "It must not" not in by_kind["docstring"][0].text
    assert [pair.text for pair in by_kind["statement"]][:1] == ["It must not be used for payments."]
    assert by_kind["heading"][0].query == "Paying by card"


def test_what_judges_was_not_learned_from() -> None:
    assert part_of("psf/requests") == "test"
    assert part_of("scrapy") == part_of("scrapy/scrapy") == "test"
    assert part_of("pallets/flask") == part_of("flask") == "develop"
    assert part_of("django") == "train"
    about = json.loads((Path(__file__).parents[2] / "memlsp/recall/encoder.json").read_text(encoding="utf-8"))
    assert {part_of(package) for package in about["trained_on"]} == {"train"}
    assert all(about["trained_on"].values())


def test_the_suite_puts_both_ways_of_searching_beside_their_sum(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in ("falcon", "scrapy"):
        lines = [
            json.dumps([kind, f"how is {word} done", f"we do {word} in the {package} module"])
            for kind in KINDS
            for word in ("caching", "logging", "parsing", "hashing")
        ]
        (tmp_path / f"{package}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    report = run_encoder(tmp_path, quick=True)
    assert report.passed
    assert report.baselines["commit"]["FTS5 R@10"] == 1
    assert "both, as recall" in capsys.readouterr().out


def test_without_pairs_the_suite_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="pairs"):
        run_encoder(tmp_path / "nowhere")


def test_quality_counts_the_first_ten_and_the_rank() -> None:
    assert quality([[1, 2, 3], [5]], [2, 6]) == (0.5, 0.25)
