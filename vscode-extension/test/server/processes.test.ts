import { mkdtempSync, readFileSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run, type RunOptions } from "../../src/server/processes";
import { cleaned } from "../../src/server/surroundings";

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "memlsp-processes-"));
});

afterEach(() => rmSync(cwd, { recursive: true }));

function node(code: string, more: Partial<RunOptions> = {}) {
  const options = { cwd, env: cleaned(process.env), timeout: 15_000, ...more };
  return run(process.execPath, ["-e", code], options);
}

describe("a program that is run", () => {
  test("answers with its code and both outputs, and tells each line as it comes", async () => {
    const lines: string[] = [];
    const code = "process.stdout.write('one\\ntwo\\r\\nthr'); process.stdout.write('ee'); console.error('oh'); process.exitCode = 3";
    const ended = await node(code, { onLine: (line) => lines.push(line) });
    expect(ended).toEqual({ code: 3, stdout: "one\ntwo\r\nthree", stderr: "oh\n" });
    expect(lines.sort()).toEqual(["oh", "one", "three", "two"]);
  });

  test("that is not there says so, instead of failing", async () => {
    const ended = await run(join(cwd, "nothing"), [], { cwd, env: {}, timeout: 5_000 });
    expect(ended).toMatchObject({ code: null, failure: "not started" });
  });

  test("that the system refuses to be handed says so, instead of failing", async () => {
    const ended = await run(process.execPath, ["\0"], { cwd, env: {}, timeout: 5_000 });
    expect(ended).toMatchObject({ code: null, failure: "not started" });
    expect(ended.stderr).not.toBe("");
  });

  test("that takes too long is ended", async () => {
    const ended = await node("setInterval(() => {}, 1000)", { timeout: 300 });
    expect(ended).toMatchObject({ code: null, failure: "timeout" });
  });

  test("that was cancelled before does not start", async () => {
    const ended = await node("require('fs').writeFileSync('ran', '')", { signal: AbortSignal.abort() });
    expect(ended.failure).toBe("cancelled");
    expect(() => readFileSync(join(cwd, "ran"))).toThrow();
  });

  test("is ended with everything that it started", async () => {
    const stop = new AbortController();
    const child = "require('fs').writeFileSync('child', String(process.pid)); setInterval(() => {}, 1000)";
    const code = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], {stdio: 'inherit'}); setInterval(() => {}, 1000)`;
    const started = new Promise<void>((resolve) => {
      const watcher = watch(cwd, () => {
        if (!read(join(cwd, "child"))) return;
        watcher.close();
        resolve();
      });
    });
    const ending = node(code, { signal: stop.signal });
    await started;
    stop.abort();
    // resolves when its outputs are closed, and the child would hold them open
    expect((await ending).failure).toBe("cancelled");
  });
});

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

test("variables that would lead a Python astray stay behind, and what pip and uv are set to goes along", () => {
  const env = {
    PYTHONPATH: "/work",
    PYTHONSTARTUP: "x.py",
    PYTHONHOME: "/",
    __PYVENV_LAUNCHER__: "/x",
    VIRTUAL_ENV: "/work/.venv",
    ELECTRON_RUN_AS_NODE: "1",
    VSCODE_PID: "1",
    PIP_INDEX_URL: "https://index.test",
    UV_INDEX_URL: "https://index.test",
    HTTPS_PROXY: "http://proxy.test",
    PATH: "/usr/bin",
    HOME: "/home/ada",
  };
  expect(Object.keys(cleaned(env))).toEqual(["PIP_INDEX_URL", "UV_INDEX_URL", "HTTPS_PROXY", "PATH", "HOME"]);
});
