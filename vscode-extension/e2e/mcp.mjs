/** Calls one tool of an MCP server, started exactly as a running one was: its arguments, environment and folder. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { patience } from "./patience.mjs";

/**
 * The text that a tool answers with.
 *
 * @param {{ args: string[], env: Record<string, string>, cwd: string }} as how the running one was started
 */
export async function call(as, tool, input) {
  const [command, ...args] = as.args;
  const server = spawn(command, args, { env: as.env, cwd: as.cwd, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  createInterface({ input: server.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let id = 0;
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method, params) => {
    const answer = new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${method} was not answered`)), 2 * patience);
      waiting.set(++id, ({ result, error }) => {
        clearTimeout(late);
        if (error) reject(new Error(error.message));
        else resolve(result);
      });
    });
    send({ id, method, params });
    return answer;
  };
  try {
    await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "e2e", version: "1" } });
    send({ method: "notifications/initialized", params: {} });
    const { content } = await ask("tools/call", { name: tool, arguments: input });
    return content.map(({ text }) => text).join("\n");
  } finally {
    server.kill();
  }
}
