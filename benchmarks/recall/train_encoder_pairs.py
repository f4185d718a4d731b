"""What the embedded encoder learns from: pairs of texts that people wrote about the same thing.

Four kinds, each a way in which memory is asked: a docstring and its function, a heading and its section, a commit's
message and its change, and a question (a subject line, a FAQ's heading, what a function is for) and a sentence that
holds something to remember. They come from wheels and from clones of repositories, with their licences; a source is
one package, so that a split by source is a split by package.
"""

from __future__ import annotations

import ast
import re
import subprocess
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from attrs import frozen

KINDS = ("docstring", "heading", "commit", "statement")
LONGEST_QUERY, LONGEST_TEXT = 400, 1_200
"""Characters."""

MOST = {"docstring": 2_000, "heading": 1_500, "commit": 800, "statement": 1_000}
"""Pairs of a kind that one package gives at the most, so that no package is all of the lesson."""

_ANY_CASE = re.IGNORECASE
_PERMISSIVE = re.compile(r"\b(MIT|BSD|Apache|ISC|Unlicense|0BSD|Python-2\.0|PSF)\b|Permission is hereby granted|"
                         r"Redistribution and use in source and binary", re.IGNORECASE)  # fmt: skip
_OTHER = re.compile(
    r"\b(A?L?GPL|Affero|GENERAL PUBLIC|MPL|Mozilla|EPL|Eclipse Public|CC[- ]BY|NonCommercial|SSPL|RSAL|"
    r"dual-licensing|Repoze)",
    re.IGNORECASE,
)
_VENDORED = re.compile(r"(^|/)(_?vendor(ed)?|third_?party|node_modules|external|site-packages|dist)/", _ANY_CASE)
_TESTS = re.compile(r"(^|/)(tests?|testing|__tests__|spec|testdata|fixtures|benchmarks?|migrations|locale)/", _ANY_CASE)


@frozen
class Pair:
    """A text that asks and the text that answers, of one kind and one package."""

    kind: str
    query: str
    text: str


@frozen
class Package:
    """A wheel, or a clone's git directory, with the name of its licence as it was found."""

    name: str
    place: Path
    licence: str


def packages(wheels: Path | None, clones: Path | None) -> Iterator[Package]:
    """The permissively licensed packages of two folders: of wheels, and of `owner+name/repo` git directories."""
    for wheel in sorted(wheels.glob("*.whl")) if wheels else ():
        licence = _licence(_wheel_licence(wheel))
        if licence:
            yield Package(wheel.name.split("-")[0].lower(), wheel, licence)
    for clone in sorted(clones.glob("*+*/repo")) if clones else ():
        licence = _licence(_clone_licence(clone))
        if licence:
            yield Package(clone.parent.name.replace("+", "/", 1), clone, licence)


def pairs_of(package: Package) -> list[Pair]:
    """The package's pairs, at most `MOST` of a kind, each text once; the same for the same package."""
    found: dict[str, dict[bytes, Pair]] = {kind: {} for kind in KINDS}
    seen: set[str] = set()
    for pair in _raw(package):
        query, text = _tidy(pair.query, LONGEST_QUERY), _tidy(pair.text, LONGEST_TEXT)
        if len(query.split()) < (2 if pair.kind == "heading" else 3) or len(text.split()) < 5:
            continue
        if query.lower() in seen or text.lower() in seen:
            continue
        seen |= {query.lower(), text.lower()}
        key = blake2b(f"{query}\0{text}".encode("utf-8", "replace"), digest_size=8).digest()
        found[pair.kind][key] = Pair(pair.kind, query, text)
    # in the order of a hash: a sample of the whole package, and not of its first files
    return [found[kind][key] for kind in KINDS for key in sorted(found[kind])[: MOST[kind]]]


def _raw(package: Package) -> Iterator[Pair]:
    is_wheel = package.place.suffix == ".whl"
    for path, text in _wheel_files(package.place) if is_wheel else _clone_files(package.place):
        if _VENDORED.search(path) or "\0" in text:
            continue
        if path.endswith((".md", ".rst", ".mdx", "METADATA")):
            yield from _sections(text)
        elif _TESTS.search(path):
            continue
        elif path.endswith(".py"):
            yield from _python(text)
        else:
            yield from _braces(text)
    if not is_wheel:
        yield from _commits(package.place)


# -- docstrings -------------------------------------------------------------------------------------------------------


def _python(text: str) -> Iterator[Pair]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        said = ast.get_docstring(node)
        if not said or node.end_lineno is None:
            continue
        first, sentences = _first(said)
        end = node.body[0].end_lineno or node.lineno
        code = "\n".join([*lines[node.lineno - 1 : node.body[0].lineno - 1], *lines[end : node.end_lineno]])
        yield Pair("docstring", first, code)
        yield from _statements(f"{node.name} {first}", sentences)


