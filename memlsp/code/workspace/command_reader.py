"""Reads what the code of a program declares of its commands and options.

Read are click, typer and argparse, cobra, clap and commander.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import takewhile

import tree_sitter
from attrs import frozen

from memlsp.code.languages.detection import describe
from memlsp.code.syntax.parser import parse_syntax
from memlsp.code.vocabulary import word_sets, word_table
from memlsp.code.workspace.declared_commands import ANY, CommandFile, CommandPlace

COMMAND_SUFFIXES = (".py", ".go", ".rs", ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx")
_DECLARES = re.compile(rb"\bclick\b|\btyper\b|\bargparse\b|spf13/cobra|\bclap\b|[\"']commander[\"']")
_OPTION = re.compile(r"--[A-Za-z][\w-]*")
_WORD_IN_STRING = re.compile(rb"[\"'`]([a-z][\w:-]*)(?=[\"'`\s])|(--[a-z][\w-]*)")
_PLAIN_DECORATOR = re.compile(
    r"click\.|typer\.|\w+\.(?:command|group|callback)\b|(?:pass|with)_\w+$|\w*argument\b|\w+\.pass_\w+$"
)
_FLAG_METHOD = re.compile(r"(?:String|Bool|Int|Uint|Float|Duration|Count|IP|Bytes)\w*")
_LARGEST = 400_000  # bytes of a file that is read

_WORDS = word_sets(__name__)
_STRINGS, _NAMED, _CALLS, _FUNCTIONS = (_WORDS[each] for each in ("strings", "named", "calls", "functions"))
_ROOTS, _LINKS, _COMMANDS, _NAMINGS, _OPTIONS = (
    _WORDS[each] for each in ("roots", "links", "commands", "namings", "options")
)
_MEMBER_NAMES = ("attribute", "field", "property")
_MEMBERS = {kind: field for kind, (field,) in word_table(__name__, "members").items()}
_ASSIGNED = word_table(__name__, "assigned")
_LONGEST_CHAIN = 60  # calls, one on the other
_DECLARING = _ROOTS | _LINKS | _COMMANDS | _NAMINGS | _OPTIONS | {"add_parser", "new", "with_name", "Group"}


def read_commands(path: str, source: bytes) -> CommandFile | None:
    """The commands that a file declares; None for a file that declares none, or is larger than 400,000 bytes."""
    language = describe(path) if _DECLARES.search(source) and len(source) <= _LARGEST else None
    if language is None or not path.endswith(COMMAND_SUFFIXES):
        return None
    tree = parse_syntax(language, source)
    if tree is None:
        return None
    reader = _CommandReader(is_typer=b"typer" in source)
    with suppress(RecursionError):
        reader.read(tree.root_node, is_rust=language.name == "rust")
    reader.file.words.update((word or option).decode() for word, option in _WORD_IN_STRING.findall(source))
    return reader.file


def kebab(name: str) -> str:
    """How a program writes the name of a function, a field or a variant: list_all and ListAll are `list-all`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).replace("_", "-").strip("-").lower()


@frozen
class _Call:
    """A call: what is called, on what, with what."""

    name: str
    on: tree_sitter.Node | None
    given: list[tree_sitter.Node]
    keywords: dict[str, tree_sitter.Node]
    module: str = ""  # `sync` of `sync::command()`
    is_wrapped: bool = False  # app.command("sync")(sync), where nothing is said of options

    def texts(self) -> list[str]:
        """The strings that it is given, in place."""
        return [text for each in self.given for text in _texts(each)]


