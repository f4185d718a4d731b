"""Runs hooks one after the other and times each, in a small process of its own: `python -I -S hook_timer.py`.

Reads one JSON object from stdin: `commands` (names and words), `environment`, `folder`, `runs` (pairs of a command's
name and the file with its payload). Prints a list of `[milliseconds, milliseconds, kilobytes, status]`, one for each
run: wall time from before the process is made until it is reaped, processor time, and resident memory at the most.

Small, because a process that is made inherits the record of its maker's memory, and because a large one takes longer
to make another.
"""

import json
import os
import subprocess
import sys
from time import perf_counter


def main() -> None:
    """Do what was asked."""
    asked = json.loads(sys.stdin.buffer.read())
    results: list[tuple[float, float, int, int]] = []
    for name, path in asked["runs"]:
        with open(path, "rb") as payload:  # noqa: PTH123
            data = payload.read()
        began = perf_counter()
        process = subprocess.Popen(
            asked["commands"][name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=asked["environment"],
            cwd=asked["folder"],
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(data)
            process.stdin.close()
        except OSError:
            pass
        process.stdout.read()
        kilobytes, worked = 0, 0.0
        if hasattr(os, "wait4"):
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            worked = 1000 * (used.ru_utime + used.ru_stime)
            kilobytes = used.ru_maxrss if sys.platform != "darwin" else used.ru_maxrss // 1024
        else:
            process.wait()
        took = 1000 * (perf_counter() - began)
        results.append((took, worked, kilobytes, process.returncode))
    sys.stdout.write(json.dumps(results))


if __name__ == "__main__":
    main()
