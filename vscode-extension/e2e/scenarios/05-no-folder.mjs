/** Without a folder nothing is looked for and nothing is started. */
import assert from "node:assert/strict";

export async function run(stage) {
  const editor = await stage.open(undefined);
  await editor.view("Memory");
  await editor.page.getByText("What is remembered belongs to a folder of code.").first().waitFor();
  await editor.screenshot("no-folder");
  assert.deepEqual(stage.servers(), [], "a server was started for a window without a folder");
  const looked = stage.workbench.logs(/memlsp\.memlsp/).filter(({ text }) => /looked for a server/.test(text));
  assert.deepEqual(looked.map(({ text }) => text), [], "a server was looked for");
  await stage.close(editor);
}