class _CommandReader:
    """Walks one file and fills `file`."""

    def __init__(self, *, is_typer: bool) -> None:
        self._is_typer = is_typer
        self.file = CommandFile()
        self._seen: set[CommandPlace] = set()

    def read(self, root: tree_sitter.Node, *, is_rust: bool) -> None:
        stack = [(root, "", None)]
        while stack:
            node, scope, around = stack.pop()
            inner, command = scope, around
            if node.type in _FUNCTIONS:
                inner = _text(node.child_by_field_name("name"))
                self._made_by(node, inner, is_rust=is_rust)
            elif node.type == "decorated_definition":
                self._decorated(node)
            elif node.type in _CALLS:
                self._read_call(node, scope)
            elif node.type == "composite_literal":
                command = self._literal(node, around) or around
            elif node.type in _ASSIGNED:
                self._assigned(node, scope)
            elif node.type == "return_statement" and scope and node.named_children:
                self._alias(("", scope), self._place(node.named_children[0], scope))
            elif node.type == "import_from_statement":
                self._imported(node)
            elif is_rust and node.type in {"enum_item", "struct_item"}:
                _Clap(self.file).derived(node)
            stack += [(each, inner, command) for each in reversed(node.named_children)]

    def _made_by(self, function: tree_sitter.Node, name: str, *, is_rust: bool) -> None:
        """What a function of Rust gives back without a word."""
        body = function.child_by_field_name("body")
        last = body.named_children[-1] if is_rust and body is not None and body.named_children else None
        if last is not None and last.type == "call_expression":
            self._read_call(last, name)
            self._alias(("", name), self._place(last, name))

    # --- places

    def _place(self, node: tree_sitter.Node | None, scope: str) -> CommandPlace:
        """The variable or the command that an expression stands for."""
        for _ in range(_LONGEST_CHAIN):
            if node is None:
                break
            if node.type in _NAMED:
                return scope, _text(node)
            if node.type in _MEMBERS:
                on = node.child_by_field_name(_MEMBERS[node.type])
                is_module = on is not None and on.type in _NAMED and _text(on) not in {"self", "cls", "this"}
                return "", f"{_text(on)}.{_member(node)}" if is_module else _member(node)
            if node.type in _CALLS:
                call = _call(node)
                if _key(node) in self.file.names:
                    return _key(node)
                if call.on is None:
                    return "", f"{call.module}.{call.name}()" if call.module else call.name
                if call.on.type in _NAMED:
                    return scope, f"{_text(call.on)}.{call.name}()"
                node = call.on
            elif node.type == "composite_literal":
                return _key(node)
            else:
                node = node.named_children[0] if node.named_children else None
        return "", ""

    def _alias(self, name: CommandPlace, place: CommandPlace) -> None:
        if place[1] and name != place:
            self.file.same.setdefault(name, place)

    def _assigned(self, node: tree_sitter.Node, scope: str) -> None:
        left, made = (node.child_by_field_name(each) for each in _ASSIGNED[node.type])
        if made is not None and made.type == "arrow_function":
            made = made.child_by_field_name("body")
        while made is not None and made.type in {"expression_list", "unary_expression", "await_expression"}:
            made = made.named_children[0] if made.named_children else None
        if left is None or made is None or made.type not in {*_CALLS, "composite_literal"}:
            return
        if made.type in _CALLS:
            self._read_call(made, scope)  # what it makes is known before the variable that holds it
        name = self._place(left, scope)
        if made.type == "composite_literal":
            self._alias(name, _key(made))
        else:
            self._alias(name, self._place(made, scope))

    def _imported(self, node: tree_sitter.Node) -> None:
        """`from .users import app as users_app`: the variable of that module."""
        module = _text(node.child_by_field_name("module_name")).rpartition(".")[2]
        for each in node.children_by_field_name("name"):
            name, known = each.child_by_field_name("name"), each.child_by_field_name("alias")
            self._alias(("", _text(known or each)), ("", f"{module}.{_text(name or each)}"))

    # --- commands

    def _command(self, place: CommandPlace, names: Iterable[str], parent: CommandPlace | None) -> None:
        self.file.names.setdefault(place, set()).update(each for each in names if each)
        if parent is not None:
            self.file.below.add((place, parent, ""))

    def _read_call(self, node: tree_sitter.Node, scope: str) -> None:
        key = _key(node)
        if key in self._seen or not _says_something(node):
            return
        call = _call(node)
        self._seen.add(key)
        for each in self._before(call.on):
            self._read_call(each, scope)
        first = next(iter(call.texts()), "")
        on = self._place(call.on, scope) if call.on is not None else None
        if self._makes_command(call, key, on):
            return
        if call.name in _LINKS and on:
            self._linked(call, on, scope)
        elif call.name in _COMMANDS and on:
            self._subcommand(call, key, on, scope)
        elif call.name in _NAMINGS and on in self.file.names:
            self.file.names[on] |= set(call.texts())
        elif call.name in _OPTIONS:
            self._options(call, ("", scope) if on and on[1] == "typer" else on)
        elif _FLAG_METHOD.fullmatch(call.name) and on and first:
            self.file.options.append((on, f"--{first}"))

    def _makes_command(self, call: _Call, key: CommandPlace, on: CommandPlace | None) -> bool:
        """True for a call that makes a command, which is kept."""
        first = next(iter(call.texts()), "")
        if call.name == "add_parser" and on:
            names = [first.split(" ")[0], *_texts(call.keywords.get("aliases"))]
            self.file.is_open |= not first
            self._command(key, names, on)
        elif call.name in _ROOTS and (call.on is None or call.name != "Command"):
            named = [*_texts(call.keywords.get("prog")), *_texts(call.keywords.get("name"))]
            self._command(key, named or [first if call.name == "Command" else ""], None)
        elif call.name in {"Command", "Group"}:  # click.Command(name, callback=function)
            self.file.is_open |= bool(call.given) and not first
        else:
            return False
        return True

    def _linked(self, call: _Call, on: CommandPlace, scope: str) -> None:
        """`cli.add_command(sync)`, `app.add_typer(users, name="users")`, `root.AddCommand(newSync(), listCmd)`."""
        name = next(iter([*_texts(call.keywords.get("name")), *call.texts()]), "")
        for each in (one for one in call.given if one.type not in _STRINGS):
            if each.type in _CALLS:
                self._read_call(each, scope)
            place = self._place(each, scope)
            self.file.is_open |= each.type in {"variadic_argument", "list_splat", "spread_element"}
            self.file.below.add((place, on, name))
            self.file.options += [(place, ANY)] if call.is_wrapped else []

    def _before(self, node: tree_sitter.Node | None) -> list[tree_sitter.Node]:
        """The calls of a chain that were not looked at, the innermost first."""
        return list(takewhile(lambda each: _key(each) not in self._seen, _chain(node)))[::-1]

    def _subcommand(self, call: _Call, key: CommandPlace, on: CommandPlace, scope: str) -> None:
        """`program.command("sync <dir>")` of commander, `.subcommand(Command::new("sync"))` of clap."""
        if call.name != "command" or (call.given and call.given[0].type in _CALLS):
            given = [each for one in call.given for each in (one.named_children if "array" in one.type else [one])]
            for each in given:
                if each.type in _CALLS:
                    self._read_call(each, scope)
                self.file.below.add((self._place(each, scope), on, ""))
            return
        texts = [_texts(each) for each in call.given]
        names = [each.split(" ")[0] for each in (texts[0] if texts else [])]
        if not names:
            self.file.is_open |= bool(call.given)
        elif len(texts) > 1 and (texts[1] or call.given[1].type != "object"):  # gives back what it was called on
            self.file.names[key[0], f"{key[1]}+"] = set(names)
            self.file.below.add(((key[0], f"{key[1]}+"), on, ""))
        else:
            self._command(key, names, on)

    def _options(self, call: _Call, on: CommandPlace | None) -> None:
        told = [each for text in call.texts() for each in _OPTION.findall(text)]
        told += [ANY] if call.name in {"add_argument", "option"} and not call.texts() else []
        told += [f"--{kebab(text)}" for text in call.texts()[:1] if re.fullmatch(r"[a-z][\w-]*", text)]
        for each in call.given if call.name == "arg" else ():  # Arg::new("dry").long("dry-run")
            told += [f"--{text}" for inner in _chain(each) for text in _call(inner).texts()]
        self.file.options += [(on, each) for each in told]

    def _decorated(self, node: tree_sitter.Node) -> None:
        """A function under `@group.command("name")`, with the options of its decorators and parameters."""
        function = node.child_by_field_name("definition")
        decorators = [each for each in node.named_children if each.type == "decorator"]
        calls = [each.named_children[0] for each in decorators if each.named_children]
        self._seen |= {_key(each) for each in calls}
        owner: CommandPlace | None = None
        for each in calls:
            call = _call(each) if each.type in _CALLS else _Call(_member(each), each, [], {})
            on = call.on if each.type in _CALLS else each.child_by_field_name("object")
            if call.name in {"command", "group", "callback"} and on is not None and function is not None:
                owner = self._command_of(function, call, self._place(on, ""))
        for each in calls:
            if each.type in _CALLS and _call(each).name.endswith("option"):
                told = [one for text in _call(each).texts() for one in _OPTION.findall(text)]
                self.file.options += [(owner, one) for one in told]
            elif owner is not None and not _PLAIN_DECORATOR.match(_text(each)):
                self.file.options.append((owner, ANY))

    def _command_of(self, function: tree_sitter.Node, call: _Call, parent: CommandPlace) -> CommandPlace:
        """The command that a decorator makes of a function, which is kept with the options of its parameters."""
        name = _text(function.child_by_field_name("name"))
        owner = parent if call.name == "callback" else ("", name)
        own = call.texts()[:1] or _texts(call.keywords.get("name"))
        self.file.is_open |= not own and bool(call.given)
        if owner != parent:
            names = own or [kebab(name), kebab(re.sub(r"_(?:command|cmd|group|grp)$", "", name))]
            names += _texts(call.keywords.get("aliases"))
            self._command(owner, names, None if parent[1] in {"click", "rich_click"} else parent)
        for one in _identifiers(function.child_by_field_name("parameters")) if self._is_typer else ():
            self.file.options += [(owner, f"--{kebab(one)}"), (owner, f"--no-{kebab(one)}")]
        return owner

    def _literal(self, node: tree_sitter.Node, around: CommandPlace | None) -> CommandPlace | None:
        """`cobra.Command{Use: "sync [dir]"}`, which may stand in another one."""
        pairs = _pairs(node.child_by_field_name("body") or node)
        if not _text(node.child_by_field_name("type")).endswith(".Command"):
            return None
        named = [each.split(" ")[0] for each in _texts(pairs.get("Use"))]
        self.file.is_open |= not named and "Use" in pairs
        self._command(_key(node), [*named, *_texts(pairs.get("Aliases"))], around)
        return _key(node)