_BLOCK = re.compile(r"/\*\*(.*?)\*/|((?:^[ \t]*//[/!]?[^\n]*\n)+)", re.DOTALL | re.MULTILINE)
_DEFINES = re.compile(
    r"\s*+(?:(?:@\w|#\[)[^\n]*+\n\s*+)*+(?:export|public|private|protected|internal|static|pub|func|fn|fun|function|"
    r"class|interface|struct|enum|trait|type|async|const|abstract|final|override|open|inline|template|void|int|bool|"
    r"[A-Z]\w*(?:<[^>\n]*>)?\s+\w+\s*\(|\w+\s*\()[^\n]*"
)
_MARKUP = re.compile(r"^[ \t]*(?:\*|///?!?|//!)[ \t]?", re.MULTILINE)
_DULL = re.compile(r"copyright|licen[cs]e|@author|eslint-|nolint|generated|TODO", re.IGNORECASE)


def _braces(text: str) -> Iterator[Pair]:
    for match in _BLOCK.finditer(text):
        said = _MARKUP.sub("", match[1] or match[2])
        if _DULL.search(said[:300]):
            continue
        defined = _DEFINES.match(text, match.end())
        if defined is None:
            continue
        first, sentences = _first(re.split(r"^\s*@\w+", said, maxsplit=1, flags=re.MULTILINE)[0])
        name, _, rest = first.partition(" ")  # in Go a comment begins with the name, which is no question
        if rest and re.search(rf"\b{re.escape(name)}\b", defined[0]):
            first = rest
        yield Pair("docstring", first, _body(text, defined.start()))
        yield from _statements(first, sentences)


