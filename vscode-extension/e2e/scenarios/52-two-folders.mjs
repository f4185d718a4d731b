/** A window with two folders: one server, and each folder's memory under its own name. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { ask } from "../project.mjs";

export async function run(stage) {
  ask(stage.small, stage.workbench.memory, "remember", "The rate is 20 %, agreed with finance", "--at", "pricing.py#tax", "--kind", "decision");
  const file = path.join(stage.workbench.workspaces, "both.code-workspace");
  writeFileSync(file, JSON.stringify({ folders: [{ path: stage.repository, name: "client" }, { path: stage.small, name: "prices" }] }));
  const before = stage.servers().length;
  const editor = await stage.open(file);
  let memory = await editor.view("Memory");
  // the workbench at times shows a workspace that was opened just now without its folders; opened again it has them
  const shown = await editor.item(/^prices/, memory).waitFor({ timeout: 10_000 }).then(() => true, () => false);
  if (!shown) {
    await editor.page.reload();
    memory = await editor.view("Memory");
  }
  await editor.item(/^prices/, memory).waitFor();
  await editor.item(/^client/, memory).waitFor();
  await editor.file("pricing.py", 4);
  await editor.item(/agreed with finance/, memory).waitFor();
  await editor.hover("tax", /agreed with finance/);
  await editor.file("httpx/_urlparse.py", 395);
  await editor.item(/Default ports are left out/, memory).waitFor();
  await editor.screenshot("two-folders");
  assert.equal(stage.servers().length, before + 1, "one server for both folders");
  await stage.close(editor);
}