class _Clap:
    """The derived commands of clap: variants of an enum, fields of a struct."""

    def __init__(self, file: CommandFile) -> None:
        self._file = file

    def derived(self, node: tree_sitter.Node) -> None:
        derives = " ".join(_attributes(node))
        name, body = _text(node.child_by_field_name("name")), node.child_by_field_name("body")
        if not re.search(r"\b(?:Parser|Subcommand|Args|Clap|StructOpt|ValueEnum)\b", derives) or body is None:
            return
        if node.type == "struct_item":
            if "Parser" in derives:
                self._file.names["", name] = set(_attribute_names(derives))
            self._fields(body, ("", name))
        elif "Subcommand" in derives or "Parser" in derives:
            for variant in (each for each in body.named_children if each.type == "enum_variant"):
                self._variant(variant, name, derives)

    def _variant(self, variant: tree_sitter.Node, owner: str, derives: str) -> None:
        told = " ".join(_attributes(variant))
        title = _text(variant.child_by_field_name("name"))
        key = "#", f"{owner}::{title}"
        named = re.search(r"\bname\s*=\s*\"([^\"]+)\"", told)
        names = {
            kebab(title),
            *({kebab(title).replace("-", "_"), title.lower(), title} if "rename_all" in derives else ()),
        }
        self._file.names[key] = {*({named[1]} if named else names), *_attribute_names(told)}
        self._file.below.add((key, ("", owner), ""))
        if re.search(r"\bflatten\b", told):
            key = "", owner
        body = variant.child_by_field_name("body")
        if body is not None and body.type == "ordered_field_declaration_list":
            for each in _identifiers(body, "type_identifier"):
                self._file.same.setdefault(("", each), key)
        elif body is not None:
            self._fields(body, key)

    def _fields(self, body: tree_sitter.Node, owner: CommandPlace) -> None:
        for each in (one for one in body.named_children if one.type == "field_declaration"):
            told = " ".join(_attributes(each))
            name = _text(each.child_by_field_name("name"))
            if re.search(r"\bsubcommand\b|\bflatten\b", told):
                for kind in _identifiers(each, "type_identifier"):
                    self._file.same.setdefault(("", kind), owner)
            elif "long" in told:
                long = re.search(r"\blong\s*=\s*\"([^\"]+)\"", told)
                self._file.options.append((owner, f"--{long[1] if long else kebab(name)}"))


