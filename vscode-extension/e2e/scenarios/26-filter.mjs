/** The Memory view is narrowed to a word, says so, and is wide again. */
import assert from "node:assert/strict";

export async function run(stage) {
  const editor = await stage.shared();
  const memory = await editor.view("Memory");
  await editor.file("httpx/_urlparse.py", 395);
  await editor.item(/Default ports are left out/, memory).waitFor();
  await editor.run("memlsp: Filter…");
  await editor.box.getByText("Words…").first().click();
  await editor.press("Enter");
  const input = editor.box.getByRole("textbox").first();
  await input.waitFor();
  await input.fill("spellings");
  await editor.press("Enter");
  await editor.item(/URLs longer than/, memory).waitFor({ state: "hidden" });
  await editor.item(/Default ports are left out/, memory).waitFor();
  await editor.screenshot("filtered");
  await editor.run("memlsp: Clear the filter");
  await editor.item(/URLs longer than/, memory).waitFor();
  assert.equal(await memory.getByRole("treeitem").filter({ hasText: /fit the filter/ }).count(), 0);
}
