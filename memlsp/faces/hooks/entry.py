"""The script that agents run: `PYTHON -I -S .../memlsp/faces/hooks/entry.py AGENT`, three times as fast as a console
script. `-S` leaves out `site`, which takes 15 to 25 ms in an environment with many packages; this script finds the
packages instead. Python compiles a script at every start, so that all other code is in `process`."""

import os
import sys


def _find_packages() -> None:
    """Put the folders of memlsp and of apsw on the path, after the standard library."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    ours = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    sys.path.append(ours)
    if os.path.isdir(os.path.join(ours, "apsw")):
        return
    for prefix in (os.path.dirname(os.path.dirname(sys.executable)), sys.prefix):
        for place in (("lib", version, "site-packages"), ("Lib", "site-packages"), ("lib", version, "dist-packages")):
            packages = os.path.join(prefix, *place)
            if os.path.isdir(os.path.join(packages, "apsw")):
                sys.path.append(packages)
                return
    import site  # slower, and knows every way in which packages are installed

    site.main()


if __name__ == "__main__":
    try:
        _find_packages()
        from memlsp.faces.hooks.process import main

        main(sys.argv[1:])
    except Exception:
        os._exit(0)  # whatever is the matter, an agent is never held up
