/** What scenarios get: the workbench, its repositories, the processes in it, and the window that most of them share. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { Editor } from "./editor.mjs";
import { makeSmallRepository } from "./project.mjs";

export class Stage {
  #shared;
  #small;

  /** @param ids of the seeded beliefs, by name */
  constructor(workbench, vsix, ids) {
    Object.assign(this, { workbench, vsix, ids });
    this.repository = path.join(workbench.workspaces, "httpx");
    this.windows = [];
    this.measured = {};
  }

  /** A repository of one file, about which nothing is remembered. */
  get small() {
    this.#small ??= makeSmallRepository(path.join(this.workbench.workspaces, `pricing-${process.pid}`));
    return this.#small;
  }

  /** Another such repository, which no window has opened. */
  fresh() {
    return makeSmallRepository(path.join(this.workbench.workspaces, `fresh-${process.pid}`));
  }

  /** The window on the seeded repository, trusted; made once. */
  async shared() {
    await this.#shared?.leaveQuestions();
    this.#shared ??= await this.open(this.repository);
    return this.#shared;
  }

  /** A window of one's own: on a folder, on a .code-workspace file, or empty. */
  async open(place, options) {
    const editor = await Editor.blank(this.browser, this.workbench, options);
    this.windows.push(editor);
    await editor.open(place, options);
    return editor;
  }

  async close(editor) {
    this.windows = this.windows.filter((window) => window !== editor);
    await editor.close();
  }

  /** Language servers of ours that run below this workbench: `[{ pid, parent, command }]`; a window is a `parent`. */
  servers() {
    return processes(this.workbench.memory).filter(({ command }) => /\bmemlsp\b.* lsp\b|run\.py lsp\b/.test(command));
  }

  /** MCP servers of ours that run below this workbench, with all that is needed to start the same. */
  agents() {
    return processes(this.workbench.memory).filter(({ command }) => /\bmemlsp\b.* mcp\b|run\.py mcp\b/.test(command));
  }

  /** A number that is kept beside the times. */
  measure(what, number) {
    this.measured[what] = number;
  }

  /** What the extension logged as an error, each once: told at the end of a run, for a killed server is one of them. */
  logged() {
    const lines = this.workbench.logs(/memlsp\.memlsp/).flatMap(({ text }) => text.split("\n").filter((line) => line.includes("[error]")));
    return [...new Set(lines.map((line) => line.replace(/^\S+ \S+ /, "")))];
  }

  /** What the browser's console was told, and nobody expected. */
  complaints() {
    return this.windows.flatMap((window) => window.complaints());
  }
}

/** The processes that were started with this memory in their environment: `[{ pid, parent, command, args, env, cwd }]`. */
function processes(memory) {
  const words = (file) => readFileSync(file, "utf8").split("\0").filter(Boolean);
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const env = Object.fromEntries(words(`/proc/${pid}/environ`).map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
      if (env.MEMLSP_DATA_DIR !== memory) return [];
      const args = words(`/proc/${pid}/cmdline`);
      const parent = Number(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ")[1]);
      return [{ pid: Number(pid), parent, command: args.join(" "), args, env, cwd: readlinkSync(`/proc/${pid}/cwd`) }];
    } catch {
      return []; // it ended meanwhile
    }
  });
}
