"""Finds what Windows does not have: a use counts as guarded where its function asks for the platform first."""

from __future__ import annotations

import ast
from collections.abc import Iterator

MODULES = frozenset("fcntl grp pty pwd readline resource syslog termios tty".split())  # noqa: SIM905 -- reads as a list
_OS = """chown fchmod fchown fork forkpty getegid geteuid getgid getgroups getlogin getpgid getsid getuid initgroups
killpg lchown mkfifo mknod openpty posix_fadvise posix_fallocate posix_spawn pread pwrite sched_getaffinity
sched_setaffinity setgid setpgid setpriority getpriority setsid setuid statvfs fstatvfs sysconf uname wait3 wait4
O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC O_DSYNC WNOHANG nice"""
_SIGNAL = """SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 alarm setitimer
pthread_sigmask"""
NAMES = {
    "os": frozenset(_OS.split()),
    "signal": frozenset(_SIGNAL.split()),
    "socket": frozenset(["AF_UNIX"]),
    "select": frozenset(["poll", "epoll", "kqueue"]),
    "time": frozenset(["tzset"]),
}


def findings(source: str) -> Iterator[tuple[int, str]]:
    """The lines of a module that use what only POSIX has, unguarded, with what each uses."""
    tree = ast.parse(source)
    lines = source.splitlines()
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        used = _use(node)
        if used and not _guarded(node, parents, lines):
            yield getattr(node, "lineno", 0), used


def _use(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}" if node.attr in NAMES.get(node.value.id, ()) else ""
    if isinstance(node, ast.Import):
        return next((each.name for each in node.names if each.name in MODULES), "")
    if isinstance(node, ast.ImportFrom):
        if node.module in MODULES:
            return node.module or ""
        return next(
            (f"{node.module}.{each.name}" for each in node.names if each.name in NAMES.get(node.module or "", ())), ""
        )
    return ""


def _guarded(node: ast.AST, parents: dict[ast.AST, ast.AST], lines: list[str]) -> bool:
    """True inside a condition, function or `try` that asks for the platform or takes care of what is missing."""
    while node in parents:
        node = parents[node]
        if isinstance(node, ast.Try) and any("Error" in ast.unparse(each.type) for each in node.handlers if each.type):
            names = " ".join(ast.unparse(each.type) for each in node.handlers if each.type)
            if "ImportError" in names or "AttributeError" in names or "ModuleNotFoundError" in names:
                return True
        if isinstance(node, ast.With) and "AttributeError" in ast.unparse(node.items[0].context_expr):
            return True
        if isinstance(node, ast.If | ast.IfExp | ast.BoolOp | ast.FunctionDef | ast.AsyncFunctionDef):
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if any(word in text for word in ("sys.platform", "os.name", "hasattr(", "getattr(", "WINDOWS", "_POSIX")):
                return True
    return False


def unencoded(source: str) -> Iterator[tuple[int, str]]:
    """The lines that read or write text in whatever encoding or with whatever line ends the machine has."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            named = {word.arg for word in node.keywords}
            told = _text_of(node, named)
            if told:
                yield node.lineno, told


def _text_of(node: ast.Call, named: set[str | None]) -> str:
    called = node.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    if name == "read_text" and not node.args and "encoding" not in named:
        return "read_text without an encoding"
    if name == "write_text" and not ("newline" in named and ("encoding" in named or len(node.args) > 1)):
        return "write_text without encoding and newline"
    modes = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    plain = name == "fdopen" or (name == "open" and isinstance(called, ast.Name))
    if plain and "encoding" not in named and not any("b" in mode for mode in modes):
        return f"{name} of text without an encoding"
    if name in {"run", "Popen", "check_output"} and {"text", "universal_newlines"} & named and "encoding" not in named:
        return f"{name} of text without an encoding"
    return ""