def _attributes(node: tree_sitter.Node) -> Iterator[str]:
    before = node.prev_named_sibling
    while before is not None and before.type in {"attribute_item", "line_comment", "block_comment"}:
        if before.type == "attribute_item":
            yield _text(before)
        before = before.prev_named_sibling


def _attribute_names(told: str) -> list[str]:
    return [
        one
        for each in re.findall(r"\b(?:name|\w*alias(?:es)?)\s*=\s*(\[[^\]]*\]|\"[^\"]+\")", told)
        for one in re.findall(r"[\w-]+", each)
    ]


def _says_something(node: tree_sitter.Node) -> bool:
    """True for a call that may declare a command or an option, by the name of what is called."""
    function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    if function is None or function.type in _CALLS:
        return function is not None
    name = _member(function) if function.type in _MEMBERS else _text(function).rpartition("::")[2]
    return name in _DECLARING or _FLAG_METHOD.fullmatch(name) is not None


def _call(node: tree_sitter.Node) -> _Call:
    function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    arguments = node.child_by_field_name("arguments")
    given = [each for each in (arguments.named_children if arguments is not None else ()) if each.type != "comment"]
    keywords = {_text(each.child_by_field_name("name")): each for each in given if each.type == "keyword_argument"}
    given = [each for each in given if each.type != "keyword_argument"]
    if function is None:
        return _Call("", None, given, keywords)
    if function.type in _MEMBERS:
        return _Call(_member(function), function.child_by_field_name(_MEMBERS[function.type]), given, keywords)
    if function.type == "scoped_identifier":  # Command::new
        path, name = _text(function.child_by_field_name("path")), _text(function.child_by_field_name("name"))
        is_made = path.rpartition("::")[2] in {"Command", "App"} and name == "new"
        if is_made or name == "with_name":
            return _Call("Command", None, given, keywords)
        return _Call(name, None, given, keywords, module=path.rpartition("::")[2])
    if function.type in _CALLS and _call(function).name in {"command", "group"}:  # app.command("x")(run)
        outer = _call(function)
        names = outer.given or given
        return _Call("add_command", outer.on, [*given, *names], outer.keywords, is_wrapped=True)
    return _Call(_text(function), None, given, keywords)


