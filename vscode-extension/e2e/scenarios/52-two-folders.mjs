/** A window with two folders: one server, and each folder's memory under its own name. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { ask } from "../project.mjs";

/** The workbench at times shows a workspace that was opened just now without its folders, and stays so: another window has them. */
async function withFolders(stage, file, tries) {
  const editor = await stage.open(file);
  const memory = await editor.view("Memory", tries > 1 ? 20_000 : undefined).catch((error) => failing(tries, error));
  const shown = memory && (await editor.item(/^prices/, memory).waitFor({ timeout: 10_000 }).then(() => true, (error) => failing(tries, error)));
  if (shown || tries === 1) return { editor, memory };
  await stage.close(editor);
  return withFolders(stage, file, tries - 1);
}

function failing(tries, error) {
  if (tries === 1) throw error;
}

export async function run(stage) {
  ask(stage.small, stage.workbench.memory, "remember", "The rate is 20 %, agreed with finance", "--at", "pricing.py#tax", "--kind", "decision");
  const file = path.join(stage.workbench.workspaces, "both.code-workspace");
  writeFileSync(file, JSON.stringify({ folders: [{ path: stage.repository, name: "client" }, { path: stage.small, name: "prices" }] }));
  const { editor, memory } = await withFolders(stage, file, 3);
  await editor.item(/^prices/, memory).waitFor();
  await editor.item(/^client/, memory).waitFor();
  await editor.file("pricing.py", 4);
  await editor.item(/agreed with finance/, memory).waitFor();
  await editor.hover("tax", /agreed with finance/);
  await editor.file("httpx/_urlparse.py", 395);
  await editor.item(/Default ports are left out/, memory).waitFor();
  await editor.screenshot("two-folders");
  const windows = stage.servers().map(({ parent }) => parent);
  assert.equal(new Set(windows).size, windows.length, "one server for both folders");
  await stage.close(editor);
}
