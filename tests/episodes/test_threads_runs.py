"""What the output of test runners says: which tests failed, and for which others a run speaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.episodes.runner_output import TestRun, read_run

PYTEST = """F.E                                                              [100%]
=================================== FAILURES ===================================
____________________________ TestA.test_b[1-2] _________________________________
E   assert 1 == 2
=========================== short test summary info ============================
FAILED tests/test_x.py::TestA::test_b[1-2] - assert 1 == 2
FAILED tests/test_x.py::TestA::test_b[3-4] - assert 3 == 4
ERROR tests/test_y.py - ImportError: no module named z
2 failed, 1 passed, 1 error in 0.12s
"""
UNITTEST = """F.
======================================================================
FAIL: test_x (tests.test_mod.Case.test_x)
----------------------------------------------------------------------
AssertionError: 1 != 2
----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1)
"""
JEST = """FAIL src/a.test.ts
  \u25cf suite \u203a adds numbers

    expect(received).toBe(expected)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 2 passed, 3 total
"""
VITEST = """ FAIL  src/a.test.ts > suite > adds
AssertionError: expected 1 to be 2
 Test Files  1 failed (1)
      Tests  1 failed | 2 passed (3)
"""
MOCHA = """

  Array
    #indexOf()
      1) should return -1

  2 passing (5ms)
  1 failing

  1) Array
       #indexOf()
         should return -1:
     AssertionError: x
"""
GO = """--- FAIL: TestX (0.00s)
    --- FAIL: TestX/sub (0.00s)
        x_test.go:12: got 1
FAIL
FAIL\texample.com/m/pkg\t0.1s
ok  \texample.com/m/other\t(cached)
FAIL
"""
CARGO = """running 2 tests
test tests::a ... ok
test tests::b ... FAILED

failures:
    tests::b

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
NEXTEST = """        FAIL [   0.004s] (1/2) mycrate tests::b
     Summary [   0.005s] 2 tests run: 1 passed, 1 failed, 0 skipped
"""
MAVEN = """[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE!
[ERROR] com.x.FooTest.testBar -- Time elapsed: 0.004 s <<< FAILURE!
[ERROR] Failures:
[ERROR]   FooTest.testBar:12 expected: <1> but was: <2>
[INFO]
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0
"""
GRADLE = """FooTest > testBar() FAILED
    org.opentest4j.AssertionFailedError at FooTest.java:12

3 tests completed, 1 failed
"""
PHPUNIT = """There was 1 failure:

1) Tests\\FooTest::testBar
Failed asserting that false is true.

FAILURES!
Tests: 3, Assertions: 3, Failures: 1.
"""
RSPEC = """Failures:

  1) Foo does x

3 examples, 1 failure

Failed examples:

rspec ./spec/foo_spec.rb:12 # Foo does x
"""
DOTNET = """  Failed Ns.FooTests.Bar [12 ms]
  Error Message:
Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 12 ms - x.dll (net8.0)
"""


def run(command: str, output: str, ok: bool | None = None) -> TestRun:
    found = read_run(command, output, ok)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("command", "output", "failed"),
    [
        ("pytest -q", PYTEST, [("TestA::test_b", "tests/test_x.py"), ("", "tests/test_y.py")]),
        ("python -m unittest", UNITTEST, [("tests.test_mod.Case.test_x", "")]),
        ("npm test", JEST, [("suite \u203a adds numbers", "src/a.test.ts")]),
        ("npx vitest run", VITEST, [("suite > adds", "src/a.test.ts")]),
        ("npm test", MOCHA, [("Array #indexOf() should return -1", "")]),
        ("go test ./...", GO, [("TestX", "x_test.go")]),
        ("cargo test", CARGO, [("tests::b", "")]),
        ("cargo nextest run", NEXTEST, [("tests::b", "")]),
        ("mvn -q test", MAVEN, [("FooTest.testBar", "")]),
        ("./gradlew test", GRADLE, [("FooTest > testBar", "")]),
        ("vendor/bin/phpunit", PHPUNIT, [("Tests\\FooTest::testBar", "")]),
        ("bundle exec rspec", RSPEC, [("Foo does x", "./spec/foo_spec.rb")]),
        ("dotnet test", DOTNET, [("Ns.FooTests.Bar", "")]),
        ("make test", PYTEST, [("TestA::test_b", "tests/test_x.py"), ("", "tests/test_y.py")]),
    ],
)
def test_the_failing_tests_of_every_runner_are_named_once(
    command: str, output: str, failed: list[tuple[str, str]]
) -> None:
    found = run(command, output, ok=False)
    assert [(each.name, each.path) for each in found.failed] == failed
    assert found.clean is False


