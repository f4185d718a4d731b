/** What package.json promises is there, and what is there is promised. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { listFiles, PackageManager } from "@vscode/vsce";
import { beforeEach, describe, expect, test } from "vitest";
import { fake } from "./fake/vscode";
import { activate } from "../src/extension";
import { extensionContext } from "./fake/context";

interface Menu {
  readonly command?: string;
  readonly submenu?: string;
  readonly when?: string;
}

interface Setting {
  readonly scope?: string;
}

interface Manifest {
  readonly icon: string;
  readonly version: string;
  readonly activationEvents: string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: string[] } };
  readonly contributes: {
    readonly commands: { readonly command: string; readonly title: string; readonly enablement?: string }[];
    readonly menus: Record<string, Menu[]>;
    readonly submenus?: { readonly id: string }[];
    readonly keybindings?: (Menu & { readonly key: string })[];
    readonly views: Record<string, { readonly id: string; readonly when?: string; readonly icon?: string }[]>;
    readonly viewsWelcome?: { readonly view: string; readonly contents: string; readonly when?: string }[];
    readonly configuration: { readonly properties: Record<string, Setting> }[];
    readonly walkthroughs: {
      readonly steps: { readonly description: string; readonly media: { readonly svg: string }; readonly completionEvents: string[] }[];
    }[];
  };
}

const root = path.resolve(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(path.join(root, name), "utf8");
const manifest = JSON.parse(read("package.json")) as Manifest;
const labels = JSON.parse(read("package.nls.json")) as Record<string, string>;
const { contributes } = manifest;

const contributed = contributes.commands.map(({ command }) => command);
const menus = Object.values(contributes.menus).flat();
const settings = new Map(contributes.configuration.flatMap(({ properties }) => Object.entries(properties)));
const views = Object.values(contributes.views).flat();

/** Every command that a text links to. */
function linked(text: string): string[] {
  return [...text.matchAll(/\(command:([\w.-]+)/g)].map(([, command]) => command ?? "");
}

function sources(): string {
  return readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => read(path.join("src", name)))
    .join("\n");
}

beforeEach(() => fake.reset());

describe("commands", () => {
  test("every command in package.json is registered, and every command of ours that is registered is in package.json", async () => {
    const context = extensionContext(root);
    activate(context);
    const ours = [...fake.commands.keys()].filter((id) => id.startsWith("memlsp."));
    for (const each of context.subscriptions) await Promise.resolve(each.dispose());
    expect(ours.sort()).toEqual([...contributed].sort());
  });

  test("no command is there twice, and all have our name before them", () => {
    expect(new Set(contributed).size).toBe(contributed.length);
    expect(contributed.filter((id) => !id.startsWith("memlsp.") || id.startsWith("memlsp.server."))).toEqual([]);
  });

  test("no two that a person can see are called the same", () => {
    const titles = contributes.commands.map(({ title }) => labels[title.slice(1, -1)]);
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
  });

  test("what wakes the extension is a repository or a language that it reads, not every file", () => {
    expect(manifest.activationEvents).not.toContain("onLanguage");
    expect(manifest.activationEvents).not.toContain("*");
  });

  test("menus, keys, welcome texts and the walkthrough name commands that there are", () => {
    const named = [
      ...[...menus, ...(contributes.keybindings ?? [])].flatMap(({ command }) => command ?? []),
      ...Object.values(labels).flatMap(linked),
      ...contributes.walkthroughs.flatMap(({ steps }) =>
        steps.flatMap(({ completionEvents }) => completionEvents.flatMap((event) => /^onCommand:(.*)/.exec(event)?.[1] ?? [])),
      ),
    ];
    const focuses = views.map(({ id }) => `${id}.focus`);
    const builtIn = /^(workbench|vscode|editor|markdown)\./;
    expect(named.filter((id) => !builtIn.test(id) && ![...contributed, ...focuses].includes(id))).toEqual([]);
  });

  test("menus name submenus that there are", () => {
    const known = (contributes.submenus ?? []).map(({ id }) => id);
    expect(menus.flatMap(({ submenu }) => submenu ?? []).filter((id) => !known.includes(id))).toEqual([]);
  });
});

