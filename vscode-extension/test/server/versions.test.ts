import { describe, expect, test } from "vitest";
import { compareVersions, readVersion } from "../../src/server/versions";

describe("the version that a server prints", () => {
  test("is read from what it prints now, and from the short form", () => {
    expect(readVersion("memlsp, version 0.1.0\n")).toBe("0.1.0");
    expect(readVersion("warning: something\nmemlsp 1.12.3rc1+local.5\r\n")).toBe("1.12.3rc1+local.5");
  });

  test("is not made up from the words of another program", () => {
    for (const said of ["", "Python 3.12.1", "memlsp", "memlsp, version unknown", "not memlsp 1.0"]) {
      expect(readVersion(said)).toBeUndefined();
    }
  });
});

describe("versions", () => {
  test("are compared by number, not by letter", () => {
    expect(compareVersions("0.10.0", "0.9.12")).toBeGreaterThan(0);
    expect(compareVersions("1.0", "1.0.0")).toBe(0);
    expect(compareVersions("0.1.0", "0.1.0+local")).toBe(0);
  });

  test("put a pre-release before its release", () => {
    expect(compareVersions("0.1.0rc1", "0.1.0")).toBeLessThan(0);
    expect(compareVersions("0.1.0a2", "0.1.0b1")).toBeLessThan(0);
    expect(compareVersions("0.2.0.dev3", "0.1.0")).toBeGreaterThan(0);
  });
});
