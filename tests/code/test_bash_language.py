"""Bash: what is found, what it is called, what changes its meaning and what does not."""

from __future__ import annotations

import pytest

from memlsp.code.diff.comparison import compare
from memlsp.code.languages.detection import language_of
from memlsp.code.syntax.outline import Outline, outline
from memlsp.code.workspace.dependencies import dependencies
from memlsp.model.change import ChangeKind, DetailKind
from memlsp.model.symbol import SymbolKind

SOURCE = r"""#!/usr/bin/env bash
set -euo pipefail

source "$(dirname "$0")/lib/common.sh"

readonly RATE=20
declare -A NAMES=([x]=1 [y]="two")
export LOG="/tmp/$USER.log"
mode=fast

# Works out the sum.
compute() {
  local total=0 file
  for file in "$@"; do
    if [[ -s "$file" && $total -gt 3 ]]; then
      total=$((total + RATE))
    elif [ -z "$file" ]; then
      continue
    fi
  done
  while read -r line; do echo "$line: $total ${mode}"; done < list.txt
  case "$1" in
    a|b) echo ab ;;
    *) echo "other" >&2; return 1 ;;
  esac
  curl --fail --max-time 30 "https://example.org/${2:-all}" || exit 7
  trap 'rm -f "$file"' EXIT
  cat <<EOF
Dear $1,
  bye $total
EOF
}

function other {
  compute a 'b c' $'d\n'
  cat <<'EOF'
as $it is
EOF
}

main() ( cd /; other; )
main "$@"
"""


@pytest.fixture(scope="module")
def script() -> Outline:
    return outline("run.sh", SOURCE.encode())


Told = tuple[object, ...]


def _both(name: str, old: str, new: str, script: Outline) -> tuple[frozenset[ChangeKind], list[Told]]:
    assert old in SOURCE
    before, after = script.find(name), outline("run.sh", SOURCE.replace(old, new).encode()).find(name)
    assert before is not None
    assert after is not None
    change = compare(before, after)
    return change.kinds, [(each.kind, each.name, each.old, each.new) for each in change.details]


def test_functions_and_top_level_variables_are_symbols(script: Outline) -> None:
    assert not script.has_errors
    assert {symbol.name: symbol.kind for symbol in script.symbols[1:]} == {
        "RATE": SymbolKind.CONSTANT,
        "NAMES": SymbolKind.CONSTANT,
        "LOG": SymbolKind.CONSTANT,
        "mode": SymbolKind.CONSTANT,
        "compute": SymbolKind.FUNCTION,
        "other": SymbolKind.FUNCTION,
        "main": SymbolKind.FUNCTION,
    }


