import { describe, expect, test } from "vitest";
import { type PythonHint, Pythons } from "../../src/server/pythons";
import { Machine } from "./machine";

async function all(machine: Machine, named: readonly PythonHint[] = [], folders: readonly string[] = []): Promise<string[]> {
  const found: string[] = [];
  for await (const { executable, from } of new Pythons(machine, "/storage").all(named, folders)) found.push(`${from} ${executable}`);
  return found;
}

describe("Pythons", () => {
  test("come in order: named ones, the newest of the PATH, then uv's", async () => {
    const machine = new Machine().python("/usr/bin/python3.11", [3, 11, 2]).python("/usr/bin/python3.13", [3, 13, 0]);
    machine.put("/usr/bin/uv", { stdout: "/home/ada/.uv/python\n" }).python("/home/ada/.uv/python").python("/opt/python");
    expect(await all(machine, [{ command: "/opt/python", from: "setting" }])).toEqual([
      "setting /opt/python",
      "path /usr/bin/python3.13",
      "path /usr/bin/python3.11",
      "uv /home/ada/.uv/python",
    ]);
  });

  test("that are too old, that do not start, or that are something else do not count", async () => {
    const machine = new Machine().python("/usr/bin/python3", [3, 9, 2]).put("/usr/bin/python", { code: 9009 });
    machine.put("/usr/local/bin/python3", { stdout: "hello" }).put("/usr/local/bin/python", { stdout: '["/x", "3", 1, null]' });
    expect(await all(machine)).toEqual([]);
  });

  test("are looked at once, whatever their names are", async () => {
    const machine = new Machine().python("/usr/bin/python3.12").link("/usr/bin/python3", "/usr/bin/python3.12");
    expect(await all(machine)).toEqual(["path /usr/bin/python3.12"]);
  });

  test("inside the workspace are not taken from the PATH", async () => {
    const machine = new Machine().python("/work/.venv/bin/python3");
    machine.env["PATH"] = "/work/.venv/bin";
    expect(await all(machine, [], ["/work"])).toEqual([]);
  });

  test("are asked of the launcher on Windows", async () => {
    const machine = new Machine().put("C:\\Windows\\py.exe", (args) =>
      args[0] === "-3" ? { stdout: JSON.stringify(["C:\\Py313\\python.exe", [3, 13, 1], "cpython-313", "AMD64"]) } : { code: 1 },
    );
    machine.platform = "win32";
    machine.env = { Path: "C:\\Windows" };
    expect(await all(machine)).toEqual(["path C:\\Py313\\python.exe"]);
  });

  test("of macOS itself are left alone: they open a box", async () => {
    const machine = new Machine().python("/usr/bin/python3");
    machine.platform = "darwin";
    expect(await all(machine)).toEqual([]);
    expect(machine.ran).toEqual([]);
  });
});
