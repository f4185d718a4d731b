/**
 * The real repository that the suite opens: two releases of httpx as two commits, from the package registry.
 *
 * What is believed of it is said through `memlsp remember`, as a person at a terminal would.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { folder, kept, memlsp, python } from "./places.mjs";

const releases = ["0.27.2", "0.28.1"];

/** The sources of one release, unpacked; taken from the registry once. */
function release(version) {
  const place = path.join(kept, `httpx-${version}`);
  if (existsSync(path.join(place, "httpx", "_client.py"))) return place;
  rmSync(place, { recursive: true, force: true });
  const wheels = folder(kept, "wheels");
  const pip = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"];
  execFileSync(python, [...pip, "--dest", wheels, `httpx==${version}`], { stdio: ["ignore", "ignore", "pipe"] });
  const wheel = path.join(wheels, `httpx-${version}-py3-none-any.whl`);
  execFileSync(python, ["-m", "zipfile", "-e", wheel, folder(place)]);
  return place;
}

const author = { name: "Ada", email: "ada@example.com" };

export function git(place, args, when) {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  if (when) Object.assign(env, { GIT_AUTHOR_DATE: when, GIT_COMMITTER_DATE: when });
  return execFileSync("git", ["-C", place, ...args], { encoding: "utf8", env, stdio: ["ignore", "pipe", "pipe"] });
}

function begin(place) {
  folder(place);
  git(place, ["init", "--quiet", "--initial-branch", "main"]);
  git(place, ["config", "user.name", author.name]);
  git(place, ["config", "user.email", author.email]);
}

function commit(place, number) {
  const version = releases[number];
  rmSync(path.join(place, "httpx"), { recursive: true, force: true });
  cpSync(path.join(release(version), "httpx"), path.join(place, "httpx"), { recursive: true });
  git(place, ["add", "--all"]);
  git(place, ["commit", "--quiet", "--message", `httpx ${version}`], `2026-0${number + 3}-01T09:00:00Z`);
}

/** A folder with uv in it, which the extension uses where it finds it: seconds instead of most of a minute. */
export function uv() {
  const place = path.join(kept, "uv-0.13.9");
  if (!existsSync(path.join(place, "bin", "uv"))) {
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", place];
    execFileSync(python, [...pip, "uv==0.13.9"], { stdio: ["ignore", "ignore", "pipe"] });
  }
  return path.join(place, "bin");
}

/** A small second repository, for a window with two folders. */
export function makeSmallRepository(place) {
  begin(place);
  writeFileSync(path.join(place, "pricing.py"), 'RATE = 0.20\n\n\ndef tax(net: float) -> float:\n    """Tax on a net price."""\n    return net * RATE\n');
  git(place, ["add", "--all"]);
  git(place, ["commit", "--quiet", "--message", "Tax"], "2026-05-01T09:00:00Z");
  return place;
}

/** Runs memlsp in a repository against the suite's own memory; its standard output. */
export function ask(place, memory, ...args) {
  const env = { ...process.env, MEMLSP_DATA_DIR: memory };
  return execFileSync(memlsp, ["-C", place, ...args], { encoding: "utf8", env, stdio: ["ignore", "pipe", "pipe"] });
}

/** What is believed before anybody opens the editor; `since` is the commit, from 0, that it was said after. */
export const beliefs = {
  ssl: {
    since: 0,
    text: "create_ssl_context takes http2, because the transports share one context",
    args: ["--at", "httpx/_config.py#create_ssl_context", "--kind", "fact"],
  },
  length: {
    since: 1,
    text: "URLs longer than 65536 characters are refused: the partner gateway drops them",
    args: ["--at", "httpx/_urlparse.py#urlparse", "--kind", "decision"],
  },
  ports: {
    since: 1,
    text: "Default ports are left out, so that two spellings of a URL are one key of the cache",
    args: ["--at", "httpx/_urlparse.py#normalize_port", "--kind", "rule"],
  },
  digest: {
    since: 1,
    text: "auth-int was tried and taken out again: two of our servers answer it with 500",
    args: ["--at", "httpx/_auth.py#DigestAuth._build_auth_header", "--kind", "gotcha"],
  },
  sleep: {
    since: 1,
    text: "A transport never sleeps: retries belong to the caller",
    args: ["--scope", "httpx/_transports/**", "--kind", "rule"],
  },
  uploads: {
    since: 1,
    text: "Upload statistics are written to Postgres",
    args: ["--at", "httpx/_multipart.py#MultipartStream", "--kind", "decision"],
  },
  examples: {
    since: 1,
    text: "Prefer explicit timeouts in every example",
    args: ["--scope", "user", "--kind", "preference"],
  },
};

