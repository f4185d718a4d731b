"""A value in another file reaches the belief however its language names that file."""

# ruff: noqa: E501 - a file is one line

from __future__ import annotations

import pytest
from bench import Bench

from memlsp.model.standing import Standing

JAVA_RATES = "package a.util;\npublic class Rates {\n  public static final double RATE = 0.20;\n}\n"
TS_RATES = "export const RATE = 0.20;\n"
TS_TAX = 'import {{ RATE }} from "{module}";\nexport function tax(x: number) {{\n  return x * RATE;\n}}\n'
PATHS = '{\n  // ours\n  "compilerOptions": {"baseUrl": ".", "paths": {"@app/*": ["src/*"], "rates": ["src/rates.ts"]}}\n}\n'

PROJECTS: dict[str, tuple[dict[str, str], str, str]] = {
    "java, all of a package": (
        {
            "src/main/java/a/util/Rates.java": JAVA_RATES,
            "src/main/java/a/Tax.java": "package a;\nimport a.util.*;\nclass Tax {\n  double tax(double x) { return x * Rates.RATE; }\n}\n",
        },
        "src/main/java/a/Tax.java#Tax.tax",
        "src/main/java/a/util/Rates.java",
    ),
    "java, all of a class": (
        {
            "src/main/java/a/util/Rates.java": JAVA_RATES,
            "src/main/java/a/Tax.java": "package a;\nimport static a.util.Rates.*;\nclass Tax {\n  double tax(double x) { return x * RATE; }\n}\n",
        },
        "src/main/java/a/Tax.java#Tax.tax",
        "src/main/java/a/util/Rates.java",
    ),
    "go, a file of any name": (
        {
            "pkg/rates/rates.go": "package rates\n\nconst Other = 1\n",
            "pkg/rates/vat.go": "package rates\n\nconst Rate = 0.20\n",
            "tax.go": 'package shop\n\nimport "ex.org/shop/pkg/rates"\n\nfunc tax(x float64) float64 {\n\treturn x * rates.Rate\n}\n',
        },
        "tax.go#tax",
        "pkg/rates/vat.go",
    ),
    "typescript, an alias": (
        {"tsconfig.json": PATHS, "src/rates.ts": TS_RATES, "src/tax/tax.ts": TS_TAX.format(module="@app/rates")},
        "src/tax/tax.ts#tax",
        "src/rates.ts",
    ),
    "typescript, an alias without a star": (
        {"tsconfig.json": PATHS, "src/rates.ts": TS_RATES, "src/tax/tax.ts": TS_TAX.format(module="rates")},
        "src/tax/tax.ts#tax",
        "src/rates.ts",
    ),
    "typescript, from the base": (
        {
            "tsconfig.json": '{"compilerOptions": {"baseUrl": "src"}}\n',
            "src/rates.ts": TS_RATES,
            "src/tax/tax.ts": TS_TAX.format(module="rates"),
        },
        "src/tax/tax.ts#tax",
        "src/rates.ts",
    ),
    "typescript, an alias of what is extended": (
        {
            "tsconfig.base.json": PATHS,
            "app/tsconfig.json": '{"extends": "../tsconfig.base.json"}\n',
            "src/rates.ts": TS_RATES,
            "app/tax.ts": TS_TAX.format(module="@app/rates"),
        },
        "app/tax.ts#tax",
        "src/rates.ts",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROJECTS)
def test_a_value_elsewhere_contradicts_what_names_it(bench: Bench, name: str) -> None:
    files, place, where = PROJECTS[name]
    for path, text in files.items():
        bench.write(path, text)
    belief = bench.remember("The tax is 20 %", place)
    bench.replace(where, "0.20", "0.25")
    judgement = bench.judge(belief)
    assert judgement.standing is Standing.CONTRADICTED, bench.told(belief)
    assert f"0.2 -> 0.25 in {where}" in judgement.reasons[0].message


def test_a_module_of_no_alias_is_nobody_of_ours(bench: Bench) -> None:
    bench.write("tsconfig.json", PATHS)
    bench.write("src/rates.ts", TS_RATES)
    bench.write("tax.ts", TS_TAX.format(module="@other/rates"))
    belief = bench.remember("The tax is 20 %", "tax.ts#tax")
    bench.replace("src/rates.ts", "0.20", "0.25")
    assert bench.standing(belief) is Standing.CURRENT


def test_configurations_that_extend_each_other_come_to_an_end(bench: Bench) -> None:
    bench.write("tsconfig.json", '{"extends": "./other.json"}\n')
    bench.write("other.json", '{"extends": "./tsconfig.json"}\n')
    bench.write("tax.ts", TS_TAX.format(module="@app/rates"))
    assert bench.remember("The tax is due", "tax.ts#tax").anchors[0].depends == ()


INTERFACE = """
class Interface:
    def name(self, app):
        return app.config["NAME"]

    @property
    def debug(self):
        return self.config["DEBUG"]

    @debug.setter
    def debug(self, value):
        self.config["DEBUG"] = value
"""
SECURE = """
from interface import Interface


class Secure(Interface):
    def open(self, request, app):
        if self.debug:
            return None
        return request.cookies.get(self.name(app))
"""


def test_a_method_that_is_called_and_handed_down_too_has_not_changed_before_anybody_edits(bench: Bench) -> None:
    bench.write("interface.py", INTERFACE)
    bench.write("secure.py", SECURE)
    belief = bench.remember("Cookies are signed, not encrypted", "secure.py#Secure")
    assert bench.standing(belief) == "current", bench.told(belief)


@pytest.mark.parametrize(
    ("before", "after"), [('config["NAME"]', 'config["COOKIE"]'), ("def name(self, app)", "def name(self, app, deep)")]
)
def test_either_use_of_such_a_method_still_tells_of_its_change(bench: Bench, before: str, after: str) -> None:
    bench.write("interface.py", INTERFACE)
    bench.write("secure.py", SECURE)
    belief = bench.remember("Cookies are signed, not encrypted", "secure.py#Secure")
    bench.write("interface.py", INTERFACE.replace(before, after))
    assert bench.standing(belief) == "changed", bench.told(belief)
