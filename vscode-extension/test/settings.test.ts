import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { fake } from "./fake/vscode";
import { effective, effectiveOption } from "../src/settings/effective";
import { describeMode, MODE_OPTIONS, MODES } from "../src/settings/modes";
import { chooseMode } from "../src/settings";
import { DEFAULTS } from "../src/settings/options";
import { set } from "../src/settings/writing";

beforeEach(() => fake.reset());

describe("what the server is told", () => {
  test("every option is sent, each time, since the server keeps what it was told last", () => {
    expect(effective()).toMatchObject({
      hover: { enabled: true, history: true, work: true },
      lens: { enabled: true, holding: false, threads: true },
      capture: { terminal: false },
      onboarding: { enabled: true },
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

describe("a setting that is written", () => {
  test("leaves nothing behind that says what holds anyway", async () => {
    await set("lens.enabled", false);
    expect(fake.settings.get("memlsp.lens.enabled")).toBe(false);
    await set("lens.enabled", true);
    expect(fake.settings.has("memlsp.lens.enabled")).toBe(false);
  });

  test("is written where a mode says otherwise", async () => {
    fake.settings.set("memlsp.mode", "quiet");
    await set("lens.enabled", true);
    expect(fake.settings.get("memlsp.lens.enabled")).toBe(true);
  });
});

describe("the mode's command", () => {
  test("sets the mode that is chosen and says so quietly", async () => {
    fake.answers.push((items: { mode?: string }[]) => items.find((item) => item.mode === "review"));
    expect(await chooseMode()).toBe("review");
    expect(fake.settings.get("memlsp.mode")).toBe("review");
    expect(fake.told).toEqual(["memlsp: Review mode"]);
  });

  test("takes the setting out for the normal mode", async () => {
    fake.settings.set("memlsp.mode", "quiet");
    expect(await chooseMode("normal")).toBe("normal");
    expect(fake.settings.has("memlsp.mode")).toBe(false);
  });

  test("changes nothing on Escape", async () => {
    fake.answers.push(undefined);
    expect(await chooseMode()).toBe("normal");
    expect(fake.told).toEqual([]);
  });

  test("leads to each setting", async () => {
    fake.answers.push((items: unknown[]) => items.at(-1));
    await chooseMode();
    expect(fake.ran[0]?.id).toBe("workbench.action.openSettings");
  });
});