def _chain(node: tree_sitter.Node | None) -> Iterator[tree_sitter.Node]:
    """The calls of a chain, the outermost first."""
    for _ in range(_LONGEST_CHAIN):
        if node is None or node.type not in _CALLS:
            return
        yield node
        node = _call(node).on


def _member(node: tree_sitter.Node) -> str:
    return next((_text(found) for each in _MEMBER_NAMES if (found := node.child_by_field_name(each))), "")


def _pairs(node: tree_sitter.Node | None) -> dict[str, tree_sitter.Node]:
    """The values of an object or a literal by their keys."""
    pairs = [
        each for each in (node.named_children if node is not None else ()) if each.type in {"keyed_element", "pair"}
    ]
    return {_text(each.named_children[0]): each.named_children[-1] for each in pairs if len(each.named_children) > 1}


def _texts(node: tree_sitter.Node | None) -> list[str]:
    """The strings in an argument: itself, or those of a list."""
    if node is None:
        return []
    if node.type in _STRINGS:
        return [_text(node).strip("rRbBuU").strip("\"'`")]
    if node.type in _WORDS["lists"]:
        return [text for each in node.named_children for text in _texts(each)]
    return []


def _identifiers(node: tree_sitter.Node | None, kind: str = "identifier") -> list[str]:
    """The names of the parameters of a function, or the types in a declaration."""
    if node is None:
        return []
    if node.type == kind:
        return [_text(node)]
    inner = node.named_children if kind != "identifier" or node.type == "parameters" else node.named_children[:1]
    return [name for each in inner for name in _identifiers(each, kind)]


def _key(node: tree_sitter.Node) -> CommandPlace:
    return "#", str(node.end_byte)


def _text(node: tree_sitter.Node | None) -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""
