"""Tells the findings of `memlsp check`: as text, as JSON, as annotations of GitHub, as SARIF, for GitLab."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from memlsp.faces.render.belief_json import picked
from memlsp.faces.render.wording import count_of
from memlsp.memory.check.repository_check import CheckReport
from memlsp.model.check import CheckRule, StatementFinding
from memlsp.model.one_line import plain
from memlsp.version import VERSION

_MOST_ANNOTATIONS = 10
"""Of one kind that GitHub shows for a step; the rest stands in the summary of the job."""

_HELP: Mapping[str, str] = tomllib.loads(Path(__file__).with_name("check_rules.toml").read_text("utf-8"))
_CURE = (
    "Write the sentence anew, or take it out. Only the statement itself can quiet this: no file or comment of the"
    " repository says that it is to be ignored."
)


def is_error(finding: StatementFinding) -> bool:
    """True for what is false now; False for what moved, or may still be true."""
    return not finding.rule.is_doubt


def as_text(report: CheckReport) -> str:
    """Findings by document, for a person."""
    lines: list[str] = []
    for path in dict.fromkeys(each.path for each in report.findings):
        lines.append(path)
        for each in report.findings:
            if each.path == path:
                since = f" (held at {each.held_at[:8]})" if each.held_at else ""
                lines += [
                    f"  {each.line}:{each.start + 1}  {each.rule}  {_told(each)}{since}",
                    f"      {each.statement}",
                ]
        lines.append("")
    read = f"{count_of(report.lines, 'line')} of {count_of(report.documents, 'document')} read"
    errors = sum(map(is_error, report.findings))
    if not report.findings:
        return f"Nothing that was true is false now; {read}.\n"
    moved = len(report.findings) - errors
    told = [text for count, text in ((errors, f"{errors} false"), (moved, f"{moved} to look at")) if count]
    return "\n".join([*lines, f"{' and '.join(told)}; {read}.", ""])


def as_json(report: CheckReport) -> str:
    """The findings as JSON, described in docs/reference/json.md."""
    findings = [
        {
            **picked(each, "rule"),
            "level": _level(each),
            **picked(each, "path line"),
            "column": each.start + 1,
            "end_column": each.end + 1,
            **picked(each, "statement message replacement"),
            "code": picked(each, "path=code_path line=code_line") if each.code_path else None,
            **picked(each, "held_at"),
        }
        for each in report.findings
    ]
    return _document({**picked(report, "old new documents lines notices"), "findings": findings})


def as_github(report: CheckReport) -> str:
    """Commands of a workflow, ten of a kind; all findings go to the summary of the job where there is one."""
    lines: list[str] = []
    for level in ("error", "warning", "notice"):
        for each in [one for one in report.findings if _level(one) == level][:_MOST_ANNOTATIONS]:
            place = f"file={_property(each.path)},line={each.line},col={each.start + 1}"
            said = _told(each)
            if each.code_line:  # which is in the diff that a reviewer sees
                place = f"file={_property(each.code_path)},line={each.code_line}"
                said = f"{each.path}:{each.line} says “{plain(each.statement, 120)}”: {plain(each.message, 400)}"
            lines.append(f"::{level} {place},title={_property(each.rule)}::{_data(said)}")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and report.findings:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(_summary(report))
    return "\n".join([*lines, as_text(report).rsplit("\n", 2)[-2], ""])


def as_sarif(report: CheckReport) -> str:
    """SARIF 2.1.0: the place is the code that made the statement false where that is known, else the statement."""
    rules = [
        {
            "id": rule,
            "shortDescription": {"text": text},
            "help": {"text": f"{text} {_CURE}", "markdown": f"{text}\n\n{_CURE}"},
            "defaultConfiguration": {"level": "warning" if CheckRule(rule).is_doubt else "error"},
        }
        for rule, text in _HELP.items()
    ]
    driver = {
        "name": "memlsp",
        "version": VERSION,
        "informationUri": "https://pypi.org/project/memlsp/",
        "rules": rules,
    }
    run = {
        "tool": {"driver": driver},
        "results": [_result(each) for each in report.findings],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The top of the repository."}}},
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return _document({"$schema": schema, "version": "2.1.0", "runs": [run]})


def as_gitlab(report: CheckReport) -> str:
    """The code quality report of GitLab."""
    issues = [
        {
            "description": _told(each),
            "check_name": each.rule.value,
            "fingerprint": _fingerprint(each),
            "severity": "major" if is_error(each) else "minor",
            "location": {"path": each.path, "lines": {"begin": each.line}},
        }
        for each in report.findings
    ]
    return _document(issues)


FORMATS: Mapping[str, Callable[[CheckReport], str]] = {
    "text": as_text,
    "github": as_github,
    "json": as_json,
    "sarif": as_sarif,
    "gitlab": as_gitlab,
}


def _document(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _told(each: StatementFinding) -> str:
    where = f" ({each.code_path}:{each.code_line})" if each.code_line else ""
    return plain(each.message, 400) + where


def is_notice(finding: StatementFinding) -> bool:
    """True where code only moved on: that stops no commit, however strict."""
    return finding.rule is CheckRule.BELIEF_CHANGED


def _level(each: StatementFinding) -> str:
    return "error" if is_error(each) else "notice" if is_notice(each) else "warning"


def _fingerprint(each: StatementFinding) -> str:
    """The same for as long as the statement stands, on whatever line."""
    words = " ".join(each.statement.split())
    return blake2b(f"{each.rule}\0{each.path}\0{words}".encode(), digest_size=16).hexdigest()


def _result(each: StatementFinding) -> dict[str, Any]:
    said = _location(each.path, each.line, each.start + 1, each.end + 1)
    code = _location(each.code_path, each.code_line) if each.code_path and each.code_line else None
    result: dict[str, Any] = {
        "ruleId": each.rule.value,
        "ruleIndex": list(_HELP).index(each.rule),
        "level": _level(each).replace("notice", "note"),
        "message": {"text": f"{each.path}:{each.line} says “{each.statement}”: {_told(each)}"},
        "locations": [code or said],
        "partialFingerprints": {"primaryLocationLineHash": f"{_fingerprint(each)}:1"},
    }
    if code:
        result["relatedLocations"] = [{**said, "id": 1, "message": {"text": "the statement"}}]
    return result


def _location(path: str, line: int | None, start: int = 0, end: int = 0) -> dict[str, Any]:
    region = {"startLine": line or 1, **({"startColumn": start, "endColumn": end} if start else {})}
    from urllib.parse import quote  # late: only SARIF asks for it

    return {"physicalLocation": {"artifactLocation": {"uri": quote(path), "uriBaseId": "%SRCROOT%"}, "region": region}}


def _summary(report: CheckReport) -> str:
    rows = [f"| {_cell(f'{each.path}:{each.line}')} | {_cell(_told(each))} |" for each in report.findings]
    return "\n".join(["### memlsp check", "", "| statement | what is so now |", "|---|---|", *rows, ""])


def _cell(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|").replace("[", "\\[").replace("`", "'")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
