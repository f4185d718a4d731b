/** A person hovers a function and reads what was decided there, with ways to do something about it. */
import assert from "node:assert/strict";

export async function run(stage) {
  const editor = await stage.shared();
  await editor.file("httpx/_urlparse.py", 213);
  const hover = await editor.hover("urlparse", /partner gateway/);
  assert.match(await hover.innerText(), /current/);
  await editor.screenshot("hover");
}
