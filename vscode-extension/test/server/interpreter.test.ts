import { afterEach, describe, expect, test, vi } from "vitest";
import { selectedInterpreter, watchInterpreter } from "../../src/server/interpreter";
import { EventEmitter, extensions } from "../fake/vscode";

const moved = new EventEmitter<unknown>();

/** The Python extension with an interface. */
function have(environments: unknown): void {
  vi.spyOn(extensions, "getExtension").mockReturnValue({ activate: () => Promise.resolve({ environments }) });
}

afterEach(() => vi.restoreAllMocks());

const selecting = (fsPath: unknown) => ({
  getActiveEnvironmentPath: () => ({ id: "x", path: "/venv" }),
  resolveEnvironment: () => Promise.resolve({ executable: { uri: { fsPath } } }),
  onDidChangeActiveEnvironmentPath: moved.event,
});

describe("the selected interpreter", () => {
  test("is what the Python extension resolves", async () => {
    have(selecting("/venv/bin/python"));
    expect(await selectedInterpreter()).toBe("/venv/bin/python");
  });

  test("is none without the Python extension, or when it fails", async () => {
    expect(await selectedInterpreter()).toBeUndefined();
    vi.spyOn(extensions, "getExtension").mockReturnValue({ activate: () => Promise.reject(new Error("broken")) });
    expect(await selectedInterpreter()).toBeUndefined();
  });

  test.each([
    ["an older interface", { getActiveInterpreterPath: () => "/x" }],
    ["nothing", undefined],
    ["an environment without an executable", selecting(undefined)],
    ["one that it cannot resolve", { ...selecting("/x"), resolveEnvironment: () => Promise.reject(new Error("gone")) }],
  ])("is none when the Python extension gives %s", async (_, environments) => {
    have(environments);
    expect(await selectedInterpreter()).toBeUndefined();
  });

  test("is told when another is selected, until nobody listens any more", async () => {
    have(selecting("/x"));
    const told = vi.fn();
    const listening = watchInterpreter(told);
    await vi.waitFor(() => {
      moved.fire({});
      expect(told).toHaveBeenCalled();
    });
    listening.dispose();
    told.mockClear();
    moved.fire({});
    expect(told).not.toHaveBeenCalled();
  });
});