describe("conditions", () => {
  const conditions = [
    ...menus.flatMap(({ when }) => when ?? []),
    ...(contributes.keybindings ?? []).flatMap(({ when }) => when ?? []),
    ...(contributes.viewsWelcome ?? []).flatMap(({ when }) => when ?? []),
    ...views.flatMap(({ when }) => when ?? []),
    ...contributes.commands.flatMap(({ enablement }) => enablement ?? []),
  ];

  test("every context key of ours is set somewhere", () => {
    const text = sources();
    const keys = new Set(
      conditions.flatMap((each) =>
        [...each.matchAll(/(?<![\w=.'"]\s?)(memlsp\.[\w.]+)/g)]
          .map(([, key]) => key ?? "")
          .filter((key) => !views.some(({ id }) => key === id || key === `${id}.visible`)),
      ),
    );
    const unset = [...keys].filter((key) => !text.includes(`"${key}"`));
    expect(unset).toEqual([]);
  });

  test("what is wrong with the server is said once, in the view that is always there", () => {
    const [first, ...others] = views;
    const troubled = (contributes.viewsWelcome ?? []).filter(({ when }) => when?.includes("memlsp.state"));
    expect(troubled.map(({ view }) => view).filter((id) => id !== first?.id)).toEqual([]);
    for (const { when } of others) for (const state of ["idle", "missing", "untrusted", "failed"]) expect(when).toContain(state);
    expect(first?.when).toBeUndefined();
  });

  test("no step of the walkthrough is done because a view was opened", () => {
    const events = contributes.walkthroughs.flatMap(({ steps }) => steps.flatMap(({ completionEvents }) => completionEvents));
    expect(events.filter((event) => event.startsWith("onView:"))).toEqual([]);
    const keys = events.flatMap((event) => /^onContext:(.*)/.exec(event)?.[1] ?? []);
    expect(keys.filter((key) => !sources().includes(`"${key}"`))).toEqual([]);
  });

  test("every view that a condition or a welcome text names is there", () => {
    const known = views.map(({ id }) => id);
    const named = conditions.flatMap((each) => [...each.matchAll(/\b(?:view|focusedView) == '?([\w.]+)/g)].map(([, id]) => id ?? ""));
    const welcomed = (contributes.viewsWelcome ?? []).map(({ view }) => view);
    expect([...named, ...welcomed].filter((id) => !known.includes(id))).toEqual([]);
  });
});

describe("trust", () => {
  const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;

  test("every setting that can choose what runs or what is watched is restricted", () => {
    const choosing = [...settings].filter(
      ([name, { scope = "window" }]) => /^memlsp\.(path|server\.|capture\.)/.test(name) || /^(machine|application)/.test(scope),
    );
    expect(supported).toBe("limited");
    expect(choosing.map(([name]) => name).sort()).toEqual([...restrictedConfigurations].sort());
    // a folder, even a trusted one, turns nothing on that its user turned off
    expect(choosing.filter(([, { scope }]) => !/^(machine|application)$/.test(scope ?? ""))).toEqual([]);
  });

  test("what decides which program is started reads no other setting", () => {
    const folders = ["src/server", "src/agents"];
    const text = folders
      .flatMap((folder) => readdirSync(path.join(root, folder)).map((name) => read(path.join(folder, name))))
      .join("\n");
    const asked = [...text.matchAll(/\.get(?:<[^>]*>)?\(\s*"([\w.]+)"/g)].map(([, name]) => `memlsp.${name ?? ""}`);
    const unrestricted = asked.filter((name) => settings.has(name) && !restrictedConfigurations.includes(name));
    expect(unrestricted).toEqual([]);
  });
});

describe("what comes along", () => {
  test("every picture that package.json names is there", () => {
    const named = [
      manifest.icon,
      ...views.flatMap(({ icon }) => icon ?? []),
      ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.svg)),
    ];
    expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });

  test("the package holds what is shown and read, and nothing of how it is made", async () => {
    const packed = await listFiles({ cwd: root, packageManager: PackageManager.None });
    const wanted = [
      ...["package.json", "package.nls.json", "package.nls.de.json", "l10n/bundle.l10n.json", "l10n/bundle.l10n.de.json"],
      ...["README.md", "CHANGELOG.md", "SUPPORT.md", "LICENSE", manifest.icon],
      ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.svg)),
    ];
    expect(wanted.filter((name) => !packed.includes(name))).toEqual([]);
    expect(packed.filter((name) => /^(src|test|e2e|scripts|node_modules|launcher)\/|\.(ts|map|vsix)$/.test(name))).toEqual([]);
  });

  test("no picture is fetched, and none runs a script", () => {
    const drawn = ["media", "walkthrough"].flatMap((folder) =>
      readdirSync(path.join(root, folder)).flatMap((name) => (name.endsWith(".svg") ? path.join(folder, name) : [])),
    );
    expect(drawn.length).toBeGreaterThan(4);
    for (const name of drawn) expect(read(name).replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|<script|href=|\bon\w+=/i);
  });

  test("the extension and the server that it brings have one version", () => {
    const server = readFileSync(path.join(root, "..", "memlsp", "version.py"), "utf8");
    expect(server).toContain(`VERSION = "${manifest.version}"`);
  });
});
