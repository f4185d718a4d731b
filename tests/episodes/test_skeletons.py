from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memlsp.episodes.command_templates import command_template, decisive_line, failure_digest

PYTEST = """\
=================================== FAILURES ===================================
    def test_total():
>       assert total(100) == 125
E       assert 120 == 125
tests/test_tax.py:4: AssertionError
=========================== short test summary info ============================
FAILED tests/test_tax.py::test_total - assert 120 == 125
============================== 1 failed in 0.02s ===============================
"""
TRACEBACK = """\
Traceback (most recent call last):
  File "/home/ann/shop/app.py", line {line}, in <module>
    import tenacity
ModuleNotFoundError: No module named 'tenacity'
"""


@pytest.mark.parametrize(
    ("command", "bones"),
    [
        ("pytest -x tests/test_a.py", "pytest -x P"),
        ("cd /home/ann/shop && python -m pytest -x tests/test_b.py 2>&1 | tail -20", "pytest -x P"),
        ("PYTHONPATH=src uv run pytest -x 'tests/test_a.py' > out.txt", "pytest -x P"),
        ("sudo timeout 60 make -j8 test", "make -j# test"),
        ("/usr/bin/git commit -m 'Say why; and how'", "git commit -m T"),
        ("npm run build --workspace=./web", "npm run build --workspace=P"),
        ("pip install tenacity==8.2.3", "pip install tenacity==#.#.#"),
        ("pytest tests/test_a.py::test_b", "pytest P::test_b"),
        ("mypy .", "mypy P"),
        ("", ""),
        ("   \n ", ""),
        ("cd /tmp", ""),
        ("'never closed", "T"),
    ],
)
def test_a_command_is_its_program_and_what_stays_the_same(command: str, bones: str) -> None:
    assert command_template(command) == bones


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (PYTEST, "FAILED tests/test_tax.py::test_total - assert 120 == 125"),
        (TRACEBACK.format(line=3), "ModuleNotFoundError: No module named 'tenacity'"),
        ("src/a.ts(3,5): error TS2322: no\nsrc/b.ts(1,1): error TS1005: no", "src/a.ts(3,5): error TS2322: no"),
        ("\x1b[1m\x1b[31merror[E0308]\x1b[0m: mismatched types\n  --> src/a.rs:3:4", "error[E0308]: mismatched types"),
        ("test net::retries ... FAILED\nfailures:\n", "test net::retries ... FAILED"),
        ("--- FAIL: TestRetry (0.00s)\n    a_test.go:3: no\nFAIL\nexit status 1", "--- FAIL: TestRetry (0.00s)"),
        ("compiling\nmake: *** [all] Error 2", "compiling"),
        ("first\nlast", "last"),
        ("\n\n====\n", ""),
        ("", ""),
    ],
)
def test_the_decisive_line_says_why_it_failed(output: str, line: str) -> None:
    assert decisive_line(output) == line


def test_the_same_failure_at_another_place_has_the_same_digest() -> None:
    assert failure_digest(TRACEBACK.format(line=3)) == failure_digest("noise\n" + TRACEBACK.format(line=77)) != ""


def test_another_missing_module_is_another_failure() -> None:
    assert failure_digest(TRACEBACK) != failure_digest(TRACEBACK.replace("tenacity", "attrs"))


def test_another_failing_test_is_another_failure() -> None:
    assert failure_digest(PYTEST) != failure_digest(PYTEST.replace("test_total", "test_refund"))


@pytest.mark.parametrize("output", ["", "AssertionError", "assert 3 == 4", "E   AssertionError: assert 3 == 4", "done"])
def test_a_failure_that_could_be_any_has_no_digest(output: str) -> None:
    assert failure_digest(output) == ""


@given(st.text(max_size=600))
@example('0"\n')
def test_whatever_is_run_or_printed_is_read(text: str) -> None:
    assert "\n" not in command_template(text)
    assert "\n" not in decisive_line(text)
    assert len(failure_digest(text)) in {0, 16}
