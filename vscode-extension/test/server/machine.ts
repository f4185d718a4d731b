/** A machine that exists only in a test: files by name, and what running them prints. */
import type { Ended, Run } from "../../src/server/processes";
import type { Surroundings } from "../../src/server/surroundings";

type Answer = Partial<Ended> | ((args: readonly string[], cwd: string) => Partial<Ended>);

export class Machine implements Surroundings {
  platform: NodeJS.Platform = "linux";
  arch = "x64";
  env: Record<string, string> = { PATH: "/usr/local/bin:/usr/bin" };
  home = "/home/ada";
  /** Every program that was run: the command, a space, its arguments. */
  readonly ran: string[] = [];
  readonly cwds = new Set<string>();
  private readonly files = new Map<string, Answer>();
  private readonly links = new Map<string, string>();

  /** Puts a program there. */
  put(path: string, answer: Answer = {}): this {
    this.files.set(path, answer);
    return this;
  }

  /** A server that says its version. */
  server(path: string, version = "0.1.0"): this {
    return this.put(path, { stdout: `memlsp, version ${version}\n` });
  }

  /** A Python that may have the server. */
  python(path: string, version: [number, number, number] = [3, 12, 1], server?: string): this {
    const tag = `cpython-${version[0]}${version[1]}`;
    return this.put(path, (args) => {
      if (args.includes("-c")) return { stdout: JSON.stringify([path, version, tag, "x86_64"]) };
      if (args.includes("-m") && server) return { stdout: `memlsp, version ${server}\n` };
      return { code: 1, stderr: "No module named memlsp\n" };
    });
  }

  link(from: string, to: string): this {
    this.links.set(from, to);
    return this;
  }

  readonly run: Run = (command, args, { cwd }) => {
    this.ran.push([command, ...args].join(" "));
    this.cwds.add(cwd);
    const answer = this.files.get(this.follow(command));
    if (!answer) return Promise.resolve({ code: null, stdout: "", stderr: "ENOENT", failure: "not started" });
    const ended = typeof answer === "function" ? answer(args, cwd) : answer;
    return Promise.resolve({ code: 0, stdout: "", stderr: "", ...ended });
  };

  program(path: string): Promise<string | undefined> {
    const target = this.follow(path);
    return Promise.resolve(this.files.has(target) ? target : undefined);
  }

  real(path: string): Promise<string> {
    return Promise.resolve(this.follow(path));
  }

  private follow(path: string): string {
    for (const [from, to] of this.links) {
      if (path === from || path.startsWith(`${from}/`)) return this.follow(to + path.slice(from.length));
    }
    return path;
  }
}