def _body(text: str, start: int) -> str:
    """From a definition to the brace that closes it."""
    depth, at = 0, start
    for at in range(start, min(len(text), start + 2 * LONGEST_TEXT)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth <= 0:
                break
        elif text[at] == ";" and depth == 0:
            break
    return text[start : at + 1]


_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_TELLS = re.compile(
    r"\b(must|never|always|only|because|since|so that|should|instead|unless|otherwise|default|cannot|can't|do not|"
    r"don't|avoid|raises?|require[sd]?|ensure|note)\b",
    re.IGNORECASE,
)


def _first(said: str) -> tuple[str, list[str]]:
    """The first paragraph's first sentence, and all the others of the first paragraphs."""
    prose = re.split(r"\n\s*(?:Args|Parameters|Returns?|Raises|Examples?|:param|>>>|\.\. )", said, maxsplit=1)[0]
    paragraphs = [" ".join(each.split()) for each in re.split(r"\n\s*\n", prose.strip()) if each.strip()]
    sentences = [each for paragraph in paragraphs[:4] for each in _SENTENCE.split(paragraph)]
    return (sentences[0], sentences[1:]) if sentences else ("", [])


def _statements(asked: str, sentences: Iterable[str]) -> Iterator[Pair]:
    for sentence in sentences:
        if 6 <= len(sentence.split()) <= 50 and _TELLS.search(sentence):
            yield Pair("statement", asked, sentence)
            return


# -- documents --------------------------------------------------------------------------------------------------------

_ATX = re.compile(r"^(#{1,5})\s+(.+?)\s*#*\s*$")
_RULE = re.compile(r"^([=\-~^\"'`*+#.])\1{2,}\s*$")
_NOISE = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]{1,200}>|:\w+:`~?([^`<]*)[^`]*`|https?://\S+")
_VERSION = re.compile(
    r"^v?\d+[.\d]*|^(changelog|changes|release|licen[cs]e|contribut|table of contents|unreleased)", _ANY_CASE
)


def _sections(text: str) -> Iterator[Pair]:
    heading, parent, held = "", "", list[str]()
    fenced, before = False, ""
    for line in [*text.splitlines(), "# "]:
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        atx = None if fenced else _ATX.match(line)
        underlined = not fenced and _RULE.match(line) and before.strip() and len(line.strip()) >= len(before.strip())
        if atx or underlined or line == "# ":
            yield from _section(heading, parent, held[:-1] if underlined else held)
            parent = heading if atx and len(atx[1]) > 2 and not parent else parent
            heading, held = _NOISE.sub(r"\1\2", atx[2] if atx else before).strip(), []
        else:
            held.append(line)
        before = line


def _section(heading: str, parent: str, lines: list[str]) -> Iterator[Pair]:  # noqa: ARG001
    text = _NOISE.sub(r"\1\2", "\n".join(lines)).strip()
    if len(text) < 80 or len(heading) < 4 or _VERSION.match(heading):
        return
    yield Pair("heading", heading, text)
    prose = " ".join(text.split("\n\n")[0].split())
    sentences = _SENTENCE.split(prose)
    if heading.endswith("?"):
        yield Pair("statement", heading, " ".join(sentences[:2]))
    else:
        yield from _statements(heading, sentences)


# -- commits ----------------------------------------------------------------------------------------------------------

_TRAILER = re.compile(
    r"^(signed-off-by|co-authored-by|reviewed-by|change-id|closes?|fixes|refs?|see|pr|git-svn-id)\b.*",
    _ANY_CASE | re.MULTILINE,
)
_NUMBER = re.compile(r"\(?(?:#|gh-|pull request )\d+\)?|\b[0-9a-f]{7,40}\b", re.IGNORECASE)
_ROUTINE = re.compile(
    r"^(merge|bump|release|version|update changelog|prepare|revert|\[?pre-commit|chore\(deps|build\(deps|v?\d)",
    _ANY_CASE,
)
_HUNK = re.compile(r"^@@[^@]*@@ ?(.*)$")


def _commits(clone: Path) -> Iterator[Pair]:
    command = ["log", "--no-merges", "-n", str(2 * MOST["commit"]), "-p", "-U0", "--no-renames", "--no-color",
               "--no-ext-diff", "--no-textconv", "--format=%x01%s%x02%b%x03"]  # fmt: skip
    with subprocess.Popen(
        ["git", f"--git-dir={clone}", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
    ) as running:
        assert running.stdout is not None
        message, held, size = "", list[str](), 0
        for line in running.stdout:
            if line.startswith("\x01"):
                yield from _commit(message, held)
                message, held, size = line, [], 0
            elif message and "\x03" not in message:
                message += line
            elif size < 20_000:
                held.append(line[:300])
                size += min(len(line), 300)
        yield from _commit(message, held)


def _commit(message: str, diff: list[str]) -> Iterator[Pair]:
    subject, _, rest = message.strip("\x01\n").partition("\x02")
    subject = _NUMBER.sub("", subject).strip()
    body = _TRAILER.sub("", _NUMBER.sub("", rest.partition("\x03")[0])).strip()
    if not subject or _ROUTINE.match(subject):
        return
    prose = " ".join(body.split("\n\n")[0].split())
    yield from _statements(subject, _SENTENCE.split(prose) if prose else [])
    named: dict[str, None] = {}
    changed: dict[str, None] = {}
    for line in diff:
        if line.startswith("+++ b/"):
            named.setdefault(line[6:].strip())
        elif hunk := _HUNK.match(line):
            named.setdefault(hunk[1].strip())
        elif line[:1] in "+-" and not line.startswith(("+++", "---")) and line[1:].strip():
            changed.setdefault(line[1:].strip())
    code = [each for each in named if each]
    if code and len(code) <= 60:
        yield Pair("commit", f"{subject} {prose[:250]}", "\n".join([*code[:12], *changed]))


# -- files ------------------------------------------------------------------------------------------------------------

_READ = (".py", ".md", ".rst", ".mdx", ".java", ".go", ".rs", ".ts", ".js", ".php", ".kt", ".cs", ".hpp", ".h", ".cpp")
_LARGEST = 300_000
_MOST_FILES = 1_500


def _wheel_files(wheel: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(wheel) as opened:
        for each in opened.infolist():
            if each.filename.endswith((".py", ".md", ".rst", "/METADATA")) and each.file_size <= _LARGEST:
                yield each.filename, opened.read(each).decode("utf-8", "replace")


def _clone_files(clone: Path) -> Iterator[tuple[str, str]]:
    listed = _git(clone, "ls-tree", "-r", "-l", "HEAD").splitlines()
    wanted: list[tuple[str, str]] = []
    for line in listed:
        about, _, path = line.partition("\t")
        _, sort, name, size = about.split()
        if sort == "blob" and path.endswith(_READ) and int(size) <= _LARGEST:
            wanted.append((name, path))
    # files in the order of a hash, so that the bound takes a sample of the whole
    wanted.sort(key=lambda each: blake2b(each[1].encode(), digest_size=8).digest())
    for name, path in wanted[:_MOST_FILES]:
        yield path, _git(clone, "cat-file", "blob", name)


def _git(clone: Path, *arguments: str) -> str:
    done = subprocess.run(["git", f"--git-dir={clone}", *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


# -- licences ---------------------------------------------------------------------------------------------------------


def _licence(text: str) -> str:
    """The name of a permissive licence that a text is or tells of, "" for every other."""
    found = _PERMISSIVE.search(text)
    if found is None or _OTHER.search(text):
        return ""
    return {"permission is hereby granted": "MIT", "redistribution and use in source and binary": "BSD"}.get(
        found[0].lower(), found[0]
    )


def _wheel_licence(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as opened:
        name = next(each for each in opened.namelist() if each.endswith(".dist-info/METADATA"))
        head = opened.read(name).decode("utf-8", "replace").partition("\n\n")[0]
    return "\n".join(
        line[:200]
        for line in head.splitlines()
        if line.startswith(("License:", "License-Expression:", "Classifier: License"))
    )


def _clone_licence(clone: Path) -> str:
    names = _git(clone, "ls-tree", "HEAD", "--name-only").splitlines()
    files = [each for each in names if re.match(r"licen[cs]e|copying", each, re.IGNORECASE)]
    return "\n".join(_git(clone, "show", f"HEAD:{each}")[:900] for each in files)


def _tidy(text: str, longest: int) -> str:
    return text.replace("\0", " ").strip()[:longest]
