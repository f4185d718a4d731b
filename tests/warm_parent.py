"""Imports memlsp once and forks for each client; see `warm_start`. Arguments: the listening socket, and the face."""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
from contextlib import suppress

from memlsp.__main__ import main

ROOMS = ("model", "code", "store", "capture", "episodes", "beliefs", "recall", "memory", "faces.render")
FACES = {"lsp": "faces.lsp", "mcp": "faces.mcp"}


def load(face: str) -> None:
    """Import all that a server of this face may come to import."""
    for room in (*ROOMS, FACES[face]):
        package = importlib.import_module(f"memlsp.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    importlib.import_module("memlsp.faces.cli.admin.servers")
    importlib.import_module("pygit2")
    gc.collect()
    gc.freeze()


def serve(listener: socket.socket) -> list[str]:
    """Fork for each client until standard input ends. Returns in the forks alone, with the words of their clients."""
    while True:
        ready, _, _ = select.select([listener, 0], [], [])
        with suppress(ChildProcessError):  # there is none
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if 0 in ready:
            os._exit(0)
        client = listener.accept()[0]
        if os.fork() == 0:
            listener.close()
            return become(client)
        client.close()


def become(client: socket.socket) -> list[str]:
    """Take over what the client hands over. Returns in a second fork; the first waits for it and tells its status."""
    data, streams, _, _ = socket.recv_fds(client, 1 << 16, 3)
    while not data.endswith(b"\n"):
        data += client.recv(1 << 16)
    child = os.fork()
    if child:
        for stream in (*streams, 0):
            os.close(stream)
        watched = os.pidfd_open(child)
        if client in select.select([watched, client], [], [])[0]:
            os.kill(child, signal.SIGKILL)  # as its client was killed
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(OSError):  # nobody waits for it any more
            client.send(str(status % 256).encode())
        os._exit(0)
    client.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    told = json.loads(data)
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["environment"])
    return told["words"]


if __name__ == "__main__":
    load(sys.argv[2])
    sys.argv[1:] = serve(socket.socket(fileno=int(sys.argv[1])))
    main()
