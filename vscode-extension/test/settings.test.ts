import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { fake } from "./fake/vscode";
import { effective, effectiveOption } from "../src/settings/effective";
import { describeMode, MODE_OPTIONS, MODES } from "../src/settings/modes";
import { DEFAULTS } from "../src/settings/options";

beforeEach(() => fake.reset());

describe("what the server is told", () => {
  test("every option is sent, each time, since the server keeps what it was told last", () => {
    expect(effective()).toMatchObject({
      hover: { enabled: true, history: true, work: true, historyWait: 150 },
      lens: { enabled: true, threads: true },
      capture: { terminal: false },
      debounce: 150,
      onboarding: { enabled: true, commits: 2000 },
    });
  });

  test("a mode changes what nobody set", () => {
    fake.settings.set("memlsp.mode", "quiet");
    expect(effective()).toMatchObject({ lens: { enabled: false }, hover: { enabled: true, history: false } });
  });

  test("what somebody set wins over the mode", () => {
    fake.settings.set("memlsp.mode", "quiet");
    fake.settings.set("memlsp.lens.enabled", true);
    expect(effectiveOption("lens.enabled")).toBe(true);
  });

  test("of the levels each is decided by itself", () => {
    fake.settings.set("memlsp.mode", "review");
    fake.settings.set("memlsp.diagnostics.levels", { changed: "off" });
    expect(effectiveOption("diagnostics.levels")).toEqual({
      contradicted: "warning",
      changed: "off",
      orphaned: "warning",
      expired: "warning",
    });
  });

  test("a mode that does not exist is the normal one", () => {
    fake.settings.set("memlsp.mode", "loud");
    expect(effectiveOption("lens.enabled")).toBe(true);
  });

  test("no call changes the table of defaults", () => {
    const before = JSON.stringify([DEFAULTS, MODE_OPTIONS]);
    fake.settings.set("memlsp.diagnostics.levels", { changed: "off" });
    effective();
    expect(JSON.stringify([DEFAULTS, MODE_OPTIONS])).toBe(before);
  });
});

test("a mode names only options that there are, with a level for every standing", () => {
  for (const mode of MODES) {
    for (const [name, value] of Object.entries(MODE_OPTIONS[mode])) {
      expect(DEFAULTS).toHaveProperty([name]);
      if (typeof value === "object") expect(Object.keys(value)).toEqual(Object.keys(DEFAULTS[name] ?? {}));
    }
    expect(describeMode(mode).about).not.toBe("");
  }
});

test("the editor's settings carry every option with its default", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    contributes: { configuration: { properties: Record<string, { default: unknown }> }[] };
  };
  const properties = Object.assign({}, ...manifest.contributes.configuration.map((each) => each.properties)) as Record<
    string,
    { default: unknown }
  >;
  const shown = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, properties[`memlsp.${name}`]?.default]));
  expect(shown).toEqual(DEFAULTS);
});