def test_a_function_says_what_it_calls_tests_and_answers(script: Outline) -> None:
    compute, rate = script.find("compute"), script.find("RATE")
    assert compute is not None
    facts = compute.facts
    assert facts.docs == "Works out the sum."
    assert facts.calls == ("continue", "read", "echo", "echo", "echo", "curl", "trap", "cat")
    assert facts.raises == ("exit 7",)
    assert facts.catches == ("EXIT",)
    assert facts.returns == ("1",)
    assert facts.conditions == ('-s "$file" && $total -gt 3', '-z "$file"', "read -r line", '"$1"', "a|b", "*")
    assert facts.loops == ('for file in "$@"', "while read -r line")
    values = [(each.name, each.value) for each in facts.values]
    assert {("total", "0"), ("max-time", "30"), ("$2", "'all'")} <= set(values)
    assert "'Dear $1,\\n  bye ${}\\n'" in facts.literals
    assert {"RATE", "mode"} <= set(facts.uses)
    assert "total" not in facts.uses
    assert rate is not None
    assert rate.facts.modifiers == ("readonly",)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("compute", "total", "sum"),
        ("compute", "compute() {", "function compute {"),
        ("compute", '[[ -s "$file" && $total -gt 3 ]]; then', '[[ -s "${file}" && ${total} -gt 3 ]]\n    then # large'),
        ("compute", 'echo "other" >&2', "echo other >&2"),
        ("compute", "--max-time 30", '--max-time \\\n    "30"'),
        ("compute", '"$line: $total ${mode}"', '"${line}: ${total} $mode"'),
        ("other", "'b c'", '"b c"'),
        ("other", "<<'EOF'\nas $it is\nEOF", "<<'END'\nas $it is\nEND"),
        ("RATE", "RATE=20", "RATE='20'"),
    ],
)
def test_spelling_says_nothing(script: Outline, name: str, old: str, new: str) -> None:
    kinds, _ = _both(name, old, new, script)
    assert kinds <= {ChangeKind.COSMETIC}


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("RATE", "RATE=20", "RATE=25", (DetailKind.VALUE, "RATE", "20", "25")),
        ("compute", "--max-time 30", "--max-time 60", (DetailKind.LITERAL, "max-time", "30", "60")),
        ("compute", "${2:-all}", "${2:-none}", (DetailKind.LITERAL, "$2", "'all'", "'none'")),
        ("compute", "return 1", "return 2", (DetailKind.RETURN, "", "1", None)),
        ("compute", "exit 7", "exit 8", (DetailKind.RAISE_ADDED, "exit 8", None, "exit 8")),
        ("compute", "-gt 3", "-ge 3",
         (DetailKind.CONDITION, "", '-s "$file" && $total -gt 3', '-s "$file" && $total -ge 3')),
        ("other", "as $it is", "as $it was", (DetailKind.LITERAL, "", "'as $it is\\n'", "'as $it was\\n'")),
    ],
)  # fmt: skip
def test_meaning_is_told(script: Outline, name: str, old: str, new: str, told: Told) -> None:
    _, details = _both(name, old, new, script)
    assert told in details


def test_what_the_shell_expands_or_splits_is_meaning() -> None:
    def meaning(text: str) -> str:
        found = outline("a.sh", f"f() {{ echo {text}; }}\n".encode()).find("f")
        assert found is not None
        return found.fingerprint.meaning

    assert meaning("it") == meaning('"it"') == meaning("'it'")
    assert meaning('"$a"') == meaning('"${a}"')
    assert meaning('"$a $b"') == meaning('"${a} ${b}"')
    assert meaning('"$a $b"') != meaning('"$a$b"')
    assert meaning("$a") != meaning('"$a"')
    assert meaning("'$a'") != meaning('"$a"')
    assert meaning("'$a'") == meaning('"\\$a"')


def test_a_global_variables_name_is_meaning_and_a_local_ones_is_not() -> None:
    def meaning(text: str) -> str:
        found = outline("a.sh", text.encode()).find("f")
        assert found is not None
        return found.fingerprint.meaning

    assert meaning('f() { local a=1; echo "$a"; }') == meaning('f() { local b=1; echo "$b"; }')
    assert meaning('f() { a=1; echo "$a"; }') != meaning('f() { b=1; echo "$b"; }')


def test_a_sourced_variable_is_what_a_function_depends_on() -> None:
    files = {"bin/run": '#!/bin/sh\n. "$HERE/../lib/limits.sh"\nf() { echo "$LIMIT"; }\n', "lib/limits.sh": "LIMIT=5\n"}
    outlines = {path: outline(path, text.encode()) for path, text in files.items()}
    symbol = outlines["bin/run"].find("f")
    assert symbol is not None
    found = dependencies(symbol, outlines["bin/run"], outlines.get)
    assert [(each.path, each.symbol, each.value) for each in found] == [("lib/limits.sh", "LIMIT", "5")]


def test_scripts_are_known_by_suffix_name_or_first_line() -> None:
    assert language_of("a.bash") == language_of(".bashrc") == "bash"
    assert language_of("bin/tool", b"#!/bin/sh\n") == language_of("bin/tool", b"#!/usr/bin/env bash\n") == "bash"


@pytest.mark.parametrize("cut", range(0, len(SOURCE), 29))
def test_half_typed_text_has_an_outline(cut: int) -> None:
    assert outline("run.sh", SOURCE[:cut].encode()).symbols
