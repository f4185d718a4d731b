"""The test runners that we know: how each is called, and what its output looks like."""

from __future__ import annotations

import re

from attrs import field, frozen


@frozen
class Runner:
    """How one runner is called, and how it says what failed, what passed and how many. `sign` tells its output without
    its command; `fast` are the arguments that end it early."""

    runner: str
    command: re.Pattern[str]
    sign: re.Pattern[str]  # in the output, without its command
    failed: tuple[re.Pattern[str], ...]  # groups: name, path, message
    passed: re.Pattern[str] | None
    count: re.Pattern[str] | None  # group: how many failed
    clean: re.Pattern[str]
    fast: re.Pattern[str] = field(default=re.compile(r"(?!)"))  # arguments that end it early


def line(pattern: str) -> re.Pattern[str]:
    """A pattern in which `^` and `$` are those of a line."""
    return re.compile(pattern, re.MULTILINE)


RUNNERS = (
    Runner(
        "pytest",
        line(r"\b(?:py\.?test|tox|nox)\b"),
        line(
            r"^=+ (?:test session starts|short test summary info|FAILURES|ERRORS) =+"
            r"|^(?:FAILED|ERROR) \S+\.py(?:::|\s|$)|^\d+ (?:passed|failed)\b.* in [\d.]+s"
        ),
        (
            line(r"^(?:FAILED|ERROR) (?P<path>[^\s:]+\.py)(?:::(?P<name>.+?))?(?: - (?P<message>.*))?\s*$"),
            line(r"^(?P<path>[^\s:]+\.py)::(?P<name>\S+(?: \S+)*?) (?:FAILED|ERROR)\b"),
        ),
        line(r"^(?P<path>[^\s:]+\.py)::(?P<name>\S.*?) (?:PASSED|XFAIL)\b"),
        line(r"^=*[^\n]*?(?P<count>\d+) (?:failed|errors?)\b[^\n]* in [\d.]+"),
        line(
            r"^=*\s*(?:\d+ (?:passed|skipped|xfailed|xpassed|deselected|warnings?|subtests passed)(?:, | in )?)+[\d.:]+"
        ),
        re.compile(r"(?:^|\s)(?:-x|--exitfirst|--maxfail\S*|--stepwise|--sw)(?=\s|$)"),
    ),
    Runner(
        "unittest",
        line(r"-m unittest\b|\bmanage\.py test\b"),
        line(r"^Ran \d+ tests? in "),
        (line(r"^(?:FAIL|ERROR): (?P<method>\w+) \((?P<name>[\w.]+)\)"),),
        line(r"^(?P<method>\w+) \((?P<name>[\w.]+)\)(?:\n[^\n]*)? \.\.\. (?:ok|expected failure)$"),
        line(r"^FAILED \((?P<count>.*)\)"),
        line(r"^OK(?: \(.*\))?$"),
        re.compile(r"(?:^|\s)(?:-f|--failfast)(?=\s|$)"),
    ),
    Runner(
        "jest",
        line(r"\bjest\b|react-scripts test"),
        line(r"^Test Suites: |^\s*\u25cf .+ \u203a "),
        (line(r"^\s*\u25cf (?P<name>(?!Console\b|Test suite failed)[^\n]+?)\s*$"),),
        line(r"^\s+[\u2713\u221a] (?P<name>.+?)(?: \(\d+ m?s\))?$"),
        line(r"^Tests:\s+(?P<count>\d+) failed"),
        line(r"^Tests:\s+(?!.*failed).*\b\d+ passed"),
        re.compile(r"--bail\b|(?:^|\s)-b(?=\s|$)|--onlyFailures|--onlyChanged|-o(?=\s|$)"),
    ),
    Runner(
        "vitest",
        line(r"\bvitest\b"),
        line(r"^\s*Test Files\s+\d|^\s*(?:\u276f|\u00d7|FAIL)\s+\S+\.(?:test|spec)\.\w+"),
        (line(r"^\s*(?:FAIL|\u00d7)\s+(?:\|[^|]*\|\s*)?(?P<path>[^\s>]+\.\w+) > (?P<name>.+?)(?: \d+m?s)?$"),),
        line(r"^\s*\u2713 (?P<path>[^\s>]+\.\w+) > (?P<name>.+?)(?: \d+m?s)?$"),
        line(r"^\s*Tests\s+(?P<count>\d+) failed"),
        line(r"^\s*Tests\s+(?!.*failed)\d+ passed"),
        re.compile(r"--bail\b|--changed\b"),
    ),
    Runner(
        "mocha",
        line(r"\bmocha\b"),
        line(r"^\s+\d+ passing \("),
        (line(r"^\s{2}\d+\) (?P<name>\S[^\n]*\n(?:\s{5,}(?!at )[^\n]+\n)*?\s{5,}[^\n]+?):\n"),),
        None,
        line(r"^\s+(?P<count>\d+) failing\b"),
        line(r"^\s+\d+ passing \((?![\s\S]*^\s+\d+ failing)"),
        re.compile(r"--bail\b|(?:^|\s)-b(?=\s|$)"),
    ),
    Runner(
        "go",
        line(r"\bgo test\b|\bgotestsum\b"),
        line(r"^\s*--- (?:FAIL|PASS): Test|^(?:ok|FAIL)\s+\S+/\S+\s+[\d.(c]"),
        (line(r"^\s*--- FAIL: (?P<name>\S+) \([\d.]+s\)(?:\n\s+(?P<path>[\w./-]+_test\.go):\d+: (?P<message>.*))?"),),
        line(r"^\s*--- PASS: (?P<name>\S+) \("),
        None,
        line(r"^(?:ok\s+\S+|PASS$)(?![\s\S]*^FAIL)"),
        re.compile(r"-failfast\b"),
    ),
    Runner(
        "cargo",
        line(r"\bcargo (?:\+\S+ )?(?:test|nextest|t)\b"),
        line(r"^test result: |^\s+Summary \[.*\] .*tests? run"),
        (
            line(r"^test (?P<name>\S+)(?: - should panic)? \.\.\. FAILED"),
            line(r"^\s+(?:FAIL|TIMEOUT|SIGABRT) \[[^\]]*\]\s+(?:\([^)]*\)\s+)?(?P<group>\S+) (?P<name>\S+)$"),
        ),
        line(r"^test (?P<name>\S+)(?: - should panic)? \.\.\. ok"),
        line(r"^test result: FAILED\. \d+ passed; (?P<count>\d+) failed"),
        line(
            r"^test result: ok\.(?![\s\S]*^test result: FAILED)|^\s+Summary \[.*\] .*tests? run: (?!.*failed).*passed"
        ),
        re.compile(r"\btest\b(?!.*--no-fail-fast)"),
    ),
    Runner(
        "maven",
        line(r"\bmvnw?\b|mvnd\b"),
        line(r"^\[(?:INFO|ERROR|WARNING)\] Tests run: \d+"),
        (
            line(r"^\[ERROR\]\s+(?P<name>[\w$.]+(?:\.|#)\w+)(?:\([^)]*\))?:\d+(?:->\S+)? ?(?P<message>.*)$"),
            line(
                r"^\[ERROR\] (?P<name>[\w$.]+\.\w+)(?:\([^)]*\))?(?:\[[^\]]*\])?(?: --|  Time).*<<< (?:FAILURE|ERROR)!"
            ),
        ),
        None,
        line(r"^\[ERROR\] Tests run: \d+, (?P<count>Failures: \d+, Errors: \d+), Skipped: \d+\s*$"),
        line(r"^\[INFO\] BUILD SUCCESS"),
        re.compile(r"--fail-fast\b|-ff\b|-Dsurefire\.skipAfterFailureCount"),
    ),
    Runner(
        "gradle",
        line(r"\bgradlew?\b"),
        line(r"^\S+ > .+ (?:FAILED|PASSED)$|^\d+ tests? completed, \d+ failed"),
        (line(r"^(?P<name>[\w$.]+(?: > [^\n>]+)* > [^\n>]+?)(?:\(\))? FAILED$"),),
        line(r"^(?P<name>[\w$.]+(?: > [^\n>]+)* > [^\n>]+?)(?:\(\))? PASSED$"),
        line(r"^\d+ tests? completed, (?P<count>\d+) failed"),
        line(r"^BUILD SUCCESSFUL"),
        re.compile(r"--fail-fast\b"),
    ),
    Runner(
        "phpunit",
        line(r"\b(?:phpunit|pest|artisan test|composer (?:run )?test)\b"),
        line(r"^(?:OK \(\d+ tests?,|Tests: \d+, Assertions: \d+)"),
        (line(r"^\d+\) (?P<name>[\w\\]+::\w+)(?: with data set .*)?\n(?P<message>[^\n]+)"),),
        None,
        line(r"^Tests: \d+, Assertions: \d+(?P<count>(?:, (?:Failures|Errors): \d+)+)"),
        line(r"^OK(?: \(\d+ tests?,|, but)"),
        re.compile(r"--stop-on-\w+"),
    ),
    Runner(
        "rspec",
        line(r"\brspec\b"),
        line(r"^\d+ examples?, \d+ failures?"),
        (line(r"^rspec (?P<path>\S+?\.rb)(?::\d+|\[[\d:]+\]) # (?P<name>.+)$"),),
        None,
        line(r"^\d+ examples?, (?P<count>\d+) failures?"),
        line(r"^[1-9]\d* examples?, 0 failures(?!.*error)"),
        re.compile(r"--fail-fast\b|--next-failure|--only-failures"),
    ),
    Runner(
        "dotnet",
        line(r"\bdotnet (?:test|vstest)\b"),
        line(r"^(?:Failed|Passed)!\s+- Failed:"),
        (line(r"^\s+(?:Failed|\[FAIL\]) (?P<name>[\w.+`]+)(?:\([^\n]*\))? \[[^\]]+\]"),),
        line(r"^\s+Passed (?P<name>[\w.+`]+)(?:\([^\n]*\))? \[[^\]]+\]"),
        line(r"^Failed!\s+- Failed:\s+(?P<count>\d+)"),
        line(r"^Passed!\s+- Failed:\s+0(?![\s\S]*^Failed!)"),
    ),
)