/** What a document of the project asks for: memlsp proposes it, and waits for somebody to admit it. */
const guide = `# Working on httpx

- Never import \`httpx._main\` from library code: the command line is an optional extra.
- Run \`scripts/check\` before every commit.
`;

const check = "#!/bin/sh\n# TODO: run mypy here as well\nexec ruff check httpx\n";

/** What an agent did between the two releases, as its hooks tell it. */
function session(place) {
  const event = (hook_event_name, more) => ({ session_id: "5f0c64a2-9a3e-4a58-9f0e-0c6f3b9d7a11", cwd: place, hook_event_name, ...more });
  const file = path.join(place, "scripts", "check");
  return [
    event("SessionStart", { source: "startup" }),
    event("UserPromptSubmit", { prompt: "Write a script that checks the code before a commit" }),
    event("PostToolUse", {
      tool_name: "Write",
      tool_input: { file_path: file, content: check },
      tool_response: { type: "create", filePath: file, content: check, structuredPatch: [], originalFile: null },
      tool_use_id: "toolu_01",
    }),
    event("PostToolUse", {
      tool_name: "Bash",
      tool_input: { command: "sh scripts/check" },
      tool_response: { stdout: "All checks passed!", stderr: "", interrupted: false },
      tool_use_id: "toolu_02",
    }),
    event("Stop", { stop_hook_active: false, last_assistant_message: "scripts/check runs ruff. Next: run mypy in scripts/check as well." }),
    event("SessionEnd", { reason: "other" }),
  ];
}

function work(place, memory) {
  for (const event of session(place)) {
    if (event.tool_name === "Write") {
      folder(place, "scripts");
      writeFileSync(event.tool_input.file_path, check);
      writeFileSync(path.join(place, "AGENTS.md"), guide);
    }
    const env = { ...process.env, MEMLSP_DATA_DIR: memory };
    execFileSync(memlsp, ["hook", "claude-code"], { cwd: place, env, input: JSON.stringify(event), stdio: ["pipe", "ignore", "inherit"] });
  }
}

/** Runs several command lines of memlsp against the suite's own memory; what each printed. */
export function askAll(place, memory, lines) {
  const input = JSON.stringify(lines.map((line) => ["-C", place, ...line]));
  const env = { ...process.env, MEMLSP_DATA_DIR: memory };
  return JSON.parse(execFileSync(python, [path.join(import.meta.dirname, "seeding.py")], { encoding: "utf8", env, input, stdio: ["pipe", "pipe", "pipe"] }));
}

/** A repository at `place` with its history and all of `beliefs` in `memory`; the id of each by its name. */
export function makeRemembered(place, memory) {
  const ids = {};
  begin(place);
  releases.forEach((_, number) => {
    if (number === 1) {
      work(place, memory);
      askAll(place, memory, [["settle"]]); // before the commit: what it holds by then was not left open by anybody
    }
    commit(place, number);
    const now = Object.entries(beliefs).filter(([, belief]) => belief.since === number);
    const rest = number === 1 ? [["onboard"]] : []; // finds proposals
    const said = askAll(place, memory, [...now.map(([, { text, args }]) => ["remember", text, ...args]), ...rest]);
    now.forEach(([name], index) => (ids[name] = said[index]));
  });
  return ids;
}

/** The line, from 1, that holds `text` in a file of the repository. */
export function lineOf(place, file, text) {
  const line = readFileSync(path.join(place, file), "utf8").split("\n").findIndex((row) => row.includes(text));
  if (line < 0) throw new Error(`${file} does not hold ${JSON.stringify(text)}`);
  return line + 1;
}
