/**
 * An agent's way in: the workbench starts the MCP server that the extension offers, with its own client, and learns its
 * tools; then a tool is called in the very process definition that the workbench used.
 */
import assert from "node:assert/strict";
import { call } from "../mcp.mjs";

export async function run(stage) {
  const editor = await stage.shared();
  await editor.run("MCP: List Servers");
  await editor.choices.filter({ hasText: /^memlsp/ }).first().click();
  await editor.choices.filter({ hasText: "Start Server" }).first().click();
  const started = await editor.until(() => stage.agents()[0], "the MCP server's process");
  await editor.page.locator(".view-line").filter({ hasText: /Discovered\s\d+\stools/ }).first().waitFor();
  await editor.run("MCP: List Servers");
  await editor.choices.filter({ hasText: /^memlsp/ }).filter({ hasText: /Running/ }).first().waitFor();
  await editor.screenshot("mcp");
  await editor.press("Escape");

  const answer = await call(started, "recall", { query: "how long may a URL be" });
  assert.match(answer, /characters are refused/);
}
