import { describe, expect, test } from "vitest";
import { liesWithin, lookUp } from "../../src/server/lookup";
import { Machine } from "./machine";

describe("a program by its name", () => {
  test("is found where the PATH names it first", async () => {
    const machine = new Machine().server("/usr/bin/memlsp").server("/usr/local/bin/memlsp");
    expect(await lookUp("memlsp", machine, [])).toBe("/usr/local/bin/memlsp");
  });

  test("is never one inside the workspace, even when the PATH leads there", async () => {
    const machine = new Machine().server("/home/ann/project/.venv/bin/memlsp").server("/usr/bin/memlsp");
    machine.env["PATH"] = "/home/ann/project/.venv/bin:/usr/bin";
    expect(await lookUp("memlsp", machine, ["/home/ann/project"])).toBe("/usr/bin/memlsp");
  });

  test("is never a link out of the PATH into the workspace, nor a link in the workspace out of it", async () => {
    const machine = new Machine().server("/home/ann/project/bin/memlsp").server("/opt/memlsp");
    machine.link("/usr/bin/memlsp", "/home/ann/project/bin/memlsp").link("/home/ann/project/tools/memlsp", "/opt/memlsp");
    machine.env["PATH"] = "/usr/bin:/home/ann/project/tools";
    expect(await lookUp("memlsp", machine, ["/home/ann/project"])).toBeUndefined();
  });

  test("is not looked for in the current folder, by whatever spelling", async () => {
    const machine = new Machine().server("memlsp").server("./memlsp").server("bin/memlsp");
    machine.env["PATH"] = ":.:bin";
    expect(await lookUp("memlsp", machine, [])).toBeUndefined();
  });

  test("is an .exe on Windows, where the PATH may have quotes and another spelling", async () => {
    const machine = new Machine().put("C:\\Tools\\memlsp.cmd").server("C:\\Py thon\\memlsp.exe");
    machine.platform = "win32";
    machine.env = { Path: 'C:\\Tools;"C:\\Py thon"' };
    expect(await lookUp("memlsp", machine, [])).toBe("C:\\Py thon\\memlsp.exe");
  });
});

describe("a path", () => {
  test("lies within a folder that is only reached by a link", async () => {
    const machine = new Machine().link("/home/ada/project", "/data/project");
    expect(await liesWithin("/data/project/bin/python", machine, ["/home/ada/project"])).toBe(true);
  });

  test("does not lie within a folder whose name it only begins with, or whose name begins with dots", async () => {
    const machine = new Machine();
    expect(await liesWithin("/home/ann/project-2/bin", machine, ["/home/ann/project"])).toBe(false);
    expect(await liesWithin("/home/ann/project/..bin/x", machine, ["/home/ann/project"])).toBe(true);
  });

  test("of another drive does not lie within", async () => {
    const machine = new Machine();
    machine.platform = "win32";
    expect(await liesWithin("D:\\bin\\x.exe", machine, ["C:\\work"])).toBe(false);
  });
});
