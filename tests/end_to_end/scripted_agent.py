"""An agent without a model: does what a recorded session did, and runs its hook at each step, as the real program did.

`python scripted_agent.py PLAN`: a JSON file with `hook` (words), `folder`, `environment` and `steps`, each with a
`payload` and what the step `writes` (path to text). Prints a line with the number of each step whose hook ended with
status 0, and what it was told, as soon as it has.
"""

import json
import subprocess
import sys
from pathlib import Path


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text())
    for number, step in enumerate(plan["steps"]):
        for path, text in step["writes"].items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text)
        done = subprocess.run(
            plan["hook"],
            input=json.dumps(step["payload"]).encode(),
            stdout=subprocess.PIPE,
            cwd=plan["folder"],
            env=plan["environment"],
            check=False,
        )
        if done.returncode == 0:
            sys.stdout.write(json.dumps([number, done.stdout.decode()]) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