def test_a_failure_is_told_with_its_message() -> None:
    assert run("pytest", PYTEST).failed[0].message == "assert 1 == 2"
    assert run("go test ./...", GO).failed[0].message == "got 1"
    assert run("go test ./...", GO).failed[0].group == "example.com/m/pkg"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("git status", "nothing to commit"),
        ("cargo build", "error: x"),
        ("grep -rn FAILED tests", "FAILED tests/test_x.py::a - b"),
        ("ls tests", "test_x.py"),
    ],
)
def test_other_commands_are_no_test_runs(command: str, output: str) -> None:
    assert read_run(command, output, ok=True) is None


@pytest.mark.parametrize(
    ("command", "output", "ok", "speaks"),
    [
        pytest.param("pytest", "5 passed in 0.03s\n", True, True, id="all passed"),
        pytest.param("pytest", "", True, True, id="a terminal that tells the exit code alone"),
        pytest.param("pytest | tail -1", "", True, False, id="the exit code of another program"),
        pytest.param("pytest | tail -1", "===== 5 passed in 0.03s =====\n", True, True, id="what it says itself"),
        pytest.param("pytest tests", "5 passed in 0.03s\n", True, True, id="a folder that holds it"),
        pytest.param("pytest other", "5 passed in 0.03s\n", True, False, id="another file or folder"),
        pytest.param("pytest -q -n 4 --tb short", "5 passed in 0.03s\n", True, True, id="values of options"),
        pytest.param("npm test -- other", "5 passed in 0.03s\n", True, False, id="behind another program"),
        pytest.param("make test-unit", "5 passed in 0.03s\n", True, False, id="a part of all"),
        pytest.param("pytest other/", "5 passed in 0.03s\n", True, False, id="another folder"),
        pytest.param("pytest tests/test_x.py::TestA::test_b", "1 passed in 0.03s\n", True, True, id="it alone"),
        pytest.param("pytest tests/test_x.py::test_c", "1 passed in 0.03s\n", True, False, id="another alone"),
        pytest.param("pytest -k test_b", "1 passed in 0.03s\n", True, True, id="by its name"),
        pytest.param("pytest -k 'not test_b'", "1 passed in 0.03s\n", True, False, id="a filter that nobody reads"),
        pytest.param("pytest", PYTEST.replace("TestA::test_b", "test_c"), False, True, id="others failed, all named"),
        pytest.param("pytest -x", PYTEST.replace("TestA::test_b", "test_c"), False, False, id="it stopped early"),
        pytest.param("pytest", "3 failed, 2 passed in 0.1s\n", False, False, id="failures without names"),
        pytest.param("pytest", "no tests ran in 0.01s\n", False, False, id="nothing ran"),
    ],
)
def test_a_run_speaks_only_for_what_it_surely_ran(command: str, output: str, ok: bool, speaks: bool) -> None:
    found = run(command, output, ok=ok)
    assert found.speaks_for("TestA::test_b", "tests/test_x.py") is speaks


def test_a_go_package_speaks_for_its_own_tests() -> None:
    found = run("go test ./...", GO, ok=False)
    assert found.speaks_for("TestY", "other/y_test.go", "example.com/m/other")
    assert not found.speaks_for("TestZ", "pkg/z_test.go", "example.com/m/pkg")


def test_a_test_that_is_named_as_passed_did() -> None:
    found = run("python -m pytest -v", "tests/test_x.py::TestA::test_b PASSED [ 50%]\n1 failed, 5 passed in 1s\n")
    assert found.passed == ("TestA::test_b",)


@given(st.text(max_size=300), st.text(max_size=2_000))
def test_any_output_can_be_read(command: str, output: str) -> None:
    found = read_run(command, output, None)
    assert found is None or len(found.failed) <= 20
