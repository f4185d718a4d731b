"""Run the server from a folder with its libraries: `python -I run.py FOLDER lsp`.

A package of the extension for one platform brings everything that the server imports, unpacked. Nothing of the
interpreter that runs it is changed, and what is installed there cannot stand in for what came along.
"""

import os
import runpy
import site
import sys


def main() -> None:
    """Put the folder in front of everything and start."""
    libraries = os.path.abspath(sys.argv.pop(1))  # noqa: PTH100 - before anything is imported that costs time
    known = list(sys.path)
    site.addsitedir(libraries)  # some libraries need their .pth files
    added = [path for path in sys.path if path not in known]
    sys.path[:] = [*added, *known]
    # the server's own children are the same interpreter without isolation: they read it from here
    os.environ["PYTHONPATH"] = os.pathsep.join(added)
    sys.argv[0] = "memlsp"
    runpy.run_module("memlsp", run_name="__main__", alter_sys=False)


if __name__ == "__main__":
    main()
