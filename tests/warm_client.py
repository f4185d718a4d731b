"""Stands for a memlsp that `warm_parent` forks: hands over its words, folder, environment and pipes, and ends as that
ends. Imports little: every start pays for it."""

import json
import os
import socket
import sys


def main() -> int:
    """Wait for the fork; its exit status."""
    with socket.socket(socket.AF_UNIX) as parent:
        parent.connect(sys.argv[1])
        told = {"words": sys.argv[2:], "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109
        socket.send_fds(parent, [json.dumps(told).encode() + b"\n"], [0, 1, 2])
        for stream in range(3):  # who waits for the end of a pipe waits for the fork alone
            os.close(stream)
        return int(parent.recv(16) or b"1")


if __name__ == "__main__":
    os._exit(main())
