/** The real workbench, served on loopback with the extension installed, in folders of its own. */
import { execFileSync, spawn } from "node:child_process";
import { createWriteStream, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { patience } from "./patience.mjs";
import { codeExtensions, codeServer, extension, folder, memlsp, node } from "./places.mjs";

/** What a careful person would set: noise and the network are switched off, and lenses show what holds, too. */
const calm = {
  "telemetry.telemetryLevel": "off",
  "workbench.startupEditor": "none",
  "workbench.enableExperiments": false,
  "workbench.tips.enabled": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "extensions.autoUpdate": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "window.autoDetectColorScheme": false,
  "workbench.colorTheme": "Light Modern",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "security.workspace.trust.startupPrompt": "always",
  "editor.codeLens": true,
  "memlsp.lens.holding": true,
  "files.autoSave": "off",
  "remote.autoForwardPorts": false,
  "typescript.tsdk": path.join(extension, "node_modules", "typescript", "lib"), // the workbench comes without its own
  "terminal.integrated.gpuAcceleration": "off", // a text can be read, a picture cannot
  "workbench.editor.useModal": "off",
  "editor.hover.delay": 100,
  "editor.minimap.enabled": false,
  "chat.disableAIFeatures": false,
  "git.openRepositoryInParentFolders": "never",
};

/** The extensions of the workbench that a scenario can meet; the other ninety only make every window slower. */
const builtIn = [
  ...["configuration-editing", "diff", "git", "git-base", "json", "log", "markdown-basics", "python", "search-result"],
  ...["shellscript", "theme-defaults", "theme-modern-icons", "theme-seti", "typescript-basics", "yaml"],
];

/** One that renames. Under its own name the workbench would run the browser's edition of it, which cannot start here. */
const languageServer = "typescript-language-features";

/** Settings of ours with a machine's scope. */
const OF_THE_MACHINE = /^memlsp\.(path$|server\.|capture\.|agents\.)/;

/** Where a run keeps all that it makes; taken away again by `Workbench.end`. */
export class Workbench {
  /**
   * @param {{ port: number, path?: string, data?: string }} options `path` is the `memlsp.path` that is set, "" for
   *   none: then the extension has to find a server, or to install one. `data` is kept when it is named.
   */
  constructor({ port, path: program = memlsp, data }) {
    this.port = port;
    this.kept = Boolean(data);
    this.data = data ? folder(path.resolve(data)) : mkdtempSync(path.join(tmpdir(), "memlsp-e2e-"));
    this.memory = folder(this.data, "memory");
    this.home = folder(this.data, "home");
    this.workspaces = folder(this.data, "workspaces");
    this.settings = { ...calm, ...(program ? { "memlsp.path": program } : {}) };
    this.url = `http://127.0.0.1:${port}`;
  }

  get #common() {
    const config = path.join(this.data, "config.yaml");
    writeFileSync(config, "");
    const own = folder(this.data, "builtin");
    for (const name of builtIn) {
      const link = path.join(own, name);
      if (!existsSync(link)) symlinkSync(path.join(codeExtensions, name), link);
    }
    const renaming = path.join(codeExtensions, languageServer);
    for (const part of readdirSync(renaming)) {
      const link = path.join(folder(own, languageServer), part);
      if (part !== "package.json" && !existsSync(link)) symlinkSync(path.join(renaming, part), link);
    }
    const manifest = JSON.parse(readFileSync(path.join(renaming, "package.json"), "utf8"));
    const here = { ...manifest, name: `${languageServer}-here`, browser: undefined };
    writeFileSync(path.join(own, languageServer, "package.json"), JSON.stringify(here));
    const extensions = ["--extensions-dir", folder(this.data, "extensions"), "--builtin-extensions-dir", own];
    return ["--config", config, "--user-data-dir", this.data, ...extensions];
  }

  /** The environment of the workbench: no memlsp on the PATH, nothing that says we are in an editor already. */
  get environment() {
    const env = { ...process.env, MEMLSP_DATA_DIR: this.memory, MEMLSP_CONFIG: path.join(this.data, "memlsp.toml"), EXTENSIONS_GALLERY: "{}" };
    for (const name of Object.keys(env)) if (/^(VSCODE|CODE_SERVER|VIRTUAL_ENV|PYTHONPATH|NODE_OPTIONS)/.test(name)) delete env[name];
    const here = path.dirname(memlsp);
    env.PATH = [path.dirname(node), ...(this.tools ?? []), ...(env.PATH ?? "").split(":").filter((place) => place !== here)].join(":");
    return env;
  }

  /** Writes the user's settings; open windows take them up at once. */
  set(settings) {
    this.settings = { ...this.settings, ...settings };
    for (const [name, value] of Object.entries(this.settings)) if (value === undefined) delete this.settings[name];
    // a window on a server takes what belongs to a machine from the machine's settings, and from nowhere else
    const machine = Object.entries(this.settings).filter(([name]) => OF_THE_MACHINE.test(name));
    const user = Object.entries(this.settings).filter(([name]) => !OF_THE_MACHINE.test(name));
    for (const [place, kept] of [["Machine", machine], ["User", user]]) {
      writeFileSync(path.join(folder(this.data, place), "settings.json"), `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
    }
  }

  /** Installs the .vsix as `code --install-extension` does; the milliseconds that it took. */
  install(vsix) {
    const began = Date.now();
    this.set({});
    execFileSync(node, [codeServer, ...this.#common, "--install-extension", vsix], { env: this.environment, stdio: ["ignore", "ignore", "pipe"], timeout: 2 * patience });
    return Date.now() - began;
  }

  async start() {
    if (await this.#answers()) throw new Error(`something else is served at ${this.url}: choose another --port`);
    const flags = ["--auth", "none", "--bind-addr", `127.0.0.1:${this.port}`, "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override", "--ignore-last-opened"];
    const log = createWriteStream(path.join(this.data, "workbench.log"));
    // Its own process group: the extension hosts and file watchers go with it.
    this.process = spawn(node, [codeServer, ...this.#common, ...flags], { env: this.environment, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    this.process.stdout.pipe(log);
    this.process.stderr.pipe(log);
    const ended = new Promise((_, reject) => this.process.once("exit", (code) => reject(new Error(`the workbench ended with ${code}: ${readFileSync(path.join(this.data, "workbench.log"), "utf8").slice(-500)}`))));
    ended.catch(() => {});
    await Promise.race([ended, this.#answering()]);
  }

  /** Whether a workbench answers at our address. */
  #answers() {
    return new Promise((resolve) => {
      const asked = get(`${this.url}/healthz`, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      });
      asked.on("error", () => resolve(false));
    });
  }

  async #answering() {
    const until = Date.now() + patience;
    for (;;) {
      if (await this.#answers()) return;
      if (Date.now() > until) throw new Error(`nothing answers at ${this.url}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** All log files that the extension hosts wrote, newest last: `[{ place, text }]`. */
  logs(pattern = /./) {
    const found = [];
    const look = (place) => {
      for (const entry of readdirSync(place, { withFileTypes: true })) {
        const inside = path.join(place, entry.name);
        if (entry.isDirectory()) look(inside);
        else if (entry.name.endsWith(".log") && pattern.test(inside)) found.push({ place: inside, text: readFileSync(inside, "utf8"), at: statSync(inside).mtimeMs });
      }
    };
    try { look(path.join(this.data, "logs")); } catch { /* nothing was logged yet */ }
    return found.sort((a, b) => a.at - b.at);
  }

  /** Ends it with everything that it started. */
  async end() {
    if (this.process && this.process.exitCode === null) {
      const gone = new Promise((resolve) => this.process.once("exit", resolve));
      try { process.kill(-this.process.pid, "SIGTERM"); } catch { /* it was gone */ }
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, patience / 6))]);
      try { process.kill(-this.process.pid, "SIGKILL"); } catch { /* all of it was gone */ }
    }
    if (this.kept) return;
    try {
      rmSync(this.data, { recursive: true, force: true, maxRetries: 10 }); // a server that has just ended may still write
    } catch (error) {
      console.log(`left: ${this.data}, ${error.message}`);
    }
  }
}
