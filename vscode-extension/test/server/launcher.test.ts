import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cleaned } from "../../src/server/surroundings";

const LAUNCHER = fileURLToPath(new URL("../../launcher/run.py", import.meta.url));

/** Says what the server and a child of its see. */
const SERVER = `
import json, os, subprocess, sys
child = subprocess.run([sys.executable, "-P", "-c", "import memlsp; print(memlsp.__file__)"], capture_output=True, text=True)
print(json.dumps({"arguments": sys.argv[1:], "name": __name__, "first": sys.path[0], "extra": "extra" in sys.modules or any(p.endswith("extra") for p in sys.path), "child": child.stdout.strip(), "cwd": os.getcwd() in sys.path}))
`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "memlsp-launcher-"));
  mkdirSync(join(root, "libs", "memlsp"), { recursive: true });
  mkdirSync(join(root, "libs", "extra"));
  writeFileSync(join(root, "libs", "memlsp", "__init__.py"), "");
  writeFileSync(join(root, "libs", "memlsp", "__main__.py"), SERVER);
  writeFileSync(join(root, "libs", "extra.pth"), "extra\n");
  mkdirSync(join(root, "cwd", "memlsp"), { recursive: true });
  writeFileSync(join(root, "cwd", "memlsp", "__init__.py"), "raise SystemExit('the wrong one')");
});

afterEach(() => rmSync(root, { recursive: true }));

describe("the server that comes along unpacked", () => {
  test("runs from its folder before anything else, and so do its children", () => {
    const args = ["-I", LAUNCHER, join(root, "libs"), "lsp", "--log-level", "info"];
    const said = execFileSync("python3", args, { cwd: join(root, "cwd"), env: cleaned(process.env), encoding: "utf8" });
    expect(JSON.parse(said)).toEqual({
      arguments: ["lsp", "--log-level", "info"],
      name: "__main__",
      first: join(root, "libs"),
      extra: true,
      child: join(root, "libs", "memlsp", "__init__.py"),
      cwd: false,
    });
  });
});
